"""The film of lesson 12: a digit goes through the network, moment by moment, and the gradient comes back the same way.

What moves in a page is computed there: `film.js` has the weights, runs the network and its backward pass again for
whatever is drawn on the pad, and needs no kernel. This module makes the same pictures for a notebook that runs no
script, and for a GIF. A test holds the two against each other.
"""

import base64
import html
import json
import os
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.errors import SettingError
from minicell.ink.page.fragment import PAGE
from minicell.ink.style import DARK, LIGHT
from minicell.teach.figure import Drawing, printed
from minicell.teach.ink import as_png, as_svg
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, OWN, OWN_TEXT, RULE, Box, Shape, text
from minicell.teach.ink.shapes import Path as Line
from minicell.teach.ink.thumb import short
from minicell.view.picture import STILL

from .network import bitmaps

MOMENTS, NEURONS, DIGITS, PIXELS = 12, 32, 10, 15
STEPS = 2 * MOMENTS + 1  # the moments, the loss, the moments again from the last to the first
SIZE = (800, 456)
SEEN = (18, 92, 24)  # the frame: x, y, and the side of a pixel
GRID = (134, 78, 13.5, 13)  # the spikes: x, y, and the width and height of a cell
TUBE = (342, 46, -1.3, 1.8)  # the membranes: y of 0, pixels a threshold, and from where to where they are drawn
RACE = (716, 78, 22, 70)  # the readouts: x of 0, y, the height of a row, and the room on either side
KNOTS = np.round(6 * np.sinh(np.linspace(-8, 8, 1601)) / np.sinh(8), 6)  # where the slope is asked: close to 0, closely
LIT, PALE, LEVEL, QUIET = '#1A1A1A', '#E3E6EA', '#7FB3DA', '#C4C8CE'
UNDER, BEHIND = '#B9D3E8', '#A9C9E2'  # a spike under its gradient; a readout that does not lead
NOW = '#FFE2B0'  # the row of the moment that is shown
EVERY = 0.01  # of the largest: a smaller gradient does not count as one
LEGEND = (  # forward, backward
    'Forward: above the threshold a membrane spikes (black), and then the threshold is taken off it',
    'Backward: ▲ ▼ where a membrane should go, for a smaller loss; the darker its bar, the larger its slope',
)
TOLD = (
    'From left to right: the digit as it is seen at this moment; a grid of the spikes, one row for each moment and one '
    'column for each neuron, with triangles for the gradients on the way back; ten readouts as bars. Under the grid: '
    'the membranes as bars against a dashed threshold, and beside them the curve of the slope.'
)
TIMES = {'rise': 320, 'moment': 480, 'loss': 1800, 'back': 480, 'last': 3500}  # ms a picture of the GIF


class Run(NamedTuple):
    """One digit at each moment: the membranes before their reset, the spikes, the readouts; and the gradients."""

    before: np.ndarray
    spikes: np.ndarray
    readouts: np.ndarray
    loss: float
    pull: np.ndarray  # the gradient of the readouts
    felt: np.ndarray  # ... and of the membranes, at each moment
    learnt: np.ndarray  # |dW1|, summed up from the last moment to each


class Film:
    """A digit of `x` in a trained network, as a film. `save` writes it as a page (.html) or as a GIF."""

    def __init__(self, net: Any, x: Any, t: Any, which: int = 3) -> None:
        self.net = net
        self.target = int(t.asnumpy()[which])
        self.frames = np.round(x.asnumpy()[:, which], 3)
        spikes = np.array([spike.asnumpy() for spike, _, _ in net.moments(x)])
        self.silent = spikes.max(axis=(0, 1)) == 0

    @cached_property
    def run(self) -> Run:
        """What minicell computes. A 0 that is added to each current has the gradient of the membrane there.

        Membranes are in thresholds, here and in the script.
        """
        net, x = self.net, ms.Tensor(self.frames[:, None])
        before, spikes, readouts = [], [], []

        def loss(nothing: ms.Tensor) -> ms.Tensor:
            v, u = ms.ops.zeros((1, NEURONS), x.dtype), ms.ops.zeros((1, DIGITS), x.dtype)
            for moment, seen in enumerate(x):
                spike, after = net.hidden(net.unit * (seen @ net.w1 + nothing[moment]), v)
                before.append(after + spike)
                spikes.append(spike)
                v = after
                u, _ = net.readout(spike @ net.w2 / net.unit, u)
                readouts.append(u)
            return ms.nn.CrossEntropyLoss()(u / 4, ms.Tensor([self.target], ms.int32))

        found, felt = ms.value_and_grad(loss)(ms.ops.zeros((MOMENTS, NEURONS), x.dtype))
        felt = felt.asnumpy()
        before, spikes, readouts = (
            np.array([each.asnumpy()[0] for each in made]) for made in (before, spikes, readouts)
        )
        each = self.frames[:, :, None] * felt[:, None]
        learnt = [np.linalg.norm(each[moment:].sum(axis=0)) for moment in range(MOMENTS)]
        odds = np.exp(readouts[-1] / 4 - np.max(readouts[-1] / 4))
        pull = (odds / odds.sum() - np.eye(DIGITS)[self.target]) / 4
        before = before / net.unit
        return Run(before, spikes > 0, readouts, float(found), pull, felt, np.array(learnt))

    def slope(self, above: np.ndarray) -> np.ndarray:
        """What the surrogate's bprop says, for places in thresholds above the threshold."""
        ask = ms.grad(lambda v: self.net.hidden.surrogate(v).sum())
        return ask(ms.Tensor(above * self.net.unit)).asnumpy() * self.net.unit

    # ---- in words --------------------------------------------------------------------------------------------------

    def says(self, step: int) -> tuple[str, str]:
        """A step in words: its title, and what is to be seen."""
        run = self.run
        last = run.readouts[min(step, MOMENTS - 1)]
        if step < MOMENTS:
            first, second = np.argsort(-last, kind='stable')[:2]
            wrong = int(((self.frames[step] > 0.5) != bitmaps[self.target]).sum())
            return f'Moment {step + 1} of {MOMENTS}: {run.spikes[step].sum()} of {NEURONS} neurons spike', (
                f'{wrong} of {PIXELS} pixels are wrong. Readout {first} leads with {short(last[first])}, '
                f'then {second} with {short(last[second])}.'
            )
        if step == MOMENTS:
            return f'The answer is {last.argmax()}; it should be {self.target}: loss {short(run.loss)}', (
                'Backward begins at the readouts. Triangles show where each of them should go.'
            )
        moment = STEPS - 1 - step
        felt = np.abs(run.felt[moment])
        reached = int((felt > EVERY * felt.max()).sum()) if felt.max() else 0
        return f'Backward, moment {moment + 1}: the membranes’ gradient has length {short(norm(felt))}', (
            f'{reached} of {NEURONS} membranes get more than 1 % of the largest. '
            f'|dW1| for this one digit, so far: {short(run.learnt[moment])}.'
        )

    # ---- drawn -----------------------------------------------------------------------------------------------------

    def scene(self, step: int, rising: bool = False) -> dict[str, Shape]:
        """All that moves, by name. `rising`: before the spikes of this moment are taken off the membranes."""
        run = self.run
        moment = min(step, MOMENTS - 1) if step <= MOMENTS else STEPS - 1 - step
        backward = step > MOMENTS
        x, y, wide, high = GRID
        out: dict[str, Shape] = {'now': Box(x, y + moment * high, NEURONS * wide, high, NOW)}
        x, y, side = SEEN
        for k, value in enumerate(self.frames[moment]):
            on, right = value > 0.5, bitmaps[self.target][k]
            left, top = x + k % 3 * side, y + k // 3 * side
            out[f'p{k}'] = Box(left, top, side - 2, side - 2, INK if on else PALE, radius=2)
            cross = (((left + 7, top + 7), (left + 15, top + 15)), ((left + 15, top + 7), (left + 7, top + 15)))
            if on != right:
                out[f'x{k}'] = Line(cross, '#FFFFFF' if on else INK, 2)
        peak = np.abs(self.slope(KNOTS)).max() or 1.0
        glow = np.abs(self.slope(run.before[moment] - 1)) / peak
        largest = np.abs(run.felt).max()
        x, y, wide, high = GRID
        for n in range(NEURONS):
            value = run.before[moment][n]
            if not (backward or rising):
                value -= run.spikes[moment][n]
            top, bottom = sorted((level(value), level(0)))
            colour = QUIET if self.silent[n] else LIT if rising and run.spikes[moment][n] else LEVEL
            if backward and not self.silent[n]:
                colour = mixed(float(glow[n]))
            out[f'v{n}'] = Box(x + n * wide + 2, top, wide - 4, max(bottom - top, 1), colour)
            for row in range(MOMENTS):
                left, above = x + n * wide, y + row * high
                if run.spikes[row][n] and row <= (MOMENTS if backward else moment):
                    out[f's{row}-{n}'] = Box(
                        left + 2, above + 2, wide - 4, high - 4, UNDER if backward else FORWARD, radius=2
                    )
                if backward and row >= moment and largest:
                    felt = run.felt[row][n]
                    size = min(wide, high) * 0.5 * np.sqrt(abs(felt) / largest)
                    if abs(felt) > EVERY**2 * largest:
                        out[f'g{row}-{n}'] = pointer(left + wide / 2, above + high / 2, max(size, 1), -np.sign(felt))
        if backward:
            lengths = {'length': (y - 12, 'length')}
            lengths |= {f'n{row}': (y + row * high + 11, short(norm(run.felt[row]))) for row in range(moment, MOMENTS)}
            for name, (at, words) in lengths.items():
                out[name] = text(x + NEURONS * wide + 8, at, 50, words, 12, OWN_TEXT)
        ink = OWN_TEXT if backward else FORWARD
        out['legend'] = text(x, level(TUBE[2]) + 38, 660, LEGEND[backward], 12, ink)
        return out | self.race(step, moment)

    def race(self, step: int, moment: int) -> dict[str, Shape]:
        """The readouts, the digit that leads, and what backward asks of them."""
        run, out = self.run, {}
        x, y, high, room = RACE
        values = run.readouts[moment if step <= MOMENTS else -1]
        most = np.abs(run.readouts).max() or 1.0
        for k, value in enumerate(values):
            long = room * value / most
            first = k == values.argmax()
            out[f't{k}'] = text(x - room - 4, y + k * high + 16, 20, str(k), 14, INK, 'end', k == self.target)
            out[f'u{k}'] = Box(
                x + min(long, 0), y + k * high + 3, max(abs(long), 1), high - 6, FORWARD if first else BEHIND
            )
            if step >= MOMENTS:
                size = 8 * np.sqrt(abs(run.pull[k]) / np.abs(run.pull).max())
                if size > 1:
                    out[f'd{k}'] = pointer(x, y + (k + 0.5) * high, size, -np.sign(run.pull[k]), True)
        out['answer'] = text(x, y + 12 * high + 42, 90, str(values.argmax()), 64, FORWARD, 'middle', bold=True)
        return out

    def drawn(self, step: int, rising: bool = False) -> Drawing:
        """A step as a drawing."""
        title, caption = self.says(step)
        head = [text(18, 26, 764, title, 18, bold=True), text(18, 46, 764, caption, 14, MUTED)]
        shapes = [*self.ground, *head, *self.scene(step, rising).values(), *self.over]
        return Drawing(shapes, SIZE, title, f'{title}. {caption} {TOLD}')

    @cached_property
    def ground(self) -> list[Shape]:
        """What stands still."""
        x, y, wide, high = GRID
        left, above, side = SEEN
        zero, lead, row, room = RACE
        low, top = level(TUBE[2]), level(TUBE[3])
        colours = f'membranes; grey and dashed: {self.silent.sum()} silent neurons'
        out: list[Shape] = [
            Box(0.5, 0.5, SIZE[0] - 1, SIZE[1] - 1, '#FFFFFF', RULE, radius=6),
            text(left, above - 12, 96, 'it sees', 13, MUTED),
            text(left - 2, above + 5 * side + 16, 120, '× wrong pixel', 12, MUTED),
            text(x, y - 12, 430, f'spikes of {NEURONS} neurons, moment by moment', 13, MUTED),
            text(x - 6, level(0) + 4, 60, '0', 12, MUTED, 'end'),
            text(x - 6, level(1) + 4, 90, 'threshold', 12, INK, 'end', bold=True),
            text(x, low + 18, 430, colours, 13, MUTED),
            text(x + NEURONS * wide + 8, low + 18, 96, 'slope in bprop', 12, OWN_TEXT),
            text(zero - room - 12, lead - 12, 160, 'readouts; bold: correct', 13, MUTED),
            text(zero, lead + 12 * row + 64, 140, 'its answer', 13, MUTED, 'middle'),
        ]
        out += [text(x - 6, y + k * high + 11, 24, str(k + 1), 12, MUTED, 'end') for k in range(MOMENTS)]
        for n, silent in enumerate(self.silent):
            column, line, dash = ('#F0F0F0', '#9AA0A8', '2 2') if silent else ('#F7F9FB', '#D9DEE4', '')
            out.append(Box(x + n * wide + 1, y, wide - 2, MOMENTS * high, column))
            out.append(Box(x + n * wide + 1.5, top, wide - 3, low - top, 'none', line, radius=3, dash=dash))
        return out

    @property
    def over(self) -> list[Shape]:
        """Lines in front of all that moves: the threshold, zero, the axis of the readouts, and the surrogate."""
        x, _, wide, _ = GRID
        right = x + NEURONS * wide
        return [
            Line((((x - 2, level(1)), (right + 2, level(1))),), INK, 1.5, dash='5 3'),
            Line((((x - 2, level(0)), (right + 2, level(0))),), '#9AA0A8', 1),
            Line((((RACE[0], RACE[1]), (RACE[0], RACE[1] + DIGITS * RACE[2])),), INK, 1),
            Line((profile(self.slope),), OWN, 2),
        ]

    # ---- shown -----------------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """What the script needs to run the network by itself."""
        net = self.net
        weights = {name: each.asnumpy().round(6).tolist() for name, each in (('w1', net.w1), ('w2', net.w2))}
        return weights | {
            'frames': self.frames.tolist(),
            'target': self.target,
            'bitmaps': bitmaps.astype(int).tolist(),
            'silent': self.silent.astype(int).tolist(),
            'detached': bool(net.hidden.detached),
            'knots': KNOTS.tolist(),
            'slopes': [float(f'{slope:.6g}') for slope in self.slope(KNOTS)],
            'legend': LEGEND,
            'told': TOLD,
            'at': {'seen': SEEN, 'grid': GRID, 'tube': TUBE, 'race': RACE, 'size': SIZE},
            'ground': markup(self.ground[1:]),
            'over': markup(self.over[:-1]),
        }

    def html(self) -> str:
        """The film as one piece of HTML: a still, and the script that replaces it. It asks for no address."""
        first = self.drawn(MOMENTS - 1, True)
        picture = base64.b64encode(as_svg.document(first.shapes, SIZE, first.title, first.words, 'film-still').encode())
        data = json.dumps(self.data(), separators=(',', ':')).replace('<', '\\u003c')
        return (
            f'<div class="mc-film" data-lm-suppress-shortcuts="true">'
            f'<img style="max-width:100%" alt="{html.escape(first.words)}" '
            f'src="data:image/svg+xml;base64,{picture.decode()}"></div>'
            f'<script>(()=>{{const root=document.currentScript?.previousElementSibling??{LAST};\n'
            f'{script()}\nfilm(root,{data})}})()</script>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        stills = [self.drawn(MOMENTS - 1, True), self.drawn(STEPS - 1)]
        out = {'text/plain': '\n'.join(one.words for one in stills)}
        if os.environ.get(STILL):
            return out | printed(stills, 'film-still')
        return out | {'text/html': self.html()}

    def save(self, path: str | Path) -> Path:
        """Write the film: as a page that plays (.html), or as a picture that moves (.gif)."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind == '.html':
            papers = {'light': LIGHT['paper'], 'dark': DARK['paper']}
            path.write_text(PAGE.format(title='An SNN at work', body=self.html(), **papers), encoding='utf-8')
        elif kind == '.gif':
            path.write_bytes(self.gif())
        else:
            raise SettingError(f'save writes .html and .gif: the end of the name says which. It got {path.name!r}.')
        return path

    def gif(self) -> bytes:
        """All steps as a GIF that begins again at its end; a moment takes two pictures, before and after the reset."""
        from PIL import Image

        made, times = [], []
        for step in range(STEPS):
            for rising in (True, False)[step >= MOMENTS :]:
                drawn = self.drawn(step, rising)
                made.append(Image.open(BytesIO(as_png.document(drawn.shapes, SIZE))).convert('RGBA').convert('RGB'))
                kind = 'rise' if rising else 'moment' if step < MOMENTS else 'loss' if step == MOMENTS else 'back'
                times.append(TIMES['last' if step == STEPS - 1 else kind])
        palette = made[-1].quantize(255)
        first, *rest = (one.quantize(palette=palette, dither=Image.Dither.NONE) for one in made)
        out = BytesIO()
        first.save(out, 'GIF', save_all=True, append_images=rest, duration=times, loop=0)
        return out.getvalue()


# Where a reader runs scripts without saying which: the last film that does not play yet.
LAST = "[...document.querySelectorAll('.mc-film:has(>img)')].pop()"


@cache
def script() -> str:
    """The script, without comments and indentation."""
    lines = Path(__file__).with_name('film.js').read_text(encoding='utf-8').splitlines()
    return '\n'.join(line for line in map(str.strip, lines) if line and not line.startswith('//'))


def markup(shapes: list[Shape]) -> str:
    """Shapes as SVG elements."""
    return ''.join(as_svg.WRITERS[type(shape)](shape) for shape in shapes)


def level(value: float) -> float:
    """Where a membrane of so many thresholds ends."""
    zero, unit, low, high = TUBE
    return zero - unit * min(max(value, low), high)


def norm(felt: np.ndarray) -> float:
    """The length of a gradient."""
    return float(np.linalg.norm(felt))


def mixed(part: float) -> str:
    """From pale to orange: how much of the slope's peak a membrane gets."""
    ends = zip((228, 231, 235), (213, 94, 0), strict=True)
    return '#' + ''.join(f'{round(a + (b - a) * min(part, 1)):02X}' for a, b in ends)


def pointer(x: float, y: float, size: float, way: float, across: bool = False) -> Line:
    """A triangle at (x, y): up (or, across, right) where `way` is positive."""
    tip, side = way * size, 0.9 * size
    points = ((tip, 0), (-tip, side), (-tip, -side)) if across else ((0, -tip), (side, tip), (-side, tip))
    return Line((tuple((x + a, y + b) for a, b in points),), fill=OWN)


def profile(slope: Any) -> tuple[tuple[float, float], ...]:
    """The surrogate, turned by a quarter: its slope beside the membranes to which it answers."""
    _, _, low, high = TUBE
    left = GRID[0] + NEURONS * GRID[2] + 8
    inside = np.array([knot for knot in KNOTS if low <= 1 + knot <= high])
    found = slope(inside)
    most = np.abs(found).max() or 1.0
    return tuple((left + 12 + 34 * float(s) / most, level(1 + float(k))) for k, s in zip(inside, found, strict=True))
