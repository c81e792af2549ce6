"""The film of lesson 12: a digit goes through the network, one time step after the other, and the gradient
comes back the same way.

Whatever is painted on the pad under it goes through the network in the page: `film.js` has the weights, draws the same
pictures, and hands them to the player. It needs no kernel. A test holds the two against each other.
"""

import os
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.errors import SettingError
from minicell.ink import gif, sheet, svg
from minicell.ink.film import Film as Pictures
from minicell.ink.film import Step
from minicell.ink.line import Mark, step_line
from minicell.ink.numbers import said
from minicell.ink.page import fragment
from minicell.ink.shapes import Frame
from minicell.teach.figure import printed
from minicell.view.picture import STILL

TIME, NEURONS, DIGITS = 12, 32, 10
STEPS = 2 * TIME + 1  # the time steps, the loss, the time steps again from the last to the first
SIZE = (800, 404)
SEEN = (18, 40, 80)  # what it sees: x, y, and the width
LESS = 0.4  # ... of it: the digit as it is, under that
GRID = (134, 26, 13.5, 13)  # the spikes: x, y, and the width and height of a cell
TUBE = (290, 46, -1.3, 1.8)  # the membranes: y of 0, pixels a threshold, and from where to where they are drawn
RACE = (716, 26, 22, 70)  # the readouts: x of 0, y, the height of a row, and the room on either side
KNOTS = np.round(6 * np.sinh(np.linspace(-8, 8, 1601)) / np.sinh(8), 6)  # where the slope is asked: close to 0, closely
LIT, PALE, LEVEL, QUIET = 'dab', 'tile on', 'fh q2', 'rail'  # the looks of a pixel, of a membrane
UNDER, BEHIND = 'dab t', 'fh q2'  # a spike under its gradient; a readout that does not lead
FAINT = 0.08  # how much is seen of a membrane that no slope reaches
EVERY = 0.01  # of the largest: a smaller gradient does not count as one
LEGEND = (  # forward, backward
    'Forward: above the threshold a membrane spikes (black), and then the threshold is taken off it',
    'Backward: ▲ ▼ where a membrane should go; the stronger its bar, the larger its slope',
)
ANSWER = 'its answer', 'leads so far'
TOLD = (
    'From left to right: the digit as it is seen at this time step, and as it is; a grid of the spikes, one row for '
    'each time step and one column for each neuron, with triangles for the gradients on the way back; ten readouts as '
    'bars. Under the grid: the membranes as bars against a dashed threshold, and beside them the curve of the slope.'
)
SECONDS = {TIME: 1.8, STEPS - 1: 3.5}  # a picture of the GIF; the others 0.45
# The pictures: of which step, and whether before the spikes of that time step are taken off the membranes.
PLACES = [(step, rising) for step in range(STEPS) for rising in (True, False)[step >= TIME :]]
OPENS = PLACES.index((TIME - 1, True))
FORWARD = PLACES.index((TIME, False)) + 1  # pictures, when nobody has said what the answer should be
LINE = 340  # pixels of the slider, which fits on a phone


class Run(NamedTuple):
    """One digit at each time step: the membranes before their reset, the spikes, the readouts; and the gradients."""

    before: np.ndarray
    spikes: np.ndarray
    readouts: np.ndarray
    loss: float
    pull: np.ndarray  # the gradient of the readouts
    felt: np.ndarray  # ... and of the membranes, at each time step
    learnt: np.ndarray  # |dW1|, summed up from the last time step to each


class Film:
    """A digit of `x` in a trained network, as a film. `save` writes it as a page (.html) or as a GIF."""

    def __init__(self, net: Any, x: Any, t: Any, which: int = 3) -> None:
        if (net.steps, net.w1.shape[1]) != (TIME, NEURONS):
            asked = f'{NEURONS} neurons and {TIME} time steps'
            raise SettingError(
                f'A film has room for {asked}; this network has {net.w1.shape[1]} neurons and {net.steps} time steps. '
                f'Make one with Net(hidden={NEURONS}, steps={TIME}).'
            )
        self.net, self.clean, self.target = net, x[which], int(t[which])
        self.columns = 3 if x.shape[1] == 15 else int(x.shape[1] ** 0.5)
        some = net.seen(x[:100])
        self.frames = some[:, which].asnumpy()
        self.silent = sum(spike.asnumpy() for spike, _, _ in net.time_steps(some)).max(axis=0) == 0

    @cached_property
    def run(self) -> Run:
        """What minicell computes. A 0 that is added to each current has the gradient of the membrane there.

        Membranes are in thresholds, here and in the script.
        """
        net, x = self.net, ms.Tensor(self.frames[:, None])
        before, spikes, readouts = [], [], []

        def loss(nothing: ms.Tensor) -> ms.Tensor:
            v, u = ms.ops.zeros((1, NEURONS), x.dtype), ms.ops.zeros((1, DIGITS), x.dtype)
            for step, seen in enumerate(x):
                spike, after = net.neuron(net.unit * (seen @ net.w1 + nothing[step]), v)
                before.append(after + spike)
                spikes.append(spike)
                v = after
                u = net.beta * u + spike @ net.w2 / net.unit
                readouts.append(u)
            return ms.nn.CrossEntropyLoss()(u / 4, ms.Tensor([self.target], ms.int32))

        found, felt = ms.value_and_grad(loss)(ms.ops.zeros((TIME, NEURONS), x.dtype))
        felt = felt.asnumpy()
        before, spikes, readouts = (
            np.array([each.asnumpy()[0] for each in made]) for made in (before, spikes, readouts)
        )
        each = self.frames[:, :, None] * felt[:, None]
        learnt = [np.linalg.norm(each[step:].sum(axis=0)) for step in range(TIME)]
        odds = np.exp(readouts[-1] / 4 - np.max(readouts[-1] / 4))
        pull = (odds / odds.sum() - np.eye(DIGITS)[self.target]) / 4
        before = before / net.unit
        return Run(before, spikes > 0, readouts, float(found), pull, felt, np.array(learnt))

    def slope(self, above: np.ndarray) -> np.ndarray:
        """What the surrogate's bprop says, for places in thresholds above the threshold."""
        ask = ms.grad(lambda v: self.net.neuron.surrogate(v).sum())
        return ask(ms.Tensor(above * self.net.unit)).asnumpy() * self.net.unit

    # ---- in words --------------------------------------------------------------------------------------------------

    def says(self, step: int, rising: bool = True) -> tuple[str, str]:
        """A step in words: its title, and what is to be seen. `rising`: see `scene`."""
        run = self.run
        last = run.readouts[min(step, TIME - 1)]
        if step < TIME:
            first, second = np.argsort(-last, kind='stable')[:2]
            on = int((self.frames[step] > 0).sum())
            spike = f'{run.spikes[step].sum()} of {NEURONS} neurons spike' if rising else 'those that spiked are reset'
            return f'Time step {step + 1} of {TIME}: {spike}', (
                f'{on} of {self.clean.size} pixels are on. Readout {first} leads with {said(last[first])}, '
                f'then {second} with {said(last[second])}.'
            )
        if step == TIME:
            return f'The answer is {last.argmax()}; it should be {self.target}: loss {said(run.loss)}', (
                'The backward pass begins at the readouts. Triangles show where each of them should go.'
            )
        back = STEPS - 1 - step
        felt = np.abs(run.felt[back])
        reached = int((felt > EVERY * felt.max()).sum()) if felt.max() else 0
        return f'Backward, time step {back + 1}: the gradient is {said(norm(felt))} long', (
            f'{reached} of {NEURONS} membranes get more than 1 % of the largest. '
            f'|dW1| for this one digit, so far: {said(run.learnt[back])}.'
        )

    # ---- drawn -----------------------------------------------------------------------------------------------------

    def scene(self, step: int, rising: bool = False) -> Frame:
        """All that moves, by name. `rising`: before the spikes of this time step are taken off the membranes."""
        run, out = self.run, Frame()
        at = min(step, TIME - 1) if step <= TIME else STEPS - 1 - step
        backward = step > TIME
        x, y, wide, high = GRID
        out.rect('now', x, y + at * high, NEURONS * wide, high, 'now', 1)
        x, y, across = SEEN
        for name, pixels, top, side in (
            ('p', self.frames[at], y, across / self.columns),
            ('c', self.clean, self.below, LESS * across / self.columns),
        ):
            for k, value in enumerate(pixels):
                place = x + k % self.columns * side, top + k // self.columns * side
                out.rect(f'{name}{k}', *place, side - 1, side - 1, LIT if value else PALE, opacity=float(value) or None)
        peak = np.abs(self.slope(KNOTS)).max() or 1.0
        glow = np.abs(self.slope(run.before[at] - 1)) / peak
        largest = np.abs(run.felt).max()
        x, y, wide, high = GRID
        for n in range(NEURONS):
            value = run.before[at][n]
            if not (backward or rising):
                value -= run.spikes[at][n]
            top, bottom = sorted((level(value), level(0)))
            look, seen = QUIET if self.silent[n] else LIT if rising and run.spikes[at][n] else LEVEL, None
            if backward and not self.silent[n]:
                look, seen = 'dab o', round(FAINT + (1 - FAINT) * min(float(glow[n]), 1), 2)
            out.rect(f'v{n}', x + n * wide + 2, top, wide - 4, max(bottom - top, 1), look, opacity=seen)
            for row in range(TIME):
                left, above = x + n * wide, y + row * high
                if run.spikes[row][n] and row <= (TIME if backward else at):
                    spike = UNDER if backward else 'dab f'
                    out.rect(f's{row}-{n}', left + 2, above + 2, wide - 4, high - 4, spike, rx=2)
                if backward and row >= at and largest:
                    felt = run.felt[row][n]
                    size = min(wide, high) * 0.5 * np.sqrt(abs(felt) / largest)
                    if abs(felt) > EVERY**2 * largest:
                        pointer(out, f'g{row}-{n}', left + wide / 2, above + high / 2, max(size, 1), -np.sign(felt))
        if backward:
            lengths = {'length': (y - 12, 'length')}
            lengths |= {f'n{row}': (y + row * high + 11, said(norm(run.felt[row]))) for row in range(at, TIME)}
            for name, (level_of, words) in lengths.items():
                out.text(name, x + NEURONS * wide + 8, level_of, words, 'bf')
        out.text('legend', x, level(TUBE[2]) + 38, LEGEND[backward], 'bf' if backward else 'ff')
        self.race(out, step, at)
        return out

    def race(self, out: Frame, step: int, at: int) -> None:
        """The readouts, the digit that leads, and what backward asks of them."""
        run = self.run
        x, y, high, room = RACE
        values = run.readouts[at if step <= TIME else -1]
        most = np.abs(run.readouts).max() or 1.0
        for k, value in enumerate(values):
            long = room * value / most
            bar = 'dab f' if k == values.argmax() else BEHIND
            out.text(f't{k}', x - room - 4, y + k * high + 16, str(k), 'b end' if k == self.target else 'end')
            out.rect(f'u{k}', x + min(long, 0), y + k * high + 3, max(abs(long), 1), high - 6, bar)
            if step >= TIME:
                size = 8 * np.sqrt(abs(run.pull[k]) / np.abs(run.pull).max())
                if size > 1:
                    pointer(out, f'd{k}', x, y + (k + 0.5) * high, size, -np.sign(run.pull[k]), True)
        out.text('answer', x, y + 12 * high + 42, str(values.argmax()), 'hero ff mid')
        out.text('of', x, y + 12 * high + 64, ANSWER[step < TIME - 1], 'dim mid')

    @cached_property
    def pictures(self) -> Pictures:
        """All of them; a time step takes two, before and after the reset."""
        made = Pictures(*SIZE)
        made.line, places = self.line(len(PLACES))
        for (step, rising), at in zip(PLACES, places, strict=True):
            frame = Frame(self.ground | self.scene(step, rising) | self.over)
            made.add(frame, Step(*self.says(step, rising), at))
        return made

    def line(self, many: int) -> tuple[Any, list]:
        """The slider of so many pictures, and the places of their steps on it."""
        marks = [Mark(FORWARD - 1, 'answer' if many == FORWARD else 'loss'), Mark(0, 'forward')]
        marks += [Mark(many - 1, 'backward')] * (many > FORWARD)
        return step_line(many, marks, LINE, 'Step of the film')

    @property
    def below(self) -> float:
        """Where the digit as it is begins: under what is seen of it."""
        _, y, across = SEEN
        return y + across / self.columns * (self.clean.size // self.columns) + 36

    @cached_property
    def ground(self) -> Frame:
        """What stands still."""
        x, y, wide, high = GRID
        left, above, _ = SEEN
        zero, lead, _, room = RACE
        low, top, out = level(TUBE[2]), level(TUBE[3]), Frame()
        for n, silent in enumerate(self.silent):
            out.rect(f'column{n}', x + n * wide + 1, y, wide - 2, TIME * high, 'tile on' if silent else 'panel', 0)
            edge = 'ghost' if silent else 'card'
            out.rect(f'tube{n}', x + n * wide + 1.5, top, wide - 3, low - top, edge, 0, rx=3)
        for at, height, words, look in (
            (left, above - 12, 'it sees', 'dim'),
            (left, self.below - 12, 'the digit', 'dim'),
            (x, y - 12, f'spikes of {NEURONS} neurons, step by step', 'dim'),
            (x - 6, level(0) + 4, '0', 'dim end'),
            (x - 6, level(1) + 4, 'threshold', 'b end'),
            (x, low + 18, f'membranes; grey and dashed: {self.silent.sum()} silent neurons', 'dim'),
            (x + NEURONS * wide + 8, low + 18, 'slope in bprop', 'bf'),
            (zero - room - 12, lead - 12, 'readouts; bold: correct', 'dim'),
        ):
            out.text(words, at, height, words, look)
        for k in range(TIME):
            out.text(f'time {k}', x - 6, y + k * high + 11, str(k + 1), 'dim end')
        return out

    @property
    def over(self) -> Frame:
        """Lines in front of all that moves: the threshold, zero, the axis of the readouts, and the surrogate."""
        x, _, wide, _ = GRID
        right, out = x + NEURONS * wide, Frame()
        for name, d, look in (
            ('threshold', f'M{x - 2},{level(1):g}H{right + 2}', 'pen dash'),
            ('zero', f'M{x - 2},{level(0):g}H{right + 2}', 'pen thin'),
            ('axis', f'M{RACE[0]},{RACE[1]}V{RACE[1] + DIGITS * RACE[2]}', 'pen'),
            ('surrogate', profile(self.slope), 'pen o'),
        ):
            out.path(f'line {name}', d, look, 5)
        return out

    # ---- shown -----------------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """What the script needs to run the network by itself."""
        net, film = self.net, self.pictures
        weights = {name: each.asnumpy().round(6).tolist() for name, each in (('w1', net.w1), ('w2', net.w2))}
        still = Frame(self.ground | self.over)
        forward, places = self.line(FORWARD)
        return weights | {
            'frames': self.frames.tolist(),
            'target': self.target,
            'clean': self.clean.tolist(),
            'columns': self.columns,
            'encoder': net.encode.__name__,
            'beta': net.beta,
            'silent': self.silent.astype(int).tolist(),
            'detached': bool(net.neuron.detached),
            'knots': KNOTS.tolist(),
            'slopes': [float(f'{slope:.6g}') for slope in self.slope(KNOTS)],
            'legend': LEGEND,
            'answer': ANSWER,
            'at': {'seen': [*SEEN, self.below, LESS], 'grid': GRID, 'tube': TUBE, 'race': RACE, 'size': SIZE},
            'places': PLACES,
            'whole': {'line': film.line, 'at': [said.at for said in film.steps]},
            'forward': {'line': forward, 'at': places},
            'still': [[key, *shape] for key, shape in still.items()],
        }

    def html(self) -> str:
        """The film as one piece of HTML, with its pad. It asks for no address."""
        scripts = fragment.stripped(*(Path(__file__).with_name(name) for name in ('controls.js', 'film.js')))
        pad = f'const data={fragment.script(self.data())};\n{scripts}'
        still = svg.write(sheet.of(self.pictures, OPENS))
        return fragment.fragment([self.pictures], still, alt=self.words(TIME - 1), live=pad)

    def words(self, step: int) -> str:
        """A step in words."""
        return f'{". ".join(self.says(step))} {TOLD}'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        words = '\n'.join(map(self.words, (TIME - 1, STEPS - 1)))
        if os.environ.get(STILL):
            return {'text/plain': words, **printed([sheet.of(self.pictures, step) for step in (OPENS, -1)], words)}
        return {'text/plain': words, 'text/html': self.html()}

    def save(self, path: str | Path) -> Path:
        """Write the film: as a page that plays (.html), or as a picture that moves (.gif)."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind == '.html':
            path.write_text(fragment.whole(self.html(), 'An SNN at work'), encoding='utf-8')
        elif kind == '.gif':
            path.write_bytes(gif.animation(self.pictures, times=[SECONDS.get(step, 0.45) for step, _ in PLACES]))
        else:
            raise SettingError(f'save writes .html and .gif: the end of the name says which. It got {path.name!r}.')
        return path


def level(value: float) -> float:
    """Where a membrane of so many thresholds ends."""
    zero, unit, low, high = TUBE
    return zero - unit * min(max(value, low), high)


def norm(felt: np.ndarray) -> float:
    """The length of a gradient."""
    return float(np.linalg.norm(felt))


def pointer(out: Frame, name: str, x: float, y: float, size: float, way: float, across: bool = False) -> None:
    """A triangle at (x, y): up (or, across, right) where `way` is positive."""
    tip, side = way * size, 0.9 * size
    points = ((tip, 0), (-tip, side), (-tip, -side)) if across else ((0, -tip), (side, tip), (-side, tip))
    out.path(name, 'M' + 'L'.join(f'{x + a:.1f} {y + b:.1f}' for a, b in points) + 'Z', 'dab o', 4)


def profile(slope: Any) -> str:
    """The surrogate, turned by a quarter: its slope beside the membranes to which it answers."""
    _, _, low, high = TUBE
    left = GRID[0] + NEURONS * GRID[2] + 8
    inside = np.array([knot for knot in KNOTS if low <= 1 + knot <= high])
    found = slope(inside)
    most = np.abs(found).max() or 1.0
    points = ((left + 12 + 34 * float(s) / most, level(1 + float(k))) for k, s in zip(inside, found, strict=True))
    return 'M' + 'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)
