"""What runs between boxes that have keys: a thin link, a broad band, or whatever somebody draws by hand."""

from collections.abc import Callable

from .boxes import Arrow, Canvas
from .shapes import width

HEAD, BACK = 5, 7  # the head of a link, and how far before its tip the line ends
BROAD = 36  # a band
DRAWN, LATE = 600, 450  # milliseconds: a band draws itself, and its head waits


class Link(Arrow):
    """A thin arrow between two boxes with keys: straight where they are level, else with one bend; `through`: past
    what lies between, on the height of this box (a Space that keeps a way free)."""

    def __init__(
        self, start: str, end: str, look: tuple[str, str] = ('fw', 'fh'), through: str = '', key: str = ''
    ) -> None:
        self.start, self.end, self.look, self.through = start, end, look, through
        self.key = key or f'{start}>{end}'

    def drawn(self, to: Canvas) -> None:
        """From edge to edge."""
        a, b, lane = (to.places.get(name) for name in (self.start, self.end, self.through))
        if a is None or b is None:
            return
        line, tip = self.look
        if lane is not None:
            up = lane.cy < b.cy
            y1, y2 = (a.y, b.y - 1) if up else (a.bottom, b.bottom + 1)
            end = y2 - BACK if up else y2 + BACK
            to.frame.path(self.key, f'M{a.cx:g},{y1:g}V{lane.cy:g}H{b.cx:g}V{end:g}', line)
            to.frame.head(f'{self.key}h', b.cx, y2, 'd' if up else 'u', tip, 3, HEAD)
            return
        ahead = b.x >= a.right
        x1, x2 = (a.right + 2, b.x - 1) if ahead else (a.x - 2, b.right + 1)
        edge = min(6, b.h / 2)
        y2 = min(max(a.cy, b.y + edge), b.bottom - edge)
        y1 = y2 if a.y <= y2 <= a.bottom else a.cy
        turn = x2 - (14 if ahead else -14)
        end = x2 - BACK if ahead else x2 + BACK
        d = f'M{x1:g},{y1:g}H{end:g}' if abs(y1 - y2) < 1 else f'M{x1:g},{y1:g}H{turn:g}V{y2:g}H{end:g}'
        to.frame.path(self.key, d, line)
        to.frame.head(f'{self.key}h', x2, y2, 'r' if ahead else 'l', tip, 3, HEAD)


class Drawn(Arrow):
    """Whatever is drawn between boxes by hand: `shape(canvas)` finds them in `canvas.places`."""

    def __init__(self, shape: Callable[[Canvas], None], key: str = '') -> None:
        self.shape, self.key = shape, key

    def drawn(self, to: Canvas) -> None:
        """Draw it."""
        self.shape(to)


class Band(Arrow):
    """A broad arrow from the left edge of one box into the right edge of another, or down into its top: with one bend,
    which begins left of `past`, a third box that it must not touch. `said` stands in it."""

    def __init__(
        self, start: str, end: str, past: str = '', look: tuple[str, str] = ('fat', 'fatk'), said: str = '',
        ink: str = 'onr', down: bool = False, key: str = 'band', level: str = '',
    ) -> None:  # fmt: skip
        self.start, self.end, self.past, self.look, self.said, self.ink = start, end, past, look, said, ink
        self.down, self.key, self.level = down, key, level

    def drawn(self, to: Canvas) -> None:
        """Along the middle of the first box, around the bend, to its tip."""
        a, b, past, level = (to.places.get(name) for name in (self.start, self.end, self.past, self.level))
        if a is None or b is None:
            return
        tip, head = BROAD * 0.86, BROAD * 0.95  # from the tip to where the band begins; its half width
        near = past.right + 4 if past is not None else a.x
        if self.down:
            r, x = BROAD / 2, min(max(near + BROAD, b.x + head), a.x - BROAD / 2)
            end = f'H{x + r:g}A{r:g},{r:g},0,0,0,{x:g},{a.cy + r:g}V{b.y - tip:g}'
            to.frame.path(self.key, f'M{a.x + 1:g},{a.cy:g}{end}', self.look[0], 1, draw=DRAWN)
            to.frame.head(f'{self.key}h', x, b.y - 2, 'd', self.look[1], 6, BROAD * 0.67, late=LATE)
            return
        y = level.cy if level is not None else b.cy
        far = near + BROAD * 1.3
        bend = f'H{min(far + 30, a.x):g}C{far - 10:g},{a.cy:g},{far + 4:g},{y:g},{near - 24:g},{y:g}'
        to.frame.path(self.key, f'M{a.x + 1:g},{a.cy:g}{bend}H{b.right + tip:g}', self.look[0], 1,
                      draw=DRAWN)  # fmt: skip
        to.frame.head(f'{self.key}h', b.right + 1, y, 'l', self.look[1], 6, head, late=LATE)
        room = near - 10 - b.right - tip
        if self.said and width(self.said, self.ink) <= room:
            to.frame.text(f'{self.key}t', b.right + tip + 12, y + 5, self.said, self.ink, 6, late=LATE)
