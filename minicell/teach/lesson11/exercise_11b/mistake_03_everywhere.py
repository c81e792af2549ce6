"""The document's constraint holds in every mode.

It is a constraint of graph mode. In eager mode `bprop` is a Python function: it can read `self.w`, return its gradient
with `internal_params`, and even write it.
"""

modes = {
    'A': 'neither',
    'B': 'both',
    'C': 'neither',
    'D': 'neither',
    'E': 'neither',
    'F': 'both',
}
