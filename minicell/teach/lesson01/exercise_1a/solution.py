"""Forward wrote four entries: the sine, the product of round one, the product of round two, the logarithm.

Backward puts a 1 at the result, reads them from the last to the first, and hands you what arrives at `x`. The other
branch and the comparison left no entry, so there is nothing to read.
"""

ORDER = ['start', 'log', 'mul 2', 'mul 1', 'sin', 'dx']
