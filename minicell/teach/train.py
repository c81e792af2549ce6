"""A figure that trains: a choice, a Train button, and a picture that is drawn while training goes.

Training runs on the kernel's own event loop, a slice at a time, and between two slices the kernel hears the page: the
Stop button, or another choice. No thread: a tape belongs to one.
"""

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from IPython.display import display

from minicell.teach.ink import large
from minicell.teach.ink.shapes import ALARM, FORWARD, INK, MUTED, RULE, WRONG, Box, Path, Shape, text, tick
from minicell.teach.ink.thumb import short
from minicell.view.picture import STILL

from . import words
from .figure import SCALE, Drawing, choice, printed, svg
from .shown import Shown, button, column, html, row

FRAMES = 20  # pictures of one run
FRAME = 0.04  # seconds that each stays at least, or nobody sees a fast run move
LIMIT = 9.0  # seconds: a slow machine ends a run early, and says so
BAR_HEIGHT = 30


class Curve(NamedTuple):
    """How far a run has come: the loss of each step so far, of how many, and what it returned at its end."""

    losses: tuple[float, ...]
    steps: int
    result: Any = None


Run = Callable[[int], Generator[float, None, Any]]


class Training:
    """One choice and a Train button. `run(choice)` yields the loss of each of `steps` steps, and returns a result.

    `draw(choice, curve)` makes the picture, always of the same size; the curve is empty before the first run.
    `still` is what a page without a kernel shows instead. Choosing anew ends a run that is under way; the last curve of
    each choice is kept, and shown when it is chosen again.
    """

    def __init__(
        self,
        name: str,
        label: str,
        choices: Sequence[str],
        run: Run,
        steps: int,
        draw: Callable[[int, Curve], Drawing],
        still: Drawing,
    ) -> None:
        self.name, self.run, self.steps, self.draw = name, run, steps, draw
        self.kept: dict[int, Curve] = {}
        self.large = large.on
        self.going: Generator[float, None, None] | None = None
        self.task: asyncio.Task | None = None
        self.choice = choice(label, choices)
        self.start = button('Train', f'Train: {label}', self.train, '120px')
        self.halt = button('Stop', 'Stop training', self.stop, '120px')
        self.bar = html('', BAR_HEIGHT)
        first = draw(0, Curve((), steps))
        self.picture = html('', round(first.size[1] * SCALE) + 8)
        self.choice.observe(lambda _: self.chosen(), 'value')
        self.choice.add_class(f'train-choice-{name}')
        self.picture.add_class(f'train-target-{name}')
        body = column(self.choice, row(self.start, self.halt), self.bar, self.picture)
        self.shown = Shown(body, still.words, pictures=printed([still], f'{name}-still'))
        self.show(first)
        self.rest('')

    def train(self) -> None:
        """Train what is chosen, from the beginning; while a run is under way, nothing."""
        if self.going is not None:
            return
        self.going = self.slices(self.choice.value)
        self.start.disabled, self.halt.disabled = True, False
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no page that listens: to the end, then
            for _ in self.going:
                pass
        else:
            self.task = loop.create_task(self.follow(self.going))

    async def follow(self, going: Generator[float, None, None]) -> None:
        """Let the page have its turn between slices."""
        for pause in going:
            await asyncio.sleep(pause)

    def slices(self, choice: int) -> Generator[float, None, None]:
        """Train a slice, draw, and yield how long to wait before the next one."""
        run, losses, finished, why = self.run(choice), [], False, ''
        begun = time.perf_counter()
        try:
            while not finished:
                slice_begun, result = time.perf_counter(), None
                for _ in range(max(self.steps // FRAMES, 1)):
                    try:
                        losses.append(float(next(run)))
                    except StopIteration as end:
                        finished, result = True, end.value
                        break
                self.kept[choice] = Curve(tuple(losses), self.steps, result)
                self.show(self.draw(choice, self.kept[choice]))
                self.bar.value = progress(len(losses), self.steps)
                now = time.perf_counter()
                if now - begun > LIMIT and not finished:
                    why = f' {LIMIT:.0f} seconds are over: this machine is busy.'
                    return
                yield max(FRAME - (now - slice_begun), 0)
        except Exception as error:
            why = f' An error: {type(error).__name__}: {error}'
            raise
        finally:
            run.close()
            self.going = None
            self.rest(f'{"Done" if finished else "Stopped"}: {len(losses)} of {self.steps} steps.{why}')

    def stop(self) -> None:
        """End the run that is under way, if there is one: between two slices."""
        if self.going is not None:
            self.going.close()

    def reset(self) -> None:
        """Forget every run, and go back to the first choice."""
        self.stop()
        self.kept.clear()
        self.choice.value = 0
        self.chosen()

    def rest(self, said: str) -> None:
        """No run is under way: say how the last one ended."""
        self.start.disabled, self.halt.disabled = False, True
        self.bar.value = progress(len(self.curve.losses), self.steps, said)

    @property
    def curve(self) -> Curve:
        """The last curve of what is chosen."""
        return self.kept.get(self.choice.value, Curve((), self.steps))

    def chosen(self) -> None:
        """Show what was kept of the new choice."""
        self.stop()
        self.show(self.draw(self.choice.value, self.curve))
        self.rest('')

    def show(self, drawn: Drawing) -> None:
        """Put a picture on the page."""
        self.picture.value = svg(drawn, self.name, self.large)


def progress(done: int, of: int, said: str = '') -> str:
    """A bar as HTML, and its words."""
    shown = said or (f'Step {done} of {of}' if done else 'Not trained yet.')
    bar = f'<progress max="{of}" value="{done}" aria-label="Training" style="width:240px;height:14px"></progress>'
    return f'<div style="{words.BODY};border:0;padding:0">{bar} &nbsp;{words.inline(shown)}</div>'


def bar(items: Iterable[Any], of: int) -> Iterator[Any]:
    """Go through `of` items, with a progress bar under the cell, for loops that take a moment."""
    said = lambda done: {'text/plain': f'{done} of {of}', 'text/html': progress(done, of, f'{done} of {of}')}
    shown = None if os.environ.get(STILL) else display(said(0), raw=True, display_id=True)
    for done, item in enumerate(items, 1):
        yield item
        if shown is not None:
            shown.update(said(done), raw=True)


# ---- shapes --------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A line of a chart: its losses, its name, and whether it is the one to look at (the others are dashed)."""

    losses: Sequence[float]
    name: str
    first: bool = True


def chart(lines: Sequence[Line], steps: int, top: float, box: tuple[float, float, float, float]) -> list[Shape]:
    """Losses against steps in `box` (x, y, w, h). What is above `top` runs along the upper edge, and says so."""
    x, y, wide, high = box
    out: list[Shape] = [
        text(x, y - 8, wide, 'loss', 12, MUTED),
        Path((((x, y), (x, y + high), (x + wide, y + high)),), INK, 1),
        text(x + wide, y + high + 16, 80, f'{steps} steps', 12, MUTED, 'end'),
        text(x, y + high + 16, 40, '0', 12, MUTED),
    ]
    for level in (0.0, top / 2, top):
        at = y + high * (1 - level / top)
        out.append(text(x - 6, at + 4, 36, f'{level:.1f}', 12, MUTED, 'end'))
        if level:
            out.append(Path((((x, at), (x + wide, at)),), RULE, 1))
    for line in sorted(lines, key=lambda line: line.first):
        out += drawn(line, steps, top, box)
    return out


def drawn(line: Line, steps: int, top: float, box: tuple[float, float, float, float]) -> list[Shape]:
    """One line of a chart, at a point every other pixel, and its last value where it is off the chart."""
    x, y, wide, high = box
    losses = np.asarray(line.losses, dtype=np.float64)
    if losses.size < 2:
        return []
    at = np.unique(np.linspace(0, losses.size - 1, min(losses.size, int(wide / 2))).round().astype(int))
    level = np.clip(np.nan_to_num(losses[at], nan=top, posinf=top), 0, top) / top
    along, up = x + wide * at / max(steps - 1, 1), y + high * (1 - level)
    points = tuple(zip(along.tolist(), up.tolist(), strict=True))
    colour, thick, dash = (FORWARD, 3.0, '') if line.first else (INK, 1.5, '5 4')
    out: list[Shape] = [Path((points,), colour, thick, dash=dash)]
    if line.first and not losses[-1] <= top:
        said = f'↑ now at {short(float(losses[-1]))}'
        out.append(text(x + 8, y + 18, wide - 16, said, 12, bold=True))
    return out


def lamp(ok: bool | None, x: float, y: float, size: float) -> list[Shape]:
    """A lamp: a circle with a tick (right), a diamond with a cross (wrong), or a dashed circle (not lit yet)."""
    r = size / 2
    if ok is False:
        corners = ((x + r, y), (x + size, y + r), (x + r, y + size), (x, y + r))
        inner = size * 0.36
        return [
            Path((corners,), WRONG, 2.5, ALARM),
            tick(x + r - inner * 0.45, y + r - inner * 0.45, False, WRONG, inner),
        ]
    dash = '4 3' if ok is None else ''
    circle: list[Shape] = [Box(x, y, size, size, '#FFFFFF', MUTED if ok is None else FORWARD, 2.5, r, dash)]
    return circle if ok is None else [*circle, tick(x + size * 0.28, y + size * 0.28, True, FORWARD, size * 0.44)]
