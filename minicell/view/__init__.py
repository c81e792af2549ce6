"""The tape view: one picture of a tape, step by step.

Read it in this order. `minicell.story` turns a Tape's events into a Record, plain data about entries, readings and
steps; `moment` says which of these are shown, and `now` what is so at one of them. `strip` finds loops, `columns`
chooses the entries of a tape that are open, and puts them in columns, `tape` makes their boxes, and `lane` draws what
leads from one to another. `program` are your lines, `takeover` what they have made, and `gradient` is how each that
comes out is shown; `words` are what is said. `board` sets all of it as one grid, and `scene` makes films of it; all
measures stand in `style`. `touch` is what a number answers, `picture` what `show` returns.
"""

from typing import Any


def show(tape: Any, zoom: str = 'ops', compare: bool = True, scale: float = 1.0, step: int | str | None = None) -> Any:
    """The picture of a tape: as the last line of a cell it displays itself.

    zoom: 'cells', 'ops' or 'inside'; compare: the true gradient beside that of a bprop; scale: 1.6 is larger; step: the
    one to open at, as the picture counts them (-1 is the last), or 'takeover', 'compare', 'second tape', 'result',
    'error', 'nan'.

    Raises ValueError or TypeError for other options.
    """
    from . import picture

    return picture.Picture(tape, zoom, compare, scale, step)


def to_dot(tape: Any) -> Any:
    """A tape as the graphviz package's object; without a `dot` program it shows the tape's own picture."""
    from . import dot

    return dot.to_dot(tape)
