"""A gradient for a dout of zeros: that one forgot dout.

Two of them do that. One still has the formula of a product, and only left out `dout`: with other weights its `dx` is
another, and with a doubled batch its `dw` doubles. The other has no formula at all, and fails `weights` and `batch`,
too.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'scaled',
    'B': 'plus one',
    'C': 'dx dropped',
    'D': 'flipped',
    'E': 'random dx',
    'F': 'dout forgotten',
    'G': 'mean, not sum',
    'H': 'sign only',
}
