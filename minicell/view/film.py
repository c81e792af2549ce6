"""Frames of a tape, and the four stills that tell its story without a kernel."""

from typing import Any

from . import as_png, as_svg, caption, picture
from .layout import MARGIN, WIDTH
from .model import Frame
from .shapes import Box, Path, Shape, Text, text
from .story import frames

SPACE = 24  # between the stills


def svg(frame: Frame, prefix: str = '', scale: float = 1.0, fit: bool = True) -> str:
    """A frame as SVG text; `fit`: smaller where the page is narrower."""
    shapes, size = picture.compose(frame)
    name = f'{prefix}tape-{frame.step + 1}'
    return as_svg.document(shapes, size, frame.title, caption.alt(frame), name, scale, fit)


def png(frame: Frame, scale: float = 1.0) -> bytes:
    """A frame as a PNG picture."""
    return as_png.document(*picture.compose(frame), scale)


def stills(all_frames: list[Frame]) -> list[Frame]:
    """The start, forward done, the takeover, the result; fewer where they are the same.

    Where an error came before any bprop had answered, the third one is the step that led to it.
    """
    told = all_frames[0].record
    kinds = [step.kind for step in told.steps]
    last = len(all_frames) - 1
    begun = kinds.index('start') if 'start' in kinds else last + 1
    done = max((i for i in range(min(begun, len(kinds))) if kinds[i] == 'write'), default=0)
    given = [i for i, step in enumerate(told.steps) if step.kind == 'give']
    custom = [i for i in given if told.entries[told.steps[i].entry].kind == 'call']
    before = [max(last - 1, 0)] if kinds and kinds[-1] == 'fail' else given
    takeover = next(iter(custom or before), last)
    return [all_frames[i] for i in sorted({0, done, takeover, last}) if i <= last]


def strip(tape: Any, format: str = 'svg', scale: float = 1.0, above: str = '') -> str | bytes:
    """The stills of a tape, one under the other, in one picture; `above`: a line over them."""
    return strip_of(stills(frames(tape)), format, scale, above)


def strip_of(chosen: list[Frame], format: str, scale: float = 1.0, above: str = '') -> str | bytes:
    """Some frames, one under the other, as 'svg' or 'png'."""
    if format not in ('svg', 'png'):
        raise ValueError(f"format is 'svg' or 'png', not {format!r}")
    shapes: list[Shape] = [text(MARGIN, 28, WIDTH - 2 * MARGIN, above, 14)] if above else []
    top, wide = float(SPACE * 2 if above else 0), 0.0
    for frame in chosen:
        drawn, (w, h) = picture.compose(frame)
        shapes += [down(shape, top) for shape in drawn]
        top, wide = top + h + SPACE, max(wide, w)
    size = (wide, top - SPACE)
    if format == 'png':
        return as_png.document(shapes, size, scale)
    alt = ' '.join(caption.alt(frame) for frame in chosen)
    return as_svg.document(shapes, size, f'{len(chosen)} stills of a tape', alt, 'tape-stills', scale)


def down(shape: Shape, by: float) -> Shape:
    """The same shape lower on the page."""
    if isinstance(shape, Path):
        return shape._replace(runs=tuple(tuple((x, y + by) for x, y in run) for run in shape.runs))
    if isinstance(shape, Text):
        x, y, w, h = shape.box
        return shape._replace(y=shape.y + by, box=(x, y + by, w, h))
    assert isinstance(shape, Box)
    return shape._replace(y=shape.y + by)
