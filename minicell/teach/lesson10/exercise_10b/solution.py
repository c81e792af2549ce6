"""`w` and `norm.gamma` are found in `trainable_params()` and have a gradient: the optimizer changes them.

`fixed` is left out on purpose, `listed` by mistake: a list is no place where a Cell looks. `hidden.w` is found, but its
wire is cut, and a step of 0 changes nothing.

The moving mean is written by forward, and only while the Cell is training.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'forward',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
