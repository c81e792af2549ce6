"""It trains, so it is right.

These suspects bring the loss down, and yet the lamp says “wrong” for each of them. A step need not be the true
gradient to lead downhill. Take what the tests say, not where the curve goes: at least one test says no for every
suspect.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'nothing',
    'B': 'dout forgotten',
    'C': 'nothing',
    'D': 'flipped',
    'E': 'nothing',
    'F': 'plus one',
    'G': 'nothing',
    'H': 'nothing',
}
