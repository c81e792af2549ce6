"""What the framework looks at is enough.

It looks at the number of gradients and at their shapes. Every suspect passes that, or you would have met an error and
not a bug.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'shapes',
    ('scaled', 'mean, not sum'): 'shapes',
    ('random dx', 'dx dropped'): 'shapes',
    ('dout forgotten', 'sign only'): 'shapes',
    ('dout forgotten', 'plus one'): 'shapes',
    ('sign only', 'mean, not sum'): 'shapes',
}
