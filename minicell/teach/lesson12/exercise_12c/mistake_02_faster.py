"""A small gradient needs a larger step.

Is it small? Look at |dW1|: it is the largest of all that have a right sign. And Adam makes each step the same length
anyway.
"""

rescue = {
    'v_threshold': 1.0,
    'learning_rate': 0.1,
    'steps': 300,
}
