"""A mode changes the speed, and nothing else.

It changes who runs your lines. A graph is made once, and what it does not know about cannot be followed later: a
Parameter that `bprop` picks up from `self` is such a thing. Run A in graph mode and read the sentence.
"""

modes = {
    'A': 'both',
    'B': 'both',
    'C': 'both',
    'D': 'neither',
    'E': 'both',
    'F': 'both',
}
