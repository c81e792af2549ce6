"""The figure of lesson 12: a surrogate over the membranes that it is to reach, the spikes, |dW1|, and the accuracy."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing
from minicell.teach.live import Control
from minicell.teach.plot import Plot
from minicell.teach.train import Curve, Line, Training, chart

from .network import gradient, silent
from .surrogates import Shaped
from .table import shown

LOW, HIGH = -3.0, 3.0  # of v - v_th
EDGES = np.linspace(LOW, HIGH, 61)  # of the bars of the histogram
ACROSS = 3  # surrogates in a row of the still
REACHED = 0.1  # of its peak: a slope below that hardly reaches a membrane
TRIANGLE = 'your triangle'


class Look(NamedTuple):
    """A network at one moment of its training."""

    above: np.ndarray  # v - v_th, before the spikes
    spikes: np.ndarray  # (moments, neurons) for one digit
    at: np.ndarray  # places along v - v_th
    slope: np.ndarray  # ... and what the bprop says there, for a dout of 1
    reach: float  # the share of membranes that it reaches
    gradient: float  # |dW1|
    silent: int  # neurons that never spike


def look(net: Any, x: Any, t: Any) -> Look:
    """Run a network once, and ask its surrogate along the axis: the same bprop that trains it."""
    threshold = net.hidden.v_threshold
    spikes, above = [], []
    for spike, v, _ in net.moments(x):
        spikes.append(spike.asnumpy() > 0)
        above.append(v.asnumpy() + spike.asnumpy() - threshold)
    above = np.array(above)
    at = np.linspace(LOW, HIGH, 481)
    ask = ms.grad(lambda v: net.hidden.surrogate(v).sum())
    slope, felt = (ask(ms.Tensor(v)).asnumpy() for v in (at, above.ravel()))
    peak = np.abs(slope).max()
    reach = float(np.mean(np.abs(felt) > REACHED * peak)) if peak else 0.0
    three = np.array([s[3] for s in spikes])
    return Look(above, three, at, slope, reach, float(gradient(net, x, t)), silent(net, x))


class Bench(Training):
    """Train what is chosen. Under `More`: freeze the readout, detach the reset, and shape a triangle of one's own."""

    def __init__(self, names: list[str], start: Callable, still: Drawing) -> None:
        self.nets: dict[tuple, Any] = {}
        self.mine = names.index(TRIANGLE)
        own = start.surrogates[TRIANGLE]

        def chosen(values: dict[str, Any]) -> tuple[str, bool, bool]:
            which, frozen, detached, own.width, own.height = values.values()
            return names[which], frozen, detached

        def course(values: dict[str, Any]) -> Generator[float, None, float]:
            self.nets[self.key], losses, result = start(*chosen(values))
            yield from losses
            return result()

        def picture(values: dict[str, Any], curve: Curve) -> Drawing:
            choice = chosen(values)
            net = self.nets.get(self.key) if curve.losses else None
            return draw(*choice, look(net or start(*choice)[0], *start.data), curve)

        controls = {
            'surrogate': Control('Surrogate', 0, names=tuple(names)),
            'frozen': Control('Freeze the readout: w2 stays random'),
            'detached': Control('Detach the reset: stop_gradient(spike)'),
            'width': Control('Width of your triangle', own.width, (0.02, 3.0), 0.02),
            'height': Control('Its height', own.height, (0.1, 10.0), 0.1),
        }
        stills = [trained_with(start, 'a = 5', True, False), still]
        super().__init__('surrogates', controls, course, 300, picture, stills, [*controls][1:])

    @property
    def key(self) -> tuple:
        """Of the triangle, each shape has a curve of its own."""
        *choice, width, height = self.values.values()
        return (*choice, width, height) if choice[0] == self.mine else tuple(choice)

    def hear(self, said: dict[str, Any]) -> None:
        """Whoever shapes the triangle chooses it."""
        before = self.values['width'], self.values['height']
        super().hear(said)
        if before != (self.values['width'], self.values['height']):
            self.set(surrogate=self.mine)
            self.tell(values=self.values)


class Start(NamedTuple):
    """start(name, frozen, detached) -> a fresh network, the losses of its training, and its accuracy as a function."""

    surrogates: dict[str, Any]
    net: Callable
    train: Callable[..., Iterator[float]]
    accuracy: Callable
    digits: Callable

    @property
    def data(self) -> tuple:
        """The digits to learn from: those of seed 0."""
        return self.digits(100, np.random.default_rng(0))

    def __call__(self, name: str, frozen: bool, detached: bool) -> tuple:
        """A fresh run."""
        net = self.net(self.surrogates[name], detached=detached)
        end = lambda: self.accuracy(net, *self.digits(400, np.random.default_rng(100)))
        return net, self.train(net, *self.data, frozen), end


def bench(of: dict, net: Callable, train: Callable, accuracy: Callable, digits: Callable) -> Bench:
    """Choose a surrogate and train with it."""
    start = Start(of | {TRIANGLE: Shaped()}, net, train, accuracy, digits)
    return Bench([*of, TRIANGLE], start, gallery(start, [*of]))


def trained_with(start: Start, name: str, frozen: bool, detached: bool) -> Drawing:
    """A surrogate after its training, for a page without a kernel."""
    net, losses, result = start(name, frozen, detached)
    curve = tuple(losses)
    return draw(name, frozen, detached, look(net, *start.data), Curve(curve, len(curve), result()))


# ---- drawing -------------------------------------------------------------------------------------------------------


def draw(name: str, frozen: bool, detached: bool, seen: Look, curve: Curve) -> Drawing:
    """One surrogate: over the histogram; the spikes; four numbers; the loss."""
    readout = ('frozen readout' if frozen else 'free readout') + (', reset detached' if detached else '')
    step = f'after {len(curve.losses)} steps' if curve.losses else 'before training'
    numbers = {
        'accuracy': said(curve.result) if curve.result is not None else '?',
        '|dW1| now': said(seen.gradient),
        'membranes reached': f'{seen.reach:.0%}',
        'silent neurons': f'{seen.silent} of 32',
    }
    alarm = ('|dW1| now', 'membranes reached') if seen.gradient == 0 else ()
    side = [
        Column(Text(what, 'dim'), Text(number, 'big xx' if what in alarm else 'big'), gap=0)
        for what, number in numbers.items()
    ]
    spikes = Plot(132, 150, (0, seen.spikes.shape[0]), (0, seen.spikes.shape[1]), key='spikes')
    for moment, neurons in enumerate(seen.spikes):
        ends = np.arange(neurons.size + 1)
        for neuron in np.flatnonzero(neurons):
            spikes.bars(f'{moment}.{neuron}.', (moment + 0.1, moment + 0.9), [ends[-1 - neuron] - 0.2], 'dab f',
                        ends[-2 - neuron] + 0.2)  # fmt: skip
    return Drawing(
        Column(
            Row(Column(Text('bars: membranes between −3 and 3; line: the slope', 'dim'),
                       histogram(seen, (330, 150), (-3, -2, -1, 0, 1, 2, 3)),
                       Text('v − v_th: right of 0 the neuron spikes', 'dim')),
                Column(Text('spikes for the digit 3', 'dim'), Card(spikes, 'card', (2, 2)),
                       Text('12 moments × 32 neurons', 'dim')),
                Column(*side, Text('w1 learns nothing' if alarm else '', 'xx'), gap=4), gap=34, across='start'),
            chart([Line(curve.losses, name)], curve.steps, 4.0, (690, 78)), gap=12,
        ),
        f'Surrogate: {name}', f'Seed 0, {readout}, {step}.', says(name, readout, step, seen, curve.result),
    )  # fmt: skip


def says(name: str, readout: str, step: str, seen: Look, result: float | None) -> str:
    """The picture in words, with its numbers."""
    end = f', accuracy {said(result)}' if result is not None else ''
    return (
        f'Surrogate {name}, seed 0, {readout}, {step}: it reaches {seen.reach:.0%} of the membranes, its slope goes '
        f'from {said(seen.slope.min())} to {said(seen.slope.max())}, |dW1| is {said(seen.gradient)}, '
        f'{seen.spikes.sum()} spikes for the digit 3, {seen.silent} of 32 neurons are silent{end}.'
    )


def histogram(seen: Look, size: tuple[float, float], at: tuple[int, ...] = (), key: str = 'membranes') -> Box:
    """The membranes as bars; over them the slope, as high as the plane at its largest, with its numbers."""
    counts, _ = np.histogram(seen.above, EDGES)
    low, top = min(float(seen.slope.min()), 0.0), max(float(seen.slope.max()), 0.0)
    span = (low, top) if top > low else (0.0, 1.0)
    beside = {number: said(number) for number in (low, 0.0, top)}
    plane = Plot(*size, (LOW, HIGH), span, {n: said(n) for n in at}, beside, key, room=44)
    plane.bars('', EDGES, span[0] + 0.92 * (span[1] - span[0]) * counts / counts.max(), 'dab t', span[0])
    plane.upright('threshold', 0)
    plane.line('slope', seen.at, seen.slope, 'pen o')
    return plane


def gallery(start: Start, names: list[str]) -> Drawing:
    """All surrogates before training, over the membranes that they are to reach: for a page without a kernel."""
    cards, told = [], []
    for name in names:
        seen = look(start(name, False, False)[0], *start.data)
        head = Column(Text(name, 'b'), Text(f'reaches {seen.reach:.0%}', 'dim'), gap=0)
        small = histogram(seen, (WIDTH / ACROSS - 72, 76), key=name)
        cards.append(Card(Column(head, small, gap=8), 'card', (8, 6), at=(0, 0)))
        ends = said(seen.slope.min()), said(seen.slope.max())
        told.append(f'{name} reaches {seen.reach:.0%} of the membranes, its slope goes from {ends[0]} to {ends[1]}.')
    rows = [cards[k : k + ACROSS] for k in range(0, len(cards), ACROSS)]
    title = f'{len(names)} surrogates over the membranes of seed 0, before training'
    note = 'Bars: membranes, v − v_th from −3 to 3. Line: the slope that bprop uses there. Dashed: the threshold.'
    return Drawing(Column(Grid(rows, gap=(8, 8)), Text(note, 'dim')), title, '', '\n'.join((f'{title}.', *told)))


FIGURES = {'table': shown, 'surrogates': bench}
