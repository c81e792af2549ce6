"""The tape view: a tape's events, told in frames, drawn as SVG and PNG, stepped through in a notebook.

events -> record (plain data) -> frames -> shapes -> SVG text or PNG. Importing this costs nothing: the widgets and
matplotlib are loaded by the functions that need them.
"""

from typing import Any

from .model import Frame


def frames(tape: Any, **options: Any) -> list[Frame]:
    """All frames of a tape, one a step; an empty tape has one that says so. The options are those of `story.frames`."""
    from . import story

    return story.frames(tape, **options)


def alt(frame: Frame) -> str:
    """A frame in words."""
    from . import caption

    return caption.alt(frame)


def svg(frame: Frame, prefix: str = '', scale: float = 1.0) -> str:
    """A frame as SVG text. `prefix` makes its ids different from those of other pictures on the page."""
    from . import film

    return film.svg(frame, prefix, scale)


def png(frame: Frame, scale: float = 1.0) -> bytes:
    """A frame as a PNG picture."""
    from . import film

    return film.png(frame, scale)


def filmstrip(tape: Any, format: str = 'svg', scale: float = 1.0) -> str | bytes:
    """Four stills in one picture: the start, forward done, the takeover, the result. `format`: 'svg' or 'png'."""
    from . import film

    return film.strip(tape, format, scale)


def show(
    tape: Any, zoom: str = 'ops', compare: bool = True, scale: float | None = None, step: int | str | None = None
) -> Any:
    """The tape as a widget to step through.

    zoom: 'cells', 'ops' or 'inside'; compare: the true gradient beside that of a bprop; scale: 1.6 is larger; from 2
    on the picture is one for a projector, of what the step is about alone (None: 1, or 2 while a lesson is presented);
    step: the one to open at, as the picture counts them (-1 is the last), or 'takeover', 'largest', 'nan', 'wrong'.

    Raises ValueError or TypeError for other options.
    """
    from . import projector, widget

    usual = projector.SCALE if projector.on else 1.0
    return widget.View(tape, zoom, compare, usual if scale is None else scale, step)


def bundle(tape: Any, **options: Any) -> dict[str, Any]:
    """What a notebook displays: the widget, and for readers without a kernel the filmstrip and the printed tape."""
    return show(tape, **options)._repr_mimebundle_()


def display(tape: Any, **options: Any) -> None:
    """Display a tape in a notebook."""
    from IPython.display import display as publish

    publish(bundle(tape, **options), raw=True)


def to_dot(tape: Any) -> Any:
    """A tape as the graphviz package's object; without a `dot` program it shows the tape's own picture."""
    from . import dot

    return dot.to_dot(tape)


def draw(graph: Any) -> Any:
    """A traced function's graph as the graphviz package's object; without a `dot` program it shows itself in words."""
    from . import drawing

    return drawing.draw(graph)
