"""An optimizer changes all Parameters that a Cell has.

It changes those that it was given: `net.trainable_params()`. With `requires_grad=False`, `fixed` is not among them.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'optimizer',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'forward',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
