"""The gradients that were asked for: as numbers where they are few and small, else a row for each."""

import numpy as np

from ..model import Arrival, Pass, Value, shape_text
from . import numbers, phrases, tiles
from .moment import Moment
from .plan import GAP

ROWS = 22  # px of a gradient's row in a list
SUMMED = 24  # parts that are written as a sum; more would not fit


def draw(m: Moment) -> None:
    """All of them, as far as they have come."""
    runs = [p for p in m.record.passes if p.begun <= m.step and p.arrivals] or [
        p for p in m.record.passes if p.arrivals
    ]
    if not runs or m.plan.results.h < 40:
        return  # in a picture of two tapes they stand on the road
    ended = [p for p in runs if p.ended is not None and p.ended <= m.step]
    # of gradients of gradients the innermost begins last and ends first
    run = max(ended, key=lambda p: p.ended) if ended and m.record.depth else runs[-1]
    small = all(a.total is None or a.total.data is None or a.total.data.size <= 16 for a in run.arrivals)
    (few if len(run.arrivals) <= 2 and small else many)(m, run)


def few(m: Moment, run: Pass) -> None:
    """One or two small gradients, as numbers."""
    frame, (x, y, w, h) = m.frame, m.plan.results
    count = max(len(run.arrivals), 1)
    wide = min((w + GAP) / count - GAP, 442)
    high = min(h, 136)
    for k, arrival in enumerate(run.arrivals):
        left, value = x + k * (wide + GAP), partial(m, run, arrival)
        done = run.ended == m.step and not m.compare
        frame.sheet(f't{k}', left + 1, y, wide - 2, high, ' now' if done else '' if value is not None else ' ahead')
        beside = value is None or (high <= 90 and phrases.single(value))  # what stands in the same row
        room = wide / 2 - 40 if beside else wide - 32
        frame.text(f't{k}N', left + 16, y + 28, arrival.name, 'fut mid2' if value is None else 'mid2', room=room)
        if value is None:
            frame.text(f't{k}q', left + wide / 2, y + high / 2 + 14, '?', 'mid ques')
            continue
        key = f'p{m.record.passes.index(run)}.{k}'
        if phrases.single(value):
            number = f'{key}[0,0]'
            base, under = (y + 66, 24) if high > 90 else (y + 36, 19)
            total = numbers.said(value.data.item())
            room = wide / 2 + 8 if beside else wide - 32
            frame.rect(number, left + 12, base - 28, wide - 24, 34, 'row hot', 3, rx=6, v=number, rc=number)
            frame.text(f'{number}t', left + wide - 16, base, total, 'xxl', 5, room=room)
            parts = m.story.arriving(arrival).parts(m.step)
            said = ' + '.join(map(phrases.amount, parts)) if 1 < len(parts) <= SUMMED else ''
            frame.text(f't{k}F', left + wide - 16, base + under, f'= {said}' if said else '', 'dim end', room=wide - 32)
            continue
        how = tiles.plate(value, wide - 32, high - 50)
        tiles.draw(frame, key, left + 16, y + 40, value, how, classes=' on', account=True)


def many(m: Moment, run: Pass) -> None:
    """A row for each: its name, its shape, how large it is. Of very many, those around the last that came."""
    frame, found = m.frame, run.arrivals
    x, y, w, h = m.plan.results
    started = run.started is not None and run.started <= m.step
    frame.sheet('Gs', x + 1, y, w - 2, h, '' if started else ' ahead')
    frame.text('G', x + 16, y + 24, 'gradients', 'bf' if started else 'fut')
    if len(found) * ROWS + 40 <= h:
        frame.text('Gr', x + w - 16, y + 24, 'root mean square', 'dim end')
    columns = 1 if w < 400 else 2 if len(found) <= 8 else 3
    per = max(1, int((h - 40) // ROWS))
    came = [m.story.arriving(a).last(m.step) for a in found]
    room, first = columns * per, 0
    if len(found) > room:
        latest = max(range(len(found)), key=came.__getitem__) if max(came) >= 0 else len(found) - 1
        first = max(0, min(latest - room // 2, len(found) - room))
        frame.text('Gof', x + w - 16, y + 24, f'{first + 1}–{first + room} of {len(found)}', 'dim end')
    wide = (w - 16) / columns
    for n, arrival in enumerate(found[first : first + room]):
        k, left, base = n + first, x + 16 + (n // per) * wide, y + 48 + (n % per) * ROWS
        value = partial(m, run, arrival)
        name_room = wide - (72 if columns == 3 else 150)
        frame.text(f'g{k}', left, base, arrival.name, 'm' if came[k] >= 0 else 'm fut', room=name_room)
        if columns < 3:
            frame.text(f'g{k}s', left + wide - 90, base, shape_text(arrival.shape), 'dim end')
        if value is not None and value.data is not None and value.data.size:
            frame.text(f'g{k}v', left + wide - 16, base, numbers.said(rms(value.data)), 'end b')


def partial(m: Moment, run: Pass, arrival: Arrival) -> Value | None:
    """A gradient as far as its parts have come."""
    if arrival.total is None:
        return None
    if run.ended is not None and run.ended <= m.step:
        return arrival.total
    return m.story.arriving(arrival).until(m.step)


def rms(array: np.ndarray) -> float:
    """The root mean square, in double."""
    if array.size == 1:
        return abs(float(array.item()))
    data = np.asarray(array, np.float64)
    with np.errstate(all='ignore'):
        return float(np.sqrt(np.mean(data * data)))
