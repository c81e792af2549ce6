"""What a kernel shows for a page that will have none: imported in the kernel that runs a lesson for the site."""

from html import escape

from IPython import get_ipython

from minicell.teach.shown import Shown


def publish() -> None:
    """From here on, the lesson's figures show themselves as parts of a page. A card and a tape do so anyway."""
    formats = get_ipython().display_formatter
    formats.mimebundle_formatter.for_type(Shown, lambda shown, *a, **k: (page_of_shown(shown), {}))


def page_of_shown(shown: Shown) -> dict[str, str]:
    """A figure: its pictures, else its words."""
    drawn = shown.pictures.get('image/svg+xml')
    if shown.page:
        body = shown.page
    elif drawn:  # on a phone it scrolls: smaller, its texts could not be read
        body = f'<div class="figure" tabindex="0" role="group" aria-label="Figure">{drawn}</div>'
    else:
        body = f'<pre>{escape(shown.text)}</pre>'
    return {'text/html': f'<div class="asked">{body}</div>', 'text/plain': shown.text}
