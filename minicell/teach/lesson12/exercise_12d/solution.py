"""C is the one from the table: it differentiates a triangle, so behind the threshold it says that more membrane means
fewer spikes. One call would have shown it, and so would one look at its line in the figure.

A is three times too high for a derivative, and fine: no surrogate is the derivative of its step. E has the right
slopes and never listens; you met its kind in lesson 03.
"""

verdicts = {
    'A': 'fine',
    'B': 'off centre',
    'C': 'sign',
    'D': 'dead',
    'E': 'deaf',
}
