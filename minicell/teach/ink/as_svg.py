"""Shapes written as SVG text."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from ...ink.metrics import MONO, SANS, clean
from .shapes import INK, Box, Path, Shape, Text


def number(value: float) -> str:
    """A coordinate with at most one decimal: `12`, `12.5`."""
    return f'{value + 0.0:.1f}'.removesuffix('.0').replace('-0', '0' if abs(value) < 0.05 else '-0')


def safe(words: str) -> str:
    """A user's words as text of a document: no control characters, nothing that is markup."""
    return escape(clean(words), quote=False)


@lru_cache(maxsize=16384)
def box(shape: Box) -> str:
    """A rectangle as <rect>. Most of them stand on the next frame too."""
    parts = [f'<rect x="{number(shape.x)}" y="{number(shape.y)}" width="{number(shape.w)}" height="{number(shape.h)}"']
    if shape.radius:
        parts.append(f' rx="{number(shape.radius)}"')
    parts.append(f' fill="{shape.fill}"')
    return ''.join(parts) + stroke(shape) + '/>'


def stroke(shape: Box | Path) -> str:
    """The attributes of an outline."""
    if shape.stroke == 'none':
        return ''
    out = f' stroke="{shape.stroke}"'
    if shape.line != 1:
        out += f' stroke-width="{number(shape.line)}"'
    return out + (f' stroke-dasharray="{shape.dash}"' if shape.dash else '')


def path(shape: Path) -> str:
    """Polylines as <path>."""
    close = 'Z' if shape.fill != 'none' else ''
    runs = ('M' + 'L'.join(f'{number(x)} {number(y)}' for x, y in run) + close for run in shape.runs)
    return f'<path d="{"".join(runs)}" fill="{shape.fill}"{stroke(shape)}/>'


def text(shape: Text) -> str:
    """A text as <text>; data-box is the room that it may use, and tests measure by it."""
    room = ' '.join(number(v) for v in shape.box)
    parts = [f'<text x="{number(shape.x)}" y="{number(shape.y)}" data-box="{room}"']
    if shape.size != 12:
        parts.append(f' font-size="{number(shape.size)}"')
    if shape.fill != INK:
        parts.append(f' fill="{shape.fill}"')
    if shape.anchor != 'start':
        parts.append(f' text-anchor="{shape.anchor}"')
    if shape.bold:
        parts.append(' font-weight="bold"')
    if shape.mono:
        parts.append(f' font-family="{MONO}" xml:space="preserve"')
    if shape.struck:
        parts.append(' text-decoration="line-through"')
    if shape.narrow:
        parts.append(f' textLength="{number(shape.narrow)}" lengthAdjust="spacingAndGlyphs"')
    title = f'<title>{safe(shape.full)}</title>' if shape.full else ''
    return ''.join(parts) + f'>{title}{safe(shape.text)}</text>'


WRITERS = {Box: box, Text: text, Path: path}


def document(
    shapes: Iterable[Shape],
    size: tuple[float, float],
    title: str,
    alt: str,
    prefix: str,
    scale: float = 1.0,
    fit: bool = True,
) -> str:
    """A whole SVG picture on white ground. `fit`: it is never wider than the page, and keeps its proportions there."""
    w, h = (number(v) for v in size)
    body = ''.join(WRITERS[type(s)](s) for s in shapes if not (type(s) is Text and not s.text))
    width, height = number(size[0] * scale), number(size[1] * scale)
    heard = f'{prefix}-desc' if title in alt else f'{prefix}-title {prefix}-desc'  # nothing is read twice
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{heard}" '
        f'width="{width}" height="{height}" viewBox="0 0 {w} {h}" '
        f'style="display:block;{"max-width:100%;height:auto;" * fit}background:#fff" '
        f'font-family="{SANS}" font-size="12" fill="{INK}">'
        f'<title id="{prefix}-title">{safe(title)}</title>'
        f'<desc id="{prefix}-desc">{safe(alt)}</desc>'
        f'<rect width="{w}" height="{h}" fill="#FFFFFF"/>{body}</svg>'
    )
