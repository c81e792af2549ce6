"""The tape as stock ipywidgets: frames in a Stack, joined to a slider and Play, so that stepping needs no kernel."""

import asyncio
import base64
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import ipywidgets as w

from . import film, fold, jumps, projector, record, story
from .controls import Controls
from .layout import WIDTH
from .model import Frame

TRAVEL = 60  # up to so many frames travel once; more are drawn by the kernel, one at a time
PAUSE = 0.05  # seconds between two pictures that the kernel draws while the slider is dragged
views = count(1).__next__  # numbers the views, so that no two on a page share an id


class Seen(NamedTuple):
    """What is looked at: the options of `story.of` that a reader can change."""

    zoom: str
    compare: bool
    turn: int | None = None


class View(w.VBox):
    """A tape to step through. A page without a kernel gets stills and text beside it."""

    def __init__(self, tape: Any, zoom: str, compare: bool, scale: float, step: int | str | None) -> None:
        check(compare, scale)
        self.tape, self.scale = tape, scale
        self.large = scale >= projector.SCALE
        self.told = record.tell(tape)
        self.opened = Seen(zoom, compare)
        self.prefix = f'view{views()}-'
        self.told_as: dict[Seen, list[Frame]] = {}
        self.stacks: dict[Seen, w.Stack] = {}
        self.wide = w.Layout(width='100%', overflow='auto hidden' if 1 < scale < projector.SCALE else 'visible')
        self.page = w.HTML(layout=self.wide)
        self.page.add_class('lat-target-tape')
        self.draw = Throttle(lambda frame: setattr(self.page, 'value', self.svg(frame)))
        self.link: Any = None
        self.settling = False  # while we set the controls ourselves
        self.controls = c = Controls()
        self.jumps = [(self.jump(*row), row[2]) for row in jumps.JUMPS]
        c.jumps.children = [
            c.label('Jump to'),
            *(button for button, _ in self.jumps),
            c.button('Reset', 'Back to the step, zoom and comparison at the start', self.reset),
        ]
        most = (projector.WIDTH if self.large else WIDTH) * max(scale, 1)
        super().__init__(c.rows, layout=w.Layout(width='100%', max_width=f'{round(most)}px'))
        torn = step is None and getattr(tape, 'error', None) is not None
        self.start = place(-1 if torn else step, self.of(self.opened))
        self.look(self.opened, self.start)
        c.zoom.observe(lambda _: self.changed(), 'value')
        c.compare.observe(lambda _: self.changed(), 'value')
        c.turn.observe(lambda change: self.changed(change['new'] - 1), 'value')
        c.slider.observe(lambda change: self.stepped(change['new']), 'value')
        c.play.observe(lambda change: setattr(c.play, 'description', 'Pause' if change['new'] else 'Play'), 'value')

    # ---- what is looked at -------------------------------------------------------------------------------------------

    def of(self, seen: Seen) -> list[Frame]:
        """The frames of one way to look."""
        if seen not in self.told_as:
            self.told_as[seen] = story.of(self.told, seen.zoom, seen.compare, turn=seen.turn)
        return self.told_as[seen]

    def svg(self, frame: Frame, number: int = 0) -> str:
        """A frame as it stands on the page; `number` tells frames of the same step apart."""
        prefix = f'{self.prefix}{number}-'
        if self.large:
            return projector.svg(frame, prefix, self.scale)
        return film.svg(frame, prefix, self.scale, fit=self.scale <= 1)

    def stack(self, seen: Seen) -> w.Stack:
        """All frames of one way to look, made once; the browser shows one of them."""
        if seen not in self.stacks:
            number = len(self.stacks) + 1
            style = w.HTML(layout=self.wide).style
            children = [w.HTML(self.svg(frame, number), layout=self.wide, style=style) for frame in self.of(seen)]
            self.stacks[seen] = w.Stack(children, selected_index=0, layout=self.wide)
            self.stacks[seen].add_class('lat-target-tape')
        return self.stacks[seen]

    def look(self, seen: Seen, step: int) -> None:
        """Show a step of one way to look."""
        c = self.controls
        self.seen, self.frames = seen, self.of(seen)
        if self.link is not None:
            self.link.unlink()
            self.link = None
        self.travels = len(self.frames) <= TRAVEL and seen.turn is None
        self.settling = True
        c.zoom.value, c.compare.value = seen.zoom, seen.compare
        c.steps(len(self.frames), step)
        self.settling = False
        if self.travels:
            picture = self.stack(seen)
            picture.selected_index = step
            self.link = w.jslink((c.slider, 'value'), (picture, 'selected_index'))
        else:
            picture = self.page
            self.draw(self.frames[step])
        for button, find in self.jumps:
            tells = find is jumps.first_wrong and not seen.compare  # what a reader has chosen not to see yet
            button.disabled = tells or find(self.frames, -1) is None
        turns = story.turns(self.frames)
        c.turn.layout.display = None if turns > 1 else 'none'
        if seen.turn is None:
            self.follow(step, turns)
        steps, other = c.rows
        self.children = (steps, picture, other) if self.large else (steps, other, picture)  # what is read comes first

    def follow(self, step: int, turns: int) -> None:
        """The turn that the folded card shows is the one that the step is about."""
        self.settling = True
        frame = self.frames[step]
        entry = frame.record.steps[step].entry if frame.record.steps else None
        self.controls.turn.max = turns
        if entry is not None:
            self.controls.turn.value = fold.turn(frame.record, frame.look, entry)[0] + 1
        self.settling = False

    def changed(self, turn: int | None = None) -> None:
        """Zoom, comparison or turn were changed: stay at the same time of the tape."""
        c = self.controls
        seen = Seen(c.zoom.value, c.compare.value, turn)
        if seen != self.seen and not self.settling:
            step = c.slider.value
            if seen.zoom != self.seen.zoom:
                step = jumps.nearest(self.of(seen), self.frames[step].at)
            self.look(seen, step)

    def stepped(self, step: int) -> None:
        """The slider has moved."""
        if self.settling:
            return
        if self.seen.turn is not None:
            self.look(self.seen._replace(turn=None), step)  # from here on, the card follows the steps again
            return
        if not self.travels:
            self.draw(self.frames[step])
        if self.controls.turn.layout.display is None:
            self.follow(step, self.controls.turn.max)

    def jump(self, words: str, tooltip: str, find: Callable[[list[Frame], int], int | None]) -> w.Button:
        """A button that finds its step in the frames that are shown."""
        go = lambda: self.controls.go(find(self.frames, self.controls.slider.value))
        return self.controls.button(words, tooltip, go, 84)

    def reset(self) -> None:
        """Everything as it was when it was shown first."""
        self.controls.play.value = False
        self.look(self.opened, self.start)

    # ---- on the page -------------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        chosen = film.stills(self.of(self.opened))
        shown = super()._repr_mimebundle_(**options) or {}
        return {
            **shown,
            'text/plain': str(self.tape),
            'image/svg+xml': film.strip_of(chosen, 'svg'),
            'image/png': base64.b64encode(film.strip_of(chosen, 'png')).decode('ascii'),
        }


class Throttle:
    """Calls `draw` at most every PAUSE seconds, and always with the last value that came."""

    def __init__(self, draw: Callable[[Any], None]) -> None:
        self.draw = draw
        self.resting = False
        self.waiting: Any = None

    def __call__(self, value: Any) -> None:
        """Draw now, or when the pause is over."""
        self.waiting = value
        if not self.resting:
            self.flush()

    def flush(self) -> None:
        """Draw what waits, and rest."""
        self.resting = False
        if self.waiting is None:
            return
        value, self.waiting = self.waiting, None
        self.draw(value)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no loop, as in a plain script: nothing to wait for
        self.resting = True
        loop.call_later(PAUSE, self.flush)


def check(compare: Any, scale: Any) -> None:
    """Raise what a reader can understand, where an option is none."""
    if not isinstance(compare, bool):
        raise TypeError(f'compare is True or False: with or without the true gradients. It is not {compare!r}')
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < 100:
        raise ValueError(f'scale is a number above 0: 1 is the usual size, 2 is for a projector. It is not {scale!r}')


def place(step: Any, frames: list[Frame]) -> int:
    """The step to open at, counted from 0."""
    if step is None:
        return 0
    named = {words.lower(): find for words, _, find in jumps.JUMPS}
    if isinstance(step, str) and step.lower() in named:
        return named[step.lower()](frames, -1) or 0
    total = len(frames)
    if isinstance(step, int) and not isinstance(step, bool) and (1 <= step <= total or -total <= step <= -1):
        return step - 1 if step > 0 else total + step
    raise ValueError(
        f'step goes from 1 to {total} here, or from -1, the last, back to {-total}; or it is one of '
        f'{", ".join(map(repr, named))}. It is not {step!r}'
    )
