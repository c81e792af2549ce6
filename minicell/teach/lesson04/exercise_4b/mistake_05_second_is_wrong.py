"""Wrong is wrong, at whatever order.

For a plain gradient C is right, and you may train with it. It fails only where somebody differentiates the gradient
again. Say which of the two you mean, and your reader knows what still works.
"""

verdicts = {
    'A': 'right',
    'B': 'wrong',
    'C': 'wrong',
    'D': 'right, with a kink',
}
