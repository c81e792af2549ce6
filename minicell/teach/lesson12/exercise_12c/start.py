"""The unfinished answer: a learner begins here."""

rescue = {
    'v_threshold': ...,
    'learning_rate': ...,
    'steps': ...,
}
