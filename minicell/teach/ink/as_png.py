"""The same shapes drawn by matplotlib's renderer, for readers who see no SVG (GitHub often hides it)."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from .shapes import Box, Path, Shape, Text

if TYPE_CHECKING:
    from matplotlib.backends.backend_agg import RendererAgg

DOTS = 72  # at 72 dots an inch a point is a pixel


def document(shapes: Iterable[Shape], size: tuple[float, float], scale: float = 1.0) -> bytes:
    """A PNG picture of the shapes, `scale` pixels to the unit, on white ground."""
    import warnings

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(size[0] / DOTS, size[1] / DOTS), dpi=DOTS * scale, facecolor='white')
    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        # a character that the font lacks is drawn as a small box, which says enough
        warnings.filterwarnings('ignore', message='Glyph|Matplotlib currently does not support')
        canvas.draw()
        pen = Pen(canvas.get_renderer(), size[1], scale)
        for shape in shapes:
            pen.draw(shape)
    out = BytesIO()
    picture = Image.frombuffer('RGBA', canvas.get_width_height(), canvas.buffer_rgba(), 'raw', 'RGBA', 0, 1)
    picture.convert('P', palette=Image.Palette.ADAPTIVE, colors=255).save(out, 'PNG', optimize=True)
    return out.getvalue()


class Pen:
    """Draws shapes with matplotlib's renderer: no artists, so that 300 shapes take milliseconds."""

    def __init__(self, renderer: RendererAgg, height: float, scale: float) -> None:
        from matplotlib.transforms import Affine2D

        self.renderer = renderer
        self.height = height * scale
        self.scale = scale
        self.flip = Affine2D().scale(scale, -scale).translate(0, self.height)

    def draw(self, shape: Shape) -> None:
        """Draw one shape."""
        {Box: self.box, Path: self.path, Text: self.text}[type(shape)](shape)

    def box(self, shape: Box) -> None:
        """Draw a rectangle, its corners rounded by short chords."""
        x, y, w, h = shape[:4]
        r = min(shape.radius, w / 2, h / 2)
        c = r * 0.3
        corners = (
            ((x, y + r), (x + c, y + c), (x + r, y)),
            ((x + w - r, y), (x + w - c, y + c), (x + w, y + r)),
            ((x + w, y + h - r), (x + w - c, y + h - c), (x + w - r, y + h)),
            ((x + r, y + h), (x + c, y + h - c), (x, y + h - r)),
        )
        run = tuple(point for corner in corners for point in corner)
        self.outline((run,), shape, closed=True)

    def path(self, shape: Path) -> None:
        """Draw polylines."""
        self.outline(shape.runs, shape, closed=shape.fill != 'none')

    def outline(self, runs: tuple, shape: Box | Path, closed: bool) -> None:
        """Fill and stroke the runs."""
        from matplotlib.colors import to_rgb
        from matplotlib.path import Path as Outline

        points, codes = [], []
        for run in runs:
            points += [*run, run[0]] if closed else run
            codes += [Outline.MOVETO] + [Outline.LINETO] * (len(run) - 1) + [Outline.CLOSEPOLY] * closed
        if not points:
            return
        gc = self.renderer.new_gc()
        gc.set_antialiased(True)
        if shape.stroke == 'none':
            gc.set_linewidth(0)
        else:
            gc.set_linewidth(shape.line)
            gc.set_foreground(shape.stroke)
            if shape.dash:
                gc.set_dashes(0, [float(d) for d in shape.dash.split()])
        face = None if shape.fill == 'none' else to_rgb(shape.fill)
        self.renderer.draw_path(gc, Outline(points, codes), self.flip, face)
        gc.restore()

    def text(self, shape: Text) -> None:
        """Draw a text with its baseline where the SVG has it."""
        from matplotlib.font_manager import FontProperties

        if not shape.text.strip():
            return
        family = 'DejaVu Sans Mono' if shape.mono else 'DejaVu Sans'
        font = FontProperties(family=family, size=shape.size, weight='bold' if shape.bold else 'normal')
        width = self.renderer.get_text_width_height_descent(shape.text, font, False)[0]
        x = shape.x * self.scale - {'start': 0, 'middle': width / 2, 'end': width}[shape.anchor]
        gc = self.renderer.new_gc()
        gc.set_foreground(shape.fill)
        self.renderer.draw_text(gc, x, shape.y * self.scale, shape.text, font, 0)
        gc.restore()
        if shape.struck:
            left, y = x / self.scale, shape.y - shape.size * 0.3
            self.path(Path((((left, y), (left + width / self.scale, y)),), shape.fill, 1))
