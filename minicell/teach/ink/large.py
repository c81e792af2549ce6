"""Figures for a projector, and shapes moved on a page."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...ink.metrics import width
from .shapes import Path, Shape, Text

LEAST, WIDTH = 11, 584  # no text is smaller on a picture of this width
on = False  # whether a presentation shows what is made now


@contextmanager
def presenting() -> Iterator[None]:
    """Whatever is made inside is for a projector, unless it says otherwise."""
    global on
    was, on = on, True
    try:
        yield
    finally:
        on = was


def down(shape: Shape, by: float) -> Shape:
    """The same shape lower on the page."""
    if isinstance(shape, Path):
        return shape._replace(runs=tuple(tuple((x, y + by) for x, y in run) for run in shape.runs))
    if isinstance(shape, Text):
        x, y, w, h = shape.box
        return shape._replace(y=shape.y + by, box=(x, y + by, w, h))
    return shape._replace(y=shape.y + by)


def enlarged(shapes: list[Shape], wide: float) -> list[Shape]:
    """A picture `wide` pixels wide, its small print large enough for a screen, in narrower letters if need be."""
    least = LEAST * wide / WIDTH
    return [larger(shape, least) if isinstance(shape, Text) and shape.size < least else shape for shape in shapes]


def larger(shape: Text, size: float) -> Text:
    """A text in a larger size, in the same room."""
    x, _, room, _ = shape.box
    narrow = room - 3 if width(shape.text, size, shape.bold, shape.mono) > room else 0
    return shape._replace(size=size, box=(x, shape.y - size, room, size * 1.3), narrow=narrow)
