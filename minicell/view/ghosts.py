"""What a takeover hid: hatched and dashed, as one, or one by one as it would have been recorded."""

from . import thumb
from .layout import GHOST_W, INNER_GAP, INNER_H, INNER_W, MOST_INNER, Column
from .metrics import width
from .model import Entry, Ghost, Value
from .shapes import FAINT, MUTED, PAPER, Box, Shape, hatch, text


def whole(entry: Entry, x: float, y: float) -> list[Shape]:
    """The hidden ops: hatched, dashed, with their names."""
    count = len(entry.hidden)
    names = entry.hidden[:2] if count < 3 else [entry.hidden[0], f'+ {count - 1} more']
    lines = [(name, i == 0 or count == 2) for i, name in enumerate(names)] + [('hidden', False)]
    out: list[Shape] = [
        hatch(x, y, GHOST_W, 58),
        Box(x + 9, y + 9, GHOST_W - 18, 40, PAPER),
        Box(x, y, GHOST_W, 58, 'none', MUTED, 1.5, 5, '5 3'),
    ]
    start, pitch, size = (26, 16, 12) if len(lines) == 2 else (21, 13, 11)
    for i, (line, bold) in enumerate(lines):
        out.append(text(x + GHOST_W / 2, y + start + i * pitch, GHOST_W - 20, line, size, MUTED, 'middle', bold))
    return out


def inner(entry: Entry, col: Column, x: float, y: float, step: int) -> list[Shape]:
    """The hidden ops one by one: those that would have been recorded are struck through."""
    out: list[Shape] = []
    total = len(entry.ghosts)
    for i, g in enumerate(entry.ghosts[:MOST_INNER]):
        left = x + i % col.grid[0] * (INNER_W + INNER_GAP)
        top = y + i // col.grid[0] * (INNER_H + INNER_GAP)
        if i == MOST_INNER - 1 and total > MOST_INNER:
            out.append(Box(left, top, INNER_W, INNER_H, 'none', FAINT, 1, 4, '4 3'))
            out.append(text(left + INNER_W / 2, top + 27, INNER_W - 10, f'and {total - i} more', 11, MUTED, 'middle'))
        else:
            out += one(g, left, top, step)
    lost = sum(g.lost for g in entry.ghosts)
    wide = col.grid[0] * (INNER_W + INNER_GAP) - INNER_GAP
    ways = (f'struck through: {lost} of {total} would have been recorded', f'{lost} of {total} would be recorded')
    words = next((w for w in ways if width(w, 11) <= wide), 'would be recorded' if lost else '')
    foot = y + col.grid[1] * (INNER_H + INNER_GAP) + 8
    return [*out, text(x, foot, wide, words, 11, MUTED)]


def one(g: Ghost, x: float, y: float, step: int) -> list[Shape]:
    """One hidden op."""
    there = step >= g.first
    out: list[Shape] = [Box(x, y, INNER_W, INNER_H, PAPER, MUTED if there else FAINT, 1.5 if there else 1, 4, '5 3')]
    if not there:
        return out
    out.append(hatch(x, y, 14, INNER_H))
    name = text(x + 20, y + 18, INNER_W - 26, g.name, 12, MUTED, bold=True)
    out.append(name._replace(struck=g.lost))
    words = brief(g.out) if g.lost else 'no entry anyway'
    out.append(text(x + 20, y + 36, INNER_W - 26, words, 11, MUTED))
    return out


def brief(v: Value) -> str:
    """A result in a few characters: its number, its range, or its shape."""
    if v.data is None or not v.data.size:
        return v.words or 'no elements'
    return thumb.short(float(v.data.item())) if v.data.size == 1 else thumb.span(v.data)
