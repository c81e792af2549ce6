"""Backward enters the loop at its first round.

There is no loop on the tape. There are two entries with the same rule, and the second round was written last. So it is
read first: the first round's product waits for what the second one hands out.
"""

ORDER = ['start', 'log', 'mul 1', 'mul 2', 'sin', 'dx']
