"""A threshold of 0.05 makes of `a = 100` what `a = 5` is for a threshold of 1: in thresholds, the slope is as wide.

Forward has not changed at all: the same spikes at the same moments. `a` is not a number by itself, it has a unit, one
over that of the membrane. So there is no good `a`, only one that fits the spread of your membranes.
"""

rescue = {
    'v_threshold': 0.05,
    'learning_rate': 0.01,
    'steps': 300,
}
