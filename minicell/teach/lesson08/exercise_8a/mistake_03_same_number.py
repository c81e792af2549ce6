"""0.1 is 0.1.

Not across dtypes, and not after a sum. No dtype here has 0.1 itself; each has a nearest number of its own, and `0.1
+ 0.2` is not the one nearest to 0.3. So in C and D the left side is larger.
"""

slopes = {
    'A': 0,
    'B': 1,
    'C': 0,
    'D': 0,
    'E': 0,
    'F': 0.5,
}
