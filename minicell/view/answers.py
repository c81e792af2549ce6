"""The gradients that were asked for: as numbers where they are few and small, else a row for each."""

from functools import lru_cache

import numpy as np

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Flow, Lines, Put, Row, Space, Text
from ..ink.metrics import clean, shape_text
from ..ink.shapes import width, wrapped
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, WRONG
from ..replay.nested import Unknown
from ..story.record import Arrival, Pass, Record, Value
from . import phrases, style, verdict
from .now import Now
from .result import Taken, stack
from .tape import named

LOST = '✗ {} passes none back'  # a takeover uses it, and returns no gradient for it


def asked_for(now: Now, taken: Taken, room: float) -> Box | None:
    """At the end, the gradients that were asked for, with what is known of them."""
    run, gave = now.story.by(taken.reading), now.story.handed(taken.reading)
    if not now.compare or run is None or run.ended is None or run.ended > now.step:
        return None
    boxes: list[Box] = []
    for k, arrival in enumerate(run.arrivals):
        if arrival.key in gave and len(arrival.parts) == 1:
            continue  # it stands in the tables
        key, due, value = f'{now.record.passes.index(run)}.{k}', truth(now.record, run)[k], arrival.total
        tile = tiles.Tile(value, style.VALUES[0], f'p{key}', classes=' on', account=True) if value is not None else None
        box = Row(Text(arrival.name, 'mid2', style.NAMES[0]), tile, gap=style.PAD)
        if due is not None:
            top = max(numbers.largest(value.data), numbers.largest(due.data))
            true = tiles.Tile(due, style.VALUES[0], f'u{key}', classes=' tru', top=top)
            box = Flow(box, Row(Text('should be', 'af'), true, gap=style.PAD), room=room, gap=style.GAP)
        boxes.append(with_badge(box, known(now, run, arrival), room - style.LABEL))
    head = Text('asked for:' if len(boxes) == len(run.arrivals) else 'also asked for:', 'dim')
    return Flow(head, *boxes, room=room, gap=2 * style.GAP) if boxes else None


@lru_cache(maxsize=style.RECORDS)
def truth(record: Record, run: Pass) -> tuple[Value | None, ...]:
    """What each gradient that was asked for would be without any bprop: where the rules see all that its Cells compute,
    and no bprop differs on purpose. None where nobody knows, and where it is as it should be."""
    taken = [r for r in record.readings if record.entries[r.entry].kind == 'call' and record.passes[r.run] is run]
    told = [v for r in taken for v in verdict.known(r) if v.verdict != NOT_ASKED]
    sure = all(map(verdict.known, taken)) and all(v.by == 'rules' and v.verdict in (RIGHT, WRONG) for v in told)
    try:
        due = record.truth(run.key) if record.truth is not None and sure else ()
    except Unknown:
        due = ()
    if len(due) != len(run.arrivals) or not all(np.isfinite(d).all() for d in due):
        return (None,) * len(run.arrivals)
    said = lambda data: [*map(numbers.said, data.ravel().tolist())]
    came = [a.total.data if a.total is not None else None for a in run.arrivals]
    pairs = zip(run.arrivals, came, due, strict=True)
    return tuple(
        None if y is None or said(y) == said(d) else Value(f'true {a.name}', d.shape, '', d) for a, y, d in pairs
    )


def with_badge(child: Box, badge: tuple[str, str] | None, room: float) -> Box:
    """A box with what is known of it: beside it where that has room, else under it."""
    said = Text(*badge) if badge else None
    if said is None or child.size[0] + style.GAP + said.size[0] <= room:
        return Row(child, said, gap=style.GAP)
    return stack(child, Lines(badge[0], room, badge[1]))


def known(now: Now, run: Pass, arrival: Arrival) -> tuple[str, str]:
    """What is known of a gradient that was asked for: it is as wrong as what it is made of."""
    record, number = now.record, now.record.passes.index(run)
    found: dict[str, tuple[str, str]] = {}  # kind of verdict -> the Cell, and what it handed out
    for reading in record.readings:
        entry = record.entries[reading.entry]
        if reading.run != number or entry.kind != 'call':
            continue
        if arrival.key in verdict.made_of(record, verdict.captured(entry)):
            return LOST.format(entry.name), 'xx'
        judged = {id(g): v for g, v in zip(reading.gave, verdict.known(reading), strict=False)}
        for g in now.story.gave(reading):  # (without those that are None)
            if id(g) in judged and arrival.key in verdict.made_of(record, {g.key}):
                found.setdefault(judged[id(g)].verdict, (entry.name, g.name))
    grave = (kind for kind in found if kind not in (KINK, RIGHT, NOT_ASKED))
    kind = min(grave, key=verdict.RANK.get, default=RIGHT if arrival.parts else None)
    if kind is None:
        return 'no path leads to it', 'dim'
    told = verdict.KINDS[kind]
    return told.asked.format(*found.get(kind, ())), told.look


def asked(now: Now, level: int) -> Pass | None:
    """The gradient whose arrivals are shown beside a tape: the last that has come to it of those that end there, and
    before one has, the first that will."""
    comers, passes = now.story.comers, now.record.passes
    beyond = set().union(*comers[level + 1 :])
    found = [(when, n) for n, when in comers[level].items() if passes[n].arrivals and n not in beyond]
    if not found and level == now.record.depth:
        there = set().union(*comers)
        found = [(run.begun, n) for n, run in enumerate(passes) if run.arrivals and n not in there]
    came = [each for each in found if each[0] <= now.step] or found[:1]
    return passes[max(came, key=lambda each: each[0])[1]] if came else None


def partial(now: Now, run: Pass, arrival: Arrival) -> Value | None:
    """A gradient as far as its parts have come."""
    if arrival.total is None:
        return None
    if run.ended is not None and run.ended <= now.step:
        known = [now.record.readings[n] for n in now.shot.known if len(arrival.parts) == 1]
        told = (v for r in known for g, v in zip(r.gave, r.verdicts, strict=True) if g.key == arrival.key)
        return verdict.settled(next(told, None), arrival.total)
    return now.story.arriving(arrival).until(now.step)


def arrivals(now: Now, level: int, w: float, h: float) -> Box:
    """The gradients that were asked for, as far as they have come."""
    run = asked(now, level)
    if run is None:
        return Space()
    data = [None if a.total is None else a.total.data for a in run.arrivals]
    if len(data) <= 2 and all(d is None or d.size <= style.LARGE for d in data):
        each = (w - style.GAP) / max(len(run.arrivals), 1)
        hero = level > 0 and len(run.arrivals) == 1 and phrases.takeover_around(now.record, run) is None
        return Row(*[few(now, run, k, each, h, hero) for k in range(len(run.arrivals))], gap=style.GAP, across='start')
    small = all(d is not None and d.size <= style.LARGE for d in data)
    return (listed(now, run, w, h) if small else None) or many(now, run, w)


def listed(now: Now, run: Pass, w: float, h: float) -> Box | None:
    """Small gradients with their numbers, beside and below each other; None where they have no room."""
    number, boxes = now.record.passes.index(run), []
    for k, arrival in enumerate(run.arrivals):
        value, how = partial(now, run, arrival), tiles.plate(arrival.total, *style.VALUES[0])
        name = Text(arrival.name, 'fut' * (value is None), style.NAMES[0], f'A{number}.{k}N')
        shown: Box = Space(how.w, how.h)
        if value is not None:
            shown = tiles.Tile(value, key=f'p{number}.{k}', how=how, classes=' on', account=True)
        boxes.append(Row(name, shown, gap=style.APIECE))
    found = Flow(*boxes, room=w, gap=style.GAP)
    return found if found.size[0] <= w and found.size[1] <= max(h, style.LIST_ROW * style.LIST_MOST) else None


def few(now: Now, run: Pass, k: int, w: float, h: float, hero: bool) -> Box:
    """A small gradient as numbers."""
    arrival, number = run.arrivals[k], now.record.passes.index(run)
    value, key = partial(now, run, arrival), f'p{number}.{k}'
    name = now.story.named(run).get(arrival.name, arrival.name)
    over = run.ended is not None and run.ended <= now.step
    badge = verdict.badge(run.verdicts[k]) if over and run.verdicts else None
    title = named(name, 'mid3' if value is not None else 'fut mid3', w - style.WORDS, f'A{key}N')
    head = with_badge(title, badge and (badge[0], f'mid2 {badge[1]}'), w)
    if value is None:
        return stack(head, Text('?', 'ques'))
    if phrases.single(value):
        said, looks = numbers.said(value.data.item()), ['hero'] * (hero and h > style.HERO) + ['xxl']
        parts = now.story.arriving(arrival).parts(now.step)
        more = now.part(arrival.key)
        if more is not None and parts and run.ended != now.step and more is not parts[-1]:
            said, looks = f'{said} + {phrases.amount(more)}', ['xxl']  # the next step adds it
        look = next((each for each in looks if width(said, each) <= w), 'big')
        cell = f'{key}[0,0]'
        digits = Text(said, look, layer=style.OVER, key=f'{cell}t', v=cell)
        press = Card(digits, 'cell hot', style.CELL_PAD, at=(0, 0.5), key=cell, layer=style.LIFTED, v=cell, rc=cell)
        sum_ = phrases.added(parts) if len(parts) > 1 else ''
        sum_ = sum_ if all(width(row, 'dim') <= w for row in wrapped(sum_, w, 'dim', 2)) else f'of {len(parts)} parts'
        return stack(head, press, Lines(sum_, w, 'dim', 2))
    how = tiles.plate(value, w, h - style.TALL, row=style.TALL, ink='num')
    return stack(head, tiles.Tile(value, key=key, how=how, classes=' bare', account=True), gap=style.APIECE)


def many(now: Now, run: Pass, w: float) -> Box:
    """A row for each: its name, its shape, how large it is."""
    came = [now.story.arriving(a).last(now.step) for a in run.arrivals]
    found, first = run.arrivals, 0
    if len(found) > style.LIST_MOST:
        latest = max(range(len(found)), key=came.__getitem__) if max(came) >= 0 else len(found) - 1
        first = max(0, min(latest - style.LIST_MOST // 2, len(found) - style.LIST_MOST))
    rows: list[Box] = []
    for k in range(first, min(first + style.LIST_MOST, len(found))):
        arrival = found[k]
        value = partial(now, run, arrival)
        shape = Text(shape_text(arrival.shape), 'dim end', key=f'G{k}s')
        left = w - 2 * style.LIST_PAD[0] - style.LIST_NUMBER - style.HEAD_ROW - shape.size[0]
        whole = value is not None and value.data is not None and value.data.size
        number = Text(numbers.said(rms(value.data)) if whole else '', 'end b', key=f'G{k}v')
        name = Text(arrival.name, 'm' if came[k] >= 0 else 'm fut', left, key=f'G{k}')
        rows.append(Row(name, Space(grows=1), shape, Put(number, at=(1, 0.5), least=(style.LIST_NUMBER, 0))))
    of = f'{first + 1}–{first + len(rows)} of {len(found)}' if len(found) > style.LIST_MOST else 'root mean square'
    head = Row(Text('gradients', 'af', key='G'), Space(grows=1), Text(of, 'dim end', key='Gr'))
    rows = [head, *rows]
    return Card(Column(*rows, gap=2), 'sheet', style.LIST_PAD, (w, 0), (None, 0.5), key='Gs', rx=style.CARD_ROUND)


def rms(array: np.ndarray) -> float:
    """The root mean square, in double."""
    if array.size == 1:
        return abs(float(array.item()))
    data = np.asarray(array, np.float64)
    with np.errstate(all='ignore'):
        return float(np.sqrt(np.mean(data * data)))


def error(now: Now, w: float) -> Box:
    """What ended the run, on a torn card."""
    kind, _, message = now.told.what.partition(': ')
    first = clean(message.partition('\n')[0])
    room = w - 2 * style.LIST_PAD[0]
    words = Lines(first, room, 'dim', style.ERROR_ROWS)
    told = Column(Text(f'✗ {kind}', 'big xx', room, key='v0'), words, gap=style.CLOSE)
    return Card(told, 'sheet torn', style.LIST_PAD, (w, 0), at=(0, 0.5), rx=style.CARD_ROUND, key='torn')
