"""The unfinished answer: a learner begins here."""

modes = {
    'A': ...,
    'B': ...,
    'C': ...,
    'D': ...,
    'E': ...,
    'F': ...,
}
