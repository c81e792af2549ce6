"""What a kernel shows for a page that will have none: imported in the kernel that runs a lesson for the site."""

from html import escape

from IPython import get_ipython

from minicell.teach.shown import Shown

NEEDS_PYTHON = (
    'To answer, run this lesson: <code>minicell</code> on your machine, or its badge in the README. '
    'What it asks and what it answers stands here.'
)


def publish() -> None:
    """From here on, the lesson's own widgets show themselves as parts of a page. A tape does so anyway."""
    formats = get_ipython().display_formatter
    formats.mimebundle_formatter.for_type(Shown, lambda shown, *a, **k: (page_of_shown(shown), {}))


def page_of_shown(shown: Shown) -> dict[str, str]:
    """A question, an exercise or a figure: its pictures, else its page, else its words."""
    drawn = shown.pictures.get('image/svg+xml')
    if shown.plays:
        body = shown.page
    elif drawn:  # on a phone it scrolls: smaller, its texts could not be read
        body = f'<div class="figure" tabindex="0" role="group" aria-label="Figure">{drawn}</div>'
    else:
        body = (shown.page or f'<pre>{escape(shown.text)}</pre>') + f'<p class="needs">{NEEDS_PYTHON}</p>'
    return {'text/html': f'<div class="asked">{body}</div>', 'text/plain': shown.text}
