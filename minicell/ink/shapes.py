"""The shapes of one frame. Each has a key: a shape with the same key in the next frame is the same shape, and moves."""

import re
from bisect import bisect_right
from typing import Any, NamedTuple

from . import metrics, style

AGAIN = '+'  # what ends the key of a shape that had the key of another


class Shape(NamedTuple):
    """One element: `attrs` are SVG's, and `T` (its text), `v` (the value it shows), `rc` (its account can be asked
    for), `go` (the card or line that it stands for), `draw` and `late` (milliseconds of motion)."""

    layer: int
    tag: str  # rect, text or path
    attrs: dict[str, Any]


BREAKS = re.compile(r'[(.,\[_]|[a-z](?=[A-Z])')


def width(text: str, classes: str = '') -> float:
    """How wide a text of these classes is."""
    look = style.look('text', classes)
    return metrics.width(text, look['size'], look.get('bold', False), look.get('mono', False))


def cut(text: str, room: float, classes: str = '', end: bool = False) -> str:
    """A text that fits: of a name, the middle goes, since its end tells it from others; of a sentence, the `end`."""
    if width(text, classes) <= room:
        return text

    def kept(k: int) -> str:
        head = k if end else k // 3
        return f'{text[:head].rstrip()}…{text[len(text) - (k - head) :]}'

    low, high = 0, len(text)
    while low < high:  # the longest that fits
        k = (low + high + 1) // 2
        low, high = (k, high) if width(kept(k), classes) <= room else (low, k - 1)
    return kept(low) if low > 1 else '…'  # one letter tells nothing


def fitting(text: str, room: float, look: str = '') -> int:
    """How many letters of a text have room, and at least one."""
    if width(text, look) <= room:
        return len(text)
    return max(1, bisect_right(range(1, len(text)), room, key=lambda k: width(text[:k], look)))


def wrapped(words: str, room: float, look: str = '', most: int = 5) -> list[str]:
    """A text broken at spaces into at most so many lines; a word that is too long, after `(.,[_` or at a hump."""
    rows = ['']
    for word in words.split(' '):
        longer = f'{rows[-1]} {word}'.strip() if rows[-1] else word
        if width(longer, look) <= room or not rows[-1] or len(rows) == most:
            rows[-1] = longer
        else:
            rows.append(word)
        while len(rows) < most and width(rows[-1], look) > room:
            fits = fitting(rows[-1], room, look)
            at = max((found.end() for found in BREAKS.finditer(rows[-1], 1, fits)), default=fits)
            rows[-1:] = [rows[-1][:at], rows[-1][at:]]
    return rows


class Frame(dict):
    """Shapes by key, in the order in which they were drawn; `layer` orders what lies over what."""

    def add(self, key: str, tag: str, layer: int, classes: str, **attrs: Any) -> None:
        """Add a shape. Where its key is taken, it is another shape all the same, one that does not move."""
        while key in self:
            key += AGAIN
        said = {k: round(v, 1) if isinstance(v, float) else v for k, v in attrs.items() if v is not None}
        if classes:
            said['class'] = classes
        self[key] = Shape(layer, tag, said)

    def rect(
        self, key: str, x: float, y: float, w: float, h: float, classes: str, layer: int = 3, **attrs: Any
    ) -> None:
        """A rectangle; `rx` rounds its corners."""
        self.add(key, 'rect', layer, classes, x=float(x), y=float(y), width=float(w), height=float(h), **attrs)

    def path(self, key: str, d: str, classes: str, layer: int = 2, **attrs: Any) -> None:
        """A path, with the commands M, L, H, V, A, C, Z."""
        self.add(key, 'path', layer, classes, d=d, **attrs)

    def text(
        self, key: str, x: float, y: float, words: str, classes: str = '', layer: int = 4, room: float | None = None,
        **attrs: Any,
    ) -> None:  # fmt: skip
        """A text at its baseline, cut where it would leave `room`."""
        words = metrics.clean(str(words))
        if room is not None:
            words = cut(words, room, classes)
            if words == '…':
                return  # it says nothing
        self.add(key, 'text', layer, classes, x=float(x), y=float(y), T=words, **attrs)

    def head(
        self, key: str, x: float, y: float, way: str, classes: str, layer: int = 6, size: float = 7, **attrs: Any
    ) -> None:
        """An arrow's head with its tip at (x, y), pointing `way`: l, r, u or d."""
        dx, dy = {'l': (-1, 0), 'r': (1, 0), 'u': (0, -1), 'd': (0, 1)}[way]
        bx, by, wing = x - dx * size * 1.5, y - dy * size * 1.5, size * 0.75
        corners = (x, y), (bx - dy * wing, by + dx * wing), (bx + dy * wing, by - dx * wing)
        self.path(key, 'M' + 'L'.join(f'{a:g},{b:g}' for a, b in corners) + 'Z', classes, layer, **attrs)
