"""It will complain.

A tuple of one, and a Tensor of the right shape: there is nothing to complain about. That `W` is missing only the
maths can tell, and nobody has asked for it.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'raises',
}
