"""A dict with the gradient is enough.

Somebody must know beforehand that this Cell answers for `w`: that is what `internal_params` is for. Without it the dict
is a second gradient for one input. (**In MindSpore** it is dropped without a word, and `w` gets 0.)
"""

modes = {
    'A': 'eager only',
    'B': 'both',
    'C': 'eager only',
    'D': 'eager only',
    'E': 'eager only',
    'F': 'both',
}
