"""What is drawn with, and nothing of autodiff. It needs NumPy alone; PNG and GIF need Pillow and matplotlib.

Read it in this order. `style` is the one table of looks, in two themes, and `metrics` says how wide a text is. `shapes`
are the keyed shapes of a frame, and `boxes` measure themselves and find their places; `numbers` is how a number is
written, `tiles` are boxes of tensors, and a `band` is a broad arrow between boxes. A `film` is frames step by step, and
`line` its slider. `sheet` lays a frame out as a still, which `svg`, `png` and `gif` write; `page` makes the page on
which a film plays.
"""
