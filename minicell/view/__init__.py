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


def show(tape: Any, scale: float = 1.0) -> Any:
    """The tape as a widget to step through."""
    from . import widget

    return widget.show(tape, scale)


def bundle(tape: Any, **options: Any) -> dict[str, Any]:
    """What a notebook displays: the widget, and for readers without a kernel the filmstrip and the printed tape."""
    from . import widget

    return widget.bundle(tape, **options)


def display(tape: Any, **options: Any) -> None:
    """Display a tape in a notebook."""
    from IPython.display import display as publish

    publish(bundle(tape, **options), raw=True)


def draw(graph: Any) -> Any:
    """A traced function's graph as the graphviz package's object; without a `dot` program it shows itself in words."""
    from . import drawing

    return drawing.draw(graph)
