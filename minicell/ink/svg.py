"""A frame as SVG text that stands alone: its colours are written into the shapes, and no style sheet is needed."""

import html
import re
from itertools import groupby

from . import metrics, style
from .sheet import Mark, Sheet

GEOMETRY = ('x', 'y', 'width', 'height', 'rx', 'd', 'opacity', 'transform')


def write(page: Sheet, scale: float = 1.0, dark: bool = False, words: str = '') -> str:
    """A sheet as an SVG document, `scale` pixels to the unit; `words` say all that it shows."""
    palette = style.DARK if dark else style.LIGHT
    width, height = page.width, page.height
    said = html.escape(f'{page.title}. {page.caption}' if page.title else page.caption or 'A picture')
    body = ''
    for (x, y), marks in groupby(page.marks, key=lambda one: (one.x, one.y)):
        drawn = ''.join(element(one, palette) for one in marks)
        body += f'<g transform="translate({x:g} {y:g})">{drawn}</g>' if (x, y) != (0, 0) else drawn
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width * scale:g}" '
        f'height="{height * scale:g}" role="img" aria-label="{said}" '
        f'font-family="{metrics.SANS}"><title>{said}</title>'
        f'{f"<desc>{html.escape(words)}</desc>" * bool(words)}'
        f'<rect width="{width:g}" height="{height:g}" fill="{palette["paper"]}"/>{body}</svg>'
    )


def element(one: Mark, palette: dict[str, str]) -> str:
    """One shape, with its look as attributes."""
    look = style.attributes({'fill': 'none'} | one.look, lambda name: palette.get(name, 'none'), metrics.MONO)
    own = {name: one.attrs[name] for name in GEOMETRY if name in one.attrs}
    attributes = ''.join(f' {name}="{html.escape(str(value))}"' for name, value in (own | look | own).items())
    return f'<{one.tag}{attributes}' + (f'>{words(one.attrs["T"])}</text>' if one.tag == 'text' else '/>')


def words(text: str) -> str:
    """A text as it stands in SVG. Of several spaces it would keep one, and code would lose its indentation."""
    return html.escape(re.sub(' (?= )|^ ', '\N{NO-BREAK SPACE}', text))
