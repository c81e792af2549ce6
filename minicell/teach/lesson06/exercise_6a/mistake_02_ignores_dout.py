"""Twice the dout gave the same gradient, so dout was forgotten.

Somebody may listen to `dout` and throw its size away: the sign of twice a number is the sign of the number. Then
`twice` says no as well, and the note of `check_bprop` jumps to the same conclusion. Try `zero`: of nothing a sign is
nothing, while a bprop that forgot `dout` still hands out a gradient.
"""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'scaled',
    'B': 'sign only',
    'C': 'dx dropped',
    'D': 'flipped',
    'E': 'random dx',
    'F': 'plus one',
    'G': 'mean, not sum',
    'H': 'dout forgotten',
}
