"""Backward has to decide again at the if.

The decision is made once, forward. It is on the tape without being written there: after the products stands the
logarithm, and nothing else. Backward only reads.
"""

ORDER = ['start', 'log', 'if', 'mul 2', 'mul 1', 'sin']
