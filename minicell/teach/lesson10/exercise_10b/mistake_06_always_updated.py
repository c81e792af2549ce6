"""BatchNorm moves its mean in each call.

In each call **while it is training**. After `set_train(False)` it uses the mean and leaves it alone. Otherwise the
answers of a network would depend on what it was asked before.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'forward',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'forward',
}
