"""A tensor as a small picture: numbers on a tint up to 4×4, a heatmap above, always with a number."""

import math

import numpy as np

from ...ink.metrics import shape_text, width
from ...story.record import Value
from .facts import SMALL, facts
from .shapes import FAINT, INK, MUTED, RULE, Box, Path, Shape, text, tint

CELL_W, CELL_H = 43, 22
NUMBER = 11.5  # the font size of a number in a cell
SLOT = 60  # no value is narrower: its name stands above it
SCALAR_H = 26
HEAT_W, HEAT_ROW, HEAT_H = 112, 11, 66
RANGE_H = 30  # the lines under a heatmap: its range, and what the glyphs say
LABEL_H = 20
NAME_W = 120  # a longer name is cut
MOST_ROWS, MOST_COLUMNS = 12, 16


def fold(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of a tensor laid flat: all axes but the last become rows."""
    return (math.prod(shape[:-1]), shape[-1]) if shape else (1, 1)


def is_small(shape: tuple[int, ...]) -> bool:
    """Whether every number is written out."""
    rows, columns = fold(shape)
    return rows <= SMALL and columns <= SMALL


def size(value: Value) -> tuple[float, float]:
    """Width and height of a value's picture, told by its shape alone: it never changes while stepping."""
    rows, columns = fold(value.shape)
    if value.data is None or rows * columns == 0:
        return 84, SCALAR_H
    if not value.shape:
        return SLOT, SCALAR_H
    if is_small(value.shape):
        return max(SLOT, columns * CELL_W), rows * CELL_H
    return HEAT_W, min(max(rows * HEAT_ROW, 2 * HEAT_ROW), HEAT_H) + RANGE_H


def limit(*arrays: np.ndarray | None) -> float:
    """The largest finite magnitude: where the tint is full. In a heatmap a few outliers do not count."""
    return max((facts(a).most for a in arrays if a is not None and a.size and a.dtype.kind in 'fiub'), default=0.0)


def numerals(array: np.ndarray, room: float, font: float, bold: bool = False) -> list[str]:
    """The numbers of an array as text that fits into `room`, all with as many decimals."""
    items = array.ravel().tolist()
    if array.dtype.kind not in 'fiu':
        return [str(v) for v in items]
    # (what is far from nothing beside fewer decimals is so beside more)
    ways = [plain(items, d) for d in decimals(array) if honest(items, decimals(array)[0]) and honest(items, d)]
    if limit(array) >= 1e5 or decimals(array):
        ways.append([own(v, room, font, bold) for v in items])
    ways += [[scientific(v, d) for v in items] for d in (2, 1, 0)]
    return next((way for way in ways if all(width(t, font, bold) <= room for t in way)), ways[-1])


def decimals(array: np.ndarray) -> tuple[int, ...]:
    """How many decimals to try, most first; none at all where only powers of ten tell the numbers."""
    if array.dtype.kind in 'iu':
        return (0,)
    most = limit(array)
    if most >= 1e5 or 0 < most < 0.0095:
        return ()
    return (3, 2) if 0 < most < 0.095 else (2, 1, 0)


def honest(items: list, digits: int) -> bool:
    """Whether numbers with so many decimals are still the numbers; ≈0 is what is far below the last digit shown."""
    last = 10.0**-digits
    for v in items:
        if not v or special(v):
            continue
        shown = float(f'{v:.{digits}f}')
        if not shown:
            if abs(v) >= 1e-4 * last:
                return False
        elif digits < 2 and abs(shown - v) > 0.05 * abs(v):
            return False
    return True


def plain(items: list, digits: int) -> list[str]:
    """Numbers with fixed decimals; what is not zero never reads as zero."""
    out = []
    for v in items:
        shown = special(v) or f'{v:.{digits}f}'.replace('-', '−')
        out.append('≈0' if v and not special(v) and not float(shown.replace('−', '-')) else shown)
    return out


def own(v: float, room: float, font: float, bold: bool) -> str:
    """A number by itself, whatever stands beside it: with as many digits as there is room for."""
    ways = [short(v)]
    if not special(v) and v and 0.0095 <= abs(v) < 1e6:
        before = math.floor(math.log10(abs(v))) + 1
        ways += [f'{v:.{max(digits - before, 0)}f}'.replace('-', '−') for digits in (3, 2)]
    ways += [scientific(v, digits) for digits in (2, 1, 0)]
    return next((w for w in ways if width(w, font, bold) <= room), ways[-1])


def scientific(v: float, digits: int) -> str:
    """A number as `1.5e-7`."""
    if special(v):
        return special(v)
    if not v:
        return '0'
    mantissa, exponent = f'{v:.{digits}e}'.split('e')
    return f'{mantissa.replace("-", "−")}e{int(exponent)}'


def special(v: float) -> str:
    """The glyph of NaN, the infinities and minus zero, or ''."""
    if v != v:
        return 'NaN'
    if v == 0 and math.copysign(1, v) < 0:
        return '−0'
    return {math.inf: '∞', -math.inf: '−∞'}.get(v, '')


def short(v: float) -> str:
    """One number for a sentence, with three digits: `5.20`, `0.125`, `1.24e5`, `1.20e-7`."""
    if special(v):
        return special(v)
    if v and not 0.0095 <= abs(v) < 1e5:
        return scientific(v, 2)
    ways = [f'{v:.{digits}f}' for digits in (2, 3, 4)]
    return next((w for w in ways if abs(float(w) - v) <= 0.005 * abs(v)), ways[-1]).replace('-', '−')


def exact(data: np.ndarray) -> str:
    """A scalar in a sentence."""
    if data.dtype.kind in 'iu':
        return whole(int(data))
    return short(float(data)) if data.dtype.kind == 'f' else str(data.item())


def label(value: Value, x: float, y: float, room: float, colour: str = INK) -> list[Shape]:
    """The name of a value and its shape, on a baseline `y`."""
    shape = shape_text(value.shape)
    shape_w = min(width(shape, 11) + 1, room * 0.75) if shape else 0
    if not value.name:
        return [text(x, y, room, shape, 11, MUTED)] if shape else []
    name = text(x, y, room - shape_w - 5 * bool(shape), value.name, 12, colour, bold=True)
    used = width(name.text, 12, True) + 5 if name.text else 0
    name = name._replace(box=(x, y - 12, used, 15.6))
    return [name, text(x + used, y, room - used, shape, 11, MUTED)] if shape else [name]


def label_width(value: Value) -> float:
    """The room that a value's name and shape ask for."""
    shape = shape_text(value.shape)
    return min(width(value.name, 12, True), NAME_W) + (width(shape, 11) + 7 if shape else 1) + 3


def picture(value: Value, x: float, y: float, most: float | None = None, ring: int | None = None) -> list[Shape]:
    """A value drawn with its top left corner at (x, y). `most`: where the tint is full; `ring`: a number to frame."""
    data = value.data
    if data is None:
        return empty(x, y, value.words or 'not a tensor')
    if data.size == 0:
        return empty(x, y, 'no elements')
    most = limit(data) if most is None else most
    if not value.shape:
        return scalar(data, x, y, most)
    return (numbers if is_small(value.shape) else heatmap)(data, x, y, most, ring)


def empty(x: float, y: float, words: str, w: float = 84) -> list[Shape]:
    """A slot without numbers."""
    slot = Box(x, y, w, SCALAR_H, stroke=FAINT, dash='4 3', radius=3)
    return [slot, text(x + w / 2, y + 17, w - 6, words, 11, MUTED, 'middle')]


def scalar(data: np.ndarray, x: float, y: float, most: float) -> list[Shape]:
    """One number, larger."""
    shown, font = numerals(data, SLOT - 8, 14, True)[0], 14
    if 'e' in shown and '.' not in shown:  # rather smaller than with one digit
        shown, font = numerals(data, SLOT - 4, 12, True)[0], 12
    ground = Box(x, y, SLOT, SCALAR_H, tint(float(data), most) if data.dtype.kind in 'fiub' else 'none', radius=2)
    return [ground, text(x + SLOT / 2, y + 18, SLOT - 4, shown, font, anchor='middle', bold=True)]


def numbers(data: np.ndarray, x: float, y: float, most: float, ring: int | None, pitch: float = CELL_H) -> list[Shape]:
    """Up to 4×4 numbers, each on its tint; `pitch` from row to row."""
    rows, columns = fold(data.shape)
    shown, font = numerals(data, CELL_W - 6, NUMBER), NUMBER
    if any(width(t, NUMBER) > CELL_W - 6 for t in shown):
        shown, font = numerals(data, CELL_W - 5, 11), 11.0
    out: list[Shape] = []
    for i, (number, words) in enumerate(zip(data.ravel().tolist(), shown, strict=True)):
        left, top = x + i % columns * CELL_W, y + i // columns * pitch
        out.append(Box(left, top, CELL_W - 1, pitch - 1, tint(float(number), most)))
        out.append(text(left + CELL_W - 5, top + pitch / 2 + 4, CELL_W - 5, words, font, anchor='end'))
    if data.ndim > 2 and data.shape[-2] < rows:
        step = data.shape[-2] * pitch
        right = x + columns * CELL_W - 1
        cuts = tuple(((x, y + k * step - 0.5), (right, y + k * step - 0.5)) for k in range(1, rows // data.shape[-2]))
        out.append(Path(cuts, INK, 1))
    if ring is not None:
        left, top = x + ring % columns * CELL_W, y + ring // columns * pitch
        out.append(Box(left - 1, top - 1, CELL_W + 1, pitch + 1, stroke=INK, line=2, radius=2))
    return out


def heatmap(data: np.ndarray, x: float, y: float, most: float, ring: int | None) -> list[Shape]:
    """A larger tensor as tints, thinned out where it is too large to draw, with its range below."""
    rows, columns = fold(data.shape)
    flat = data.reshape(rows, columns)
    picked_rows = np.unique(np.linspace(0, rows - 1, min(rows, MOST_ROWS)).round().astype(int))
    picked_columns = np.unique(np.linspace(0, columns - 1, min(columns, MOST_COLUMNS)).round().astype(int))
    cells = flat[np.ix_(picked_rows, picked_columns)].astype(np.float64)
    high = size(Value('', data.shape, data=data))[1] - RANGE_H
    w, h = HEAT_W / cells.shape[1], high / cells.shape[0]
    out: list[Shape] = []
    crosses, beyond, dots, below = [], [], [], []
    masked = 0 < facts(data).zeros < data.size
    for (r, c), number in np.ndenumerate(cells):
        left, top = x + c * w, y + r * h
        out.append(Box(left, top, w - 0.5, h - 0.5, tint(number, most) if math.isfinite(number) else '#FFFFFF'))
        if number < 0 and math.isfinite(number):  # in grey, orange and blue are the same
            below.append(((left + w * 0.3, top + h / 2), (left + w * 0.7, top + h / 2)))
        if number != number:
            a, b, c, d = left + 1, top + 1, left + w - 2, top + h - 2
            crosses += [((a, b), (c, d)), ((a, d), (c, b))]
        elif not math.isfinite(number):
            tip, foot = (top + 1, top + h - 2) if number > 0 else (top + h - 2, top + 1)
            crosses.append(((left + 1, foot), (left + w / 2, tip), (left + w - 2, foot)))
        elif most and abs(number) > most * 1.001:
            right = left + w - 0.5
            beyond.append(((right - min(w, 5), top), (right, top), (right, top + min(h, 5))))
        elif number == 0 and masked:
            middle, low = left + w / 2 - 0.75, top + h / 2 - 0.5
            dots.append(((middle, low), (middle + 1.5, low)))
    if below:
        out.append(Path(tuple(below), INK, 0.7))
    if crosses:
        out.append(Path(tuple(crosses), INK, 1))
    if beyond:
        out.append(Path(tuple(beyond), fill=INK))
    if dots:
        out.append(Path(tuple(dots), MUTED, 1.5))
    out.append(Box(x - 0.5, y - 0.5, HEAT_W + 0.5, high + 0.5, stroke=RULE))
    out.append(text(x, y + high + 13, HEAT_W, span(data), 11, MUTED))
    if words := glyphs(data, most, bool(dots)):
        out.append(text(x, y + high + 26, HEAT_W, words, 11, MUTED))
    return out


def glyphs(data: np.ndarray, most: float, masked: bool) -> str:
    """What the marks in a heatmap stand for, with how many there are."""
    if data.dtype.kind not in 'fiu':
        return ''
    f = facts(data)
    beyond = 0
    if most and max(abs(f.low), abs(f.high)) > most * 1.001:
        sizes = np.abs(data)
        beyond = int((sizes > most * 1.001).sum()) - f.infinite
    counts = {
        '× {} NaN': f.nan,
        '^ {} ∞': f.infinite,
        '◥ {} beyond ' + short(most): beyond,
        '· {} zero' if f.zeros == 1 else '· {} zeros': f.zeros if masked else 0,
    }
    return ', '.join(words.format(n) for words, n in counts.items() if n)


def span(data: np.ndarray) -> str:
    """The range of a tensor's numbers."""
    if data.dtype.kind == 'b':
        return f'{int(data.sum())} of {data.size} True'
    f = facts(data)
    if f.nan + f.infinite == data.size:
        return 'nothing finite'
    zero = -0.0 if np.signbit(data).all() else 0.0  # where some zeros are minus zero, the range is from zero to zero
    low, high = (whole(v) if data.dtype.kind in 'iu' else short(v + zero) for v in (f.low, f.high))
    return f'all {low}' if low == high else f'{low} … {high}'


def whole(v: float) -> str:
    """A whole number, as long as it can be read."""
    return f'{v:.0f}'.replace('-', '−') if abs(v) < 1e9 else scientific(v, 2)


def told(data: np.ndarray) -> str:
    """The range in a sentence, behind a shape: ` from 0.10 to 2.00, 3 not finite`."""
    low, between, high = span(data).partition(' … ')
    lost = 0 if data.dtype.kind == 'b' else facts(data).nan + facts(data).infinite
    words = f' from {low} to {high}' if between else f', {low}'
    return words + (f', {lost} not finite' if 0 < lost < data.size else '')
