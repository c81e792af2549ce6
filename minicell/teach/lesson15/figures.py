"""The figures of lesson 15: layers in parts, and the memory and the time of a gradient; what two runs draw."""

from collections.abc import Callable
from typing import Any

import numpy as np

from minicell.ink.boxes import Box, Card, Column, Grid, Row, Space, Text
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import Plot
from minicell.teach.trials import dice

LEVELS = (0, 50, 100, 150)

Table = dict[int, tuple[int, float, float]]  # parts (0: none) -> layers run, memory in Tensors, seconds


def draw(table: Table, many: int, live: bool = True) -> Drawing:
    """The picture for one number of parts; `live`: with the time, which differs from machine to machine."""
    (layers, memory_all, seconds_all), (ran, memory, seconds) = table[0], table[many]
    each = layers // many
    last = layers - each
    kept = f'{count(many, "input")} kept, the last {each} computed again, {last} forgotten'
    told = (
        f'{count(many, "part")} of {count(each, "layer")}: {kept}; memory for {memory:.0f} Tensors instead of '
        f'{memory_all:.0f}, and {ran} layers run instead of {layers}.'
    )
    took = f' Time: {seconds * 1000:.0f} ms instead of {seconds_all * 1000:.0f} ms.' * live
    time = f'{seconds * 1000:.0f} ms' if live else 'run the cell'
    beside = f'everything kept: {seconds_all * 1000:.0f} ms' if live else 'to measure it on your machine'
    notes = (
        ('memory', f'{memory:.0f} Tensors', f'everything kept: {memory_all:.0f} (dashed)'),
        ('layers run', f'{ran}', f'everything kept: {layers}'),
        ('time', time, beside),
    )
    chart = Column(Text('memory, in Tensors (measured)', 'mid2'), memories(table, many), Text('parts', 'b end'))
    side = [
        Column(Row(Text(name, 'dim'), Text(value, 'mid2')), Text(words, 'dim'), gap=1) for name, value, words in notes
    ]
    return Drawing(
        Column(strip(layers, many), Space(h=4), Row(chart, Column(*side, gap=14), gap=30, across='start')),
        f'{count(many, "part")} of {count(each, "layer")}',
        'Backward has just come to the last part, and runs it again.',
        told + took,
    )


def strip(layers: int, many: int) -> Box:
    """The layers in a row: inputs of parts are kept, the last part is there again, the rest is forgotten."""
    each = layers // many
    last = layers - each
    plane = Plot(WIDTH, 44, (0, layers), (0, 1), key='layers')
    plane.bars('forgotten', (0, last), [1 if last else 0], 'ghost')
    plane.bars('again', (last, layers), [1], 'mine')
    edges = np.arange(0, layers, each)
    plane.bars('kept', np.stack([edges, edges + 0.5], 1).ravel(), np.tile([1, 0], many)[:-1], 'dab f')
    legend = (
        ('dab f', f'kept: {count(many, "input")}', 'b ff'),
        ('mine', f'there again: {count(each, "layer")}', 'b bf'),
        ('ghost', f'forgotten: {count(last, "layer")}', 'b dim'),
    )
    signs = [Row(Card(None, look, (7, 7), rx=2), Text(said, ink)) for look, said, ink in legend]
    return Column(plane, Row(*signs, gap=50))


def memories(table: Table, many: int) -> Box:
    """Memory against the number of parts; the chosen one is large, and a dashed line is the tape that keeps all."""
    known = parts(table)
    below = {k: str(each) for k, each in enumerate(known)}
    plane = Plot(410, 130, (-0.3, len(known) - 0.7), (0, LEVELS[-1]), below, {n: str(n) for n in LEVELS}, 'memory')
    plane.line('all', plane.across, (table[0][1], table[0][1]), 'pen dash')
    measured = [table[each][1] for each in known]
    plane.line('', range(len(known)), measured, 'pen f')
    plane.dots('.', range(len(known)), measured, 'dab f', 8)
    plane.dots('now', [known.index(many)], [table[many][1]], 'dab', 16)
    return plane


def parts(table: Table) -> list[int]:
    """The numbers of parts that were measured."""
    return sorted(many for many in table if many)


def count(many: int, what: str) -> str:
    """So many of something, in words."""
    return f'{many} {what}{"s" * (many != 1)}'


def figure(table: Table) -> Figure:
    """A slider for the number of parts. `table`: what was measured for each, and under 0 without parts."""
    return Figure('parts', 'Number of parts', parts(table), lambda many: draw(table, many), 8,
                  [draw(table, many, live=False) for many in (8, 1, 64)],
                  {many: count(many, 'part') for many in parts(table)})  # fmt: skip


# ---- the throws of forward and of the second run -----------------------------------------------------------------


def draw_throws(masks: Callable, cells: tuple[Any, Any], seed: int) -> Drawing:
    """Where forward let the numbers pass and where the gradient passed, on the tape and in a checkpoint."""
    rows: list[list[Box]] = []
    words, agree = [], []
    for name, cell in zip(('on the tape', 'in a checkpoint'), cells, strict=True):
        forward, backward = thrown(masks, cell, seed)
        agree.append(f'{np.sum(forward == backward)} of {forward.size} agree')
        for what, mask, look in (('forward let pass', forward, 'f'), ('the gradient passed', backward, 'bk')):
            first = mask is forward
            boxes = [Card(None, f'card {look} dab' if passed else f'card {look}', (13, 13), rx=3) for passed in mask]
            rows.append([Text(name if first else '', 'mid2'), Text(what, 'dim'), Row(*boxes),
                         Text(agree[-1] if first else '', 'b')])  # fmt: skip
        words.append(f'{name}, forward let {positions(forward)} pass, the gradient passed at {positions(backward)}')
        rows.append([Space(h=6)])
    return Drawing(
        Grid(rows[:-1], gap=(20, 8), stretch=()),
        f'Drawn from the seed {seed}',
        f'On the tape {agree[0]}, in a checkpoint {agree[1]}.',
        f'Seed {seed}: {"; ".join(words)}.',
    )


def thrown(masks: Callable, cell: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The masks of one run of a Cell from a seed; the random generator of the page is left as it was."""
    with dice(seed):
        return masks(cell)


def positions(mask: np.ndarray) -> str:
    """Which numbers passed, counted from 1."""
    return ', '.join(str(place + 1) for place in np.flatnonzero(mask)) or 'none'


def throws(masks: Callable, plain: Any, checkpoint: Any) -> Figure:
    """A slider for the seed; `masks(cell)` runs a Cell and returns where forward and where backward let pass."""
    seeds = range(1, 21)
    return Figure('throws', 'The seed', seeds, lambda seed: draw_throws(masks, (plain, checkpoint), seed),
                  1, stills=(1, 2), names={seed: f'seed {seed}' for seed in (1, 5, 10, 15, 20)})  # fmt: skip


FIGURES = {'parts': figure, 'throws': throws}
