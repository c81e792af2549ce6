"""Every function that could be needed is on the tape.

Only what ran has left an entry: nobody called `exp`.
"""

ORDER = ['ReduceSum', 'Exp', 'Mul']
