"""In a graph a bprop sees its inputs, `out` and `dout`, and nothing else that may change. A and E touch a Parameter
from outside, and C hands out its gradient: eager only. To B it comes as an input, so a graph knows about it. F reads a
Python number, which is frozen; when it changes, minicell traces anew.

D runs nowhere: with no `internal_params`, a dict is one gradient too many.
"""

modes = {
    'A': 'eager only',
    'B': 'both',
    'C': 'eager only',
    'D': 'neither',
    'E': 'eager only',
    'F': 'both',
}
