"""The brackets make the tuple.

It is the comma that does. `(dx)` is `dx`, as `(3)` is 3. That is why the document insists on `return (dx,)`.
"""

guesses = {
    1: 'fine',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'raises',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
