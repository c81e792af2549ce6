"""What is said inside the lines of a bprop: its gradients where they have no tables, and that no line uses dout."""

from ...ink import tiles
from ...ink.shapes import cut, width
from ...story.record import Gradient
from . import forward, phrases, program
from .moment import Moment
from .plan import CODE, GAP, ROW
from .taken import Taken


def draw(t: Taken) -> None:
    """The gradients beside the line that returns them, while a second tape has the room."""
    m, (x, y, w, _) = t.m, t.m.plan.results
    count = min(len(t.names), 3)
    wide = (w + GAP) / count - GAP
    for k in range(count):
        left = x + k * (wide + GAP)
        if k < len(t.gave) and t.made(t.gave[k][0]):
            gradient(t, k, *t.gave[k], left, wide)
        elif m.again is None:  # else its place is on the second tape
            m.frame.text(f't{k}N', left, m.own_rows[-1].y, t.names[k], 'fut mid2', room=wide / 2)
            at = left + width(t.names[k], 'mid2') + 24
            m.frame.text(f't{k}q', at, m.own_rows[-1].y + 3, '?', 'mid big fut')
    if len(t.names) > count:
        m.frame.text('tmore', m.plan.w - 24, y + 34, f'and {len(t.names) - count} more', 'dim end')
    if not t.given or 't0bg' in m.frame:  # it stands in that line
        return
    now = not m.compare and m.now.kind == 'give' and m.now.reading == t.number
    look, out = '' if now else ' past', m.own_rows[-1].y - 5
    if not m.behind and m.own_rows[-1].number not in forward.lines(m, m.strips[1].row(m.focus[1])):
        m.frame.path('out', f'M{CODE - 4:g},{out:g}H{x - 23:g}', f'fat th{look}', 1, draw=300)
        m.frame.head('outh', x - 8, out, 'r', f'fatk{look}', 1, 11, late=200)


def gradient(t: Taken, k: int, place: int, g: Gradient, x: float, wide: float) -> None:
    """A gradient beside the line that returns it."""
    m, frame, y = t.m, t.m.frame, t.m.own_rows[-1].y
    if g.value is None or (m.again is not None and in_line(t, k, place, g)):
        return
    frame.text(f't{k}N', x, y, g.name, 'mid2', room=60)
    end = min(x + wide, m.plan.w - 14)
    x += width(g.name, 'mid2') + 10
    if m.again is None:  # else it stands on the second tape
        how = tiles.plate(g.value, wide / 3, 20)
        tiles.draw(frame, f'g{t.number}.{place}', x, y - 5 - how.h / 2, g.value, how, account=True)
        x += how.w + 10
    badge = t.badge(place)
    said = f'= {g.formula}' if g.formula else ''
    if m.again is not None and phrases.single(g.value):
        said += f' = {phrases.amount(g.value)}'
    said = cut(said, end - x - (width(badge[0], 'mid2') + 16 if badge else 0), 'm dim')
    frame.text(f't{k}F', x, y - 0.5, said, 'm dim')
    if badge:
        x += width(said, 'm dim') + 16 * bool(said)
        frame.text(f't{k}B', x, y, badge[0], f'mid2 {badge[1]}', room=end - x)


def in_line(t: Taken, k: int, place: int, g: Gradient) -> bool:
    """A gradient in the line that returns it, if it has room there: it is no longer the subject."""
    m, row, own = t.m, t.m.own_rows[-1], t.m.plan.own
    badge, said = t.badge(place), f'{g.name} = {phrases.amount(g.value)}' if phrases.single(g.value) else ''
    said += f'  {badge[0]}' if badge and said else ''
    left, right = own.x + program.GUTTER + len(row.text) * program.LETTER + 12, own.x + own.w - 14
    if not said or left + width(said) > right + 2:
        return False
    m.frame.rect(f't{k}bg', right - width(said) - 6, row.y - 14.5, width(said) + 12, ROW, 'dout', 2, rx=4)
    m.frame.text(f't{k}N', right, row.y, said, 'end', 6)
    return True


def unread(m: Moment, said: str) -> None:
    """Under the dout that comes in, that no line reads it."""
    head, *lines = m.own_rows
    chip = m.frame.get(f'dout{head.key}0')
    if chip is None:
        return
    x, y, wide, h = (chip.attrs[name] for name in ('x', 'y', 'width', 'height'))
    right, edge = x + wide, m.plan.own.x + m.plan.own.w - 5
    if not m.plan.narrow and edge > right:  # what comes in ends there
        m.frame.rect('stream', right - 4, y, edge - right + 4, h, 'dout', 1)
        m.frame.rect('cap', x - 6, y - 1, 6, h + 2, 'fatk', 2)
    for row in lines:
        if right - width(said, 'b') > m.plan.own.x + program.GUTTER + len(row.text) * program.LETTER + 12:
            m.frame.text('nob', right, row.y, said, 'b bf end', 6)
            return
    if not m.plan.narrow and not m.compare:  # else it stands beside the numbers
        m.frame.text('nob', CODE + 50, m.plan.results.y - 14, said, 'bf', 6)
