"""A gradient check tells me what is wrong.

It tells you that something is wrong: it says no to both. And it is the dearest of these tests, since it moves every
number up and down. Keep it for the question whether, and ask a cheaper test what.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'check',
    ('scaled', 'mean, not sum'): 'check',
    ('random dx', 'dx dropped'): 'check',
    ('dout forgotten', 'sign only'): 'check',
    ('dout forgotten', 'plus one'): 'check',
    ('sign only', 'mean, not sum'): 'check',
}
