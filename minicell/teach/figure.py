"""A figure with one control: move it, and one thing changes. For a page without a kernel it is a few stills."""

import base64
from collections.abc import Callable, Sequence
from typing import NamedTuple

import ipywidgets as w

from minicell.teach.ink import as_png, as_svg, large
from minicell.teach.ink.large import down
from minicell.teach.ink.shapes import Shape

from .shown import Shown, column, html

SPACE = 16  # between stills
SCALE = 1.25  # on the page, for the last row
WORDS = {'description_width': 'initial'}  # a description takes the room that it needs


def slider(
    description: str,
    tooltip: str,
    value: float,
    ends: tuple[float, float],
    step: float,
    shown: str = '.2f',
    powers: bool = False,
) -> w.ValueWidget:
    """A slider over the whole width, of whole numbers where `step` is one; with `powers`, ends and step are of tens."""
    kind, more = (w.FloatLogSlider, {'base': 10}) if powers else (w.FloatSlider, {})
    if isinstance(step, int):
        kind = w.IntSlider
    else:
        more['readout_format'] = shown
    return kind(
        value=value,
        min=ends[0],
        max=ends[1],
        step=step,
        description=description,
        tooltip=f'{tooltip}: arrow keys move it',
        style=WORDS,
        layout=w.Layout(width='100%', max_width='950px'),
        **more,
    )


def choice(description: str, names: Sequence[str]) -> w.RadioButtons:
    """Names side by side, of which one is chosen; its value is the place of the name."""
    return w.RadioButtons(
        options=[(name, k) for k, name in enumerate(names)],
        description=description,
        orientation='horizontal',
        style=WORDS,
        layout=w.Layout(width='auto', max_width='100%'),
    )


class Drawing(NamedTuple):
    """A picture in shapes, and the same in words."""

    shapes: list[Shape]
    size: tuple[float, float]
    title: str
    words: str


class Figure:
    """`draw` makes the picture for a value of `control`, always of the same size.

    `stills` are for a page without a kernel: values to draw, or drawings of their own.
    """

    def __init__(
        self, name: str, control: w.ValueWidget, draw: Callable[[float], Drawing], stills: Sequence[float | Drawing]
    ) -> None:
        self.name = name
        self.control = control
        self.draw = draw
        self.large = large.on
        first = draw(control.value)
        self.picture = html(self.svg(first), round(first.size[1] * SCALE) + 8)
        control.observe(self.redraw, 'value')
        control.add_class(f'lat-slider-{name}')
        self.picture.add_class(f'lat-target-{name}')
        drawn = [still if isinstance(still, Drawing) else draw(still) for still in stills]
        text = '\n'.join(one.words for one in drawn)
        self.shown = Shown(column(control, self.picture), text, pictures=printed(drawn, f'{name}-still'))

    def svg(self, drawn: Drawing) -> str:
        """A drawing as SVG text with an id of its own."""
        return svg(drawn, self.name, self.large)

    def redraw(self, change: dict) -> None:
        """Draw the picture for the control's new value."""
        self.picture.value = self.svg(self.draw(change['new']))


def svg(drawn: Drawing, name: str, projected: bool) -> str:
    """A drawing as SVG text; `projected`: for a projector, no print on it is small."""
    shapes = large.enlarged(drawn.shapes, drawn.size[0]) if projected else drawn.shapes
    return as_svg.document(shapes, drawn.size, drawn.title, drawn.words, name, SCALE)


def printed(drawn: list[Drawing], prefix: str) -> dict[str, str]:
    """Drawings one under the other, as SVG and as PNG (GitHub often hides SVG)."""
    shapes: list[Shape] = []
    top = 0.0
    for one in drawn:
        shapes += [down(shape, top) for shape in one.shapes]
        top += one.size[1] + SPACE
    size = (max(one.size[0] for one in drawn), top - SPACE)
    alt = ' '.join(one.words for one in drawn)
    png = base64.b64encode(as_png.document(shapes, size)).decode('ascii')
    return {'image/svg+xml': as_svg.document(shapes, size, drawn[0].title, alt, prefix), 'image/png': png}
