"""The picture of a tape: what a notebook displays, and what is saved as a page, an SVG, a PNG or a GIF."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import account, judge
from ..errors import SettingError
from ..ink import gif, png, sheet, svg
from ..ink.film import Film
from ..ink.page import fragment
from ..story import followed, tell
from ..story.record import Record
from . import lines, scene, style
from . import zoom as lens

ZOOMS = {'cells': lens.cells, 'ops': lens.ops, 'inside': lambda record: record}
WORDS = ('takeover', 'compare', 'second tape', 'result', 'error', 'nan')
FORMATS = {  # what is written of a picture, by how the name of the file ends
    '.html': lambda picture, path: fragment.whole(picture.html(), path.stem).encode(),
    '.svg': lambda picture, path: picture.still(picture.opens).encode(),
    '.png': lambda picture, path: picture.png(picture.opens),
    '.gif': lambda picture, path: gif.animation(picture.films[0]),
}
STILL = 'MINICELL_STILL'  # where this is set, a picture displays itself as a PNG: a notebook is built to be kept


class Picture:
    """A tape to step through. `tape.show()` makes one; as the last line of a cell it displays itself."""

    def __init__(
        self, tape: Any, zoom: str = 'ops', compare: bool = True, scale: float = 1.0,
        step: int | str | None = None
    ) -> None:  # fmt: skip
        if zoom not in ZOOMS:
            raise SettingError(f'zoom is one of {", ".join(map(repr, ZOOMS))}, not {zoom!r}.')
        if not isinstance(compare, bool):
            raise TypeError(f'compare is True or False, not {compare!r}.')
        least, most = style.SCALES
        if isinstance(scale, bool) or not isinstance(scale, int | float) or not least <= scale <= most:
            raise SettingError(f'scale is a number from 0.5 to 4, not {scale!r}.')
        self.tape, self.zoom, self.compare, self.scale = tape, zoom, compare, scale
        self.opens = self.place(step)

    @cached_property
    def record(self) -> Record:
        """The tape, told in steps."""
        nothing = Record()
        told = followed.follow(nothing, 'this tape', tell, self.tape, otherwise=nothing)
        told.code = followed.follow(told, 'the lines of the code', lines.shown, told, otherwise=[])
        found = ZOOMS[self.zoom](lens.named(judge.beside(told, self.tape, every=True)))
        found.why = partial(account.why, self.tape)
        for each in (*found.readings, *found.passes):
            what = 'the true gradient beside that of a bprop'
            each.judge = each.judge and partial(followed.follow, found, what, each.judge, otherwise=())
        return found

    @cached_property
    def films(self) -> list[Film]:
        """For a screen and for a phone: all frames."""
        return self.painted(asked=True)

    def painted(self, asked: bool = False, only: int | None = None) -> list[Film]:
        """All frames anew, or those of one layout; `asked`: each number with its account, which takes longest."""
        with uncollected():
            most = style.MOST_STEPS
            while True:
                found = scene.films(self.record, self.compare, most, only, asked)
                size = fragment.size(found)
                if size <= style.SCRIPT or most <= style.FEWEST_STEPS:
                    return found
                most = max(style.FEWEST_STEPS, int(0.85 * min(most, len(found[0].steps)) * style.SCRIPT / size))

    def place(self, step: int | str | None) -> int:
        """The step to open at: a number as the picture counts them (−1 is the last), or a word."""
        steps = self.films[0].steps
        if step is None:  # an error is told where it happened
            return len(steps) - 1 if getattr(self.tape, 'error', None) is not None else 0
        if isinstance(step, str) and (word := step.lower()) in WORDS:
            jumps = (i for i, s in enumerate(steps) if s.jump.lower() == word)
            found = scene.first_nan(self.record, self.compare) if word == 'nan' else next(jumps, None)
            if found is None:
                raise SettingError(f'this tape has no step {word!r}. It has step=1 to step={len(steps)}.')
            return found
        if isinstance(step, bool | str) or not isinstance(step, int | np.integer):
            kind = SettingError if isinstance(step, str) else TypeError
            raise kind(f'step is a number or one of {", ".join(map(repr, WORDS))}, not {step!r}.')
        if not step or abs(step) > len(steps):
            raise SettingError(f'step is a number from 1 to {len(steps)}, or −1 for the last; this tape has no {step}.')
        return int(step) - 1 if step > 0 else len(steps) + int(step)

    # ---- shown ----

    def html(self) -> str:
        """The picture as one piece of HTML, complete in itself."""
        return fragment.fragment(self.films, self.still(self.opens), self.opens, scale=self.scale)

    @property
    def lost(self) -> str:
        """The line under the picture, where something could not be followed."""
        return followed.line(self.record)

    def still(self, step: int) -> str:
        """A step as SVG text."""
        return svg.write(sheet.of(self.films[0], step))

    def alt(self, step: int) -> str:
        """A step in words."""
        return self.films[0].alt(step)

    def text(self) -> str:
        """The printed tape; of a long one, its beginning."""
        lines = followed.follow(self.record, 'print(tape)', str, self.tape, otherwise='').splitlines()
        more = [f'… and {len(lines) - style.PRINTED} more lines: print(tape)'] if len(lines) > style.PRINTED else []
        return '\n'.join([*lines[: style.PRINTED], *more, *filter(None, [self.lost])])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        with uncollected():
            if os.environ.get(STILL):
                last = len(self.films[0].steps) - 1
                return {'image/png': self.png(last), 'text/plain': self.text()}, {'image/png': {'alt': self.alt(last)}}
            return {'text/html': self.html(), 'text/plain': self.text()}, {}

    def __repr__(self) -> str:
        return f'<the picture of a tape: {len(self.films[0].steps)} steps>'

    # ---- saved ----

    def png(self, step: int) -> bytes:
        """A step as a PNG picture."""
        return png.write(sheet.of(self.films[0], step), self.scale)

    def save(self, path: str | Path) -> Path:
        """Write the picture: as a page that steps (.html), its step as .svg or .png, all steps as .gif."""
        path = Path(path)
        if (write := FORMATS.get(path.suffix.lower())) is None:
            kinds = ', '.join(FORMATS)
            raise SettingError(f'save writes {kinds}: the end of the name says which. It got {path.name!r}.')
        path.write_bytes(write(self, path))
        return path


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection in here: nothing that a picture is made of is garbage, and looking for it takes longest."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
