"""Whatever is malformed raises.

Only what can be seen without the maths does: the tuple, the number of gradients, the shapes. Numbers 6, 7 and 8 pass
all of these tests.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'raises',
    7: 'raises',
    8: 'raises',
}
