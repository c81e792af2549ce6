"""The unfinished answer: a learner begins here."""

changed_by = {
    'w': ...,
    'fixed': ...,
    'listed': ...,
    'norm.gamma': ...,
    'norm.moving_mean': ...,
    'hidden.w': ...,
    'norm.moving_mean, set_train(False)': ...,
}
