"""Of two equal numbers, the first one is the maximum.

`maximum` does not choose where its two arguments are equal: each gets half of the gradient. It is a convention, and
each framework might have taken another.
"""

slopes = {
    'A': 0,
    'B': 1,
    'C': 1,
    'D': 1,
    'E': 0,
    'F': 1,
}
