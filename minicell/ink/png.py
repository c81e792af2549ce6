"""The same shapes drawn by matplotlib's renderer, for readers who see no SVG (GitHub often hides it)."""

from __future__ import annotations

import math
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
ROUND = 0.4477  # how far the handles of a quarter's curve are from its corner, in radii
CELLS = 1 << 15  # see cells_of
CHORD = math.pi / 24  # an arc is drawn by chords of at most this angle
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
    used = used[np.argsort(-counts[used], kind='stable')]
    colours = np.stack([used >> 10, used >> 5 & 31, used & 31], axis=1) * 8 + 4
    own = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in palette.values()], np.uint8)
    for cell, colour in zip(cells_of(own[None])[0], own, strict=True):
        colours[used == cell] = colour
    kept = colours[:256]
    nearest = np.zeros(CELLS, np.uint8)
    nearest[used] = np.abs(colours[:, None] - kept).sum(axis=2).argmin(axis=1)
    out = []
    for each in cells:
        rows, columns = each.shape
        out.append(Image.frombytes('P', (columns, rows), nearest[each].tobytes()))
        out[-1].putpalette(kept.astype(np.uint8).tobytes())
    return out


def cells_of(pixels: np.ndarray) -> np.ndarray:
    """For each pixel, the number of its colour among 32 shades each of red, green and blue."""
    shades = (pixels >> 3).astype('uint16')
    return shades[:, :, 0] << 10 | shades[:, :, 1] << 5 | shades[:, :, 2]


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
        attrs = one.attrs
        if one.tag == 'rect':
            self.outline(one, box(*(float(attrs.get(name, 0)) for name in ('x', 'y', 'width', 'height', 'rx'))))
        else:
            self.outline(one, traced(attrs['d']))

    def outline(self, one: Mark, path: Path) -> None:
        """Fill and stroke a path."""
        from matplotlib.transforms import Affine2D

        look, scale = one.look, self.scale
        gc = self.renderer.new_gc()
        stroke = self.palette.get(look.get('stroke', 'none'))
        gc.set_linewidth(look.get('line', 1) if stroke else 0)
        gc.set_alpha(one.attrs.get('opacity', look.get('opacity', 1)))
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
        turn = re.fullmatch(r'rotate\((-?90)[ ,].*', attrs.get('transform', ''))
        if turn and turn[1] == '-90':  # about the text's own start, as all that are turned are
            ink, left, top = np.rot90(ink), top, -left - ink.shape[1]
        elif turn:
            ink, left, top = np.rot90(ink, 3), -top - ink.shape[0], left
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


@lru_cache(maxsize=1024)
def box(x: float, y: float, w: float, h: float, r: float) -> Path:
    """A rectangle, its corners rounded."""
    from matplotlib.path import Path

    r = min(r, w / 2, h / 2)
    if not r:
        return Path([(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], closed=True)
    k, right, low = r * ROUND, x + w, y + h
    points = [
        (x + r, y), (right - r, y), (right - k, y), (right, y + k), (right, y + r),
        (right, low - r), (right, low - k), (right - k, low), (right - r, low),
        (x + r, low), (x + k, low), (x, low - k), (x, low - r),
        (x, y + r), (x, y + k), (x + k, y), (x + r, y), (x + r, y),
    ]  # fmt: skip
    corner = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path(points, [Path.MOVETO, *corner, *corner, *corner, *corner, Path.CLOSEPOLY])


@lru_cache(maxsize=1024)
def traced(d: str) -> Path:
    """A path of SVG, with the commands M, L, H, V, A, C, Z, and the relative l, h, v, z."""
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
        if kind == 'Z':
            points.append(start)
            codes.append(Path.CLOSEPOLY)
            at = start
            continue
        if kind == 'C':
            points += [(n[0], n[1]), (n[2], n[3])]
            codes += [Path.CURVE4] * 2
        to = (n[0], at[1]) if kind == 'H' else (at[0], n[0]) if kind == 'V' else (n[-2], n[-1])
        if kind == 'A':
            along = arc(at, to, n[0], bool(n[3]), bool(n[4]))
            points += along
            codes += [Path.LINETO] * len(along)
        points.append(to)
        codes.append({'M': Path.MOVETO, 'C': Path.CURVE4}.get(kind, Path.LINETO))
        at = to
        if kind == 'M':
            start, command = to, 'L'  # further pairs after M are lines
    return Path(points, codes)


def arc(
    start: tuple[float, float], end: tuple[float, float], radius: float, large: bool, sweep: bool
) -> list[tuple[float, float]]:
    """The points between the ends of an arc of a circle."""
    (x1, y1), (x2, y2) = start, end
    half = math.hypot(x2 - x1, y2 - y1) / 2
    if not half or not radius:
        return []
    radius = max(radius, half)
    # the centre lies beside the middle of the chord, on the side that the flags say
    off = math.sqrt(radius**2 - half**2) / (2 * half) * (-1 if large == sweep else 1)
    cx, cy = (x1 + x2) / 2 - (y2 - y1) * off, (y1 + y2) / 2 + (x2 - x1) * off
    first = math.atan2(y1 - cy, x1 - cx)
    turn = (math.atan2(y2 - cy, x2 - cx) - first) % math.tau
    if not sweep:
        turn -= math.tau
    steps = max(1, math.ceil(abs(turn) / CHORD))
    angles = (first + turn * k / steps for k in range(1, steps))
    return [(cx + radius * math.cos(a), cy + radius * math.sin(a)) for a in angles]
