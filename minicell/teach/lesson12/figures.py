"""The figure of lesson 12: a surrogate over the membranes that it is to reach, the spikes, |dW1|, and the accuracy."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import ipywidgets as w
import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, printed, slider
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, OWN, OWN_TEXT, RULE, WRONG, Box, Path, Shape, text
from minicell.teach.ink.thumb import short
from minicell.teach.shown import Shown, button, column
from minicell.teach.train import Curve, Line, Training, chart

from .network import gradient, silent
from .surrogates import Shaped
from .table import shown

WIDTH, HEIGHT, LEFT = 760, 412, 16
LOW, HIGH = -3.0, 3.0  # of v - v_th
BINS = 60
HISTOGRAM = (LEFT + 34, 74, 330, 150)
RASTER = (438, 74, 132, 150)
LOSS = (LEFT + 38, 296, 690, 78)
SMALL = (WIDTH / 3, 152)  # one surrogate of the still
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
        choose, *rest = self.shown.widget.children
        one = trained(start, 'a = 5', True, False)
        words = f'{one.words}\n{still.words}'
        self.shown = Shown(
            column(choose, self.more, self.inside, *rest), words, pictures=printed([one, still], 'surrogates-still')
        )

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
    ended = curve.result is not None
    readout = ('frozen readout' if frozen else 'free readout') + (', reset detached' if detached else '')
    step = f'after {len(curve.losses)} steps' if curve.losses else 'before training'
    title = f'Surrogate: {name}'
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(LEFT, 30, 300, title, 18, bold=True),
        text(320, 30, 420, f'seed 0, {readout}, {step}', 14, MUTED),
    ]
    x, y, wide, high = HISTOGRAM
    out.append(text(LEFT, y - 10, 400, 'bars: membranes between −3 and 3; line: the slope', 12, MUTED))
    out += histogram(seen, HISTOGRAM)
    for at in (-3, -2, -1, 0, 1, 2, 3):
        place = x + wide * (at - LOW) / (HIGH - LOW)
        out.append(text(place, y + high + 16, 30, f'{at}'.replace('-', '−'), 12, MUTED, 'middle'))
    out.append(text(x + wide / 2, y + high + 32, wide, 'v − v_th: right of 0 the neuron spikes', 12, MUTED, 'middle'))
    x, y, wide, high = RASTER
    out.append(text(x, y - 10, 160, 'spikes for the digit 3', 12, MUTED))
    out += raster(seen.spikes, RASTER)
    out.append(text(x - 4, y + high + 16, 168, '12 moments × 32 neurons', 12, MUTED))
    x = 604
    words = {
        'accuracy': f'{curve.result:.2f}' if ended else '?',
        '|dW1| now': short(seen.gradient),
        'membranes reached': f'{seen.reach:.0%}',
        'silent neurons': f'{seen.silent} of 32',
    }
    for k, (what, value) in enumerate(words.items()):
        out.append(text(x, 70 + 48 * k, 146, what, 12, MUTED))
        alarm = what in ('|dW1| now', 'membranes reached') and seen.gradient == 0
        out.append(text(x, 92 + 48 * k, 146, value, 20, WRONG if alarm else INK, bold=True))
    if seen.gradient == 0:
        out.append(text(x, 262, 146, 'w1 learns nothing', 14, WRONG, bold=True))
    out += chart([Line(curve.losses, name)], curve.steps, 4.0, LOSS)
    return Drawing(out, (WIDTH, HEIGHT), title, says(name, readout, step, seen, curve.result))


def says(name: str, readout: str, step: str, seen: Look, result: float | None) -> str:
    """The picture in words, with its numbers."""
    end = f', accuracy {result:.2f}' if result is not None else ''
    return (
        f'Surrogate {name}, seed 0, {readout}, {step}: it reaches {seen.reach:.0%} of the membranes, its slope goes '
        f'from {short(float(seen.slope.min()))} to {short(float(seen.slope.max()))}, |dW1| is {short(seen.gradient)}, '
        f'{seen.spikes.sum()} spikes for the digit 3, {seen.silent} of 32 neurons are silent{end}.'
    )


def histogram(seen: Look, box: tuple[float, float, float, float]) -> list[Shape]:
    """The membranes as bars; over them the slope, as high as the box at its largest, with its numbers."""
    x, y, wide, high = box
    counts, _ = np.histogram(seen.above, BINS, (LOW, HIGH))
    bar = wide / BINS
    out: list[Shape] = []
    for k, count in enumerate(counts / counts.max()):
        if count:
            tall = 0.92 * high * float(count)
            out.append(Box(x + k * bar, y + high - tall, bar, tall, '#B4C8DA', '#FFFFFF', 0.5))
    low, top = min(float(seen.slope.min()), 0.0), max(float(seen.slope.max()), 0.0)
    span = (top - low) or 1.0
    zero = y + high * (1 - (0 - low) / span)
    along = x + wide * (seen.at - LOW) / (HIGH - LOW)
    up = y + high * (1 - (seen.slope - low) / span)
    middle = x + wide * -LOW / (HIGH - LOW)
    out += [
        Path((((x, y + high), (x + wide, y + high)),), INK, 1),
        Path((((middle, y), (middle, y + high)),), INK, 1.2, dash='4 3'),
        Path((tuple(zip(along.tolist(), up.tolist(), strict=True)),), OWN, 2.5),
        text(x - 6, zero + 4, 44, '0', 12, OWN_TEXT, 'end'),
    ]
    if low:
        out.append(Path((((x, zero), (x + wide, zero)),), OWN, 1, dash='2 3'))
    for value, place in ((top, y + 4), (low, y + high + 4)):
        if value:
            out.append(text(x - 6, place, 44, short_slope(value), 12, OWN_TEXT, 'end'))
    return out


def short_slope(value: float) -> str:
    """A slope at the axis."""
    return f'{value:.3g}'.replace('-', '−')


def raster(spikes: np.ndarray, box: tuple[float, float, float, float]) -> list[Shape]:
    """A mark for each spike."""
    x, y, wide, high = box
    moments, neurons = spikes.shape
    out: list[Shape] = [Box(x, y, wide, high, 'none', RULE)]
    across, down = wide / moments, high / neurons
    for moment, neuron in zip(*np.nonzero(spikes), strict=True):
        out.append(Box(x + moment * across + 2, y + neuron * down + 0.8, across - 4, down - 1.6, FORWARD))
    return out


def gallery(start: Start, names: list[str]) -> Drawing:
    """All surrogates before training, over the membranes that they are to reach: for a page without a kernel."""
    wide, high = SMALL
    title = f'{len(names)} surrogates over the membranes of seed 0, before training'
    out: list[Shape] = [text(LEFT, 24, WIDTH - 2 * LEFT, title, 18, bold=True)]
    said = []
    for k, name in enumerate(names):
        x, y = k % 3 * wide, 36 + k // 3 * high
        seen = look(start(name, False, False)[0], *start.data)
        out.append(Box(x + 4, y + 4, wide - 8, high - 8, stroke=RULE, radius=4))
        out.append(text(x + 14, y + 26, wide - 28, name, 14, bold=True))
        out.append(text(x + 14, y + 45, wide - 28, f'reaches {seen.reach:.0%}', 13, MUTED))
        out += histogram(seen, (x + 56, y + 58, wide - 72, high - 76))
        low, top = short(float(seen.slope.min())), short(float(seen.slope.max()))
        said.append(f'{name} reaches {seen.reach:.0%} of the membranes, its slope goes from {low} to {top}.')
    y = 36 + (len(names) + 2) // 3 * high
    note = 'Bars: membranes, v − v_th from −3 to 3. Line: the slope that bprop uses there. Dashed: the threshold.'
    out.append(text(LEFT, y + 22, WIDTH - 2 * LEFT, note, 13, MUTED))
    return Drawing(out, (WIDTH, y + 34), title, '\n'.join((f'{title}.', *said)))


FIGURES = {'table': shown, 'surrogates': bench}
