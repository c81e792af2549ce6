"""The broad arrow that turns off a road: what it says stands in it, and it draws itself."""

from .boxes import Arrow, Canvas
from .shapes import width

BROAD = 36
DRAWN, LATE = 600, 450  # milliseconds: it draws itself, and its head waits


class Band(Arrow):
    """A broad arrow from the left edge of one box into the right edge of another, or down into its top: with one bend,
    which begins left of `past`, a third box that it must not touch. `said` stands in it."""

    def __init__(
        self, start: str, end: str, past: str = '', look: tuple[str, str] = ('fat', 'fatk'), said: str = '',
        ink: str = 'onr', down: bool = False, key: str = 'band', level: str = '',
    ) -> None:  # fmt: skip
        self.start, self.end, self.past, self.look, self.said, self.ink = start, end, past, look, said, ink
        self.down, self.key, self.level = down, key, level

    def shape(self, to: Canvas) -> None:
        """Along the middle of the first box, around the bend, to its tip."""
        a, b, past, level = (to.places.get(name) for name in (self.start, self.end, self.past, self.level))
        if a is None or b is None:
            return
        tip, head = BROAD * 0.86, BROAD * 0.95  # from the tip to where the band begins; its half width
        near = past.right + 4 if past is not None else a.x
        if self.down:
            r, x = BROAD / 2, min(max(near + BROAD / 2, b.x + head), a.x - BROAD / 2)
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
