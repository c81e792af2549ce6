"""It has the right sign, and it trains, so it is right.

`x * out` has the sign of the true slope `x / out`. So the steps go downhill, and the loss falls. The check asks for
more: the right number. Look at the ✗ of B.
"""

verdicts = {
    'A': 'right',
    'B': 'right',
    'C': 'wrong at second order',
    'D': 'right, with a kink',
}
