"""Pictures of a Record: keyed shapes for every step, in two layouts."""
