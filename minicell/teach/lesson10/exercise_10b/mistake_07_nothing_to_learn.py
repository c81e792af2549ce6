"""A norm has nothing to learn.

It has: after all is centred and scaled, it is multiplied by `gamma`, and `beta` is added. Both have a gradient.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'forward',
    'norm.moving_mean': 'forward',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
