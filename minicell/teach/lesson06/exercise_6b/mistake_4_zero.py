"""Nothing in, nothing out: that test finds every bug.

It finds those who do not listen to `dout` at all. Whatever multiplies by `dout`, rightly or wrongly, hands out zero
for zero; and if neither of the two listens, it says no to both.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'zero',
    ('scaled', 'mean, not sum'): 'zero',
    ('random dx', 'dx dropped'): 'zero',
    ('dout forgotten', 'sign only'): 'zero',
    ('dout forgotten', 'plus one'): 'zero',
    ('sign only', 'mean, not sum'): 'zero',
}
