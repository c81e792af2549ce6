"""Numbers 1 to 5 have a form that can be seen to be wrong without any maths: no tuple, too many, nothing, two wrong
shapes.

Number 7 has another dtype; it is cast, and the number is the same. Numbers 6 and 8 have the right form, and a wrong
number in it. Nobody can see that who does not work out the gradient a second time.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
