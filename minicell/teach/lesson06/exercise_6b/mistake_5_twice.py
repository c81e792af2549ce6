"""Twice the dout finds whoever does not listen to dout.

It says no to all who do not grow with `dout`: whoever forgot it, whoever keeps its sign only, and `x + 1`, too. To
tell these apart, ask for something that they do not have in common.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'twice',
    ('scaled', 'mean, not sum'): 'twice',
    ('random dx', 'dx dropped'): 'twice',
    ('dout forgotten', 'sign only'): 'twice',
    ('dout forgotten', 'plus one'): 'twice',
    ('sign only', 'mean, not sum'): 'twice',
}
