"""No Parameter may come anywhere near a graph.

A graph may read and write Parameters: `construct` does so all the time. And in B the Parameter is an input of the Cell;
so `bprop` gets it handed, and its gradient goes back the same way.
"""

modes = {
    'A': 'eager only',
    'B': 'eager only',
    'C': 'eager only',
    'D': 'neither',
    'E': 'eager only',
    'F': 'both',
}
