"""Backward runs my lines again, from the top to the bottom.

The rule of the sine multiplies by the gradient that comes from behind it, and nobody knows that one yet. The only
place where a gradient is known at the start is the result.
"""

ORDER = ['start', 'sin', 'mul 1', 'mul 2', 'log', 'dx']
