"""A film as an animated GIF, for a page that runs no script and plays no video."""

from collections.abc import Iterable, Sequence
from io import BytesIO

from . import png, style
from .film import Film, Step
from .sheet import of

READ = 4  # words a second
STAY, LAST = 1.8, 4.0  # seconds: a step stays at least so long, and the last of them


def animation(film: Film, steps: Iterable[int] | None = None, times: Sequence[float] = ()) -> bytes:
    """The steps of a film (None: all of them) as a GIF that begins again at its end.

    Each stays as many seconds as `times` say, by default as long as its words take to read.
    A unit is a pixel, and no text is smaller than 12: a page must not show it smaller than it is.
    """
    every = range(len(film.steps))
    chosen = [every[step] for step in (every if steps is None else steps)]
    pages = [of(film, step) for step in chosen]
    # the picture stays where it is, however many rows the words over it take
    height = max(page.height for page in pages)
    pictures = []
    for page in pages:
        down = height - page.height
        marks = [one._replace(y=one.y + down) if one.y else one for one in page.marks]  # the words have no offset
        pictures.append(png.image(page._replace(marks=marks, height=height)))
    frames = png.few(pictures, style.LIGHT)  # one palette for all
    times = times or [*(reading(film.steps[step]) for step in chosen[:-1]), max(reading(film.steps[chosen[-1]]), LAST)]
    out = BytesIO()
    stays = [round(1000 * time) for time in times]
    frames[0].save(out, 'GIF', save_all=True, append_images=frames[1:], duration=stays, loop=0, disposal=1)
    return out.getvalue()


def reading(step: Step) -> float:
    """Seconds to read what is said at a step."""
    return max(STAY, len(f'{step.title} {step.caption}'.split()) / READ)
