"""> is >=.

`x > 0.1` is False where `x` is 0.1: the number is replaced by the constant, and its gradient is 0. The document
says so of its own example: “`inputs[0] = threshold`, so it is replaced with `20`”.
"""

slopes = {
    'A': 1,
    'B': 1,
    'C': 1,
    'D': 1,
    'E': 1,
    'F': 1,
}
