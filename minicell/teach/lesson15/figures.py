"""The figures of lesson 15: layers in parts, and the memory and the time of a gradient; the throws of two runs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from minicell.teach.figure import Drawing, Figure, choice, slider
from minicell.teach.ink.shapes import (
    BACKWARD,
    FORWARD,
    INK,
    MUTED,
    OWN,
    OWN_TEXT,
    PAPER,
    RULE,
    Box,
    Path,
    Shape,
    hatch,
    text,
)

WIDTH, HEIGHT = 760, 396
LEFT, WIDE = 64, 410  # where the chart is drawn
STRIP, STRIP_H = 92, 34  # the row of layers
UPPER, UPPER_H = 212, 130
NOTES = 500  # where the words stand
LEVELS = (0, 50, 100, 150)

Table = dict[int, tuple[int, float, float]]  # parts (0: none) -> layers run, memory in Tensors, seconds


def draw(table: Table, many: int, live: bool = True) -> Drawing:
    """The picture for one number of parts; `live`: with the time, which differs from machine to machine."""
    layers = table[0][0]
    each = layers // many
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(16, 28, 400, f'{count(many, "part")} of {count(each, "layer")}', 18, bold=True),
        text(16, 50, 700, 'Backward has just come to the last part, and runs it again.', 14, MUTED),
        *strip(layers, many),
        *chart(table, many),
        *notes(table, many, live),
    ]
    title = f'{layers} layers in {count(many, "part")}'
    return Drawing(out, (WIDTH, HEIGHT), title, says(table, many, live))


def strip(layers: int, many: int) -> list[Shape]:
    """The layers in a row: inputs of parts are kept, the last part is there again, the rest is forgotten."""
    room, each = (WIDTH - 32) / layers, layers // many
    last = layers - each
    out: list[Shape] = [
        Box(16, STRIP, last * room, STRIP_H, '#F3F5F7', MUTED, 1, dash='4 3'),
        *([hatch(16, STRIP, last * room, STRIP_H)] if last else []),
        Box(16 + last * room, STRIP, each * room, STRIP_H, '#FBE3D1', OWN, 2),
    ]
    for k in range(0, layers, each):
        out.append(Box(16 + k * room + 1, STRIP - 5, max(room * 0.5, 5), STRIP_H + 10, FORWARD, PAPER, 1))
    words = (
        (16, Box(16, 140, 8, 14, FORWARD), f'kept: {count(many, "input")}', FORWARD),
        (230, Box(230, 140, 14, 14, '#FBE3D1', OWN, 2), f'there again: {count(each, "layer")}', OWN_TEXT),
        (480, Box(480, 140, 14, 14, '#F3F5F7', MUTED, 1, dash='4 3'), f'forgotten: {count(last, "layer")}', MUTED),
    )
    for x, mark, said, colour in words:
        out += [mark, text(x + 22, 152, 200, said, 13, colour, bold=True)]
    out.append(hatch(480, 140, 14, 14))
    return out


def chart(table: Table, many: int) -> list[Shape]:
    """Memory against the number of parts; the chosen one is large, and a dashed line is the tape that keeps all."""
    out: list[Shape] = [text(LEFT, UPPER - 16, 380, 'memory, in Tensors (measured)', 14, bold=True)]
    for level in LEVELS:
        y = up(level)
        out.append(Path((((LEFT, y), (LEFT + WIDE, y)),), MUTED if level == 0 else RULE, 1))
        out.append(text(LEFT - 8, y + 4, 44, str(level), 12, MUTED, 'end'))
    whole = up(table[0][1])
    out.append(Path((((LEFT, whole), (LEFT + WIDE, whole)),), INK, 1.5, dash='5 4'))
    points = [(across(table, each), up(table[each][1])) for each in parts(table)]
    out.append(Path((tuple(points),), FORWARD, 2))
    for (x, y), each in zip(points, parts(table), strict=True):
        r = 8 if each == many else 4
        out.append(Box(x - r, y - r, 2 * r, 2 * r, OWN if each == many else FORWARD, PAPER, 1.5, r))
        out.append(text(x, UPPER + UPPER_H + 20, 40, str(each), 12, INK if each == many else MUTED, 'middle'))
    out.append(text(LEFT + WIDE, UPPER + UPPER_H + 40, 120, 'parts', 13, anchor='end', bold=True))
    return out


def notes(table: Table, many: int, live: bool) -> list[Shape]:
    """What stands beside the chart: memory, layers and time, each beside those of a tape that keeps everything."""
    (ran, memory, seconds), (ran_all, memory_all, seconds_all) = table[many], table[0]
    time = f'{seconds * 1000:.0f} ms' if live else 'run the cell'
    beside = f'everything kept: {seconds_all * 1000:.0f} ms' if live else 'to measure it on your machine'
    rows = (
        ('memory', f'{memory:.0f} Tensors', f'everything kept: {memory_all:.0f} (dashed)'),
        ('layers run', f'{ran}', f'everything kept: {ran_all}'),
        ('time', time, beside),
    )
    out: list[Shape] = []
    for k, (name, value, compared) in enumerate(rows):
        top = UPPER + 52 * k
        out.append(text(NOTES, top, 110, name, 13, MUTED))
        out.append(text(NOTES + 90, top, 150, value, 16, bold=True))
        out.append(text(NOTES, top + 19, WIDTH - NOTES - 12, compared, 13, MUTED))
    return out


def parts(table: Table) -> list[int]:
    """The numbers of parts that were measured."""
    return sorted(many for many in table if many)


def across(table: Table, many: int) -> float:
    """Where a number of parts lies: one after the other, each twice the one before."""
    known = parts(table)
    return LEFT + 20 + known.index(many) / (len(known) - 1) * (WIDE - 40)


def up(memory: float) -> float:
    """Where an amount of memory lies."""
    return UPPER + UPPER_H * (1 - min(memory, LEVELS[-1]) / LEVELS[-1])


def count(many: int, what: str) -> str:
    """So many of something, in words."""
    return f'{many} {what}{"s" * (many != 1)}'


def says(table: Table, many: int, live: bool) -> str:
    """The picture in words, with its numbers."""
    (ran, memory, seconds), (ran_all, memory_all, seconds_all) = table[many], table[0]
    each = ran_all // many
    kept = f'{count(many, "input")} kept, the last {each} computed again, {ran_all - each} forgotten'
    said = (
        f'{count(many, "part")} of {count(each, "layer")}: {kept}; memory for {memory:.0f} Tensors instead of '
        f'{memory_all:.0f}, and {ran} layers run instead of {ran_all}.'
    )
    return f'{said} Time: {seconds * 1000:.0f} ms instead of {seconds_all * 1000:.0f} ms.' if live else said


def figure(table: Table) -> Figure:
    """A choice of the number of parts. `table`: what was measured for each, and under 0 without parts."""
    known = parts(table)
    control = choice('Number of parts', [str(many) for many in known])
    control.index = known.index(8)

    def shown(place: Any) -> Drawing:
        return draw(table, known[int(place)])

    return Figure('parts', control, shown, stills=tuple(draw(table, many, live=False) for many in (8, 1, 64)))


# ---- the throws of forward and of the second run -----------------------------------------------------------------

NUMBER, ROW = 34, 88  # a number in a row, and the rows of one Cell


def draw_throws(masks: Callable, cells: tuple[Any, Any], seed: int) -> Drawing:
    """Where forward let the numbers pass and where the gradient passed, on the tape and in a checkpoint."""
    shapes: list[Shape] = [text(16, 28, 400, f'Throws from the seed {seed}', 18, bold=True)]
    said = []
    for k, (name, cell) in enumerate(zip(('on the tape', 'in a checkpoint'), cells, strict=True)):
        forward, backward = thrown(masks, cell, seed)
        top, same = 62 + k * ROW, int(np.sum(forward == backward))
        shapes.append(text(16, top + 35, 130, name, 14, bold=True))
        for row, (what, mask, colour) in enumerate(
            (('forward let pass', forward, FORWARD), ('the gradient passed', backward, BACKWARD))
        ):
            y = top + row * NUMBER
            shapes.append(text(148, y + 18, 138, what, 13, MUTED))
            for place, passed in enumerate(mask):
                shapes.append(Box(288 + place * NUMBER, y, 26, 26, colour if passed else PAPER, colour, 2, 3))
        shapes.append(text(634, top + 36, 114, f'{same} of {forward.size} agree', 13, bold=True))
        said.append(f'{name}, forward let {positions(forward)} pass, the gradient passed at {positions(backward)}')
    size = WIDTH, 62 + 2 * ROW
    shapes.insert(0, Box(0.5, 0.5, size[0] - 1, size[1] - 1, stroke=RULE, radius=4))
    return Drawing(shapes, size, f'Throws from the seed {seed}', f'Seed {seed}: {"; ".join(said)}.')


def thrown(masks: Callable, cell: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The masks of one run of a Cell from a seed; the dice of the page are left as they were."""
    before = np.random.get_state()
    np.random.seed(seed)
    try:
        return masks(cell)
    finally:
        np.random.set_state(before)


def positions(mask: np.ndarray) -> str:
    """Which numbers passed, counted from 1."""
    return ', '.join(str(place + 1) for place in np.flatnonzero(mask)) or 'none'


def throws(masks: Callable, plain: Any, checkpoint: Any) -> Figure:
    """A slider for the seed; `masks(cell)` runs a Cell and returns where forward and where backward let pass."""
    control = slider('Seed', 'The seed of the throws', 1, (1, 20), 1)
    return Figure('throws', control, lambda seed: draw_throws(masks, (plain, checkpoint), int(seed)), stills=(1, 2))


FIGURES = {'parts': figure, 'throws': throws}
