"""Fewer digits make a number larger.

float32 has rounded 0.1 up, as C shows. float16 has rounded it down: to the nearest number it has, and that lies
below. So in E the comparison says no.
"""

slopes = {
    'A': 0,
    'B': 1,
    'C': 1,
    'D': 1,
    'E': 1,
    'F': 0.5,
}
