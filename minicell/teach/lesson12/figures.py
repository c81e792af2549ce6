"""The figure of lesson 12: a surrogate over the membranes that it is to reach, the spikes, |dW1|, and the accuracy."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import ipywidgets as w
import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, printed, still_of
from minicell.teach.live import slider
from minicell.teach.plot import Plot
from minicell.teach.shown import Shown, button
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
        self.frozen = w.Checkbox(description='Freeze the readout: w2 stays random', value=False, indent=False)
        self.detached = w.Checkbox(description='Detach the reset: stop_gradient(spike)', value=False, indent=False)
        self.own = start.surrogates[TRIANGLE]
        self.width = slider('Width of your triangle', 'How far it reaches', self.own.width, (0.02, 3.0), 0.02)
        self.height = slider('Its height', 'The slope at the threshold', self.own.height, (0.1, 10.0), 0.1, '.1f')
        self.all: dict[tuple[bool, bool], dict[int, Curve]] = {}
        self.nets: dict[tuple[int, bool, bool], Any] = {}

        def run(choice: int) -> Generator[float, None, float]:
            net, losses, result = start(names[choice], *self.ticked)
            self.nets[choice, *self.ticked] = net
            yield from losses
            return result()

        def drawn(choice: int, curve: Curve) -> Drawing:
            net = self.nets.get((choice, *self.ticked)) if curve.losses else None
            seen = look(net or start(names[choice], *self.ticked)[0], *start.data)
            return draw(names[choice], *self.ticked, seen, curve)

        super().__init__('surrogates', 'Surrogate', names, run, 300, drawn, still)
        self.more = button('More', 'Freeze the readout, detach the reset, shape a triangle', self.unfold)
        self.inside = w.VBox([self.frozen, self.detached, self.width, self.height], layout=w.Layout(display='none'))
        self.all[self.ticked] = self.kept
        for box in (self.frozen, self.detached):
            box.observe(lambda _: self.turned(), 'value')
        for control in (self.width, self.height):
            control.observe(lambda _: self.shaped(), 'value')
        choose, *rest = self.shown.widget.children[: -len(self.screen.around().children)]
        one = trained(start, 'a = 5', True, False)
        words = f'{one.words}\n{still.words}'
        pictures = printed([still_of(one), still_of(still)], words)
        self.shown = Shown(self.screen.around(choose, self.more, self.inside, *rest), words, pictures=pictures)

    @property
    def ticked(self) -> tuple[bool, bool]:
        """Whether the readout is frozen, and whether the reset is detached."""
        return self.frozen.value, self.detached.value

    def unfold(self) -> None:
        """Show what stands under `More`, or hide it again."""
        hidden = self.inside.layout.display == 'none'
        self.inside.layout.display, self.more.description = ('flex', 'Less') if hidden else ('none', 'More')

    def turned(self) -> None:
        """Each pair of ticks has curves of its own."""
        self.stop()
        self.kept = self.all.setdefault(self.ticked, {})
        self.chosen()

    def shaped(self) -> None:
        """Choose one's own triangle in its new shape; what was trained with the old one is forgotten."""
        shape = round(self.width.value, 3), round(self.height.value, 3)
        if shape == (self.own.width, self.own.height):
            return  # a page that opens the figure sends 1.0000000000000002 for 1
        self.stop()
        self.own.width, self.own.height = shape
        last = len(self.choice.options) - 1
        for curves in self.all.values():
            curves.pop(last, None)
        self.choice.value = last
        self.chosen()

    def reset(self) -> None:
        """Forget every run, clear both ticks, and give the triangle its first shape."""
        self.stop()
        self.width.value = self.height.value = 1.0
        self.all.clear()
        self.nets.clear()
        self.frozen.value = self.detached.value = False
        self.turned()
        super().reset()


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


def trained(start: Start, name: str, frozen: bool, detached: bool) -> Drawing:
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
