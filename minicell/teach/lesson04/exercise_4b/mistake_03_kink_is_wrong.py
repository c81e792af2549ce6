"""Differences disagree, so the bprop is wrong.

Look where D disagrees: at 0 only, where the slope jumps from 0.1 to 1. The difference goes half over the one side and
half over the other, and finds the mean. Autodiff and your `bprop` both take one side. Nobody is wrong.
"""

verdicts = {
    'A': 'right',
    'B': 'wrong',
    'C': 'wrong at second order',
    'D': 'wrong',
}
