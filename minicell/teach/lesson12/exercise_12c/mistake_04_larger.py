"""A larger threshold leaves more room for the slope.

The slope stays as wide as it was, and the membranes spread out. In thresholds, it is now as if `a` were 1000.
"""

rescue = {
    'v_threshold': 10.0,
    'learning_rate': 0.01,
    'steps': 300,
}
