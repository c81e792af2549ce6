"""The table of lesson 12: 360 runs of the notebook's own network. They take many minutes, so what they found is kept.

    python -m minicell.teach.lesson12.table

makes all of them and writes `table.json` beside this file. A test makes some of them again.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minicell.ink.boxes import Box, Column, Grid, Row, Space, Span, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot

from .network import Net, accuracy, gradient, handwriting, poisson, small, spikes, train
from .surrogates import surrogates

FILE = Path(__file__).with_name('table.json')
SEEDS = 5
NETS = {
    'leaky': ({}, 10, 'leaky, 100 neurons, 10 time steps, current'),
    'plain': ({'beta': 1.0, 'encode': poisson, **small}, 20, 'no leak, 32 neurons, 12 time steps, Poisson'),
}  # how they are made, the epochs of their training, and what they are
READOUTS = ('free', 'frozen')
BAR = (66, 18)  # pixels of an accuracy of 1
HALVES = {False: 'reset in the graph', True: 'reset detached'}
LOW = 0.5  # an accuracy below it is marked
RUNS = list(product(NETS, surrogates, (False, True), (False, True)))  # net, surrogate, frozen, detached


class Summary(NamedTuple):
    """Five seeds in four numbers."""

    mean: float  # of the accuracy
    spread: float  # ... its standard deviation
    dw: float  # the median of |dW1| before training: it differs too much from seed to seed for a mean
    silent: float  # the share of the neurons that never spike after it, on average


def measure(net: str, surrogate: str, frozen: bool, detached: bool, seed: int) -> list[float]:
    """Train once: the accuracy, |dW1| before training, and the share of silent neurons after it."""
    (x, t), new = handwriting()
    made, epochs, _ = NETS[net]
    one = Net(surrogates[surrogate], seed, detached=detached, **made)
    before = gradient(one, x[:100], t[:100])
    list(train(one, x, t, frozen, epochs, seed=seed))
    return [float(f'{n:.6g}') for n in (accuracy(one, *new), before, np.mean(spikes(one, new[0]).max(axis=0) == 0))]


def in_words(net: str, surrogate: str, frozen: bool, detached: bool) -> str:
    """A run in words."""
    return f'{net}, {surrogate}, readout {READOUTS[frozen]}, {HALVES[detached]}'


def stored() -> dict[tuple, list[list[float]]]:
    """{(net, surrogate, frozen, detached): what each seed measured}."""
    found = json.loads(FILE.read_text(encoding='utf-8'))
    return {run: found[in_words(*run)] for run in RUNS}


def summed(found: dict) -> dict[tuple, Summary]:
    """Each run over its seeds."""
    out = {}
    for run, seeds in found.items():
        accuracy, dw, silent = np.array(seeds).T
        out[run] = Summary(*map(float, (accuracy.mean(), accuracy.std(ddof=1), np.median(dw), silent.mean())))
    return out


# ---- drawn ---------------------------------------------------------------------------------------------------------


def shown(of: dict[tuple, Summary]) -> Figure:
    """The table of each network, with a free readout and with a frozen one."""
    places = list(product(NETS, (False, True)))
    names = {(net, frozen): READOUTS[frozen] if frozen else f'{net}: free' for net, frozen in places}
    return Figure('table', 'Network and readout', places, lambda place: draw(of, *place), places[0], places, names)


def draw(of: dict[tuple, Summary], net: str, frozen: bool) -> Drawing:
    """A row for each surrogate: its accuracy, |dW1|, and silent neurons, with the reset in the graph and detached."""
    learns = 'w1 learns, and w2 stays random' if frozen else 'w1 and w2 learn'
    title = f'{net.capitalize()}, readout {READOUTS[frozen]}: {learns}'
    heads = [Text(head, 'dim') for head in ('accuracy', '|dW1|', 'silent')]
    rows: list[list[Box | Span | None]] = [
        [None, *(cell for head in HALVES.values() for cell in (Span(Text(head, 'mid2'), 3), None, None))],
        [Text('surrogate', 'dim'), *heads, *heads],
    ]
    words = []
    for name in surrogates:
        both = {head: of[net, name, frozen, detached] for detached, head in HALVES.items()}
        cells = [cell for one in both.values() for cell in (bar(one), Text(said(one.dw)), Text(f'{one.silent:.0%}'))]
        rows.append([Text(name), *cells])
        told = (
            f'{head} {one.mean:.3f} ±{one.spread:.3f}, |dW1| {said(one.dw)}, {one.silent:.0%} silent'
            for head, one in both.items()
        )
        words.append(f'{name}: ' + '; '.join(told))
    note = (
        f'Accuracy: mean ± standard deviation of {SEEDS} seeds. |dW1|: median before training. Silent: of the neurons.'
    )
    legend = f'Bar: the mean accuracy. Line across its end: the deviation. Red and bold: below {said(LOW)}.'
    about = f'The network: {NETS[net][2]}.'
    notes = [Text(each, 'dim') for each in (about, note, legend)]
    rest = '.\n'.join(words)
    told = f'{title}. {about} A table with a row for each surrogate. {legend} {note}\n{rest}.'
    return Drawing(Column(Grid(rows, gap=(14, 9)), Space(h=4), *notes), title, '', told)


def bar(of: Summary) -> Box:
    """A bar as long as the mean, a line across its end for the spread, and both in numbers."""
    low = of.mean < LOW
    plane = Plot(*BAR, (0, 1), (0, 1))
    plane.bars('all', (0, 1), [1], 'card')
    plane.bars('mean', (0, of.mean), [1], 'dab xx' if low else 'dab f')
    plane.line('spread', (of.mean - of.spread, of.mean + of.spread), (0.5, 0.5), 'pen dim')
    return Row(plane, Text(f'{of.mean:.3f} ±{of.spread:.3f}', 'xx' if low else ''))


def main() -> None:
    """Make all runs, and keep what they found."""
    lines = []
    for done, run in enumerate(RUNS, 1):
        found: Any = [measure(*run, seed) for seed in range(SEEDS)]
        lines.append(f' {json.dumps(in_words(*run))}: {json.dumps(found)}')
        print(f'{done} of {len(RUNS)}: {in_words(*run)}: {found}', flush=True)
    FILE.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')


if __name__ == '__main__':
    main()
