"""The surest test is the best one.

`slope` compares with the truth, so it says no to everybody, with a number. For two gradients that are off by a factor
the number is all you need. Elsewhere it is a number that means little, and a test of one or two calls would do.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'slope',
    ('scaled', 'mean, not sum'): 'slope',
    ('random dx', 'dx dropped'): 'slope',
    ('dout forgotten', 'sign only'): 'slope',
    ('dout forgotten', 'plus one'): 'slope',
    ('sign only', 'mean, not sum'): 'slope',
}
