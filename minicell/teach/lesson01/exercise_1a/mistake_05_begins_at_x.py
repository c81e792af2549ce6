"""I ask for the gradient of x, so backward begins at x.

The gradient of `x` is the last thing that is known. Backward begins with the one slope that needs no thinking: the
result by itself, which is 1.
"""

ORDER = ['dx', 'sin', 'mul 1', 'mul 2', 'log', 'start']
