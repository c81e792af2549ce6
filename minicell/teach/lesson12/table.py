"""The table of lesson 12: 180 runs of the notebook's own code. They take some minutes, so what they found is kept here.

    python -m minicell.teach.lesson12.table

measures all of them anew, and writes `table.json` beside this file. A test measures some of them again.
"""

import json
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minicell.ink.boxes import Box, Column, Grid, Row, Space, Span, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot
from minicell.teach.train import bar

FILE = Path(__file__).with_name('table.json')
SEEDS = 5
READOUTS = ('free', 'frozen')
BAR = (66, 18)  # pixels of an accuracy of 1
HALVES = {False: 'reset in the graph', True: 'reset detached'}
LOW = 0.5  # an accuracy below it is marked


def kept(measure: Callable[..., Iterable[float]], surrogates: dict[str, Any], anew: bool = False) -> dict:
    """{(name, frozen, detached): what each seed measured, a list of numbers}. With anew=True all are measured now."""
    runs = list(product(surrogates, (False, True), (False, True)))
    if not anew:
        found = json.loads(FILE.read_text(encoding='utf-8'))
        return {run: found[run_in_words(*run)] for run in runs}
    made: dict = {run: [] for run in runs}
    for (name, frozen, detached), seed in bar(product(runs, range(SEEDS)), of=SEEDS * len(runs)):
        numbers = measure(surrogates[name], frozen, detached, seed)
        made[name, frozen, detached].append([float(f'{number:.6g}') for number in numbers])
    return made


def run_in_words(name: str, frozen: bool, detached: bool) -> str:
    """A run in words."""
    return f'{name}, readout {READOUTS[frozen]}, reset {"detached" if detached else "in the graph"}'


class Summary(NamedTuple):
    """Five seeds in four numbers."""

    mean: float  # of the accuracy
    spread: float  # ... its standard deviation
    dw: float  # the median of |dW1| before training: it differs too much from seed to seed for a mean
    silent: float  # neurons of 32, on average


def summed(found: dict) -> dict[tuple[str, bool, bool], Summary]:
    """Each run of the table over its seeds."""
    out = {}
    for run, seeds in found.items():
        accuracy, dw, silent = np.array(seeds).T
        out[run] = Summary(*map(float, (accuracy.mean(), accuracy.std(ddof=1), np.median(dw), silent.mean())))
    return out


# ---- drawn ---------------------------------------------------------------------------------------------------------


def shown(found: dict) -> Figure:
    """The table with a free readout, or with a frozen one."""
    names = {frozen: f'readout {READOUTS[frozen]}' for frozen in (False, True)}
    return Figure('table', 'Readout', (False, True), lambda frozen: draw(summed(found), frozen), False, (False, True),
                  names)  # fmt: skip


def draw(of: dict[tuple[str, bool, bool], Summary], frozen: bool) -> Drawing:
    """A row for each surrogate: its accuracy, |dW1|, and silent neurons, with the reset in the graph and detached."""
    title = f'Readout {READOUTS[frozen]}: ' + ('w1 learns, and w2 stays random' if frozen else 'w1 and w2 learn')
    heads = [Text(head, 'dim') for head in ('accuracy', '|dW1|', 'silent')]
    rows: list[list[Box | Span | None]] = [
        [None, *(cell for head in HALVES.values() for cell in (Span(Text(head, 'mid2'), 3), None, None))],
        [Text('surrogate', 'dim'), *heads, *heads],
    ]
    words = []
    for name in dict.fromkeys(name for name, *_ in of):
        both = {head: of[name, frozen, detached] for detached, head in HALVES.items()}
        cells = [
            cell for one in both.values() for cell in (accuracy(one), Text(said(one.dw)), Text(f'{one.silent:.0f}'))
        ]
        rows.append([Text(name), *cells])
        told = (
            f'{head} {one.mean:.3f} ±{one.spread:.3f}, |dW1| {said(one.dw)}, {one.silent:.0f} silent'
            for head, one in both.items()
        )
        words.append(f'{name}: ' + '; '.join(told))
    note = f'Accuracy: mean ± standard deviation of {SEEDS} seeds. |dW1|: before training, their median. Silent: of 32.'
    legend = f'Bar: the mean accuracy. Line across its end: the deviation. Red and bold: below {said(LOW)}.'
    return Drawing(
        Column(Grid(rows, gap=(14, 9)), Space(h=4), Text(note, 'dim'), Text(legend, 'dim')),
        title,
        '',
        f'{title}. A table with a row for each surrogate. {legend} {note}\n' + '.\n'.join(words) + '.',
    )


def accuracy(of: Summary) -> Box:
    """A bar as long as the mean, a line across its end for the spread, and both in numbers."""
    low = of.mean < LOW
    plane = Plot(*BAR, (0, 1), (0, 1))
    plane.bars('all', (0, 1), [1], 'card')
    plane.bars('mean', (0, of.mean), [1], 'dab xx' if low else 'dab f')
    plane.line('spread', (of.mean - of.spread, of.mean + of.spread), (0.5, 0.5), 'pen dim')
    return Row(plane, Text(f'{of.mean:.2f} ±{of.spread:.2f}', 'xx' if low else ''))


if __name__ == '__main__':
    from .network import measure
    from .surrogates import surrogates

    lines = [
        f' {json.dumps(run_in_words(*run))}: {json.dumps(of)}'
        for run, of in kept(measure, surrogates, anew=True).items()
    ]
    FILE.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')
