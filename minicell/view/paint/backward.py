"""Backward: autodiff's road, the rule of each entry on it, and the gradients that go from one to the next."""

from ...ink import tiles
from ...ink.shapes import Frame, cut, width
from ...story.names import gradient as gradient_name
from ...story.record import Entry, Pass, Reading, Value
from . import formula, phrases
from .moment import Moment, Sum
from .plan import WIDTH, Lane
from .strip import TAKEN, Column, Fork, Row, Slot, Strip, fork


def draw(m: Moment, strip: Strip, row: Row, tag: str) -> None:
    """Backward of one tape."""
    run, lane, frame = m.reader('ab'.index(tag)), strip.lane, m.frame
    x = lane.x if tag == 'a' or m.plan.narrow else 22
    given = (s for c in row.columns if m.record.entries[c.entry].kind not in TAKEN for s in c.inputs)
    tall = any(s.above and s.x < x + 90 and s.back - max(s.plate.h, WIDTH) / 2 < lane.head + 18 for s in given)
    x += 60 * tall  # beside the name of a tall gradient
    if not lane.broad:
        frame.text(f'{tag}BW', x, lane.head, '← backward', 'af' if run else 'fut')
    if tag == 'a':
        road(m, lane, row)
    for column in row.columns:
        if m.record.entries[column.entry].kind not in ('loose', 'torn'):
            opened(m, row, column, strip, tag, run)


def road(m: Moment, lane: Lane, row: Row) -> None:
    """Autodiff's road, from the end of the tape to the inputs."""
    frame, y, right = m.frame, lane.road, lane.x + lane.w
    if row.columns and not row.spines:
        last = row.columns[-1]
        right = max((s.x + s.plate.w for s in last.outputs), default=last.x + last.w)
        right = ahead(m, lane, row, right)
    if right > lane.x + 30:
        frame.path('road', f'M{right:g},{y:g}H{lane.x + 28:g}', 'road', 0)
        frame.head('roadh', lane.x, y, 'l', 'rl todo', 0, 20)


def ahead(m: Moment, lane: Lane, row: Row, right: float) -> float:
    """Where the road begins that backward has not taken yet, or will not take."""
    left = lane.x
    for column in row.columns:
        kind, (_, reading, given, _) = m.record.entries[column.entry].kind, m.reading_of(column.entry)
        if reading is not None:
            if kind in TAKEN:  # it is seen under a thin band, and not beside a wide one
                return min((s.x for s in column.outputs), default=left) if m.behind else fork(row, column, lane).x + 36
            return left if given else column.x
        left = min((slot.x for slot in column.outputs), default=left)
    return right


def opened(m: Moment, row: Row, column: Column, strip: Strip, tag: str, run: Pass | None) -> None:
    """An open entry: its dout, its rule or the ghost of one, and what was handed out."""
    frame, lane, i = m.frame, strip.lane, column.entry
    entry = m.record.entries[i]
    run = whose(m, column, run)
    _, reading, given, here = m.reading_of(i)
    loud = m.over and not m.compare and (tag == 'b' or not m.behind)
    now = here and (entry.kind not in TAKEN or m.now.kind == 'reach')
    y, past = lane.road, '' if loud or now else ' past'
    if entry.kind in TAKEN:
        ghost(m, fork(row, column, lane), entry, i, lane, reading, here)
    else:
        rule(m, column, entry, i, lane, reading, past)
    douts(m, column, entry, strip, reading, run, tag, past)
    if reading is None or entry.kind in TAKEN:
        return
    if column.outputs:
        frame.band(f'{tag}in{i}', min(slot.x for slot in column.outputs), column.x + column.w, y, past)
    if here and tag == 'a' and lane.forward_h > 80 and not (m.taken is not None and not strip.row(i).spines):
        first = column.within and phrases.single(reading.douts[0])  # it starts with a number that has no name
        explain(m, entry, reading, given, lane, phrases.amount(reading.douts[0]) if first else '')
    if not given:
        return
    reached = []
    each = lane.backward_h / max(len(column.inputs), 1)
    for slot in column.inputs:
        value = gradient(m, reading, slot, run, strip)
        if value is not None and answer(m, strip, slot, value, run):
            reached.append(lane.x)
        elif value is not None:
            # names above would need too much room
            beside = slot.above and len(column.inputs) > (2 if lane.backward_h > 80 else 1)
            high = slot.plate.h if strip.all is not None else each - (3 if beside else 17)
            free = column.x - slot.x  # up to the rule
            how = on_road(lane, slot, value, free - 8)
            how = how or tiles.plate(value, min(max(slot.plate.w + 22, 60), free), max(high, 20))
            reached.append(slot.x + how.w)
            told = next((g.name for g in reading.gave if g.of == slot.name), gradient_name(slot.name))
            if beside:
                short = f'd{told.rpartition(".")[2].rstrip(")")}' if '.' in told else told
                at = slot.x + how.w + 6
                frame.text(f'{tag}d{slot.key}n', at, slot.back + 5, short, '', 5, room=max(column.x - at - 24, 0))
                reached[-1] = at + min(width(short), max(column.x - at - 24, 20))
            room = column.x - slot.name_x - 24
            low = abs(slot.back - how.h / 2 - 10 - lane.road) < WIDTH / 2 + 4  # its name would stand on the road
            if slot.above and low and not beside and not how.ink:
                reached[-1] = max(reached[-1], slot.x + min(width(told), max(room, 40)) + 4)
            cotangent(m, f'{tag}d{slot.key}', slot, value, how, '' if beside else told, room, lane, past)
    handed = dict(m.story.handed(reading))
    before = [(c, o) for c in row.columns if c.x < column.x and whose(m, c, run) is run
              for o in c.outputs if o.key in handed]  # fmt: skip
    reached += [o.x + dout_plate(c, o, handed[o.key], lane, column.x).w for c, o in before]
    nearest = max(reached, default=column.x)
    if column.x - nearest > 14:
        frame.band(f'{tag}out{i}', column.x, nearest, y, past)
    for n, left in enumerate(sorted(set(reached))[:-1]):
        if nearest - left > 60:  # on, past what lies between
            frame.band(f'{tag}out{i}.{n}', nearest, left, y, past)


def whose(m: Moment, column: Column, run: Pass | None) -> Pass | None:
    """Of which gradient the backward of an entry is shown, while the tape is told as this gradient finds it."""
    number = m.reading_of(column.entry)[0]
    return m.story.by(number) if number is not None else run


def answer(m: Moment, strip: Strip, slot: Slot, value: Value, run: Pass | None) -> bool:
    """Whether a gradient stands large at the end of the road: the one number that was asked for."""
    if m.plan.narrow or not strip.lane.broad or strip.all is None or run is None or len(run.arrivals) != 1:
        return False
    return run.arrivals[0].of == slot.value.name and slot.x < strip.lane.x + 8 and phrases.single(value)


def on_road(lane: Lane, slot: Slot, value: Value, room: float) -> tiles.Plate | None:
    """How a cotangent is written on the road, if it has room there and no other stands over it."""
    how = tiles.on_road(value, slot.plate.w if slot.plate.kind == 'numbers' else 0)
    return how if slot.back == lane.road and how is not None and how.w <= room + 1 else None


def place(m: Moment, key: str, slot: Slot, value: Value, how: tiles.Plate, past: str, **more: object) -> None:
    """A cotangent: white on the road, or on a plate of its own."""
    top, written = slot.back - how.h / 2, bool(how.ink)
    if written:
        m.frame.rect(f'{key}bg', slot.x - 0.5, slot.back - WIDTH / 2, how.w + 1, WIDTH, f'rl{past}', 2)
    else:
        m.frame.rect(f'{key}bg', slot.x - 2, top - 2, how.w + 4, how.h + 4, 'paper', 2, rx=4)
    look = f' rl bare{past}' if written else ' on'
    tiles.draw(m.frame, key, slot.x, top, value, how, classes=look, **more)


def cotangent(
    m: Moment, key: str, slot: Slot, value: Value, how: tiles.Plate, told: str, room: float, lane: Lane,
    past: str,
) -> None:  # fmt: skip
    """A gradient under the value that it is of."""
    frame, top = m.frame, slot.back - max(how.h, WIDTH * bool(how.ink)) / 2
    if told and slot.above:
        frame.text(f'{key}n', slot.x + 1, top - 5, told, '', 5, room=max(room, 40))
    elif told:
        left = max(slot.name_x - 18 * (slot.name_x < lane.x + 5), 0)  # nothing stands before the first
        frame.text(f'{key}n', slot.x - 6, slot.back + 5, told, 'end', 5, room=max(slot.x - 6 - left, 8))
    place(m, key, slot, value, how, past, account=True)


def handed(entry: Entry, reading: Reading | None) -> dict[int, Value]:
    """What a rule handed out, by the places of its inputs; a constant gets nothing."""
    places = (k for k, v in enumerate(entry.inputs) if v.data is not None)
    gave = zip(places, reading.gave if reading else (), strict=False)
    return {k: g.value for k, g in gave if g.value is not None}


def gradient(m: Moment, reading: Reading, slot: Slot, run: Pass | None, strip: Strip) -> Value | None:
    """What has come for an input: of an open tape the sum so far, of the entry in focus its own contribution."""
    now = reading.given == m.step and not m.compare
    ended = run is not None and run.ended is not None and run.ended <= m.step
    if ended or (strip.all is not None and not now):
        return m.story.cotangent(slot.key, m.step, run)
    own = [v for key, v in m.story.handed(reading) if key == slot.key]
    return Sum(enumerate(own)).until(0 if now else len(own))  # (of a value used twice the first: adding is a step)


def rule(m: Moment, column: Column, entry: Entry, i: int, lane: Lane, reading: Reading | None, past: str) -> None:
    """A built-in rule: a part of the road, with its name on it."""
    frame, y, w, middle = m.frame, lane.road, column.w, column.x + column.w / 2
    look = f'rl{past}' if reading is not None else 'rl todo'
    frame.rect(f'r{i}', column.x - 0.5, y - WIDTH / 2, w + 1, WIDTH, look, 2, go=f'r{i}')
    line, counted = '', ''
    if entry.level:
        passed = reading or next((r for r in m.record.readings if r.entry == i), None)
        gave = handed(entry, passed)
        starts = i == m.strips[1].entries[-1]
        names = formula.called(m.record, entry, starts)
        told = formula.formulas(m.record, entry, starts, passed.douts[0] if passed and passed.douts else None)
        room = w + 24 if m.strips[1].all is None else w - 8  # beside a card that is open alone there is more
        found = next((f for f in told if f.k in gave and width(f.said) <= room), None)
        line = found.said if found else ''
        done = reading is not None and reading.given is not None and reading.given <= m.step
        if found and done and phrases.single(gave[found.k]):  # the same with numbers
            said = found.with_numbers(gave[found.k].data.item())
            counted = said.removeprefix(f'{found} = ') if said.count(' = ') > 2 else ''
        if found and reading is not None:  # what the rule finds on the tape
            said = ', '.join(f'{name} = {number}' for name, number in found.reads)
            after = min((name_at(m, entry, s, names.dout) for s in column.outputs), default=column.x + w + 40) - 6
            frame.text(f'r{i}k', middle + 10, y - WIDTH / 2 - 9, said, 'dim',
                       room=min(w / 2 + 12, after - middle - 10))  # fmt: skip
    said = phrases.rule_of(entry)
    ink = 'fut' if reading is None else f'onr{" onw" * (width(said, "onr") > w - 8)}{past}'
    frame.text(f'r{i}t', middle, y + 5, said, f'mid {ink}', room=w - 6)
    frame.text(f'r{i}f', middle, y + WIDTH / 2 + 17, line, f'mid {"dim" if reading is not None else "fut"}')
    frame.text(f'r{i}c', middle, y + WIDTH / 2 + 36, counted if width(counted) <= w + 60 else '', 'mid')


def ghost(m: Moment, at: Fork, entry: Entry, i: int, lane: Lane, reading: Reading | None, here: bool) -> None:
    """The rule that a takeover displaces."""
    frame, y, w, middle = m.frame, lane.road, at.w, at.ghost + at.w / 2
    h = min(lane.backward_h, 50)
    quiet = '' if here and m.now.kind == 'reach' else ' q'
    if at.under and reading is not None:
        frame.path(f'r{i}l', f'M{at.x - 20:g},{y:g}H{lane.x + 8:g}', 'lane', 1)
        frame.head(f'r{i}lh', lane.x, y, 'l', 'rl todo', 1, 8)
    frame.rect(f'r{i}', at.ghost, y - h / 2, w, h, f'ghost{quiet}', 2, rx=8, go=f'r{i}')
    call = entry.kind == 'call'
    what = f'{len(phrases.lost(entry))} rules' if phrases.many_rules(entry) else phrases.displaced(entry)
    what = what.removeprefix('the ') if call else 'straight on'
    seen = reading is not None
    frame.text(f'r{i}t', middle, y - 4, what, f'mid {"dim" if seen else "fut"}', room=w - 6)
    state = ('never called' if call else 'it decides') if seen else 'the usual way'
    frame.text(f'r{i}f', middle, y + 15, state, 'mid' + ('' if seen else ' fut'), room=w - 4)


def douts(
    m: Moment, column: Column, entry: Entry, strip: Strip, reading: Reading | None, run: Pass | None, tag: str,
    past: str,
) -> None:  # fmt: skip
    """What an entry is told about the loss: under its output."""
    frame, lane = m.frame, strip.lane
    last = column.entry == strip.entries[-1]
    begun = [p for p in m.story.begins.get(column.entry, ()) if p.started <= m.step]
    run = begun[-1] if begun else run
    seeds = run.seeds if begun else ()
    starter = last and entry.level > 0  # what its gradient is called, before and after it is there
    starts = bool(seeds) and m.now.kind == 'start' and not m.compare and m.record.passes[m.now.run] is run
    if column.within:
        if seeds and m.taken is None:
            how = tiles.plate(seeds[0], 60, 22)
            x, top = column.x + column.w / 2 - how.w / 2, lane.road - 55
            names = [o for c in strip.row(column.entry).columns if c.x < column.x for o in c.outputs]
            before = max((o.x + 60 for o in names), default=0)  # where the name of the gradient before it ends
            if x - 16 - width('starts with') > before:
                frame.text(f'{tag}st', x - 8, top + 16, 'starts with', f'{"af" if starts else "dim"} end')
            tiles.draw(frame, f'{tag}seed', x, top, seeds[0], how, classes=' res' if starts else '')
        return
    places = strip.row(column.entry).places()
    free = min((x for _, x, _, _ in places if x > column.x), default=lane.x + lane.w + 90)
    for n, slot in enumerate(column.outputs):
        if reading is not None and n < len(reading.douts):
            value = reading.douts[n]
        else:
            value = m.story.cotangent(slot.key, m.step, run) or (seeds[n] if n < len(seeds) else None)
        how = slot.plate if value is None else dout_plate(column, slot, value, lane, free)
        on = bool(how.ink) or (value is None and slot.back == lane.road)
        top, key = slot.back - (max(WIDTH, how.h) if on else how.h) / 2, f'{tag}d{slot.key}'
        label = formula.called(m.record, entry, starter).dout
        yours = entry.kind == 'call'  # the bprop has a name for it
        if n and not yours and label not in ('dout', 'seed') and slot.value.name:
            label = gradient_name(slot.value.name)
        label += f'[{n}]' if (yours or label == 'dout') and len(column.outputs) > 1 else ''
        if yours and slot.value.name not in ('', 'out') and len(column.outputs) == 1:
            both = f'{gradient_name(slot.value.name)} = {label}'
            label = both if width(both) < min(free, lane.x + lane.w) - slot.x - 8 else label
        ink = '' if value is not None else 'fut'
        if len(column.outputs) > (2 if lane.backward_h > 80 else 1):  # no room for names above
            left = slot.x + (how.w if value is not None else 0) + 6
            frame.text(f'{key}n', left, slot.back + 5, label, '' if value is not None else 'fut', 5,
                       room=free - left - 4)  # fmt: skip
        else:
            room = max(how.w, min(150, free - slot.x - 6))
            short = gradient_name(slot.value.name) if slot.value.name else label
            label = short if width(label, ink) > room > width(short, ink) else cut(label, room, ink)
            frame.text(f'{key}n', name_at(m, entry, slot, label), top - 6, label, ink, 5, room=room + 1)
        if value is None:
            continue
        place(m, key, slot, value, how, past if reading is not None or m.over else '' if starts else ' past')
        if ((starts and lane.forward_h > 80) or label == 'seed') and not m.plan.narrow:
            said, right = 'backward starts here', slot.x + how.w
            if words_end(frame, f'r{column.entry}f') < right - width(said) - 10:
                y = max(lane.road + WIDTH / 2 + 17, top + how.h + 14)
                frame.text(f'{tag}st', right, y, said, f'{"af" if starts else "dim"} end')


def name_at(m: Moment, entry: Entry, slot: Slot, label: str) -> float:
    """The x at which the name of an output's cotangent begins: above the cotangent, or further left if it is long."""
    return min(slot.x + 1, m.plan.w - 22 * entry.level - width(label))


def words_end(frame: Frame, key: str) -> float:
    """Where a centred text ends, if it is there."""
    shape = frame.get(key)
    return shape.attrs['x'] + width(shape.attrs['T']) / 2 if shape and shape.attrs['T'] else 0


def dout_plate(column: Column, slot: Slot, value: Value, lane: Lane, free: float) -> tiles.Plate:
    """How a cotangent is drawn under the output that it is of."""
    room, high = max(slot.plate.w, min(60, lane.x + lane.w - slot.x, free - slot.x - 6)), max(slot.plate.h, 30)
    on = on_road(lane, slot, value, min(free - 8, lane.x + lane.w) - slot.x)
    return on or tiles.plate(value, room, high if len(column.outputs) < 3 else 26)


def explain(m: Moment, entry: Entry, reading: Reading, given: bool, lane: Lane, alias: str) -> None:
    """The rule as a formula, under its card: with numbers, where there is one number each."""
    gave, rows = handed(entry, reading), []
    for found in formula.formulas(m.record, entry, dout=reading.douts[0], alias=alias)[:3]:
        if gave and found.k not in gave:  # of a constant
            continue
        single = given and phrases.single(gave.get(found.k))
        rows.append(found.with_numbers(gave[found.k].data.item()) if single else str(found))
    if m.plan.own_rows and width(beside := '    '.join(rows), 'm') <= lane.w:  # under it stands what a bprop returns
        rows = [beside]
    for k, said in enumerate(rows[: 1 if m.plan.own_rows and not m.plan.narrow else 3]):
        m.frame.text(f'how{k}', lane.x, lane.road + 66 + 19 * k, said, 'm', room=lane.w)
