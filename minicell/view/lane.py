"""What a tape lies on, and what is drawn between its boxes and those of your code once all of them stand."""

from collections.abc import Callable
from functools import partial

from ..ink.boxes import Arrow, Box, Canvas, Grid, Link, Rect
from . import style
from .columns import TAGS, skips
from .now import Now
from .strip import taken
from .tape import Cells


class Lane(Grid):
    """A tape on its grounds: forward's above, backward's below, the film between."""

    def __init__(self, tag: str, rows: list[list], stretch: range, arrows: list[Box], film: str) -> None:
        super().__init__(rows, (style.GAP, 0), least={style.TAPE_ROW: style.FILM}, stretch=stretch)
        self.tag, self.arrows, self.film = tag, arrows, film

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The grounds, the grid, and what is drawn between its boxes."""
        tag, round_ = self.tag, style.FIELD_ROUND
        left, wide, up = x - style.EDGE, w + 2 * style.EDGE, sum(self.high[: style.TAPE_ROW])
        film = Rect(left, y + up, wide, self.high[style.TAPE_ROW])
        middle = up + film.h / 2
        to.frame.rect(f'{tag}aback', left, y, wide, h, 'aback', -2, rx=round_)
        to.frame.rect(f'{tag}ahead', left, y, wide, middle, 'ahead', -2, rx=round_)
        to.frame.rect(f'{tag}ahead.', left, y + 2 * round_, wide, middle - 2 * round_, 'ahead', -2)
        to.places[f'{tag}film'] = film
        to.frame.rect(f'{tag}film', *film, self.film, -1)
        for k, at in enumerate((film.y + style.HOLE, film.bottom - style.HOLE)):
            to.frame.path(f'{tag}holes{k}', f'M{left + style.PAD:g},{at:g}H{film.right - style.PAD:g}', 'holes', 0)
        super().place(to, x, y, w, h)
        for k, arrow in enumerate(self.arrows):
            to.put(arrow, Rect(x, y, w, h), f'w{k}')


def stem(now: Now, i: int, tag: str, to: Canvas) -> None:
    """From an entry down to its block, and from there to its rule, or to where a takeover turns off."""
    card, block, rule = (to.places.get(key) for key in (f'e{i}', f'B{i}', f'r{i}'))
    if card is not None and block is not None and now.done(i):
        writes = now.told.kind == 'write' and now.writes(i)
        to.frame.path(f'{tag}up{i}', f'M{block.cx:g},{card.bottom:g}V{block.y:g}', 'link' + ' f' * writes, 1)
    if block is None or rule is None or now.reading(i) is None:
        return
    end = rule.y if rule.x <= block.cx <= rule.right else rule.cy - style.ROAD / 2
    to.frame.path(f'{tag}dn{i}', f'M{block.cx:g},{block.bottom:g}V{end - style.PAD:g}', 'call', 2)
    to.frame.head(f'{tag}dn{i}h', block.cx, end - 1, 'd', 'run', style.OVER + 1, style.STEM)


def bridge(tag: str, frame: str, keys: list[str], narrow: bool, to: Canvas) -> None:
    """From the lines of a bprop that have written entries of a later tape into that tape: they are what is on it."""
    own, film = to.places.get(frame), to.places.get(f'{tag}film')
    rows = sorted((to.places[key] for key in keys if key in to.places), key=lambda place: place.y)
    if own is None or film is None or not rows:
        return
    top, bottom = rows[0].y, rows[-1].bottom
    to.frame.rect(f'{tag}wrote', own.x + 2, top, own.w - 2, bottom - top, 'block own', 0, rx=style.BLOCK_ROUND)
    if narrow:
        return
    x, wide, r = own.right, style.GAP - 1, style.CARD_ROUND
    d = f'M{x:g},{top:g}H{x + wide - r:g}A{r},{r},0,0,1,{x + wide:g},{top + r:g}V{film.y:g}H{x:g}Z'
    to.frame.path(f'{tag}bridge', d, 'film rib', -1)


def wires(cells: Cells) -> list[Arrow]:
    """From each value to the entries that read it, from an entry to what it made; past other columns back from a rule
    to a gradient, as a part of a sum; and along the edge from the tape before."""
    columns, now, tag = cells.columns, cells.now, cells.tag
    out: list[Arrow] = []
    back: list[Arrow] = []

    def look(i: int, reads: bool = True) -> tuple[str, str]:
        shade = '' if now.done(i) or (reads and now.writes(i)) else ' q'
        return f'fw{shade}', f'fh{shade}'

    for n, i in columns.opened:
        entry = columns.record.entries[i]
        if columns.list[n].slots:
            straight = lambda a, b: (f'M{b.cx:g},{a.bottom + 1:g}V{b.y - style.TURN:g}', (b.cx, b.y - 1, 'd'))
            out.append(way(f'w{tag}{i}i', straight, [f'{tag}i{i}', f'e{i}'], look(i)))
        near = [(k, key) for k, key in enumerate(dict.fromkeys(entry.keys)) if columns.seen.get(key) == n - 1]
        out += [Link(f'{tag}{key}', f'e{i}', look(i), key=f'w{tag}{i}.{k}') for k, key in near]
        made = enumerate(entry.made if columns.within(i) is None else ())
        out += [Link(f'e{i}', f'{tag}v{key}', look(i, False), key=f'w{tag}{i}o{k}') for k, key in made]
    for at, lane, i, k, key in skips(columns):
        between = [f'{tag}{key}', f'{tag}c{at}', f'{tag}o{lane}', f'e{i}']
        out.append(way(f'w{tag}{i}k{k}', partial(arch, k), between, look(i)))
        reading = now.reading(i)
        if not taken(columns.record.entries[i]) and now.given(reading) and key in now.story.handed(reading):
            between = [f'r{i}', f'{tag}c{at}', f'{tag}u{lane}', f'{tag}d{key}']
            back.append(way(f'u{tag}{i}k{k}', under, between, ('call', 'run')))
    before = TAGS[cells.tape.level - 1]  # a gradient on that tape may go on here, as the `dout` of its end
    for key in (slot.key for slot in columns.list[-1].slots if slot.out is not None):
        between = [f'{before}d{key}', f'{before}low', f'{tag}film', f'{tag}d{key}']
        back.append(way(f'y{tag}{key}', around, between, ('call', 'run')))
    return out + back


def way(key: str, along: Callable, between: list[str], look: tuple[str, str]) -> Arrow:
    """A line past some boxes, if all of them stand; `along`: its path, and where its tip is."""

    def drawn(to: Canvas) -> None:
        places = [to.places.get(name) for name in between]
        if None not in places:
            path, tip = along(*places)
            to.frame.path(key, path, look[0])
            to.frame.head(f'{key}h', *tip, look[1], style.OVER, style.HEAD_OF_WIRE)

    return Arrow(drawn, key)


def arch(k: int, a: Rect, column: Rect, over: Rect, b: Rect) -> tuple:
    """From a value over what lies between to a card that reads it."""
    x, tip = column.right + style.GAP / 2 - 1, b.x + min(style.ENTERS + style.APART_BY * k, b.w - style.INSIDE)
    return f'M{a.right + 1:g},{a.cy:g}H{x:g}V{over.cy:g}H{tip:g}V{b.y - style.TURN:g}', (tip, b.y - 1, 'd')


def around(a: Rect, low: Rect, film: Rect, b: Rect) -> tuple:
    """From a gradient under its road to the edge, and down onto the end of another road."""
    x, y, end = film.right - style.APIECE, low.bottom + style.CLOSE, b.cy - style.ROAD / 2
    return f'M{a.cx:g},{a.cy + style.ROAD / 2:g}V{y:g}H{x:g}V{end - style.TURN:g}', (x, end - 1, 'd')


def under(a: Rect, column: Rect, low: Rect, b: Rect) -> tuple:
    """From a rule under what lies between to a gradient."""
    x, end = column.right + style.GAP / 2, b.right + style.TURN
    return f'M{a.cx:g},{a.bottom:g}V{low.cy:g}H{x:g}V{b.cy:g}H{end:g}', (b.right + 1, b.cy, 'l')
