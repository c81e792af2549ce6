"""What a kernel shows for a page that will have none: imported in the kernel that runs a lesson for the site."""

from html import escape
from itertools import count
from typing import Any

from IPython import get_ipython
from IPython.display import display

from minicell.core.watch import Tape
from minicell.teach.shown import Shown
from minicell.view import alt, film, widget

TRAVEL = 160  # so many frames on a page; a longer tape is told by its Cells, or by every second, third ... frame
NEEDS_PYTHON = (
    'To answer, run this lesson: <code>minicell</code> on your machine, or its badge in the README. '
    'What it asks and what it answers stands here.'
)
tapes = count(1).__next__


def publish() -> None:
    """From here on, tapes and the lesson's own widgets show themselves as parts of a page."""
    formats = get_ipython().display_formatter
    formats.ipython_display_formatter.for_type(Tape, lambda tape: display(page_of(tape.show()), raw=True))
    formats.mimebundle_formatter.for_type(widget.View, lambda view, *a, **k: (page_of(view), {}))
    formats.mimebundle_formatter.for_type(Shown, lambda shown, *a, **k: (page_of_shown(shown), {}))


def page_of(view: Any) -> dict[str, str]:
    """A tape as a figure that steps."""
    return {'text/html': stepper(frames_of(view)), 'text/plain': str(view.tape)}


def frames_of(view: Any) -> list:
    """The frames that travel."""
    frames = view.of(view.opened)
    if len(frames) > TRAVEL:
        frames = view.of(view.opened._replace(zoom='cells'))
    each = -(-len(frames) // TRAVEL)
    return frames if each == 1 else [*frames[:-1:each], frames[-1]]


def stepper(frames: list) -> str:
    """Frames as HTML; the script of the page shows one of them at a time."""
    name = f'tape-{tapes()}'
    pictures = ''.join(
        f'<div class="frame"{" hidden" if k else ""}>{film.svg(frame, f"{name}-")}</div>'
        for k, frame in enumerate(frames)
    )
    buttons = ''.join(
        f'<button type="button" data-go="{go}">{words}</button>'
        for go, words in (('first', 'First'), ('back', 'Back'), ('play', 'Play'), ('next', 'Next'), ('last', 'Last'))
    )
    said = escape(alt(frames[-1]), quote=True)
    return (
        f'<figure class="tape" aria-label="A tape to step through. {said}"><div class="controls">{buttons}'
        f'<label>Step <input type="range" min="1" max="{len(frames)}" value="1"></label>'
        f'<output>1 of {len(frames)}</output></div>{pictures}</figure>'
    )


def page_of_shown(shown: Shown) -> dict[str, str]:
    """A question, an exercise or a figure: its pictures, else its page, else its words."""
    body = shown.pictures.get('image/svg+xml') or ''
    if not body:
        body = (shown.page or f'<pre>{escape(shown.text)}</pre>') + f'<p class="needs">{NEEDS_PYTHON}</p>'
    return {'text/html': f'<div class="asked">{body}</div>', 'text/plain': shown.text}
