"""None is no gradient, so it is refused.

It is a way to speak: no gradient for this input. For a number or a flag among the inputs it is right, and due. For
`x` it is wrong here, and nobody can tell the one from the other.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'raises',
    7: 'fine',
    8: 'silent',
}
