"""The figure of lesson 05: eight malformed bprops, and who complains."""

import ipywidgets as w
import numpy as np

from minicell.ink.metrics import wrap
from minicell.story.record import Value
from minicell.teach.figure import Drawing, Figure
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import INK, MUTED, RULE, WRONG, Box, Path, Shape, text, tick
from minicell.teach.ink.table import Column, Drawn, table

from .specimens import SPECIMENS, Outcome, here, in_mindspore, true

WIDTH, HEIGHT = 760, 372
LEFT, TOP, ROW = 16, 32, 22
COLUMNS = (70, 340, 545)  # the line of code, minicell, MindSpore
DETAIL = TOP + 8 * ROW + 18
WORDS = {
    'raises': 'raises an error',
    'silent': 'silent, and wrong',
    'fine': 'fine',
}


def draw(chosen: int) -> Drawing:
    """The table with one row chosen, and below it what came of that one."""
    out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4)]
    heads = ('', 'the last line of bprop', 'minicell, run here', 'MindSpore 2.10, eager mode')
    columns = [
        Column(x, head, room, mono=head == heads[1])
        for x, head, room in zip((LEFT + 18, *COLUMNS), heads, (20, 262, 190, 190), strict=True)
    ]
    rows = [
        [str(number), specimen.line, sign(here(number).verdict), sign(in_mindspore(number).verdict)]
        for number, specimen in SPECIMENS.items()
    ]
    out += table(columns, rows, TOP - 8, ROW, (LEFT, WIDTH - LEFT), chosen - 1)
    y = TOP + (chosen - 1) * ROW
    out.append(Path((((LEFT, y + 6), (LEFT + 9, y + 11), (LEFT, y + 16)),), fill=INK))
    out += detail(chosen)
    specimen = SPECIMENS[chosen]
    return Drawing(out, (WIDTH, HEIGHT), f'{specimen.line}: who complains?', says(chosen))


def sign(verdict: str) -> Drawn:
    """A verdict: a square that stops, a triangle that warns, or a tick, and the words."""
    colour = WRONG if verdict == 'silent' else INK

    def drawn(x: float, y: float) -> list[Shape]:
        top = y - 10.5
        if verdict == 'raises':
            mark: Shape = Box(x, top, 12, 12, fill=INK)
        elif verdict == 'fine':
            mark = tick(x, top, True, MUTED, 12)
        else:
            mark = Path((((x + 6, top - 1), (x + 13, top + 12), (x - 1, top + 12)),), fill=WRONG)
        return [mark, text(x + 20, y, 150, WORDS[verdict], 13, colour, bold=verdict == 'silent')]

    return drawn


def detail(chosen: int) -> list[Shape]:
    """What minicell and MindSpore make of the chosen line, side by side, and the gradient that is due."""
    specimen = SPECIMENS[chosen]
    half = (WIDTH - 2 * LEFT) / 2
    due = Value('', true().shape, '', true())
    out: list[Shape] = [
        Path((((LEFT, DETAIL - 14), (WIDTH - LEFT, DETAIL - 14)),), RULE),
        text(LEFT, DETAIL + 8, half, f'{chosen}: {specimen.name}', 14, bold=True),
        text(WIDTH - LEFT - 140, DETAIL + 8, 220, 'the gradient that is due', 12, MUTED, 'end'),
        *thumb.picture(due, WIDTH - LEFT - 132, DETAIL - 7, limit()),
    ]
    sides = (('minicell', here(chosen)), ('MindSpore 2.10', in_mindspore(chosen)))
    for k, (name, outcome) in enumerate(sides):
        x = LEFT + k * half
        out.append(text(x, DETAIL + 34, half - 20, name, 13, MUTED))
        out += told(outcome, x, DETAIL + 44, half - 24)
    return out


def told(outcome: Outcome, x: float, y: float, room: float) -> list[Shape]:
    """An outcome: the error in its words, or the numbers that arrive."""
    if outcome.verdict == 'raises':
        lines = wrap(outcome.said, room, 12.5, 5)
        out = [text(x, y + 12, room, outcome.error, 14, bold=True)]
        return out + [text(x, y + 32 + 17 * k, room, line, 12.5) for k, line in enumerate(lines)]
    data = outcome.gradient
    assert data is not None
    colour = WRONG if outcome.verdict == 'silent' else INK
    right = outcome.verdict == 'fine'
    beside = 'the right numbers arrive' if right else f'off by up to {thumb.short(off(data))}'
    return [
        *thumb.picture(Value('', data.shape, '', data), x, y, limit()),
        tick(x + 144, y + 5, right, colour, 11),
        text(x + 162, y + 15, room - 162, beside, 12.5, colour, bold=True),
        *(text(x, y + 44 + 17 * k, room, line, 12.5) for k, line in enumerate(wrap(outcome.said, room, 12.5, 3))),
    ]


def off(gradient: np.ndarray) -> float:
    """How far a gradient is from the one that is due, at most."""
    return float(np.max(np.abs(gradient - true())))


def limit() -> float:
    """Where the tint is full: one scale for all eight."""
    return thumb.limit(true())


def says(chosen: int) -> str:
    """The picture in words, with its numbers."""
    parts = []
    for name, outcome in (('minicell', here(chosen)), ('MindSpore 2.10', in_mindspore(chosen))):
        if outcome.verdict == 'raises':
            parts.append(f'{name} raises {outcome.error}: {outcome.said}')
        else:
            numbers = ', '.join(thumb.short(float(v)) for v in np.ravel(outcome.gradient))
            how = 'the right numbers' if outcome.verdict == 'fine' else 'wrong numbers, in silence'
            parts.append(f'{name} hands out {numbers}: {how}. {outcome.said}'.strip())
    due = ', '.join(thumb.short(float(v)) for v in true())
    specimen = SPECIMENS[chosen]
    silent = ', '.join(str(n) for n in SPECIMENS if here(n).verdict == 'silent')
    there = ', '.join(str(n) for n in SPECIMENS if in_mindspore(n).verdict == 'silent')
    return (
        f'{chosen}. {specimen.line} ({specimen.name}); due is {due}. {" ".join(parts)} '
        f'(Of the eight, silent and wrong in minicell: {silent}; in MindSpore: {there}.)'
    )


def traffic() -> Figure:
    """A slider over the eight malformed bprops, and the table under it."""
    control = w.SelectionSlider(
        options=[(f'{number} of {len(SPECIMENS)}', number) for number in SPECIMENS],
        value=1,
        description='Which bprop',
        tooltip='The malformed bprop that is run: arrow keys move it',
        style={'description_width': 'initial'},
        layout=w.Layout(width='100%', max_width='950px'),
    )
    return Figure('traffic', control, draw, stills=(1, 4, 8))


FIGURES = {'traffic': traffic}
