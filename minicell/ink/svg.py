"""A frame as SVG text that stands alone: its colours are written into the shapes, and no style sheet is needed."""

import html
import re

from . import metrics, style
from .sheet import Mark, Sheet

GEOMETRY = ('x', 'y', 'width', 'height', 'rx', 'd', 'opacity', 'transform')


def write(page: Sheet, scale: float = 1.0, dark: bool = False, words: str = '') -> str:
    """A sheet as an SVG document, `scale` pixels to the unit; `words` say all that it shows."""
    palette = style.DARK if dark else style.LIGHT
    width, height = page.width, page.height
    said = html.escape(f'{page.title}. {page.caption}' if page.title else page.caption or 'A picture')
    body, moved = [], (0.0, 0.0)
    for one in page.marks:
        if (one.x, one.y) != moved:
            body.append('</g>' if moved != (0, 0) else '')
            moved = one.x, one.y
            body.append(f'<g transform="translate({one.x:g} {one.y:g})">' if moved != (0, 0) else '')
        body.append(element(one, palette))
    body.append('</g>' if moved != (0, 0) else '')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width * scale:g}" '
        f'height="{height * scale:g}" role="img" aria-label="{said}" '
        f'font-family="{metrics.SANS}"><title>{said}</title>'
        f'{f"<desc>{html.escape(words)}</desc>" * bool(words)}'
        f'<rect width="{width:g}" height="{height:g}" fill="{palette["paper"]}"/>{"".join(body)}</svg>'
    )


def element(one: Mark, palette: dict[str, str]) -> str:
    """One shape, with its look as attributes."""
    look, said = one.look, {name: one.attrs[name] for name in GEOMETRY if name in one.attrs}
    ink = {name: palette.get(look.get(name, 'none'), 'none') for name in ('fill', 'stroke')}
    said['fill'] = ink['fill']
    if ink['stroke'] != 'none':
        said['stroke'] = ink['stroke']
        said |= {
            name: look[key] for name, key in (('stroke-width', 'line'), ('stroke-dasharray', 'dash')) if key in look
        }
    if 'opacity' in look:
        said.setdefault('opacity', look['opacity'])
    if one.tag == 'text':
        said['font-size'] = look['size']
        if look.get('bold'):
            said['font-weight'] = 'bold'
        if look.get('mono'):
            said['font-family'] = metrics.MONO
        if 'anchor' in look:
            said['text-anchor'] = look['anchor']
    attributes = ''.join(f' {name}="{html.escape(str(value))}"' for name, value in said.items())
    return f'<{one.tag}{attributes}' + (f'>{words(one.attrs["T"])}</text>' if one.tag == 'text' else '/>')


def words(text: str) -> str:
    """A text as it stands in SVG. Of several spaces it would keep one, and code would lose its indentation."""
    return html.escape(re.sub(' (?= )|^ ', '\N{NO-BREAK SPACE}', text))
