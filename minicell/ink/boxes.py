"""Boxes: texts, tensors, cards, rows, columns and grids that measure themselves and then draw their shapes.

    add = Card(Text('2 Add'), key='add')
    Column(Text('x = 2', 'h1'), Row(Card(Text('1 Mul'), key='mul'), add, gap=18), Link('mul', 'add'))

Nobody types a coordinate. A box knows how large it is (`size`) once it is made; `place` gives it a rectangle that is at
least so large. What has a key keeps it from frame to frame, so that it moves when its place changes, and can be found
by an arrow: a Link or a Band is drawn when everything stands. What has no key is counted from the box around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import style
from .shapes import Frame, width, wrapped

LEADING = 1.4  # the height of a line of text, in sizes of its letters
BASE = 0.36  # of a line's letters, how much lies between its middle and its baseline
HEAD, BACK = 5, 7  # the head of a link, and how far before its tip the line ends
ALONG = {'start': 0.0, 'middle': 0.5, 'end': 1.0, 'fill': 0.0}


class Rect(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Where it ends below."""
        return self.y + self.h

    @property
    def cx(self) -> float:
        """Its middle, from left to right."""
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        """Its middle, from top to bottom."""
        return self.y + self.h / 2


class Canvas:
    """A frame that is being drawn: its shapes, and where each box with a key stands."""

    def __init__(self) -> None:
        self.frame = Frame()
        self.places: dict[str, Rect] = {}
        self.later: list[Arrow] = []  # they need to know where the rest stands
        self.path = ''  # the key of the box that is being placed

    def put(self, box: Box, place: Rect, part: object = 0) -> None:
        """Place a box; `part` counts it within the one around it."""
        around = self.path
        self.path = box.key or f'{around}.{part}'
        place = Rect(*(round(each, 6) for each in place))  # (from Python 3.12 on, a sum may end in another bit)
        if box.key:
            self.places[box.key] = place
        box.place(self, *place)
        self.path = around


def draw(box: Box, w: float = 0, h: float = 0) -> tuple[Canvas, float, float]:
    """Draw a tree of boxes on a new canvas, at least so large; returns it and its size."""
    canvas = Canvas()
    w, h = max(box.size[0], w), max(box.size[1], h)
    canvas.put(box, Rect(0, 0, w, h), 'b')
    for one in canvas.later:
        canvas.path = one.key
        one.shape(canvas)
    return canvas, w, h


class Box:
    """What has a size, and draws itself at a place."""

    size: tuple[float, float] = (0.0, 0.0)
    key = ''
    grows = 0.0  # its share of the room that is left over in a row or a column

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Draw it into this rectangle, which is at least as large as it is."""


class Arrow(Box):
    """What is drawn between boxes, once they stand: it takes no room of its own. `shape(canvas)` finds its ends in
    `canvas.places`; where one of them is not in this frame, there is nothing to draw."""

    def __init__(self, shape: Callable[[Canvas], None], key: str = '') -> None:
        self.shape, self.key = shape, key

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Wait until all have a place."""
        self.key = self.key or to.path
        to.later.append(self)


class Space(Box):
    """Nothing, so large; with a key it is a place that a wire goes through, or where something will be."""

    def __init__(self, w: float = 0, h: float = 0, grows: float = 0, key: str = '') -> None:
        self.size, self.grows, self.key = (w, h), grows, key


class Text(Box):
    """Words on one line. `room`: how wide they may be at most; `look`: classes of the style table."""

    def __init__(
        self, words: str, look: str = '', room: float | None = None, key: str = '', layer: int = 4, **attrs: Any
    ) -> None:
        found = style.look('text', look)
        self.words, self.look, self.key, self.room, self.layer, self.attrs = words, look, key, room, layer, attrs
        self.letters, self.anchor = found['size'], found.get('anchor', 'start')
        wide = width(words, look)
        self.size = (wide if room is None else min(wide, room), round(self.letters * LEADING))

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """At its baseline; an anchor says where in the rectangle."""
        if not self.words:
            return
        at = x + ALONG[self.anchor] * w
        to.frame.text(to.path, at, y + h / 2 + self.letters * BASE, self.words, self.look, self.layer,
                      room=None if self.room is None else self.room + 1, **self.attrs)  # fmt: skip


class Upright(Text):
    """Words that run upwards, at most `room` long."""

    def __init__(self, words: str, look: str = '', room: float = 60, key: str = '') -> None:
        super().__init__(words, look, room, key)
        self.size = self.size[::-1]

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """From the foot of the rectangle, in the middle of its height."""
        x, foot = x + w / 2 + self.letters * BASE, y + (h + self.size[1]) / 2
        turn = f'rotate(-90 {x:.1f} {foot:.1f})'
        to.frame.text(to.path, x, foot, self.words, self.look, room=self.room + 1, transform=turn)


def Lines(words: str, room: float, look: str = '', most: int = 5, key: str = '', across: str = 'start') -> Box:
    """A text that breaks at spaces."""
    return Column(*[Text(row, look, room) for row in wrapped(words, room, look, most)], gap=0, across=across, key=key)


class Line(Box):
    """Boxes one after the other along a way (0: to the right, 1: down)."""

    def __init__(
        self, way: int, children: Sequence[Box | None], gap: float, across: str, key: str, grows: float
    ) -> None:
        self.way, self.gap, self.across, self.key, self.grows = way, gap, across, key, grows
        self.children = [child for child in children if child is not None]
        lies = [child for child in self.children if not isinstance(child, Arrow)]
        along = sum(child.size[way] for child in lies) + gap * max(len(lies) - 1, 0)
        wide = max((child.size[1 - way] for child in lies), default=0.0)
        self.size = (along, wide) if way == 0 else (wide, along)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """One after the other; what is left over goes to those that grow."""
        room, cross = (w, h) if self.way == 0 else (h, w)
        spare, shares = room - self.size[self.way], sum(child.grows for child in self.children)
        at = x if self.way == 0 else y
        for k, child in enumerate(self.children):
            if isinstance(child, Arrow):
                to.put(child, Rect(x, y, w, h), k)
                continue
            long = child.size[self.way] + (spare * child.grows / shares if shares else 0)
            wide = cross if self.across == 'fill' else child.size[1 - self.way]
            off = (cross - wide) * ALONG[self.across]
            to.put(child, Rect(at, y + off, long, wide) if self.way == 0 else Rect(x + off, at, wide, long), k)
            at += long + self.gap


def Row(*children: Box | None, gap: float = 8, across: str = 'middle', key: str = '', grows: float = 0) -> Line:
    """Boxes side by side. `across`: how they lie in its height, 'start', 'middle', 'end' or 'fill'."""
    return Line(0, children, gap, across, key, grows)


def Column(*children: Box | None, gap: float = 6, across: str = 'fill', key: str = '', grows: float = 0) -> Line:
    """Boxes one under the other."""
    return Line(1, children, gap, across, key, grows)


def Flow(*children: Box | None, room: float, gap: float = 8, lead: float = 6, across: str = 'middle') -> Line:
    """Boxes side by side, in as many rows as they need."""
    rows: list[list[Box]] = [[]]
    for child in filter(None, children):
        if rows[-1] and sum(each.size[0] + gap for each in rows[-1]) + child.size[0] > room:
            rows.append([])
        rows[-1].append(child)
    return Column(*[Row(*row, gap=gap, across=across) for row in rows], gap=lead, across='start')


class Card(Box):
    """A box with a ground around another one; without a look it only keeps its distance. `at`: where the other one lies
    in it, from 0 to 1 in each way; None: it takes all the room. `least`: how large it is at least."""

    def __init__(
        self, child: Box | None = None, look: str = 'card', pad: tuple[float, float] = (10.0, 8.0),
        least: tuple[float, float] = (0.0, 0.0), at: tuple[float | None, float | None] = (0.5, 0.5),
        key: str = '', grows: float = 0, layer: int = 2, rx: float = 6, **attrs: Any,
    ) -> None:  # fmt: skip
        self.child, self.look, self.pad, self.at, self.key, self.grows = child or Space(), look, pad, at, key, grows
        self.layer, self.attrs = layer, {'rx': rx, **attrs}
        self.size = tuple(max(c + 2 * p, m) for c, p, m in zip(self.child.size, pad, least, strict=True))

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Its ground, and in it the other box."""
        if self.look:
            to.frame.rect(to.path, x, y, w, h, self.look, self.layer, **self.attrs)
        (cw, ch), (px, py), (ax, ay) = self.child.size, self.pad, self.at
        room_w, room_h = w - 2 * px, h - 2 * py
        left, wide = (0, room_w) if ax is None else ((room_w - cw) * ax, cw)
        up, high = (0, room_h) if ay is None else ((room_h - ch) * ay, ch)
        to.put(self.child, Rect(x + px + left, y + py + up, wide, high))


def Put(child: Box, at: tuple[float | None, float | None] = (0.5, 0.5), **more: Any) -> Card:
    """A box somewhere in the room that it is given."""
    return Card(child, '', (0.0, 0.0), at=at, **more)


class Span(NamedTuple):
    """A cell of a grid that goes over several columns or rows."""

    box: Box
    columns: int = 1
    rows: int = 1


class Grid(Box):
    """Rows of cells that share their columns (None: an empty cell). A cell gets the whole of its column and row.

    `grounds`: for each row the look of what it lies on; `stretch`: the columns between which spare width is shared,
    all if None.
    """

    def __init__(
        self, rows: Sequence[Sequence[Box | Span | None]], gap: tuple[float, float] = (14.0, 0.0),
        grounds: Sequence[str] = (), stretch: Sequence[int] | None = None, key: str = '',
        grows: float = 0, least: dict[int, float] | None = None,
    ) -> None:  # fmt: skip
        self.gap, self.grounds, self.key, self.grows = gap, grounds, key, grows
        self.cells = [
            (n, k, cell if isinstance(cell, Span) else Span(cell))
            for n, row in enumerate(rows)
            for k, cell in enumerate(row)
            if cell is not None
        ]
        count = max((k + cell.columns for _, k, cell in self.cells), default=0)
        self.wide, self.high = [0.0] * count, [0.0] * len(rows)
        for _, k, cell in sorted(self.cells, key=lambda each: each[2].columns):
            self.widen(self.wide, k, cell.columns, cell.box.size[0], gap[0])
        for n, _, cell in sorted(self.cells, key=lambda each: each[2].rows):
            self.widen(self.high, n, cell.rows, cell.box.size[1], gap[1])
        for n, high in (least or {}).items():
            self.high[n] = max(self.high[n], high)
        self.stretch = range(count) if stretch is None else stretch
        self.size = (sum(self.wide) + gap[0] * max(count - 1, 0), sum(self.high) + gap[1] * max(len(rows) - 1, 0))

    def grow(self, high: Sequence[float]) -> None:
        """Make its rows at least so high: those of frames that follow one another are alike."""
        self.high = [max(pair) for pair in zip(self.high, high, strict=True)]
        self.size = self.size[0], sum(self.high) + self.gap[1] * max(len(self.high) - 1, 0)

    @staticmethod
    def widen(sizes: list[float], first: int, count: int, need: float, gap: float) -> None:
        """Give some columns, or rows, as much as a cell needs: of several, the last gets what is missing."""
        missing = need - sum(sizes[first : first + count]) - gap * (count - 1)
        sizes[first + count - 1] += max(missing, 0)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The grounds, then the cells."""
        each = (w - self.size[0]) / max(len(self.stretch), 1)
        wide = [size + each * (k in self.stretch) for k, size in enumerate(self.wide)]
        high = [size + (h - self.size[1]) * (n == len(self.high) - 1) for n, size in enumerate(self.high)]
        lefts = [x + sum(wide[:k]) + self.gap[0] * k for k in range(len(wide))]
        tops = [y + sum(high[:n]) + self.gap[1] * n for n in range(len(high))]
        for n, look in enumerate(self.grounds):
            if look:
                to.frame.rect(f'{to.path}g{n}', x, tops[n], w, high[n], look, -2)
        for n, k, (box, columns, rows) in self.cells:
            right, bottom = lefts[k + columns - 1] + wide[k + columns - 1], tops[n + rows - 1] + high[n + rows - 1]
            to.put(box, Rect(lefts[k], tops[n], right - lefts[k], bottom - tops[n]), f'{n},{k}')


class Link(Arrow):
    """A thin arrow between two boxes with keys: straight where they are level, else with one bend; `through`: past
    what lies between, on the height of this box (a Space that keeps a way free)."""

    def __init__(
        self, start: str, end: str, look: tuple[str, str] = ('fw', 'fh'), through: str = '', key: str = ''
    ) -> None:
        self.start, self.end, self.look, self.through = start, end, look, through
        self.key = key or f'{start}>{end}'

    def shape(self, to: Canvas) -> None:
        """From edge to edge."""
        a, b, lane = (to.places.get(name) for name in (self.start, self.end, self.through))
        if a is None or b is None:
            return
        if lane is not None:
            up = lane.cy < b.cy
            y1, y2 = (a.y, b.y - 1) if up else (a.bottom, b.bottom + 1)
            x2, way, end = b.cx, 'd' if up else 'u', y2 - BACK if up else y2 + BACK
            d = f'M{a.cx:g},{y1:g}V{lane.cy:g}H{x2:g}V{end:g}'
        else:
            ahead = b.x >= a.right
            x1, x2 = (a.right + 2, b.x - 1) if ahead else (a.x - 2, b.right + 1)
            edge = min(6, b.h / 2)
            y2 = min(max(a.cy, b.y + edge), b.bottom - edge)
            y1 = y2 if a.y <= y2 <= a.bottom else a.cy
            turn, way, end = x2 - (14 if ahead else -14), 'r' if ahead else 'l', x2 - BACK if ahead else x2 + BACK
            d = f'M{x1:g},{y1:g}H{end:g}' if abs(y1 - y2) < 1 else f'M{x1:g},{y1:g}H{turn:g}V{y2:g}H{end:g}'
        to.frame.path(self.key, d, self.look[0])
        to.frame.head(f'{self.key}h', x2, y2, way, self.look[1], 3, HEAD)
