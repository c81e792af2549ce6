"""Figures that follow their controls: move one, and the kernel draws the picture anew, at the step that is shown.

What is moved reaches the kernel as what a card is told does, by the lesson's bridge, and the next numbers go back the
same way (`live.js`). While a control moves, only the layout that the page shows is drawn. When it has been at rest for
a moment, the page asks for the other one, and for the accounts of the numbers, which take longer than all else.
"""

import linecache
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import minicell as ms
from minicell.core.errors import MinicellError, users_line
from minicell.ink import svg
from minicell.ink.boxes import Text
from minicell.ink.film import Film
from minicell.ink.numbers import said as number
from minicell.ink.page import fragment
from minicell.ink.sheet import Sheet, sheet
from minicell.view.picture import Picture

from .figure import Drawing, Shown, film, printed, still_of

TURN = threading.RLock()  # the kernel may hear the page in a thread of its own, and there is one tape
CONTROLS, SCRIPT = (Path(__file__).with_name(name) for name in ('controls.js', 'live.js'))
figures = count(1).__next__


class Control(NamedTuple):
    """A slider between two `ends` (with `powers`, of tens), a choice of one of the `names` (its place), or a tick."""

    label: str
    value: Any = False
    ends: tuple[float, ...] = ()
    step: float = 1
    powers: bool = False
    names: tuple[str, ...] = ()


class Live:
    """A picture and its controls, by their names; those of `more` are folded. `stills` are for a page without a kernel.

    A kind of figure says how it draws the picture for the `values` of its controls, and what its page begins with.
    """

    run = ''  # what the button says that sets it going, if it has one

    def __init__(
        self, name: str, controls: dict[str, Control], stills: Sequence[Sheet], words: str, more: Sequence[str] = ()
    ) -> None:
        self.name, self.controls, self.more = name, controls, more
        self.values = {key: control.value for key, control in controls.items()}
        self.words, self.pictures = words, printed(stills, words) if stills else {}
        self.lesson, self.id = '', f'{name} {figures()}'
        self.tells: Callable[[dict[str, Any]], None] = lambda said: None  # the page, once there is one
        self.number, self.narrow, self.said = 0, False, ''  # of the picture that is shown, and what stands beside it

    @property
    def shown(self) -> Shown:
        """What a cell shows of it."""
        return Shown(self.words, self.page(self.script()), self.pictures, live=True)

    def script(self) -> str:
        """What builds its controls in the page, and hears of other numbers."""
        known = [
            {'name': key, 'folded': key in self.more} | control._asdict() | {'value': self.values[key]}
            for key, control in self.controls.items()
        ]
        data = {'controls': known, 'run': self.run, 'of': {'of': self.id, 'lesson': self.lesson}, 'told': self.state()}
        return f'const data={fragment.script(data)};\n{fragment.stripped(CONTROLS, SCRIPT)}'

    def hear(self, said: dict[str, Any]) -> None:
        """What a hand has moved on the page."""
        self.narrow = said.get('narrow') is True
        self.set(**said.get('values', {}))

    def set(self, **values: Any) -> None:
        """Move controls."""
        changed = {name: value for name, value in values.items() if value != self.values[name]}
        self.values |= changed
        self.draw(changed)

    def reset(self) -> None:
        """Put every control back to where it began."""
        self.set(**{name: control.value for name, control in self.controls.items()})
        self.tell(values=self.values)

    def state(self) -> dict[str, Any]:
        """What stands beside the picture."""
        return {'said': self.said}

    def tell(self, films: Sequence[Film] = (), moved: bool = True, **more: Any) -> None:
        """Tell the page what is new: the next films or, if they have not moved, the same with their accounts."""
        if films:
            self.number += moved
            layouts: list = fragment.layouts(films)
            if len(layouts) == 1:  # of the layout that the page shows; the other one follows
                layouts = [None, *layouts] if self.narrow else [*layouts, None]
            more |= {'number': self.number, 'layouts': layouts}
        self.tells({'of': self.id, 'figure': fragment.script(self.state() | more)})


class Follow(Live):
    """`program` makes the tape (or its picture) for a value of the control; its numbers follow the control.

    `stills` are the values whose last step a page without a kernel shows, by default the one at which the control
    stands. `says` is what a still says of its picture, where that is not what its last step says.
    """

    def __init__(
        self, name: str, control: Control, program: Callable[[float], Any], stills: Sequence[float] = (),
        says: Callable[[Picture], str] = lambda picture: '',
    ) -> None:  # fmt: skip
        self.program, self.says = program, says
        self.now: Picture | None = None  # the picture that is shown
        found = self.first(control.value)
        drawn = [self.still(value) for value in stills or (control.value,)] if self.now else []
        words = '\n'.join(f'{one.title}. {one.caption}' for one in drawn) or 'There is no picture at this value.'
        super().__init__(name, {'value': control}, drawn, words)
        self.said = found

    def first(self, value: float) -> str:
        """Draw the first picture; return why there is none."""
        try:
            self.now = self.of(value)
            self.now.html()
        except Exception as error:
            self.now = None
            return refused(value, error)
        return ''

    def of(self, value: float) -> Picture:
        """The picture for a value."""
        made = self.program(value)
        return made if isinstance(made, Picture) else Picture(made)

    def page(self, live: str) -> str:
        """The picture that is shown, or a place for it."""
        if self.now is not None:
            self.now.opens = self.now.opens or self.now.place(-1)  # what the control changes is seen at the end
            return self.now.html(live)
        return drawn_page(Drawing(Text(''), self.words, '', self.words), self.name, live)

    def draw(self, changed: dict[str, Any]) -> None:
        """Show the numbers for the new value; where there are none, say why, and leave the picture as it is."""
        value = self.values['value']
        try:
            picture = self.of(value)
            films = picture.painted(only=int(self.narrow))
        except Exception as error:
            self.said = refused(value, error)
            self.tell()
            return
        self.said, self.now = '', picture
        self.tell(films, rests=True)

    def hear(self, said: dict[str, Any]) -> None:
        """What was moved; or that the control is at rest, and wants the accounts of the numbers that are shown."""
        if said.get('act') == 'rest' and self.now is not None:
            self.tell(self.now.films, moved=False)
        else:
            super().hear(said)

    def still(self, value: float) -> Sheet:
        """The last step for a value, to be drawn."""
        picture = self.of(value)
        film = picture.painted(only=0)[0]
        said = film.steps[-1]
        title, caption = f'At {number(value)}: {said.title}', self.says(picture) or said.caption
        return sheet(film.frames[-1], (film.width, film.height), title, caption)


def drawn_page(drawn: Drawing, name: str, live: str) -> str:
    """A drawing that changes as one piece of HTML."""
    return fragment.fragment([film([drawn], name)], svg.write(still_of(drawn)), alt=drawn.words, live=live)


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


def refused(value: float, error: Exception) -> str:
    """Why there is no picture for a value: minicell's own sentence, or Python's with the line that it is about."""
    said = str(error)
    if not isinstance(error, MinicellError):
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        said = f'{type(error).__name__}: {said}{users_line(trace.tb_frame)}'
    return f'✗ At {number(value)} there is no result, and the picture has not changed.\n{said}'
