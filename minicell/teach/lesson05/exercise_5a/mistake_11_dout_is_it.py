"""dout is the gradient.

`dout` is the gradient of the loss by `out`. To become the gradient by `x` it must go through what `construct` did:
here a product with the mean of `W`.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'fine',
}
