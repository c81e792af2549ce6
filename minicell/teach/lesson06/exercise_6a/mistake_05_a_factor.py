"""Too large or too small: that is a factor.

A factor is the same for every batch. Here `dw` is divided by the number of rows, so twice the rows do not give twice
the `dw`: `batch` says no. And `dx` is right, as the lamp tells you.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'mean, not sum',
    'B': 'dout forgotten',
    'C': 'dx dropped',
    'D': 'flipped',
    'E': 'random dx',
    'F': 'plus one',
    'G': 'scaled',
    'H': 'sign only',
}
