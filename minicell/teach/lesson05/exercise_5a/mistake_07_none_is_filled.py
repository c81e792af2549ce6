"""None means that autodiff fills in the rest.

Nothing is filled in: `construct` was not recorded. `None` says that no gradient goes this way, and 0 arrives.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'fine',
    7: 'fine',
    8: 'silent',
}
