"""The figure of lesson 05: eight malformed bprops, and who complains."""

import numpy as np

from minicell.ink.boxes import Box, Column, Grid, Lines, Row, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import listed, tile

from .specimens import SPECIMENS, Outcome, here, in_mindspore, true

SIGNS = {'raises': ('■ raises an error', ''), 'silent': ('▲ silent, and wrong', 'xx'), 'fine': ('✓ fine', 'dim')}
HALF = WIDTH / 2 - 16  # pixels of what one of the two makes of a line
CELL = (HALF, 40.0)


def draw(chosen: int) -> Drawing:
    """The table with one row chosen, and below it what came of that one."""
    specimen = SPECIMENS[chosen]
    heads = '', 'the last line of bprop', 'minicell, run here', 'MindSpore 2.10, eager mode'
    table: list[list[Box]] = [[Text(head, 'dim') for head in heads]]
    for number, each in SPECIMENS.items():
        look = 'm b' if number == chosen else 'm'
        signs = [Text(*SIGNS[outcome.verdict]) for outcome in (here(number), in_mindspore(number))]
        table.append([Text(f'{"▸" if number == chosen else ""} {number}', 'b end'), Text(each.line, look), *signs])
    sides = ('minicell', here(chosen)), ('MindSpore 2.10', in_mindspore(chosen))
    due = Row(Text(f'{chosen}: {specimen.name}', 'mid2'), Space(grows=1), Text('the gradient that is due', 'dim'),
              tile(true(), CELL))  # fmt: skip
    silent = [', '.join(str(n) for n in SPECIMENS if of(n).verdict == 'silent') for of in (here, in_mindspore)]
    parts = [f'{name} {in_words(outcome)}' for name, outcome in sides]
    return Drawing(
        Column(
            Grid(table, gap=(24, 3), grounds=['', *('tile on' if n == chosen else '' for n in SPECIMENS)]),
            Space(h=4), due,
            Row(*(Column(Text(name, 'dim'), *told(outcome), gap=4, across='start') for name, outcome in sides),
                gap=24, across='start'),
        ),
        f'{chosen} of {len(SPECIMENS)}: who complains?',
        f'Silent and wrong in minicell: {silent[0]}; in MindSpore: {silent[1]}.',
        f'{chosen}. {specimen.line} ({specimen.name}); due is {listed(true())}. {" ".join(parts)} '
        f'(Of the eight, silent and wrong in minicell: {silent[0]}; in MindSpore: {silent[1]}.)',
    )  # fmt: skip


def told(outcome: Outcome) -> list[Box]:
    """An outcome: the error in its words, or the numbers that arrive."""
    if outcome.verdict == 'raises':
        return [Text(outcome.error, 'b'), Space(HALF), Lines(outcome.said, HALF)]
    off = float(np.max(np.abs(outcome.gradient - true())))
    right = outcome.verdict == 'fine'
    verdict = Text('✓ the right numbers', 'b') if right else Text(f'✗ off by up to {said(off)}', 'xx')
    return [Row(tile(outcome.gradient, CELL), verdict, gap=12), Space(HALF), Lines(outcome.said, HALF)]


def in_words(outcome: Outcome) -> str:
    """An outcome in a sentence."""
    if outcome.verdict == 'raises':
        return f'raises {outcome.error}: {outcome.said}'
    how = 'the right numbers' if outcome.verdict == 'fine' else 'wrong numbers, in silence'
    return f'hands out {listed(outcome.gradient)}: {how}. {outcome.said}'.strip()


def traffic() -> Figure:
    """A slider over the eight malformed bprops, and the table under it."""
    return Figure('traffic', 'Which bprop', [*SPECIMENS], draw, 1, stills=(1, 4, 8),
                  names={number: str(number) for number in SPECIMENS})  # fmt: skip


FIGURES = {'traffic': traffic}
