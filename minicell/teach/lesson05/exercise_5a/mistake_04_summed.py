"""It will be summed into place.

MindSpore and PyTorch do that, without a word. Here it would double the gradient, since `construct` takes the mean of
two rows. Whether a sum is meant only you can know, so minicell asks you to write it.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'silent',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
