"""It will broadcast, and nobody will notice.

You are right that the sum would be wrong in each place. But it never gets there: a gradient of another shape than its
input raises, a smaller one too.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'silent',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
