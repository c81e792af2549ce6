"""trainable_params lists it, so it trains.

It is found, and the optimizer has it. But `Scale` has a `bprop` and no `internal_params`, so its gradient is 0. Found
and changed are two things.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'nobody',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'forward',
    'hidden.w': 'optimizer',
    'norm.moving_mean, set_train(False)': 'nobody',
}
