"""Backward's road, piece by piece: each column of a tape has one, and at the left it ends with a head."""

from ..ink.boxes import Box, Canvas, Rect
from . import style


class Road(Box):
    """A piece of backward's road, and what stands on it."""

    def __init__(self, child: Box, look: str, least: float = style.ROAD, starts: bool = False) -> None:
        self.child, self.look, self.starts = child, look, starts  # whether backward turns off behind it
        self.size = child.size[0], max(child.size[1], least)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The road in the middle of the height, half a gap beyond on each side."""
        end, right = x - style.GAP / 2 * (not self.starts), x + w + style.GAP / 2 + 0.5
        to.frame.path(f'{to.path}~', f'M{right:g},{y + h / 2:g}H{end:g}', self.look, 0)
        to.put(self.child, Rect(x, y, w, h))


class RoadEnd(Box):
    """Where the road leads to: its head."""

    size = (style.TIP, style.ROAD)

    def __init__(self, look: str, tag: str) -> None:
        self.look, self.tag = look, tag

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Its tip at the left."""
        to.frame.path(f'{self.tag}end', f'M{x + w + style.GAP / 2:g},{y + h / 2:g}H{x + style.TIP:g}', self.look, 0)
        head = {'road': 'rl todo', 'rb': 'rl', 'rb past': 'rl past'}[self.look]
        to.frame.head(f'{self.tag}endh', x - style.GAP, y + h / 2, 'l', head, 0, style.HEAD)
