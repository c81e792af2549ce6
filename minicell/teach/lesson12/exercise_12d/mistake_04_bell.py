"""As long as it is a bell, its place does not matter.

B listens to neurons that are far above their threshold, and would spike in any case. Those that a small push could
change hardly hear anything.
"""

verdicts = {
    'A': 'off centre',
    'B': 'fine',
    'C': 'sign',
    'D': 'dead',
    'E': 'deaf',
}
