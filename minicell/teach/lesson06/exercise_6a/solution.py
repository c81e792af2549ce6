"""`zero` fails for two: they do not listen to `dout`. B follows the weights and the batch all the same: it is right for
a `dout` of ones. F follows nothing: `x + 1`, `w + 1`. With `w + 1` for a gradient each step takes every weight towards
−1, and there its training came to rest.

`one_hot` fails for C alone, beside those two: `dx` has no row at all. E has one, but it fails `weights`: there is no
`w` in its `dx`.

`batch` fails for G and H. G grows with `dout`, so it is the mean. H does not even do that, and still hands out
nothing for nothing: a sign.

A and D pass all of these. `slope` says 5 for one and −1 for the other.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'scaled',
    'B': 'dout forgotten',
    'C': 'dx dropped',
    'D': 'flipped',
    'E': 'random dx',
    'F': 'plus one',
    'G': 'mean, not sum',
    'H': 'sign only',
}
