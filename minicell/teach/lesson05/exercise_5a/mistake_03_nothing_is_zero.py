"""No return is no gradient, and no gradient is zero.

To say that there is none you write `None`, in its place in the tuple, as number 6 does. A forgotten `return` is not
the same as a decision, and it raises.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'silent',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
