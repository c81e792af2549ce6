"""All cheap tests passed, so only the size can be wrong.

The sign can be wrong as well: minus the gradient is zero for zero, and doubles when `dout` doubles. Read the number
that `slope` gives. Below zero, the gradient points the other way.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'flipped',
    'B': 'dout forgotten',
    'C': 'dx dropped',
    'D': 'scaled',
    'E': 'random dx',
    'F': 'plus one',
    'G': 'mean, not sum',
    'H': 'sign only',
}
