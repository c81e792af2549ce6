"""A and C agree at first order, and B does not: the slope of the bowl is `x / out`, and it says `x * out`.

A second check, of the gradient itself, parts A from C: `stop_gradient` tells the next order that `out` is a constant.

D agrees with autodiff everywhere, and with differences everywhere but at 0. A jump of the slope in one place is no
mistake of the `bprop`; it is a question of which slope you want there.
"""

verdicts = {
    'A': 'right',
    'B': 'wrong',
    'C': 'wrong at second order',
    'D': 'right, with a kink',
}
