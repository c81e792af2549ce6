"""What is known of a takeover's gradients, large, at the left of their tables."""

from ...ink import numbers, tiles
from ...ink.shapes import width
from ...judge.verdict import WRONG, Verdict
from ...story.followed import follow
from ...story.record import Gradient
from . import verdict
from .plan import CARD, CODE, Box
from .taken import Taken
from .touch import TOUCHED

UNSEEN = 'the shapes fit, so no error'
PLATE = 132  # px of a large number's ground


def draw(t: Taken) -> None:
    """A question before; that nobody checked; and at the end the number that is worst, and what it should be."""
    m, (x, y, _, h) = t.m, t.m.plan.results
    frame, x, room = m.frame, x + 8, CODE - x - 24
    if not t.given:
        frame.text('V0', x, y + (76 if h > 120 else 48), '?', 'ques')
        frame.text('V1', x, y + (106 if h > 120 else 72), t.awaited('it' if len(t.names) == 1 else 'them'), 'fut',
                   room=room)  # fmt: skip
        return
    if not t.judged:
        frame.text('V0', x, y + h / 2, 'nobody checked', 'big bf', room=room)
        frame.text('V1', x, y + h / 2 + 22, UNSEEN, '', room=room)
        return
    found = min(t.verdicts, key=verdict.rank)
    g = t.gave[0][1] if t.gave else None
    if found.verdict != WRONG:
        said, _, more = verdict.badge(found)[0].partition(', ')
        frame.text('V0', x, y + h / 2 + 8 * (not more), said, 'big', room=room)
        frame.text('V1', x, y + h / 2 + 22, more, '', room=room)
    elif pair := verdict.worst(found):
        versus(t, g, found, *pair)
    else:
        frame.text('V0', x, y + h / 2 + 8, f'✗ {g.name}', 'big xx', room=room)


def versus(t: Taken, g: Gradient, v: Verdict, place: tuple[int, ...], yours: str, true: str) -> None:
    """The worst number beside what it should be, in the colours of their tables; under them how far it is off."""
    frame, (x, y, _, h) = t.m.frame, t.m.plan.results
    high = 62 if h > 120 else 46
    second = CODE - 16 - PLATE
    sizes = ('ques', 'xxl', 'big') if high > 50 else ('xxl', 'big')
    look = next((size for size in sizes if max(width(yours, size), width(true, size)) < PLATE - 12), 'mid2')
    low = {'ques': 16, 'xxl': 11, 'big': 8}.get(look, 5)  # from the middle to the baseline
    for key, at, ground, said, name, ink in (
        ('V2', x, 'block wrong', yours, f'your {g.name}{numbers.index(place)}', ''),
        ('V4', second, 'rl', true, 'should be', ' af'),
    ):
        frame.text(key, at, y + 17, name, f'mid3{ink}', room=PLATE + 12)
        frame.rect(f'{key}p', at, y + 27, PLATE, high, ground, 2, rx=8)
        frame.text(f'{key}t', at + PLATE / 2, y + 27 + high / 2 + low, said, f'{look} mid ont', 5, room=PLATE - 8)
    frame.text('V0', (x + PLATE + second) / 2, y + 27 + high / 2 + 8, '≠', 'big mid')
    if high + 49 <= h + 4:
        frame.text('V1', x, y + high + 49, verdict.badge(v)[0].replace(' up to', ''), 'xx')
        at = x + width('✗ off by 0.000', 'xx')
        rows = true_rows(t, g, place)
        said, ink = added(rows, float(v.due[place]), true, second + PLATE - at), 'af'
        if said:
            light(t, rows)
        if not said and t.deaf and 'nob' not in frame:
            said, ink = t.unused, 'bf'
        frame.text('V3', second + PLATE, y + high + 49, said, f'{ink} end')


def small(t: Taken, place: int, box: Box, at: tuple[int, ...], yours: str, true: str) -> None:
    """Of another wrong gradient its worst number alone, and what that should be, if both have room."""
    frame, x, y = t.m.frame, box.x, box.y + CARD
    sizes = ((ink, max(width(yours, ink), width(true, ink)) + pad) for ink in ('num', 'num onw') for pad in (24, 10))
    ink, w = next(((ink, w) for ink, w in sizes if 2 * w + 24 <= box.w), ('', 0))
    if not ink:
        return
    i, j = tiles.cell_of(at, t.verdicts[place].due.shape)
    key = f'g{t.number}.{place}[{i},{j}]'
    frame.rect(f'{key}p', x, y, w, 26, 'tile wrong', 2, rx=6)
    frame.rect(key, x, y, w, 26, 'cell hot', 3, rx=6, v=key, rc=key)
    frame.text(f'{key}t', x + w / 2, y + 18.5, yours, f'mid {ink}')
    frame.text(f'{key}n', x + w + 12, y + 18, '≠', 'mid')
    frame.rect(f's{key[1:]}p', x + w + 24, y, w, 26, 'rl past', 2, rx=6)
    frame.text(f's{key[1:]}t', x + 1.5 * w + 24, y + 18.5, true, f'mid {ink}')
    if t.m.plan.results.h > 100 and at:
        frame.text(f'{key}a', x, y + 46, f'at {numbers.index(at)}', 'dim', room=box.w)


def true_rows(t: Taken, g: Gradient, place: tuple[int, ...]) -> tuple:
    """What the built-in rules would have added up to the true number."""
    record = t.m.record
    if record.why is None or len(record.entries) > TOUCHED:
        return ()
    account = follow(record, f'how {g.name} was made', record.why, g.tensor, place)
    return account.true_rows if account is not None else ()


def added(rows: tuple, due: float, true: str, room: float) -> str:
    """The true number as a sum: `= 2.10 + 1.20 + 3.30`; '' where that has no room, or does not add up as rounded."""
    digits = len(true.partition('.')[2])
    off = sum(round(row.product, digits) for row in rows) - round(due, digits)
    said = '= ' + ' + '.join(numbers.said(row.product, digits) for row in rows).replace('+ −', '− ')
    return said if len(rows) > 1 and abs(off) < 0.1**digits / 2 and width(said) <= room else ''


def light(t: Taken, rows: tuple) -> None:
    """The numbers of forward that such a sum is made of: `y[2,0]`."""
    frame, inputs = t.m.frame, {v.name: (key, v.shape) for key, v in zip(t.entry.keys, t.entry.inputs, strict=False)}
    for row in rows:
        name, _, at = row.by.partition('[')
        key, shape = inputs.get(name, (None, ()))
        index = tuple(int(n) for n in at.rstrip(']').split(',') if n)
        cell = f'a{key}[{",".join(map(str, tiles.cell_of(index, shape)))}]' if key is not None and at else ''
        if cell in frame:
            ground, number = frame[cell].attrs, frame[f'{cell}t']
            frame.rect(f'lit{cell}', ground['x'], ground['y'], ground['width'], ground['height'], 'rl past', rx=3)
            classes = number.attrs['class'].replace(' dim', '')
            frame[f'{cell}t'] = number._replace(attrs=number.attrs | {'class': classes})
