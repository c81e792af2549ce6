"""Backward reads the tape from its end to its beginning."""

ORDER = ['ReduceSum', 'Sin', 'Mul']
