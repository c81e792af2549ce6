"""The moving mean is a Parameter, so it is learned by its gradient.

It has `requires_grad=False`, and no gradient. It is worked out from the data that go by, and who sees them go by is
forward.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'optimizer',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
