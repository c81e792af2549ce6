"""What a kernel shows for a page that will have none: imported in the kernel that runs a lesson for the site."""

from IPython import get_ipython

from minicell.teach.figure import Shown
from minicell.teach.lesson import Lesson


def publish() -> None:
    """From here on, the lesson's figures show themselves as parts of a page. A card and a tape do so anyway.

    An exercise is written in its card: a page has no cells.
    """
    Lesson.presenting = True
    formats = get_ipython().display_formatter
    formats.mimebundle_formatter.for_type(Shown, lambda shown, *a, **k: (page_of_shown(shown), {}))


def page_of_shown(shown: Shown) -> dict[str, str]:
    """A figure, which plays."""
    return {'text/html': f'<div class="asked">{shown.page}</div>', 'text/plain': shown.text}
