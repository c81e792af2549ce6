"""grad reads my source, so both branches count.

`ops.exp` stands in your source, but it did not run: it has no entry, and no rule of it is called. What you left out
for it is the end: what arrives at `x` is handed to you.
"""

ORDER = ['start', 'exp', 'log', 'mul 2', 'mul 1', 'sin']
