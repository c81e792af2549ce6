"""The gradients of a takeover as tables: your own, and beside the first that is wrong the true one.

When they are compared, of the other gradients is said how far they are off; on a phone each has the true one beside it.
"""

import numpy as np

from ...ink import tiles
from ...ink.shapes import width
from ...story.record import Gradient, Value
from . import inline, phrases, verdict, voice
from .plan import CARD, CODE, STAGE, TALL, Box
from .taken import Taken

APART = 24  # px between two tables
SMALL = 124  # px of a table that leaves its room to the one that is compared


def draw(t: Taken) -> None:
    """The tables, what is known of them, and what leads to them from the `return` line."""
    m = t.m
    if t.deaf and t.given and not (t.inline and m.behind):
        inline.unread(m, t.unused)
    if t.inline:
        inline.draw(t)
        return
    count = min(len(t.names), 2 if m.plan.narrow or t.versus else 3)
    found = boxes(t, count)
    for k, box in enumerate(found):
        if k < len(t.gave) and t.made(t.gave[k][0]):
            table(t, k, *t.gave[k], box)
        else:
            ahead(t, k, t.gave[k][0] if k < len(t.gave) else k, box)
    if t.beside:
        voice.draw(t)
    if more := len(t.names) - count:
        y = found[0].y - 4 if m.plan.narrow else m.own_rows[-1].y if m.own_rows else 0
        m.frame.text('tmore', m.plan.w - 24, y, f'and {more} more', 'dim end')
    if t.given and any(g.value is not None for _, g in t.gave):  # None as every gradient hands nothing on
        handed_on(t, found[0])


def boxes(t: Taken, count: int) -> list[Box]:
    """The tables' places: under the stage, or on a phone one under the other."""
    x, y, w, h = t.m.plan.results
    if t.m.plan.narrow:
        gap = 22
        high = (h + gap) / max(t.m.plan.cards, 1) - gap
        return [Box(x, y + k * (high + gap), w, high) for k in range(count)]
    x, w = STAGE, x + w - STAGE
    if not t.versus or count == 1:
        wide = (w + APART) / count - APART
        return [Box(x + k * (wide + APART), y, wide, h) for k in range(count)]
    (place, g), small = t.gave[0], (w - 2 * APART) / 3
    if any(tiles.plate(v, small, h - CARD, None, TALL, 'num').kind == 'squares' for v in (g.value, t.due(place)) if v):
        small = SMALL
    return [Box(x, y, w - APART - small, h), Box(x + w - small, y, small, h)]


def ahead(t: Taken, k: int, place: int, box: Box) -> None:
    """Where a gradient will be."""
    frame, (x, y, w, h) = t.m.frame, box
    frame.text(f't{k}N', x, y + 17, t.names[k], 'fut mid3', room=w / 2)
    if t.m.plan.narrow:
        frame.text(f't{k}F', x, y + 37, t.awaited('it'), 'fut', room=w)
    value = t.entry.inputs[place] if place < len(t.entry.inputs) else None
    if value is not None and value.data is not None:  # as many places as there will be numbers
        how = tiles.plate(value, w, h - CARD, None, TALL, 'num')
        tiles.draw(frame, f'g{t.number}.{place}', x - 2, y + CARD, value, how, there=False)


def table(t: Taken, k: int, place: int, g: Gradient, box: Box) -> None:
    """A gradient; beside it the true one, if there is room for that."""
    m, frame, (x, y, w, h) = t.m, t.m.frame, box
    true, g = t.due(place), g if g.value is not None else g._replace(value=Value(g.name, words='None'))
    alike = t.alike(place, g)
    arrays = [v.data for v in (g.value, true if alike else None) if v is not None and v.data is not None]
    scale = max(map(tiles.largest, arrays), default=0.0)  # one for both
    both = m.compare and true is not None and (m.plan.narrow or k == 0)
    half = (w - APART) / 2 if both else w
    marks = verdict.marks(t.verdicts[place], verdict.most(t.verdicts), k == 0) if m.compare else None
    heading(t, k, place, g, x, y, half)
    if t.beside and marks and not both and (pair := verdict.worst(t.verdicts[place])):
        voice.small(t, place, box, *pair)
        return
    how = tiles.plate(g.value, half, h - CARD, None, TALL, 'num')
    tiles.draw(frame, f'g{t.number}.{place}', x - 2, y + CARD, g.value, how, classes=' bare', account=True,
               marks=marks, top=scale)  # fmt: skip
    if marks and t.deaf and (lucky := int(np.sum(~marks.wrong))) and how.h + 17 <= h - CARD:
        frame.text(f't{k}L', x, y + CARD + how.h + 15, f'✓ {lucky} right by luck', 'dim', room=half)
    if not both:
        return
    at, formula = x + half + APART, phrases.true_formula(m.record, t.entry, place) * t.blamed(place)
    frame.text(f't{k}sN', at, y + 17, f'true {g.name}', 'mid3 af', room=half)
    frame.text(f't{k}sF', at, y + 38, formula if width(formula, 'm') <= half else '', 'm af')
    how = tiles.plate(true, half, h - CARD, None, TALL, 'num')
    tiles.draw(frame, f's{t.number}.{place}', at - 2, y + CARD, true, how, classes=' tru bare',
               marks=marks and marks._replace(peer=True), top=scale)  # fmt: skip


def heading(t: Taken, k: int, place: int, g: Gradient, x: float, y: float, w: float) -> None:
    """What a table is called, what is known of it, and how its numbers were made."""
    frame, badge = t.m.frame, t.badge(place)
    name = f'{"your" if t.entry.yours else f"{t.entry.name}’s"} {g.name}'
    frame.text(f't{k}N', x, y + 17, name, 'mid3', room=w)
    formula = g.formula if width(g.formula, 'm') <= w else ''
    if badge and not (t.m.compare and t.beside and k == 0):  # else the large words say it
        at = x + min(width(name, 'mid3'), w) + 12
        apart = at + width(badge[0], badge[1]) > x + w  # under its name, in place of the formula
        formula *= not apart
        frame.text(f't{k}B', x if apart else at, y + (38 if apart else 17), *badge, room=w if apart else x + w - at)
    frame.text(f't{k}F', x, y + 38, formula, 'dim' if formula.startswith('by ') else 'm')


def handed_on(t: Taken, first: Box) -> None:
    """From the `return` line to the tables: on a screen one frame holds the lines and what they returned."""
    m, frame, rows = t.m, t.m.frame, t.m.own_rows
    now = not m.compare and m.now.kind == 'give' and m.now.reading == t.number
    if m.plan.narrow:
        look, x = '' if now else ' past', first.x + 40
        frame.path('out', f'M{x:g},{rows[-1].y + 10:g}V{first.y - 16:g}', f'fat th{look}', 1, draw=300)
        frame.head('outh', x, first.y - 2, 'd', f'fatk{look}', 6, 11, late=300)
        return
    x, y, w, h = m.plan.results
    left, right, inner, top, end = x - 12, x + w + 10, CODE - 4, rows[0].y - 19, y + h + 6
    way = (
        f'M{left + 8:g},{top:g}H{inner - 8:g}A8,8,0,0,1,{inner:g},{top + 8:g}V{y - 10:g}H{right - 10:g}'
        f'A10,10,0,0,1,{right:g},{y:g}V{end - 10:g}A10,10,0,0,1,{right - 10:g},{end:g}H{left + 10:g}'
        f'A10,10,0,0,1,{left:g},{end - 10:g}V{top + 8:g}A8,8,0,0,1,{left + 8:g},{top:g}Z'
    )
    frame.path('came', way, 'mine' if now else 'mine0', 0)
