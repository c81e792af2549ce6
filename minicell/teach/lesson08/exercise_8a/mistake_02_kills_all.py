"""Comparisons kill all gradients.

No gradient goes through the comparison, that is so. But `x` also goes straight into `select`, and there it passes
wherever the comparison said yes.
"""

slopes = {
    'A': 0,
    'B': 0,
    'C': 0,
    'D': 0,
    'E': 0,
    'F': 0,
}
