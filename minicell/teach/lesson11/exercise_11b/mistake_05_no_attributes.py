"""In a graph bprop cannot read anything from self.

A Python number can be read. It is frozen into the graph as a constant, and the graph remembers where it came from:
change `self.k`, and it is traced anew.
"""

modes = {
    'A': 'eager only',
    'B': 'both',
    'C': 'eager only',
    'D': 'neither',
    'E': 'eager only',
    'F': 'eager only',
}
