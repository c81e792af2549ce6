"""One frame laid out as a still: the words over it, the shapes in paint order, the step line under it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import metrics
from ..paint import style
from ..paint.film import Film
from ..paint.kit import Frame

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


def sheet(
    frame: Frame, size: tuple[float, float], title: str = '', caption: str = '', line: dict | None = None,
    step: int = 0, at: tuple[float, float] | None = None,
) -> Sheet:  # fmt: skip
    """Lay out a frame of `size`; `line` is a film's step line, to stand under it as it is at `step`, placed `at`."""
    title, caption = metrics.clean(title), metrics.clean(caption)
    width, room = size[0] + 2 * EDGE, size[0] - 2
    marks, y = [], EDGE
    titles = metrics.wrap(title, room, 22, 2, True) if title else []
    captions = metrics.wrap(caption, room, 15, 4) if caption else []
    for row in titles:
        y += TITLE
        marks.append(mark('text', dict(x=EDGE, y=y - 7, T=row), 'h1'))
    for row in captions:
        y += CAPTION
        marks.append(mark('text', dict(x=EDGE, y=y - 6, T=row), 'h2'))
    y += GAP if marks else 0
    # as the player paints: by layer, and within one in the order in which they were drawn
    for shape in sorted(frame.values(), key=lambda shape: shape.layer):
        marks.append(mark(shape.tag, shape.attrs, shape.attrs.get('class', ''), EDGE, y))
    y += size[1]
    if line:
        marks += line_marks(line, step, at, (width - line['w']) / 2, y + GAP)
        y += GAP + line['h']
    return Sheet([m for m in marks if seen(m)], width, y + EDGE, title, caption)


def of(film: Film, step: int) -> Sheet:
    """A step of a film, with what is said there."""
    said = film.steps[step]
    size = film.width, film.height
    return sheet(film.frames[step], size, said.title, said.caption)


def line_marks(line: dict, step: int, at: tuple[float, float] | None, x: float, y: float) -> Iterator[Mark]:
    """The step line as it stands at a step."""
    for n, (tag, attrs, since) in enumerate(line['shapes']):
        classes = attrs['class'] + (' todo' if since > step else '')
        if 'later todo' not in classes:
            yield mark(tag, attrs, classes, x, y)
        if at and not n:  # over the rail, the part of it that is done
            yield mark(
                'rect', dict(x=line['x'], y=line['y'], width=max(at[0] - line['x'], 0), height=3, rx=1.5), 'run', x, y
            )
    if at:
        yield mark('rect', dict(x=at[0] - 8, y=at[1] - 8, width=16, height=16, rx=8), 'dot cur', x, y)


def mark(tag: str, attrs: dict[str, Any], classes: str, x: float = 0, y: float = 0) -> Mark:
    """A shape as a mark."""
    return Mark(tag, attrs, style.look(tag, classes), x, y)


def seen(one: Mark) -> bool:
    """Whether it shows: much is there only to be pressed, or for the shapes over it to come."""
    if one.look.get('opacity', 1) == 0 or one.attrs.get('opacity', 1) == 0:
        return False
    if one.tag == 'text':
        return bool(one.attrs['T'].strip())
    return any(one.look.get(paint, 'none') not in ('none', 'clear') for paint in ('fill', 'stroke'))
