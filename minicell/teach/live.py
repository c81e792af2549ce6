"""A tape that is run again: move the control, and its picture shows the new numbers at the same step.

A text/html output cannot be spoken to once it is on the page. So the next numbers go into a hidden HTML widget beside
it, and the picture's own script listens to that (`ink/page/live.js`). While the control moves, only the layout that
the page shows is drawn. The other one follows when the control has been at rest for a moment, and so do the accounts
of the numbers, which take longer than all else.
"""

import asyncio
import linecache
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import ipywidgets as w

import minicell as ms
from minicell.core.errors import MinicellError, users_line
from minicell.core.watch import Begin
from minicell.errors import SettingError
from minicell.ink.film import Film
from minicell.ink.numbers import said as number
from minicell.ink.page import fragment
from minicell.ink.sheet import Sheet, sheet
from minicell.story.names import parameters
from minicell.view.picture import Picture

from . import words
from .figure import printed
from .shown import Shown, column, spoken

REST = 0.3  # seconds
STEPS = 100  # of the slider of a function
WORDS = {'description_width': 'initial'}  # a description takes the room that it needs
TURN = threading.RLock()  # JupyterLab may hear controls in a thread of their own, and there is one tape


class Screen:
    """A picture on the page, and the hidden widgets through which it hears of other numbers."""

    def __init__(self, name: str) -> None:
        self.number = 0  # of the picture that is shown
        self.picture = w.Output()
        self.data = w.HTML(layout=w.Layout(display='none'))
        self.narrow = w.ToggleButton(layout=w.Layout(display='none'))  # pressed by the page where it is narrow
        self.picture.add_class(f'lat-target-{name}')
        self.data.add_class('mc2-data')
        self.narrow.add_class('mc2-narrow')

    def around(self, *above: w.Widget) -> w.VBox:
        """The picture, and above it other widgets."""
        body = column(*above, self.picture, self.data, self.narrow)
        body.add_class('mc2-live')
        return body

    def open(self, html: str, text: str) -> None:
        """Show the first picture: a page that listens."""
        data = {'text/html': html, 'text/plain': text}
        self.picture.outputs = ({'output_type': 'display_data', 'data': data, 'metadata': {}},)

    def send(self, films: Sequence[Film], moved: bool = True) -> None:
        """Hand the next films to the page, or, if they have not moved, the same with their accounts. They are JSON, and
        in HTML they are plain text."""
        self.number += moved
        layouts: list = fragment.layouts(films)
        if len(layouts) == 1:  # of the layout that the page shows; the other one follows
            layouts = [None, *layouts] if self.narrow.value else [*layouts, None]
        text = fragment.script(dict(number=self.number, layouts=layouts))
        self.data.value = text.replace('&', '\u0026')


class Live:
    """`program` makes the tape (or its picture) for a value of `control`; its numbers follow the control.

    `stills` are for a page without a kernel: the values whose last step is drawn there. By default it is the value at
    which the control stands. `says` is what a still says of its picture, where that is not what its last step says.
    """

    def __init__(
        self,
        name: str,
        control: w.ValueWidget,
        program: Callable[[float], Any],
        stills: Sequence[float] = (),
        says: Callable[[Picture], str] = lambda picture: '',
    ) -> None:
        self.name, self.control, self.program, self.says = name, control, program, says
        self.now: Picture | None = None  # the picture that is shown
        self.waiting: asyncio.TimerHandle | None = None
        self.said, self.screen = spoken(), Screen(name)
        control.add_class(f'lat-slider-{name}')
        self.move({'new': control.value})
        control.observe(self.move, 'value')
        drawn = [self.still(value) for value in stills or (control.value,)] if self.now else []
        text = '\n'.join(f'{one.title}. {one.caption}' for one in drawn) or 'There is no picture at this value.'
        alt = ' '.join(fragment.sentence(one.title, one.caption) for one in drawn)
        body = self.screen.around(control, self.said)
        self.shown = Shown(body, text, pictures=printed(drawn, alt) if drawn else {})

    def of(self, value: float) -> Picture:
        """The picture for a value."""
        made = self.program(value)
        return made if isinstance(made, Picture) else Picture(made)

    def move(self, change: dict) -> None:
        """Show the numbers for the new value; where there are none, say why, and leave the picture as it is."""
        with TURN:
            self.follow(change['new'])

    def follow(self, value: float) -> None:
        """The same, with the tape to itself."""
        try:
            picture = self.of(value)
            if self.now is None:
                html = picture.html(live=True)
            else:
                films = picture.painted(only=int(self.screen.narrow.value))
        except Exception as error:
            self.said.value = refused(value, error)
            return
        self.said.value = ''
        first, self.now = self.now is None, picture
        if first:
            self.screen.open(html, picture.text())
            return
        self.screen.send(films)
        self.rest()

    def rest(self) -> None:
        """Let the accounts follow when the control has come to rest."""
        if self.waiting:
            self.waiting.cancel()
        try:
            self.waiting = asyncio.get_running_loop().call_later(REST, self.account, self.screen.number)
        except RuntimeError:  # no event loop that could wait, as in a script
            self.account(self.screen.number)

    def account(self, number: int) -> None:
        """Hand over the numbers that are shown once more, now with their accounts, if they are still these."""
        with TURN:
            if number == self.screen.number:
                self.screen.send(self.now.films, moved=False)

    def still(self, value: float) -> Sheet:
        """The last step for a value, to be drawn."""
        picture = self.of(value)
        film = picture.painted(only=0)[0]
        said = film.steps[-1]
        title, caption = f'At {number(value)}: {said.title}', self.says(picture) or said.caption
        return sheet(film.frames[-1], (film.width, film.height), title, caption)


def slider(
    description: str,
    tooltip: str,
    value: float,
    ends: tuple[float, float],
    step: float,
    shown: str = '.2f',
    powers: bool = False,
) -> w.ValueWidget:
    """A slider over the whole width, of whole numbers where `step` is one; with `powers`, ends and step are of tens."""
    kind, more = (w.FloatLogSlider, {'base': 10}) if powers else (w.FloatSlider, {})
    if isinstance(step, int):
        kind = w.IntSlider
    else:
        more['readout_format'] = shown
    return kind(
        value=value,
        min=ends[0],
        max=ends[1],
        step=step,
        description=description,
        tooltip=f'{tooltip}: arrow keys move it',
        style=WORDS,
        layout=w.Layout(width='100%', max_width='950px'),
        **more,
    )


def run(text: str, stops: bool = False, **space: Any) -> ms.Tape:
    """The tape of a few lines, which the picture shows as it shows the reader's own; `space` holds what they use.

    With `stops`, lines that end in an error are shown as far as they came.
    """
    name = f'<live {hash(text):x}>'
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    tape = ms.Tape()
    with suppress(Exception if stops else ()), tape:
        exec(compile(text, name, 'exec'), {'ms': ms, **space})
    return tape


def follow(function: Callable, start: float, stop: float, value: float | None = None) -> Live:
    """The picture of a function of one number, with a slider for that number. See `Lesson.live`."""
    if not start < stop:
        raise SettingError(f'a slider leads from a smaller number to a larger one, and not from {start} to {stop}.')

    name = getattr(function, '__name__', '')
    called = name if name.isidentifier() else 'f'
    x = parameters(function, 1)[0] or 'x'

    def program(number: float) -> Any:
        with ms.Tape() as tape:
            made = function(ms.Tensor(float(number)))
        if isinstance(made, ms.Tape | Picture):
            return made
        if any(isinstance(event, Begin) for event in tape.events):
            return tape
        return run(f'd{x} = ms.grad({called})({x})', **{called: function, x: ms.Tensor(float(number))})

    middle = (start + stop) / 2 if value is None else value
    control = slider(x, 'The input of the function', middle, (start, stop), (stop - start) / STEPS, '.3g')
    return Live(called, control, program)


def refused(value: float, error: Exception) -> str:
    """Why there is no picture for a value: minicell's own sentence, or Python's with the line that it is about."""
    said = str(error)
    if not isinstance(error, MinicellError):
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        said = f'{type(error).__name__}: {said}{users_line(trace.tb_frame)}'
    head = words.headline('failed', f'At {number(value)} there is no result, and the picture has not changed.')
    return words.block(head + words.pre(said), 'failed')
