"""The dtype must be the same.

Only the shape must. A number means the same in float64 and in float32, so it is cast to the dtype of the input. (A
Bool is refused: a mask is no gradient.)
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'raises',
    8: 'silent',
}
