"""A bprop that uses out cannot be differentiated again.

It can. `out` is a Tensor like the others: the next order goes through it, back into the Cell. A passes both checks.
"""

verdicts = {
    'A': 'wrong at second order',
    'B': 'wrong',
    'C': 'wrong at second order',
    'D': 'right, with a kink',
}
