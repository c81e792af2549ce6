"""The unfinished answer: a learner begins here. A is the example of the lesson."""

# scaled · flipped · sign only · dout forgotten · plus one
# dx dropped · random dx · mean, not sum · nothing
bugs = {
    'A': 'scaled',
    'B': ...,
    'C': ...,
    'D': ...,
    'E': ...,
    'F': ...,
    'G': ...,
    'H': ...,
}
