"""A tick at the top is all there is to read.

D has its tick. The line below it says what else was seen: differences do not agree at 0. Read to the end of a
verdict; at a random place you would never have met the kink.
"""

verdicts = {
    'A': 'right',
    'B': 'wrong',
    'C': 'wrong at second order',
    'D': 'right',
}
