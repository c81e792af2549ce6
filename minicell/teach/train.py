"""A figure that trains: a choice, a Train button, and a picture that is drawn while training goes.

Training runs on the kernel's own event loop, a slice at a time, and between two slices the kernel hears the page: the
Stop button, or another choice. No thread: a tape belongs to one.
"""

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import ipywidgets as w
import numpy as np
from IPython.display import display

from minicell.ink import svg
from minicell.ink.boxes import Box, Card, Column, Text
from minicell.ink.numbers import said
from minicell.ink.page import fragment
from minicell.view.picture import STILL

from . import words
from .figure import Drawing, film, printed, still_of
from .live import WORDS, Screen
from .plot import Plot
from .shown import Shown, button, html, row

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
        self.going: Generator[float, None, None] | None = None
        self.task: asyncio.Task | None = None
        self.choice = choice(label, choices)
        self.start = button('Train', f'Train: {label}', self.train, '120px')
        self.halt = button('Stop', 'Stop training', self.stop, '120px')
        self.bar = html('', BAR_HEIGHT)
        self.screen = Screen(name)
        self.choice.observe(lambda _: self.chosen(), 'value')
        self.choice.add_class(f'train-choice-{name}')
        body = self.screen.around(self.choice, row(self.start, self.halt), self.bar)
        self.shown = Shown(body, still.words, pictures=printed([still_of(still)], still.words))
        self.show(draw(0, Curve((), steps)))
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
        self.drawn = drawn
        films = [film([drawn], self.name)]
        if self.screen.picture.outputs:
            self.screen.send(films)
        else:
            still = svg.write(still_of(drawn))
            page = fragment.fragment(films, still, alt=drawn.words, live=fragment.listener())
            self.screen.open(page, drawn.words)


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


def choice(description: str, names: Sequence[str]) -> w.RadioButtons:
    """Names side by side, of which one is chosen; its value is the place of the name."""
    return w.RadioButtons(
        options=[(name, k) for k, name in enumerate(names)],
        description=description,
        orientation='horizontal',
        style=WORDS,
        layout=w.Layout(width='auto', max_width='100%'),
    )


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


def lamp(ok: bool | None, side: float) -> Box:
    """A lamp: a circle with a tick (right), a square with a cross (wrong), or a dashed circle (not lit yet)."""
    word, look = ('?', 'ghost') if ok is None else ('✓', 'card f cur') if ok else ('✗', 'card torn')
    ink = 'big mid xx' if ok is False else 'big mid'
    return Card(Text(word, ink), look, (0, 0), (side, side), rx=4 if ok is False else side / 2)
