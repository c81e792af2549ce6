"""What agrees with the true derivative is fine.

D agrees with it to the last digit: 0 everywhere. So does a cable that is cut. As a surrogate it is dead.
"""

verdicts = {
    'A': 'dead',
    'B': 'off centre',
    'C': 'sign',
    'D': 'fine',
    'E': 'deaf',
}
