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

from minicell.teach.figure import Drawing, Figure, choice
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, PANEL, RULE, WRONG, Box, text
from minicell.teach.ink.shapes import Path as Line
from minicell.teach.ink.table import Column, Drawn, table
from minicell.teach.train import bar

FILE = Path(__file__).with_name('table.json')
SEEDS = 5
READOUTS = ('free', 'frozen')
WIDTH, LEFT, ROW, SIZE = 760, 16, 32, 15
BAR = 66  # an accuracy of 1
HALVES = {
    False: ('reset in the graph', 172),
    True: ('reset detached', 464),
}  # detached -> its head, and where it begins
LOW = 0.5  # an accuracy below it is marked


def kept(measure: Callable[..., Iterable[float]], surrogates: dict[str, Any], anew: bool = False) -> dict:
    """{(name, frozen, detached): what each seed measured, a list of numbers}. With anew=True all are measured now."""
    runs = list(product(surrogates, (False, True), (False, True)))
    if not anew:
        found = json.loads(FILE.read_text(encoding='utf-8'))
        return {run: found[said(*run)] for run in runs}
    made: dict = {run: [] for run in runs}
    for (name, frozen, detached), seed in bar(product(runs, range(SEEDS)), of=SEEDS * len(runs)):
        numbers = measure(surrogates[name], frozen, detached, seed)
        made[name, frozen, detached].append([float(f'{number:.6g}') for number in numbers])
    return made


def said(name: str, frozen: bool, detached: bool) -> str:
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
    return Figure('table', choice('Readout', READOUTS), lambda frozen: draw(summed(found), bool(frozen)), (0, 1))


def draw(of: dict[tuple[str, bool, bool], Summary], frozen: bool) -> Drawing:
    """A row for each surrogate: its accuracy, |dW1|, and silent neurons, with the reset in the graph and detached."""
    title = f'Readout {READOUTS[frozen]}: ' + ('w1 learns, and w2 stays random' if frozen else 'w1 and w2 learn')
    columns, heads = [Column(LEFT, 'surrogate', 150)], [text(LEFT, 32, 700, title, 18, bold=True)]
    for head, x in HALVES.values():
        columns += [
            Column(x, 'accuracy', 176),
            Column(x + 222, '|dW1|', 44, 'end'),
            Column(x + 276, 'silent', 50, 'end'),
        ]
        heads.append(text(x, 62, 270, head, SIZE, bold=True))
    rows: list[list[str | Drawn]] = []
    words = []
    for name in dict.fromkeys(name for name, *_ in of):
        both = {head: of[name, frozen, detached] for detached, (head, _) in HALVES.items()}
        cells = [(accuracy(one), f'{one.dw:.3g}', f'{one.silent:.0f}') for one in both.values()]
        rows.append([name, *cells[0], *cells[1]])
        words.append(
            f'{name}: '
            + '; '.join(
                f'{head} {one.mean:.3f} ±{one.spread:.3f}, |dW1| {one.dw:.3g}, {one.silent:.0f} silent'
                for head, one in both.items()
            )
        )
    size = (WIDTH, 98 + len(rows) * ROW + 54)
    note = f'Accuracy: mean ± standard deviation of {SEEDS} seeds. |dW1|: before training, their median. Silent: of 32.'
    legend = f'Bar: the mean accuracy. Line across its end: the deviation. Orange and bold: below {LOW:g}.'
    shapes = [
        Box(0.5, 0.5, WIDTH - 1, size[1] - 1, stroke=RULE, radius=4),
        *heads,
        *table(columns, rows, 86, ROW, (LEFT, WIDTH - LEFT), size=SIZE),
        text(LEFT, size[1] - 34, WIDTH - 2 * LEFT, note, 13, MUTED),
        text(LEFT, size[1] - 14, WIDTH - 2 * LEFT, legend, 13, MUTED),
    ]
    return Drawing(
        shapes,
        size,
        title,
        f'{title}. A table with a row for each surrogate. {legend} {note}\n' + '.\n'.join(words) + '.',
    )


def accuracy(of: Summary) -> Drawn:
    """A bar as long as the mean, a line across its end for the spread, and both in numbers."""
    low = of.mean < LOW

    def drawn(x: float, y: float) -> list:
        end, half = x + BAR * of.mean, BAR * of.spread
        return [
            Box(x, y - 14, BAR, 18, PANEL, RULE),
            Box(x, y - 14, BAR * of.mean, 18, WRONG if low else FORWARD),
            Line((((end - half, y - 5), (end + half, y - 5)),), INK, 2),
            text(x + BAR + 8, y, 102, f'{of.mean:.2f} ±{of.spread:.2f}', SIZE, WRONG if low else INK, bold=low),
        ]

    return drawn


if __name__ == '__main__':
    from .network import measure
    from .surrogates import surrogates

    lines = [f' {json.dumps(said(*run))}: {json.dumps(of)}' for run, of in kept(measure, surrogates, anew=True).items()]
    FILE.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')
