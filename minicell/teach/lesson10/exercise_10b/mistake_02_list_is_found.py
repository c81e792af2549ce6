"""What construct uses is found by itself.

Found by whom? A Cell knows its attributes that are Parameters or Cells. This one is in a list, and the list is a plain
attribute. A `ParameterTuple` would have been found.
"""

changed_by = {
    'w': 'optimizer',
    'fixed': 'nobody',
    'listed': 'optimizer',
    'norm.gamma': 'optimizer',
    'norm.moving_mean': 'forward',
    'hidden.w': 'nobody',
    'norm.moving_mean, set_train(False)': 'nobody',
}
