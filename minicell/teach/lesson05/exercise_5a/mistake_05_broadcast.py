"""It will broadcast.

Values broadcast in the ops of forward. A gradient has one place for each number of its input, and nobody spreads one
number over three places for you.
"""

guesses = {
    1: 'raises',
    2: 'raises',
    3: 'raises',
    4: 'raises',
    5: 'fine',
    6: 'silent',
    7: 'fine',
    8: 'silent',
}
