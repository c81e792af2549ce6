"""The figures of lesson 12: how a network learns, and a surrogate over the membranes that it is to reach."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import Line, Plot, chart
from minicell.teach.train import bar

from .network import gradient, handwriting
from .table import shown

LOW, HIGH = -3.0, 3.0  # of v - v_th
EDGES = np.linspace(LOW, HIGH, 61)  # of the bars of the histogram
ACROSS = 3  # surrogates in a row of the still
REACHED = 0.1  # of its peak: a slope below that hardly reaches a membrane
SOME = 100  # digits that are looked at
BATCHES = 210  # in the ten epochs of a training
LOOKS = 15  # minibatches from one picture of a training to the next


# ---- how a network learns ------------------------------------------------------------------------------------------


def learning(losses: Sequence[float], said_new: Sequence[np.ndarray], t_new: np.ndarray) -> Figure:
    """A slider for the epoch: the loss and the accuracy so far, and the confusion matrix of the new digits."""
    epochs = range(len(said_new))
    draw = lambda epoch: learnt(losses, said_new[: epoch + 1], t_new, len(said_new) - 1)
    return Figure(
        'learning', 'Epoch', epochs, draw, epochs[-1], stills=(epochs[-1], 1), names={0: '0', epochs[-1]: 'end'}
    )


def learnt(losses: Sequence[float], so_far: Sequence[np.ndarray], t_new: np.ndarray, last: int) -> Drawing:
    """The picture after some epochs."""
    epoch, right = len(so_far) - 1, [float(np.mean(said == t_new)) for said in so_far]
    batches = losses[: round(len(losses) * epoch / last)]
    shares = Plot(
        270, 110, (0, last), (0, 1), {0: '0', last: f'{last} epochs'}, {0: '0', 0.5: '0.5', 1: '1'}, 'right', 30
    )
    shares.line('right', range(epoch + 1), right, 'pen f')
    shares.dots('now', [epoch], [right[-1]], 'dab f')
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (t_new, so_far[-1]), 1)
    rows: list[list[Box | None]] = [[None, *(Text(str(d), 'dim') for d in range(10))]]
    for d, row in enumerate(counts):
        look = lambda k, d=d: 'b' if k == d else 'xx'
        rows.append(
            [Text(str(d), 'dim'), *(Text(str(n), look(k)) if n else Text('·', 'dim') for k, n in enumerate(row))]
        )
    wrong = [(int(counts[i, j]), i, j) for i in range(10) for j in range(10) if i != j and counts[i, j]]
    most = sorted(wrong, key=lambda each: -each[0])[:3]
    told = '; '.join(f'a {i} read as {j}: {n}' for n, i, j in most) or 'none'
    left = Column(
        chart([Line(batches, 'loss')], len(losses), 3.0, (270, 110)),
        Text('share of the new digits that are right', 'dim'),
        shares,
    )
    matrix = Column(Text('rows: the digit; columns: the answer', 'dim'), Grid(rows, gap=(12, 4)))
    title = f'After {epoch} of {last} epochs: {np.trace(counts)} of {len(t_new)} new digits are right'
    return Drawing(
        Row(left, matrix, gap=40, across='start'),
        title,
        f'Most frequent mistakes: {told}.',
        f'{title}. Most frequent mistakes: {told}.',
    )


# ---- a surrogate at work -------------------------------------------------------------------------------------------


class Look(NamedTuple):
    """A network somewhere in its training."""

    above: np.ndarray  # v - v_th, before the spikes
    at: np.ndarray  # places along v - v_th
    slope: np.ndarray  # ... and what the bprop says there, for a dout of 1
    reach: float  # the share of membranes that it reaches
    gradient: float  # |dW1|
    silent: str  # neurons that never spike


def look(net: Any) -> Look:
    """Run a network once, and ask its surrogate along the axis: the same bprop that trains it."""
    x, t = (each[:SOME] for each in handwriting()[0])
    seen = [(spike.asnumpy(), v.asnumpy()) for spike, v, _ in net.time_steps(net.seen(x))]
    above = np.array([v + spike - net.neuron.v_threshold for spike, v in seen])
    at = np.linspace(LOW, HIGH, 481)
    ask = ms.grad(lambda v: net.neuron.surrogate(v).sum())
    slope, felt = (ask(ms.Tensor(v)).asnumpy() for v in (at, above.ravel()))
    peak = np.abs(slope).max()
    reach = float(np.mean(np.abs(felt) > REACHED * peak)) if peak else 0.0
    ever = sum(spike for spike, _ in seen).max(axis=0) > 0
    return Look(above, at, slope, reach, float(gradient(net, x, t)), f'{np.sum(~ever)} of {ever.size}')


def training(
    of: dict, net: Callable, train: Callable, accuracy: Callable, chosen: str, frozen: bool, detached: bool
) -> Figure:
    """Train with one surrogate; a slider for the minibatch. `frozen` is the readout, `detached` the reset."""
    learn, new = handwriting()
    made = net(of[chosen], detached=detached)
    looks, losses = [look(made)], []
    for loss in bar(train(made, *learn, frozen), of=BATCHES):
        losses.append(loss)
        if len(losses) % LOOKS == 0:
            looks.append(look(made))
    ended = accuracy(made, *new)

    def picture(batch: int) -> Drawing:
        end = said(ended) if batch == places[-1] else '?'
        return draw(chosen, frozen, detached, looks[batch // LOOKS], losses[:batch], len(losses), end)

    places = range(0, len(looks) * LOOKS, LOOKS)
    names = {0: '0', places[-1]: f'{places[-1]} minibatches'}
    still = gallery({name: look(net(surrogate)) for name, surrogate in of.items()})
    return Figure('training', 'Minibatch', places, picture, places[-1], (still,), names)


# ---- drawing -------------------------------------------------------------------------------------------------------


def draw(
    name: str, frozen: bool, detached: bool, seen: Look, losses: Sequence[float], of: int, accuracy: str
) -> Drawing:  # fmt: skip
    """One surrogate: over the histogram; four numbers; the loss."""
    readout = ('frozen readout' if frozen else 'free readout') + (', reset detached' if detached else '')
    step = f'after {len(losses)} minibatches' if losses else 'before training'
    numbers = {
        'accuracy': accuracy,
        '|dW1| now': said(seen.gradient),
        'membranes reached': f'{seen.reach:.0%}',
        'silent neurons': seen.silent,
    }
    alarm = ('|dW1| now', 'membranes reached') if seen.gradient == 0 else ()
    side = [
        Column(Text(what, 'dim'), Text(number, 'big xx' if what in alarm else 'big'), gap=0)
        for what, number in numbers.items()
    ]
    above = Text('bars: membranes between −3 and 3; line: the slope', 'dim')
    below = Text('v − v_th: right of 0 the neuron spikes', 'dim')
    plane = Column(above, histogram(seen, (440, 150), (-3, -2, -1, 0, 1, 2, 3)), below)
    right = Column(*side, Text('w1 learns nothing' if alarm else '', 'xx'), gap=4)
    loss = chart([Line(losses, name)], of, 4.0, (690, 78))
    caption = f'Seed 0, {readout}, {step}.'
    told = '; '.join(f'{what} {number}' for what, number in numbers.items())
    words = f'Surrogate {name}. {caption} {spans(seen)}; {told}.'
    return Drawing(
        Column(Row(plane, right, gap=34, across='start'), loss, gap=12), f'Surrogate: {name}', caption, words
    )


def spans(seen: Look) -> str:
    """From where to where a slope goes."""
    return f'its slope goes from {said(seen.slope.min())} to {said(seen.slope.max())}'


def histogram(seen: Look, size: tuple[float, float], at: tuple[int, ...] = (), key: str = 'membranes') -> Box:
    """The membranes as bars; over them the slope, as high as the plane at its largest, with its numbers."""
    counts, _ = np.histogram(seen.above, EDGES)
    low, top = min(float(seen.slope.min()), 0.0), max(float(seen.slope.max()), 0.0)
    span = (low, top) if top > low else (0.0, 1.0)
    beside = {number: said(number) for number in (low, 0.0, top)}
    plane = Plot(*size, (LOW, HIGH), span, {n: said(n) for n in at}, beside, key, room=44)
    plane.bars('', EDGES, span[0] + 0.92 * (span[1] - span[0]) * counts / counts.max(), 'dab t', span[0])
    plane.line('threshold', (0, 0), plane.up, 'pen dash')
    plane.line('slope', seen.at, seen.slope, 'pen o')
    return plane


def gallery(all_of_them: dict[str, Look]) -> Drawing:
    """All surrogates before training, over the membranes that they are to reach: for a page without a kernel."""
    cards, told = [], []
    for name, seen in all_of_them.items():
        head = Column(Text(name, 'b'), Text(f'reaches {seen.reach:.0%}', 'dim'), gap=0)
        small = histogram(seen, (WIDTH / ACROSS - 72, 76), key=name)
        cards.append(Card(Column(head, small, gap=8), 'card', (8, 6), at=(0, 0)))
        told.append(f'{name} reaches {seen.reach:.0%} of the membranes, {spans(seen)}.')
    rows = [cards[k : k + ACROSS] for k in range(0, len(cards), ACROSS)]
    title = f'{len(cards)} surrogates over the membranes of seed 0, before training'
    note = 'Bars: membranes, v − v_th from −3 to 3. Line: the slope that bprop uses there. Dashed: the threshold.'
    return Drawing(Column(Grid(rows, gap=(8, 8)), Text(note, 'dim')), title, '', '\n'.join((f'{title}.', *told)))


FIGURES = {'table': shown, 'learning': learning, 'training': training}
