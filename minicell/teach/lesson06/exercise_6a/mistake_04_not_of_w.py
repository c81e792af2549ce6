"""dx does not change with the weights, so it is random.

A `dx` that is always zero does not change with the weights either. `one_hot` parts the two: random numbers fill the
one row that there should be, and zeros fill none.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'scaled',
    'B': 'dout forgotten',
    'C': 'random dx',
    'D': 'flipped',
    'E': 'dx dropped',
    'F': 'plus one',
    'G': 'mean, not sum',
    'H': 'sign only',
}
