"""The vocabulary of the picture: boxes, texts, lines and colours. Two writers (SVG and PNG) know these and no more."""

from functools import lru_cache
from typing import NamedTuple

from ...ink.metrics import clean, fit

INK = '#1A1A1A'
MUTED = '#595959'
FAINT = '#8C8C8C'  # lines of what is not there yet: 3:1 on white
RULE = '#D0D5DB'  # frames that carry no meaning
PAPER = '#FFFFFF'
PANEL = '#FAFBFC'
FORWARD = '#0072B2'
BACKWARD = '#40566B'  # by autodiff's own rules
OWN = '#D55E00'  # by the learner's own bprop, and nothing else
OWN_TEXT = '#A84300'
WRONG = '#B3003B'
HIGHLIGHT = '#FFF3DC'
ALARM = '#FDEFF3'
TINTS = 60  # from grey to either end
ORANGE, GREY, BLUE = (240, 166, 100), (236, 237, 238), (108, 163, 212)  # negative, zero, positive


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float
    fill: str = 'none'
    stroke: str = 'none'
    line: float = 1
    radius: float = 0
    dash: str = ''


class Text(NamedTuple):
    """One line of text inside `box` (x, y, w, h), which it never leaves; `full` is what was cut, if anything was."""

    x: float
    y: float
    text: str
    box: tuple[float, float, float, float]
    size: float = 12
    fill: str = INK
    anchor: str = 'start'
    bold: bool = False
    mono: bool = False
    full: str = ''
    struck: bool = False  # a line through it: what would have been
    narrow: float = 0  # letters made narrower, so that it is so wide


class Path(NamedTuple):
    """Polylines: a tuple of runs, each a tuple of points. Filled ones are closed."""

    runs: tuple[tuple[tuple[float, float], ...], ...]
    stroke: str = 'none'
    line: float = 1
    fill: str = 'none'
    dash: str = ''


Shape = Box | Text | Path


def text(
    x: float,
    y: float,
    room: float,
    words: str,
    size: float = 12,
    fill: str = INK,
    anchor: str = 'start',
    bold: bool = False,
    mono: bool = False,
) -> Text:
    """A text at baseline `y` that keeps to `room` pixels: right of x, around it or left of it, as `anchor` says."""
    words = clean(words)
    shown = fit(words, room, size, bold, mono)
    left = {'start': x, 'middle': x - room / 2, 'end': x - room}[anchor]
    box = (left, y - size, room, size * 1.3)
    return Text(x, y, shown, box, size, fill, anchor, bold, mono, words if shown != words else '')


def arrow(points: list[tuple[float, float]], colour: str, line: float = 2, head: float = 9) -> list[Shape]:
    """A line through `points` that ends in an arrowhead."""
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = max(abs(x1 - x0), abs(y1 - y0)) or 1
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    neck = (x1 - dx * head, y1 - dy * head)
    wing = head * 0.55
    tip = ((x1, y1), (neck[0] - dy * wing, neck[1] + dx * wing), (neck[0] + dy * wing, neck[1] - dx * wing))
    return [Path(((*points[:-1], neck),), colour, line), Path((tip,), fill=colour)]


def hatch(x: float, y: float, w: float, h: float, colour: str = '#858B93', step: float = 9) -> Path:
    """Slanted lines that fill a rectangle: what ran there was not recorded."""
    runs = []
    offset = step
    while offset < w + h:
        start = (x + offset, y) if offset <= w else (x + w, y + offset - w)
        end = (x, y + offset) if offset <= h else (x + offset - h, y + h)
        runs.append((start, end))
        offset += step
    return Path(tuple(runs), colour, 1)


def tick(x: float, y: float, ok: bool, colour: str, size: float = 10) -> Path:
    """A tick or a cross, `size` wide, its top left corner at (x, y)."""
    if ok:
        run = ((x, y + size * 0.55), (x + size * 0.38, y + size * 0.95), (x + size, y + size * 0.05))
        return Path((run,), colour, 2.2)
    a = size * 0.9
    return Path((((x, y), (x + a, y + a)), ((x + a, y), (x, y + a))), colour, 2.2)


def tint(value: float, limit: float) -> str:
    """The ground of one number: orange below zero, grey at zero, blue above; full at `limit`."""
    if not limit or value != value:
        return mixed(0)
    return mixed(round(max(-1.0, min(1.0, value / limit)) * TINTS))


@lru_cache
def mixed(step: int) -> str:
    """One of the tints, from -TINTS to TINTS."""
    end = BLUE if step > 0 else ORANGE
    parts = (round(g + (e - g) * abs(step) / TINTS) for g, e in zip(GREY, end, strict=True))
    return '#' + ''.join(f'{c:02X}' for c in parts)
