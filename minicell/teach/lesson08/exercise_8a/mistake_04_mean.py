"""At a jump the gradient is the mean of both sides.

That is what central differences say at a kink, as in lesson 04. Autodiff does not look at both sides. It follows
the branch that was taken, and takes its gradient, whole.
"""

slopes = {
    'A': 0.5,
    'B': 0.5,
    'C': 1,
    'D': 1,
    'E': 0,
    'F': 0.5,
}
