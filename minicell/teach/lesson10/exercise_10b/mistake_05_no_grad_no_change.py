"""What needs no gradient never changes.

It is not changed by an **optimizer**. Forward may write it all the same, and while the Cell is training, `BatchNorm`
does.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'nobody',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
