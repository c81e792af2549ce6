"""What is too many is dropped.

It is so in MindSpore, and here that would hand out `dout` as the gradient of `x`. minicell counts: one input, one
gradient.
"""

guesses = {
    1: 'raises',
    2: 'silent',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
