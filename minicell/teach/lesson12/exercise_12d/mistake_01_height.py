"""A slope three times too high is a wrong slope.

Wrong as a derivative of what? No surrogate is the derivative of the step. A height is free, and Adam does not even
feel it. E, which you let go, says the same for every `dout`.
"""

verdicts = {
    'A': 'deaf',
    'B': 'off centre',
    'C': 'sign',
    'D': 'dead',
    'E': 'fine',
}
