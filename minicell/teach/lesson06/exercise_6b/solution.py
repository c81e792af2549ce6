"""Ask what the two do differently, and look for the test that asks just that. A row of zeros or of random numbers: one
call with a one-hot `dout`. The size of `dout` forgotten, or `dout` as a whole: one call with zeros.

A batch, or other weights, take two calls. And where both are the true gradient times a number, only the truth can
tell: `slope` is the least of it.

Where two tests cost the same, either will do: `one_hot` for `zero` in the fourth line, `batch` for `weights` in the
fifth.
"""

# shapes · zero · one_hot · twice · batch · weights · slope · check · train
cheapest = {
    ('scaled', 'flipped'): 'slope',
    ('scaled', 'mean, not sum'): 'batch',
    ('random dx', 'dx dropped'): 'one_hot',
    ('dout forgotten', 'sign only'): 'zero',
    ('dout forgotten', 'plus one'): 'weights',
    ('sign only', 'mean, not sum'): 'twice',
}
