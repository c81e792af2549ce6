"""The gradients that were asked for: as numbers where they are few and small, else a row for each."""

from functools import lru_cache

import numpy as np

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Flow, Put, Row, Space, Text
from ..ink.metrics import shape_text
from ..ink.shapes import width
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, WRONG
from ..replay.nested import Unknown
from ..story.record import Arrival, Pass, Reading, Record, Value
from . import phrases, style, verdict
from .gradient import Shown, box, scale
from .now import Now
from .result import Taken
from .verdict import Said

LOST = '✗ {} passes none back'  # a takeover uses it, and returns no gradient for it


def asked_for(now: Now, taken: Taken, room: float) -> Box | None:
    """The gradients that were asked for, as far as they have come; at the end, with what is known of them."""
    run, gave = now.story.by(taken.reading), now.story.handed(taken.reading)
    if run is None or run.ended is None:
        return None
    plate = lambda v: tiles.plate(v, *style.VALUES[0])
    others = [k for k, a in enumerate(run.arrivals) if a.key not in gave or len(a.parts) != 1]  # not in the tables
    boxes = [box(shown(now, run, k), room, plate, room) for k in others]
    head = Text('asked for:' if len(boxes) == len(run.arrivals) else 'also asked for:', 'dim')
    return Flow(head, *boxes, room=room, gap=2 * style.GAP, across='start') if boxes else None


def shown(now: Now, run: Pass, k: int) -> list[Shown]:
    """A gradient that was asked for, and beside it what it should be, where that is something else."""
    record, arrival, value = now.record, run.arrivals[k], partial(now, run, run.arrivals[k])
    key, name = f'{record.passes.index(run)}.{k}', now.story.named(run).get(arrival.name, arrival.name)
    shape, badge, due = arrival.total or Value(arrival.name, words='none'), None, None
    came = now.story.arriving(arrival).parts(now.step)
    added = phrases.added(came) if len(came) > 1 and phrases.single(came[0]) else ''
    added = added if len(came) <= style.LIST_MOST else f'of {len(came)} parts'
    if run.ended is None or run.ended > now.step:
        more = value is not None and len(came) < len(arrival.parts)
        return [Shown(f'p{key}', f'{name}{" so far" * more}', shape, value, note=added)]
    if run.verdicts:
        badge = verdict.badge(run.verdicts[k])
    elif now.compare and not record.depth:
        badge, due = known(now, run, arrival), truth(record, run)[k]
    mine = Shown(f'p{key}', name, shape, value or shape, badge, top=scale(shape, due), note=added)
    return [mine, Shown(f'u{key}', 'should be', due, due, due=True, top=mine.top, asks=False)] if due else [mine]


def calls(record: Record, run: Pass) -> list[Reading]:
    """Where a gradient has read a bprop."""
    found = (r for r in record.readings if r.run is not None and record.passes[r.run] is run)
    return [r for r in found if record.entries[r.entry].kind == 'call']


@lru_cache(maxsize=style.RECORDS)
def truth(record: Record, run: Pass) -> tuple[Value | None, ...]:
    """What each gradient that was asked for would be without any bprop: where the rules see all that its Cells compute,
    and no bprop differs on purpose. None where nobody knows, and where it is as it should be."""
    judged = [verdict.known(reading) for reading in calls(record, run)]
    told = [v for verdicts in judged for v in verdicts if v.verdict != NOT_ASKED]
    sure = all(judged) and all(v.by == 'rules' and v.verdict in (RIGHT, WRONG) for v in told)
    try:
        due = record.truth(run.key) if record.truth is not None and sure else ()
    except Unknown:
        due = ()
    if len(due) != len(run.arrivals) or not all(np.isfinite(d).all() for d in due):
        return (None,) * len(run.arrivals)
    said = lambda data: [*map(numbers.said, data.ravel().tolist())]
    differs = lambda a, d: a.total is not None and said(a.total.data) != said(d)
    pairs = zip(run.arrivals, due, strict=True)
    return tuple(Value(f'true {a.name}', d.shape, '', d) if differs(a, d) else None for a, d in pairs)


def known(now: Now, run: Pass, arrival: Arrival) -> Said:
    """What is known of a gradient that was asked for: it is as wrong as what it is made of."""
    record, found = now.record, {}  # kind of verdict -> the Cell, and what it handed out
    for reading in calls(record, run):
        entry = record.entries[reading.entry]
        if arrival.key in verdict.made_of(record, verdict.captured(entry)):
            return LOST.format(entry.name), 'xx'
        for g, v in zip(reading.gave, verdict.known(reading), strict=False):
            if g.when is not None and arrival.key in verdict.made_of(record, {g.key}):
                found.setdefault(v.verdict, (entry.name, g.name))
    grave = (kind for kind in found if kind not in (KINK, RIGHT, NOT_ASKED))
    kind = min(grave, key=verdict.RANK.get, default=RIGHT if arrival.parts else None)
    if kind is None:
        return 'no path leads to it', 'dim'
    told = verdict.KINDS[kind]
    return told.asked.format(*found.get(kind, ())), told.look


def asked(now: Now, level: int) -> Pass | None:
    """The gradient whose arrivals are shown beside a tape: the last that has come to it of those that read no later
    one, and before one has, the first that will."""
    home = {n: (level, when) for level, found in enumerate(now.story.comers) for n, when in found.items()}
    runs = enumerate(now.record.passes)
    starts = [(*home.get(n, (now.record.depth, run.begun)), n) for n, run in runs if run.arrivals]
    found = [start for start in starts if start[0] == level]
    came = [each for each in found if each[1] <= now.step] or found[:1]
    return now.record.passes[max(came)[-1]] if came else None


def partial(now: Now, run: Pass, arrival: Arrival) -> Value | None:
    """A gradient as far as its parts have come."""
    if arrival.total is None:
        return None
    if run.ended is not None and run.ended <= now.step:
        readings = [now.record.readings[n] for n in now.shot.known if len(arrival.parts) == 1]
        told = (v for r in readings for g, v in zip(r.gave, r.verdicts, strict=True) if g.key == arrival.key)
        return verdict.settled(next(told, None), arrival.total)
    return now.story.arriving(arrival).until(now.step)


def arrivals(now: Now, level: int, w: float, h: float) -> Box:
    """The gradients that were asked for, as far as they have come: with their numbers where these have room."""
    run = asked(now, level)
    if run is None:
        return Space()
    sizes = [a.total.data.size for a in run.arrivals if a.total is not None and a.total.data is not None]
    if max(sizes, default=0) > style.LARGE:
        return many(now, run, w)
    few = len(run.arrivals) <= 2
    each = (w - style.GAP) / len(run.arrivals) if few else w
    plate = (lambda v: large(v, each, h - style.TALL)) if few else (lambda v: tiles.plate(v, *style.VALUES[0]))
    boxes = [box(shown(now, run, k), each, plate, w) for k in range(len(run.arrivals))]
    found = Flow(*boxes, room=w, gap=style.GAP, across='start')
    fits = found.size[0] <= w and found.size[1] <= max(h, style.LIST_ROW * style.LIST_MOST)
    return found if few or fits else many(now, run, w)


def large(value: Value, room: float, high: float) -> tiles.Plate:
    """A result: where it is one number, that is as large as may be."""
    if phrases.single(value) and width(numbers.said(value.data.item()), 'xxl') <= room - style.GAP:
        return tiles.plate(value, room, high, style.SINGLE, 'num xxl')
    return tiles.plate(value, room, high, style.TALL, 'num')


def many(now: Now, run: Pass, w: float) -> Box:
    """A row for each: its name, its shape, how large it is."""
    came, most = [now.story.arriving(a).last(now.step) for a in run.arrivals], style.LIST_MOST
    latest = max(range(len(came)), key=came.__getitem__) if max(came) >= 0 else len(came) - 1
    first = max(0, min(latest - most // 2, len(came) - most))
    found = run.arrivals[first : first + most]
    of = f'{first + 1}–{first + len(found)} of {len(came)}' if len(came) > most else 'root mean square'
    rows = [Row(Text('gradients', 'af', key='G'), Space(grows=1), Text(of, 'dim end', key='Gr'))]
    for k, arrival in enumerate(found, first):
        value, shape = partial(now, run, arrival), Text(shape_text(arrival.shape), 'dim end', key=f'G{k}s')
        left = w - 2 * style.LIST_PAD[0] - style.LIST_NUMBER - style.HEAD_ROW - shape.size[0]
        whole = value is not None and value.data is not None and value.data.size
        number = Text(numbers.said(rms(value.data)) if whole else '', 'end b', key=f'G{k}v')
        name = Text(arrival.name, 'm' if came[k] >= 0 else 'm fut', left, key=f'G{k}')
        rows.append(Row(name, Space(grows=1), shape, Put(number, at=(1, 0.5), least=(style.LIST_NUMBER, 0))))
    return Card(Column(*rows, gap=2), 'sheet', style.LIST_PAD, (w, 0), (None, 0.5), key='Gs', rx=style.CARD_ROUND)


def rms(array: np.ndarray) -> float:
    """The root mean square, of numbers of any size."""
    top = numbers.largest(array) or 1.0
    with np.errstate(all='ignore'):
        return top * float(np.sqrt(np.mean(np.square(np.asarray(array, np.float64) / top))))
