"""A figure that trains: a choice, a Train button, and a picture that is drawn while training goes.

Training runs on the kernel's own event loop, a slice at a time, and between two slices the kernel hears the page: the
Stop button, or another choice. No thread: a tape belongs to one.
"""

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from IPython.display import display

from minicell.ink.boxes import Box, Column, Text
from minicell.ink.numbers import said
from minicell.view.picture import STILL

from .figure import Drawing, film, still_of
from .live import Control, Live, drawn_page
from .plot import Plot

FRAMES = 20  # pictures of one run
FRAME = 0.04  # seconds that each stays at least, or nobody sees a fast run move
LIMIT = 9.0  # seconds: a slow machine ends a run early, and says so


class Curve(NamedTuple):
    """How far a run has come: the loss of each step so far, of how many, and what it returned at its end."""

    losses: tuple[float, ...]
    steps: int
    result: Any = None


Run = Callable[[dict[str, Any]], Generator[float, None, Any]]


class Training(Live):
    """Choices and a Train button. `course(values)` yields the loss of each of `steps` steps, and returns a result.

    `picture(values, curve)` makes the picture, always of the same size; the curve is empty before the first run. The
    last curve of each choice is kept, and shown when it is chosen again. Choosing anew ends a run that is under way.
    """

    run = 'Train'

    def __init__(
        self, name: str, controls: dict[str, Control], course: Run, steps: int,
        picture: Callable[[dict[str, Any], Curve], Drawing], stills: Sequence[Drawing], more: Sequence[str] = (),
    ) -> None:  # fmt: skip
        words = '\n'.join(one.words for one in stills)
        super().__init__(name, controls, list(map(still_of, stills)), words, more)
        self.course, self.steps, self.picture = course, steps, picture
        self.kept: dict[tuple, Curve] = {}
        self.going: Generator[float, None, None] | None = None
        self.task: asyncio.Task | None = None
        self.show()

    def page(self, live: str) -> str:
        """The picture of what is chosen."""
        return drawn_page(self.drawn, self.name, live)

    def state(self) -> dict[str, Any]:
        """How far the run has come."""
        done = len(self.curve.losses)
        return {'said': self.said, 'running': self.going is not None, 'done': done, 'of': self.steps}

    def hear(self, said: dict[str, Any]) -> None:
        """What was chosen, or that a run is to begin or to end."""
        if said.get('act') == 'run':
            self.train()
        elif said.get('act') == 'stop':
            self.stop()
        else:
            super().hear(said)

    def train(self) -> None:
        """Train what is chosen, from the beginning; while a run is under way, nothing."""
        if self.going is not None:
            return
        self.going = self.slices(dict(self.values))
        self.tell()
        try:
            self.task = asyncio.get_running_loop().create_task(self.follow(self.going))
        except RuntimeError:  # no page that listens: to the end, then
            list(self.going)

    async def follow(self, going: Generator[float, None, None]) -> None:
        """Let the page have its turn between slices."""
        for pause in going:
            await asyncio.sleep(pause)

    def slices(self, values: dict[str, Any]) -> Generator[float, None, None]:
        """Train a slice, draw, and yield how long to wait before the next one."""
        losses: list[float] = []
        result: list[Any] = []
        why, begun = '', time.perf_counter()

        def to_the_end() -> Generator[float, None, None]:
            result.append((yield from self.course(values)))

        course = to_the_end()
        try:
            while not result:
                slice_begun = time.perf_counter()
                losses += map(float, islice(course, max(self.steps // FRAMES, 1)))
                self.kept[self.key] = Curve(tuple(losses), self.steps, *result)
                self.show()
                now = time.perf_counter()
                if now - begun > LIMIT and not result:
                    why = f' {LIMIT:.0f} seconds are over: this machine is busy.'
                    return
                yield max(FRAME - (now - slice_begun), 0)
        except Exception as error:
            why = f' An error: {type(error).__name__}: {error}'
            raise
        finally:
            course.close()
            self.going = None
            self.said = f'{"Done" if result else "Stopped"}: {len(losses)} of {self.steps} steps.{why}'
            self.tell()

    def stop(self) -> None:
        """End the run that is under way, if there is one: between two slices."""
        if self.going is not None:
            self.going.close()

    def reset(self) -> None:
        """Forget every run, and go back to the first choice."""
        self.stop()
        self.kept.clear()
        super().reset()

    @property
    def key(self) -> tuple:
        """What a curve is kept under."""
        return tuple(self.values.values())

    @property
    def curve(self) -> Curve:
        """The last curve of what is chosen."""
        return self.kept.get(self.key, Curve((), self.steps))

    def draw(self, changed: dict[str, Any]) -> None:
        """Show what was kept of the new choice."""
        if changed:
            self.stop()
        self.show()

    def show(self) -> None:
        """Put the picture of what is chosen on the page, and how far its run has come."""
        done = len(self.curve.losses)
        self.said = f'Step {done} of {self.steps}' if done else 'Not trained yet.'
        self.drawn = self.picture(self.values, self.curve)
        self.tell([film([self.drawn], self.name)])


def bar(items: Iterable[Any], of: int) -> Iterator[Any]:
    """Go through `of` items, with a progress bar under the cell, for loops that take a moment."""

    def said(done: int) -> dict[str, str]:
        shown = f'<progress max="{of}" value="{done}" aria-label="Progress" style="width:240px"></progress>'
        return {'text/plain': f'{done} of {of}', 'text/html': f'{shown} &nbsp;{done} of {of}'}

    shown = None if os.environ.get(STILL) else display(said(0), raw=True, display_id=True)
    for done, item in enumerate(items, 1):
        yield item
        if shown is not None:
            shown.update(said(done), raw=True)


# ---- what they are drawn with --------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A line of a chart: its losses, its name, and whether it is the one to look at (the others are dashed)."""

    losses: Sequence[float]
    name: str
    first: bool = True


def chart(lines: Sequence[Line], steps: int, top: float, size: tuple[float, float], key: str = 'loss') -> Box:
    """Losses against steps. What is above `top` runs along the upper edge, and says so."""
    last, levels = steps - 1, {level: said(level) for level in (0, top / 2, top)}
    plane = Plot(*size, (0, last), (0, top), {0: '0', last: str(steps)}, levels, key)
    for line in sorted(lines, key=lambda line: line.first):
        losses = np.nan_to_num(np.asarray(line.losses, np.float64), nan=top, posinf=top)
        plane.line(line.name, range(losses.size), losses, 'pen f' if line.first else 'pen dash')
        if line.first and line.losses and not line.losses[-1] <= top:
            plane.note('now', 0, top, f'↑ now at {said(line.losses[-1])}', 'b', up=-18)
    return Column(Text('loss, step by step', 'dim'), plane)
