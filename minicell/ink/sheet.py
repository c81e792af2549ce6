"""One frame laid out as a still: the words above it, and its shapes in the order in which they are painted."""

from typing import Any, NamedTuple

from . import metrics, style
from .film import Film
from .shapes import Frame, cut, wrapped

EDGE = 16  # units of paper around it all
TITLE, CAPTION = 28, 22  # heights of their rows
GAP = 8


class Mark(NamedTuple):
    """One shape with all that is needed to draw it: where it lies is moved by (x, y)."""

    tag: str
    attrs: dict[str, Any]
    look: dict[str, Any]
    x: float
    y: float


class Sheet(NamedTuple):
    """A still: its marks in paint order, and its size."""

    marks: list[Mark]
    width: float
    height: float
    title: str
    caption: str


def sheet(frame: Frame, size: tuple[float, float], title: str = '', caption: str = '') -> Sheet:
    """Lay out a frame of `size`, and over it what is said there."""
    title, caption = metrics.clean(title), metrics.clean(caption)
    width, room = size[0] + 2 * EDGE, size[0] - 2
    marks, y = [], EDGE
    for words, look, most, high, below in ((title, 'h1', 2, TITLE, 7), (caption, 'h2', 4, CAPTION, 6)):
        for row in wrapped(words, room, look, most) if words else ():
            y += high
            words = cut(row, room, look, end=True)
            marks.append(Mark('text', dict(x=EDGE, y=y - below, T=words), style.look('text', look), 0, 0))
    y += GAP if marks else 0
    # as the player paints: by layer, and within one in the order in which they were drawn
    for shape in sorted(frame.values(), key=lambda shape: shape.layer):
        marks.append(Mark(shape.tag, shape.attrs, style.look(shape.tag, shape.attrs.get('class', '')), EDGE, y))
    y += size[1]
    return Sheet([m for m in marks if seen(m)], width, y + EDGE, title, caption)


def of(film: Film, step: int) -> Sheet:
    """A step of a film, with what is said there."""
    said = film.steps[step]
    return sheet(film.frames[step], (film.width, film.height), said.title, f'{said.caption} {film.lost}'.strip())


def seen(one: Mark) -> bool:
    """Whether it shows: much is there only to be pressed, or for the shapes over it to come."""
    if one.look.get('opacity', 1) == 0 or one.attrs.get('opacity', 1) == 0:
        return False
    if one.tag == 'text':
        return bool(one.attrs['T'].strip())
    return any(one.look.get(paint, 'none') not in ('none', 'clear') for paint in ('fill', 'stroke'))
