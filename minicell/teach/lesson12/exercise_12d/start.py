"""The unfinished answer: a learner begins here."""

verdicts = {
    'A': ...,
    'B': ...,
    'C': ...,
    'D': ...,
    'E': ...,
}
