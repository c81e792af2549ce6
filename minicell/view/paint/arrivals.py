"""The gradients that were asked for: as numbers where they are few and small, else a row for each."""

import numpy as np

from ...ink import numbers, tiles
from ...ink.metrics import shape_text
from ...ink.shapes import width
from ...judge.verdict import RIGHT, Verdict
from ...story.record import Arrival, Pass, Record, Value
from . import phrases, verdict
from .moment import Moment
from .plan import GAP, TALL

ROWS = 22  # px of a gradient's row in a list
SUMMED = 24  # parts that are written as a sum; more would not fit


def draw(m: Moment) -> None:
    """All of them, as far as they have come."""
    asked = [p for p in m.record.passes if p.arrivals]
    asked = [p for p in asked if not m.story.part(p)] or asked  # what a bprop asks for ends in the bprop
    runs = [p for p in asked if begins(m.record, p) <= m.step] or asked[:1]
    if not runs:
        return
    ended = [p for p in runs if p.ended is not None and p.ended <= m.step]
    # of gradients of gradients the innermost begins last and ends first
    run = max(ended, key=lambda p: p.ended) if ended and m.record.depth else runs[-1]
    if len(m.strips) > 1:
        run = large(m, runs, run)
        end_of_road(m, run)
    small = all(a.total is None or a.total.data is None or a.total.data.size <= 16 for a in run.arrivals)
    (few if len(run.arrivals) <= 2 and small else many)(m, run)


def begins(record: Record, run: Pass) -> int:
    """When a gradient is there to be shown: from its begin on; one more reading of it, from its own start."""
    again = run.key is not None and next(p for p in record.passes if p.key is run.key) is not run
    return run.started if again and run.started is not None else run.begun


def large(m: Moment, runs: list[Pass], last: Pass) -> Pass:
    """Whose gradient stands large: of those that came to the second tape the last, else the outermost."""
    came = [(when, p) for p, when in m.story.readers[1] if when <= m.step and p in runs]
    if came:
        return max(came, key=lambda pair: pair[0])[1]
    return next((p for p in reversed(runs) if p.order == 1), last)


def end_of_road(m: Moment, run: Pass) -> None:
    """Where backward of the second tape leads: to the gradient of the gradient, if that reads it."""
    if m.plan.narrow:
        return
    frame, lane, box = m.frame, m.plan.lanes[1], m.plan.answers
    number = m.record.passes.index(run)
    if not any(r.run == number and m.record.entries[r.entry].level for r in m.record.readings):
        frame.path('roadb', f'M{lane.x + lane.w:g},{lane.road:g}H{lane.x:g}', 'road', 0)
        return
    values = [partial(m, run, a) for a in run.arrivals]
    came = any(value is not None for value in values)
    tip = box.x + box.w
    if len(values) == 1 and (values[0] is None or phrases.single(values[0])):
        said = numbers.said(values[0].data.item()) if came else '?'
        tip = min(tip, box.x + max(width(said, 'hero'), 60) + 10)
    look = '' if came and m.now.kind in ('arrive', 'give') else ' past' if came else None
    frame.path('roadb', f'M{lane.x + lane.w:g},{lane.road:g}H{tip + 46:g}', 'road', 0)
    if look is not None:
        start = lane.x if m.strips[1].all is not None else lane.x - 30  # past the name of a gradient
        frame.path('end', f'M{start:g},{lane.road:g}H{tip + 46:g}', f'rb{look}', 1)
    frame.head('endh', tip, lane.road, 'l', f'rl{" todo" if look is None else look}', 1, 34)


def few(m: Moment, run: Pass) -> None:
    """One or two small gradients, as numbers."""
    frame, (x, y, w, h) = m.frame, m.plan.answers
    count = max(len(run.arrivals), 1)
    wide = (w + GAP) / count - GAP
    for k, arrival in enumerate(run.arrivals):
        left, value = x + k * (wide + GAP), partial(m, run, arrival)
        name = m.story.named(run).get(arrival.name, arrival.name)
        hero = count == 1 and len(m.strips) > 1
        large, base = ('hero', y + 82) if hero else ('xxl', y + 62)
        frame.text(f'A{k}N', left, y + 24, name, 'fut mid3' if value is None else 'mid3', room=wide)
        if value is None:
            frame.text(f'A{k}q', left, base, '?', 'ques')
            continue
        key = f'p{m.record.passes.index(run)}.{k}'
        if found := final(m, run, k):
            at, (said, look) = left + width(name, 'mid3') + 14, verdict.badge(found)
            frame.text(f'A{k}B', at, y + 24, said, f'mid2 {look}', room=left + wide - at)
        if phrases.single(value):
            number = f'{key}[0,0]'
            total = numbers.said(value.data.item())
            tall = 56 if hero else 34
            room = min(width(total, large), wide)
            frame.rect(number, left - 4, base - tall + 9, room + 8, tall, 'cell hot', 3, rx=6, v=number, rc=number)
            frame.text(f'{number}t', left, base, total, large, 5, room=wide)
            said = made_of(m, arrival)
            if hero and not said and found and found.verdict == RIGHT:
                said = 'the same as without the bprop'
            frame.text(f'A{k}F', left, base + (30 if hero else 24), said, 'dim', room=wide)
            continue
        how = tiles.plate(value, wide, h - 44, row=TALL, ink='num')
        how = how if how.kind == 'numbers' else tiles.plate(value, wide, h - 44, ink='num')
        tiles.draw(frame, key, left - 2, y + 42, value, how, classes=' bare', account=True)


def final(m: Moment, run: Pass, place: int) -> Verdict | None:
    """The verdict on a gradient of a gradient, once it has come."""
    if run.ended is None or run.ended > m.step or (run.ended == m.step and m.compare):
        return None
    return run.verdicts[place] if run.verdicts else None


def made_of(m: Moment, arrival: Arrival) -> str:
    """The parts that were added to a number."""
    parts = m.story.arriving(arrival).parts(m.step)
    return '= ' + ' + '.join(map(phrases.amount, parts)) if 1 < len(parts) <= SUMMED else ''


def many(m: Moment, run: Pass) -> None:
    """A row for each: its name, its shape, how large it is. Of very many, those around the last that came."""
    frame, found = m.frame, run.arrivals
    x, y, w, h = m.plan.answers
    started = run.started is not None and run.started <= m.step
    frame.sheet('Gs', x + 1, y, w - 2, h, '' if started else ' ahead')
    frame.text('G', x + 16, y + 24, 'gradients', 'af' if started else 'fut')
    if len(found) * ROWS + 40 <= h:
        frame.text('Gr', x + w - 16, y + 24, 'root mean square', 'dim end')
    per = max(1, int((h - 40) // ROWS))
    columns = 1 if w < 400 else 2 if len(found) <= min(8, 2 * per) else 3
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
