"""The gradient explodes, so the step must be smaller.

Now it blows up more slowly. Adam divides by the size of the gradient, so it is not the size that hurts here; it is the
direction, and who hears of it.
"""

rescue = {
    'v_threshold': 1.0,
    'learning_rate': 0.001,
    'steps': 300,
}
