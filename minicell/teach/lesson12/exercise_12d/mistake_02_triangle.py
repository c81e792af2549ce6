"""A triangle falls behind its peak, so a minus is right there.

The slope may fall. It must not fall below 0: C says that more membrane means fewer spikes, for every neuron that has
just spiked. It is the one from the table.
"""

verdicts = {
    'A': 'sign',
    'B': 'off centre',
    'C': 'fine',
    'D': 'dead',
    'E': 'deaf',
}
