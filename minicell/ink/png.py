"""The same shapes drawn by matplotlib's renderer, for readers who see no SVG (GitHub often hides it)."""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from . import metrics, style
from .sheet import Mark, Sheet

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.path import Path
    from PIL import Image

DOTS = 72  # at 72 dots an inch a point is a pixel
ROUND = 0.4477  # how far the handles of a quarter of a circle are from the corner that it rounds, in radii
SHADES = 32  # see cells_of
CELLS = SHADES**3
WORD = re.compile(r'[MLHVACZlhvz]|-?\d*\.?\d+(?:e-?\d+)?')


def write(page: Sheet, scale: float = 1.0, dark: bool = False) -> bytes:
    """A sheet as a PNG picture, `scale` pixels to the unit."""
    out = BytesIO()
    few([image(page, scale, dark)], style.DARK if dark else style.LIGHT)[0].save(out, 'PNG')
    return out.getvalue()


def few(pictures: list[Image.Image], palette: dict[str, str]) -> list[Image.Image]:
    """The pictures in the same 256 colours at most: half the bytes. The palette's own stay as they are, and of the
    mixed ones at the edges of letters those that the eye can hardly tell apart become one."""
    import numpy as np
    from PIL import Image

    cells = [cells_of(np.asarray(picture)) for picture in pictures]
    counts = sum(np.bincount(each.ravel(), minlength=CELLS) for each in cells)
    used = np.flatnonzero(counts)
    colours = np.stack(np.unravel_index(used, (SHADES,) * 3), 1) * 8 + 4
    for own in (np.array([*bytes.fromhex(colour[1:])]) for colour in palette.values()):
        colours[used == cells_of(own)] = own
    kept = colours[np.argsort(-counts[used], kind='stable')[:256]]
    nearest = np.zeros(CELLS, np.uint8)
    nearest[used] = np.abs(colours[:, None] - kept).sum(axis=2).argmin(axis=1)
    out = [Image.fromarray(nearest[each]) for each in cells]
    for picture in out:
        picture.putpalette(kept.astype(np.uint8).tobytes())
    return out


def cells_of(pixels: np.ndarray) -> np.ndarray:
    """For each pixel, the number of its colour among 32 shades each of red, green and blue."""
    return (pixels >> 3) @ [SHADES**2, SHADES, 1]


def image(page: Sheet, scale: float = 1.0, dark: bool = False) -> Image.Image:
    """A sheet as a picture in memory."""
    from PIL import Image

    pen = Pen(round(page.width * scale), round(page.height * scale), scale, style.DARK if dark else style.LIGHT)
    for one in page.marks:
        pen.draw(one)
    return Image.fromarray(pen.pixels[:, :, :3].copy())


class Pen:
    """Draws marks with matplotlib's renderer: no artists, so that 300 shapes take milliseconds."""

    def __init__(self, width: int, height: int, scale: float, palette: dict[str, str]) -> None:
        import numpy as np
        from matplotlib.backends.backend_agg import RendererAgg
        from matplotlib.colors import to_rgb

        self.renderer = RendererAgg(width, height, DOTS * scale)
        self.pixels: Any = np.asarray(self.renderer.buffer_rgba())  # the renderer's own memory
        self.height, self.scale = height, scale
        self.palette = {name: to_rgb(colour) for name, colour in palette.items()}
        self.pixels[:] = [*(round(255 * part) for part in self.palette['paper']), 255]

    def draw(self, one: Mark) -> None:
        """Draw one."""
        if one.tag == 'text':
            self.text(one)
            return
        from matplotlib.transforms import Affine2D

        look, scale, attrs = one.look, self.scale, one.attrs
        rect = (float(attrs.get(name, 0)) for name in ('x', 'y', 'width', 'height', 'rx'))
        path = traced(rounded(*rect) if one.tag == 'rect' else attrs['d'])
        gc = self.renderer.new_gc()
        stroke = self.palette.get(look.get('stroke', 'none'))
        gc.set_linewidth(look.get('line', 1) if stroke else 0)
        gc.set_alpha(attrs.get('opacity', look.get('opacity', 1)))
        if stroke:
            gc.set_foreground(stroke, isRGBA=False)
            gc.set_joinstyle('miter')
            if 'dash' in look:
                gc.set_dashes(0, [float(part) for part in look['dash'].split()])
        moved = Affine2D.from_values(scale, 0, 0, -scale, one.x * scale, self.height - one.y * scale)
        self.renderer.draw_path(gc, path, moved, self.palette.get(look.get('fill', 'none')))
        gc.restore()

    def text(self, one: Mark) -> None:
        """Draw a text with its baseline where the SVG has it."""
        import numpy as np

        look, attrs, scale = one.look, one.attrs, self.scale
        if look.get('mono') and ' ' in attrs['T'] and 'anchor' not in look:  # each word at its column
            step = look['size'] * metrics.MONO_ADVANCE
            for found in re.finditer(r'\S+', attrs['T']):
                self.text(one._replace(attrs=attrs | {'T': found[0], 'x': attrs['x'] + found.start() * step}))
            return
        ink, left, top, width = letters(
            attrs['T'], look.get('mono', False), look.get('bold', False), look['size'] * scale
        )
        left -= {'middle': width / 2, 'end': width}.get(look.get('anchor', 'start'), 0)
        x, y = (attrs['x'] + one.x) * scale, (attrs['y'] + one.y) * scale
        if 'transform' in attrs:  # upwards, about the text's own start, as all that are turned are
            ink, left, top = np.rot90(ink), top, -left - ink.shape[1]
        x, y = round(x + left), round(y + top)
        rows, columns = ink.shape
        cut = ink[max(0, -y) : max(0, self.pixels.shape[0] - y), max(0, -x) : max(0, self.pixels.shape[1] - x)]
        under = self.pixels[max(0, y) : max(0, y + rows), max(0, x) : max(0, x + columns), :3]
        colour = np.array([255 * part for part in self.palette[look['fill']]], np.float32)
        part = cut[:, :, None] * np.float32(one.attrs.get('opacity', look.get('opacity', 1)) / 255)
        under[:] = under + (colour - under) * part + 0.5


@lru_cache(maxsize=8)
def font(mono: bool, bold: bool, size: float) -> Any:
    """DejaVu, from the files that come with matplotlib."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    name = f'DejaVuSans{"Mono" if mono else ""}{"-Bold" if bold else ""}.ttf'
    return ImageFont.truetype(f'{get_data_path()}/fonts/ttf/{name}', size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def letters(text: str, mono: bool, bold: bool, size: float) -> tuple[np.ndarray, int, int, float]:
    """A text's ink as numbers to 255, where its corner lies from the start of its baseline, and how wide it is."""
    import numpy as np

    face = font(mono, bold, size)
    mask, (left, top) = face.getmask2(text, mode='L', anchor='ls')
    return np.array(mask, np.uint8).reshape(mask.size[::-1]), left, top, face.getlength(text)


def rounded(x: float, y: float, w: float, h: float, r: float) -> str:
    """A rectangle as a path, its corners rounded."""
    r, right, low = min(r, w / 2, h / 2), x + w, y + h
    if not r:
        return f'M{x},{y}H{right}V{low}H{x}Z'
    return (
        f'M{x + r},{y}H{right - r}A{r},{r},0,0,1,{right},{y + r}V{low - r}A{r},{r},0,0,1,{right - r},{low}'
        f'H{x + r}A{r},{r},0,0,1,{x},{low - r}V{y + r}A{r},{r},0,0,1,{x + r},{y}Z'
    )


@lru_cache(maxsize=1024)
def traced(d: str) -> Path:
    """A path of SVG, with the commands M, L, H, V, A (a quarter of a circle), C, Z, and the relative l, h, v, z."""
    from matplotlib.path import Path

    words = WORD.findall(d)
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    command, at, start, i = '', (0.0, 0.0), (0.0, 0.0), 0
    while i < len(words):
        if words[i].isalpha():
            command = words[i]
            i += 1
        kind = command.upper()
        need = {'M': 2, 'L': 2, 'H': 1, 'V': 1, 'A': 7, 'C': 6, 'Z': 0}[kind]
        n = [float(word) for word in words[i : i + need]]
        i += need
        if command.islower():
            n = [a + b for a, b in zip(n, at[1:] if kind == 'V' else at, strict=False)]
        if kind == 'A':
            n, kind = [*handles(at, (n[5], n[6]), n[4]), n[5], n[6]], 'C'
        if kind == 'C':
            points += [(n[0], n[1]), (n[2], n[3])]
            codes += [Path.CURVE4] * 2
        at = (
            start if kind == 'Z' else (n[0], at[1]) if kind == 'H' else (at[0], n[0]) if kind == 'V' else (n[-2], n[-1])
        )
        points.append(at)
        codes.append({'M': Path.MOVETO, 'C': Path.CURVE4, 'Z': Path.CLOSEPOLY}.get(kind, Path.LINETO))
        if kind == 'M':
            start, command = at, 'L'  # further pairs after M are lines
    return Path(points, codes)


def handles(start: tuple[float, float], end: tuple[float, float], sweep: float) -> list[float]:
    """The two handles of a curve that is a quarter of a circle: each lies on the way to the corner that it rounds."""
    (x, y), (x2, y2) = start, end
    across = ((x2 - x) * (y2 - y) > 0) == bool(sweep)  # it leaves to the side, and arrives upright
    corner = (x2, y) if across else (x, y2)
    return [c + (p - c) * ROUND for point in (start, end) for p, c in zip(point, corner, strict=True)]
