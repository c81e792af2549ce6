"""What comes out: the band that takes over, the gradients that it returns, the truth beside them, the arrivals."""

import numpy as np

from ..model import Arrival, Entry, Gradient, Pass, Reading, Value, shape_text
from . import numbers, phrases, tiles, verdict
from .kit import cut, width
from .moment import Moment


def draw(m: Moment) -> None:
    """The takeover in focus and its gradients; without one, the gradients that were asked for."""
    plan = m.plan
    if m.taken is None:
        first = m.story.first_reading
        if first is not None and m.strips[0].all is not None and m.column(m.record.readings[first].entry) is not None:
            Tables(m, m.entry_of(first), first).draw()  # their places, with a question mark
        else:
            arrivals(m)
        return
    entry = m.entry_of(m.taken)
    column = m.column(m.record.readings[m.taken].entry)
    if column is None or not column.outputs or not m.own_rows or entry.level:
        arrivals(m)
        return
    running = not m.compare and m.now.reading == m.taken
    past = '' if running and m.now.kind == 'reach' else ' past'
    x, road = column.outputs[0].x, m.strips[0].lane.road
    (down if plan.narrow else aside)(m, x, road, past, entry)
    Tables(m, entry, m.taken).draw()


def label_of(entry: Entry) -> str:
    """What the band says."""
    if entry.kind == 'hook':
        return 'takeover: into your hook'
    return 'takeover: into your own lines' if entry.yours else 'takeover: into its own bprop'


def aside(m: Moment, x: float, road: float, past: str, entry: Entry) -> None:
    """The band that leaves the road before the ghost, and goes left into the code."""
    frame, under, edge = m.frame, m.plan.under, m.plan.code[0] + m.plan.code[2]
    bends = f'A21,21,0,0,0,{x - 23:g},{road + 21:g}V{under - 21:g}A21,21,0,0,1,{x - 44:g},{under:g}'
    frame.path('fat', f'M{x + 1:g},{road:g}H{x - 2:g}{bends}H{edge + 28:g}', f'fat{past}', 1, draw=600)
    frame.head('fath', edge - 4, under, 'l', f'fatk{past}', 6, 24, late=450)
    label = label_of(entry)
    if x - 48 - edge - 46 > width(label, 'onr'):
        frame.text('tk', edge + 46, under + 4.7, label, f'onr{past}', 6, late=450)
    else:
        frame.text('tk', x, under + 5, 'takeover', 'dim' if past else 'bf', 6, late=450)


def down(m: Moment, x: float, road: float, past: str, entry: Entry) -> None:
    """The band that goes down into the lines of bprop: on a phone they lie in its way."""
    frame, tip, bend = m.frame, m.plan.own[1] - 24, max(x - 23, 40)
    frame.path(
        'fat',
        f'M{x + 1:g},{road:g}H{bend + 21:g}A21,21,0,0,0,{bend:g},{road + 21:g}V{tip - 34:g}',
        f'fat{past}',
        1,
        draw=600,
    )
    frame.head('fath', bend, tip, 'd', f'fatk{past}', 6, 24, late=450)
    side, ink = ' end' if bend > 200 else '', 'dim' if past else 'bf'
    room = (bend if side else m.plan.w - bend) - 24
    label = label_of(entry)
    label = label if width(label, ink) <= room else 'takeover'
    frame.text('tk', bend + (-20 if side else 20), tip - 16, label, f'{ink}{side}', 6, late=450)


class Tables:
    """The gradients of a takeover beside each other; when compared, each with the true one."""

    def __init__(self, m: Moment, entry: Entry, number: int) -> None:
        self.m, self.entry, self.number = m, entry, number
        self.reading: Reading = m.record.readings[number]
        self.begun = m.taken == number
        self.given = self.begun and self.reading.given is not None and self.reading.given <= m.step
        told = self.reading.gradients if m.compare else self.reading.gave
        # a None that should have been a gradient is an answer too
        self.gave = [(place, g) for place, g in enumerate(told) if g.value is not None or g.ok is False]
        if m.compare:
            self.gave.sort(key=lambda pair: pair[1].ok is not False)  # of many, the wrong ones are seen
        self.x, self.y, self.w, self.h = m.plan.tables
        self.compact = self.h < 40

    def draw(self) -> None:
        """The tables, and the band that leads to them from the `return` line."""
        names = [g.name for _, g in self.gave] or phrases.names_of(self.m.record, self.entry)
        count = min(len(names), 2 if self.m.plan.narrow else 3)
        for k in range(count):
            if k < len(self.gave) and self.made(self.gave[k][1]):
                self.table(k, *self.gave[k], count)
            else:
                self.place(k, names[k], count)
        if len(names) > count:
            self.m.frame.text('tmore', self.x + self.w, self.y - 40, f'and {len(names) - count} more', 'dim s12 end')
        if self.given:
            self.band(count)

    def made(self, gradient: Gradient) -> bool:
        """Whether a gradient can be seen yet: once its line has run."""
        if self.given or not self.begun:
            return self.given
        m = self.m
        ran = (s for s in m.record.steps[self.reading.reached : m.step + 1] if s.reading == self.number)
        taped = (v for e in m.record.entries if e.by == self.number and (e.written or 0) <= m.step for v in e.outputs)
        names = {s.value.name for s in ran if s.value is not None} | {v.name for v in taped}
        return bool(gradient.name) and gradient.name in names

    def corner(self, k: int, count: int) -> tuple[float, float, float]:
        """The left, the top and the width of a table's place."""
        if self.m.plan.narrow:
            return self.x, self.y + k * self.h / count + 26, self.w
        return self.x + k * self.w / count, self.y, self.w / count

    def place(self, k: int, name: str, count: int) -> None:
        """Where a gradient will be."""
        frame, (x, y, wide) = self.m.frame, self.corner(k, count)
        if self.compact:
            frame.text(f't{k}N', x + 52, y + 20, name, 'fut mid2', room=wide / 2)
            frame.text(f't{k}q', x + 22, y + 24, '?', 'mid big fut')
            return
        frame.text(f't{k}N', x + 2, y - (6 if self.m.plan.narrow else 22), name, 'fut mid2', room=wide / 2)
        frame.text(f't{k}q', x + 56, y + min(self.h, 60) / 2 + 10, '?', 'mid ques')

    def table(self, k: int, place: int, g: Gradient, count: int) -> None:
        """A gradient, and the true one."""
        m, frame, (x, y, wide) = self.m, self.m.frame, self.corner(k, count)
        g = g if g.value is not None else g._replace(value=Value(g.name, words='None'))
        same = g.true is not None and g.value.data is not None and g.true.shape == g.value.data.shape
        judged = self.reading.__dict__.get('gradients', ())[place : place + 1]  # as many decimals as in the comparison
        true = judged[0].true if judged else None
        same_true = true is not None and g.value.data is not None and true.shape == g.value.data.shape
        digits = numbers.decimals([g.value.data, true], 2) if same_true else None
        half = wide / 2 - 12
        high = self.h / count - 30 if m.plan.narrow else self.h
        how = tiles.plate(g.value, half, high, digits)
        pair = [g.value.data, true] if same_true else [g.value.data]
        self.top = max((tiles.largest(a) for a in pair if a is not None), default=0.0)  # one scale for both
        marks = peers = None
        if m.compare and g.ok is False and same and not verdict.surrogate(self.reading):
            marks, peers = differ(g.value.data, g.true)
        whose = 'yours' if self.entry.yours else ''
        formula = ': '.join(part for part in (whose, g.formula) if part)
        if self.compact:
            tiles.draw(
                frame, f'g{self.number}.{place}', x, y + 4, g.value, how, account=True, marks=marks, top=self.top
            )
            x += how.w + 8
            frame.text(f't{k}N', x, y + 20, g.name, 'b mid2', room=60)
            x += width(g.name, 'b mid2') + 14
            if m.compare and g.ok is not None:
                frame.text(f't{k}S', x, y + 20, '✓ right' if g.ok else 'should be', 'b')
                if not g.ok and same:
                    self.truth(place, g, x + 82, y + 4, half, high, digits, peers)
            return
        tiles.draw(frame, f'g{self.number}.{place}', x, y, g.value, how, account=True, marks=marks, top=self.top)
        if m.plan.narrow:
            name = cut(g.name, half - 30, 'b mid2')
            frame.text(f't{k}N', x + 2, y - 6, name, 'b mid2')
            left = width(name, 'b mid2') + 10
            frame.text(f't{k}F', x + left, y - 6, formula, 'dim s12', room=half - left)
        else:
            frame.text(f't{k}N', x + 2, y - 22, g.name, 'b mid2', room=half)
            frame.text(f't{k}F', x + 2, y - 6, formula, 'dim s12', room=half + 4)
        if m.compare and g.true is not None:
            right = x + wide / 2 - 2
            head = (
                '✓ agrees with'
                if g.ok is not False
                else 'true gradient'
                if verdict.surrogate(self.reading)
                else 'should be'
            )
            frame.text(f't{k}S', right + 2, y - (6 if m.plan.narrow else 22), head, 'b', room=half)
            if not m.plan.narrow:
                by = 'the true gradient' if g.ok is not False else phrases.true_formula(self.entry, place)
                frame.text(
                    f't{k}R', right + 2, y - 6, by, 'm dim s12' if '@' in by or '×' in by else 'dim s12', room=half
                )
            self.truth(place, g, right, y, half, high, digits, peers)

    def truth(
        self, place: int, g: Gradient, x: float, y: float, room: float, high: float, digits: int | None, peers: object
    ) -> None:
        """The true gradient."""
        value = Value(g.name, g.true.shape, '', g.true)
        tiles.draw(
            self.m.frame,
            f's{self.number}.{place}',
            x,
            y,
            value,
            tiles.plate(value, room, high, digits),
            classes=' tru',
            marks=peers,
            top=self.top,
        )

    def band(self, count: int) -> None:
        """From the `return` line to each table."""
        m, frame, out = self.m, self.m.frame, self.m.own_rows[-1].y - 5
        now = not m.compare and m.now.kind == 'give' and m.now.reading == self.number
        look, edge = '' if now else ' past', m.plan.code[0] + m.plan.code[2]
        if self.compact:
            frame.path('out', f'M{edge - 2:g},{out:g}H{self.x - 16:g}', f'fat th{look}', 1, draw=300)
            frame.head('outh', self.x - 3, out, 'r', f'fatk{look}', 1, 11, late=200)
            return
        if m.plan.narrow:
            frame.path('out', f'M{self.x + 150:g},{out + 24:g}V{self.y - 16:g}', f'fat th{look}', 1, draw=300)
            frame.head('outh', self.x + 150, self.y, 'd', f'fatk{look}', 6, 11, late=200)
        else:
            for k in range(count):
                b, tip = self.corner(k, count)[0] + 66, self.y - 16
                frame.path(
                    f'out{k}',
                    f'M{edge - 2:g},{out:g}H{b - 18:g}A18,18,0,0,1,{b:g},{out + 18:g}V{tip - 14:g}',
                    f'fat th{look}',
                    1,
                    draw=400,
                )
                frame.head(f'out{k}h', b, tip, 'd', f'fatk{look}', 6, 11, late=300)
        if not m.compare and m.now.kind in ('give', 'arrive') and not m.plan.narrow and out - m.plan.under > 35:
            said = 'taken as they are: nobody checks' if count > 1 else 'taken as it is: nobody checks'
            frame.text('nob', self.x + 2, out - 14, said, 'dim' if look else 'bf', 6, late=300)


# ---- the gradients that were asked for ----


def arrivals(m: Moment) -> None:
    """Their numbers where there are few, else a row for each."""
    runs = [p for p in m.record.passes if p.begun <= m.step and p.arrivals] or [
        p for p in m.record.passes if p.arrivals
    ]
    if not runs:
        return
    run = runs[-1]
    small = all(a.total is None or a.total.data is None or a.total.data.size <= 16 for a in run.arrivals)
    if m.plan.tables[3] < 40:
        return  # in a picture of two tapes they stand on the road
    if len(run.arrivals) <= 2 and small:
        few(m, run)
    else:
        many(m, run)


def few(m: Moment, run: Pass) -> None:
    """One or two small gradients, as numbers."""
    frame, (x, y, w, h) = m.frame, m.plan.tables
    if m.plan.narrow:
        y += 26
    wide = w / max(len(run.arrivals), 1)
    for k, arrival in enumerate(run.arrivals):
        left, value = x + k * wide, partial(run, arrival, m.step)
        frame.text(f't{k}N', left + 2, y - 8, arrival.name, 'fut mid2' if value is None else 'b mid2', room=wide - 8)
        if value is None:
            frame.text(f't{k}q', left + 26, y + 30, '?', 'mid ques')
            continue
        how = tiles.plate(value, wide - 20, min(h, 90))
        done = run.ended == m.step and not m.compare and how.kind == 'numbers' and how.rows * how.columns == 1
        key = f'p{m.record.passes.index(run)}.{k}'
        tiles.draw(frame, key, left, y, value, how, account=True, classes=' res' if done else '')


def many(m: Moment, run: Pass) -> None:
    """A row for each: its name, its shape, how large it is. Of very many, those around the last that came."""
    frame, plan, found = m.frame, m.plan, run.arrivals
    x, y, w, _ = plan.tables
    top = y - (2 if plan.narrow else 24)
    started = run.started is not None and run.started <= m.step
    frame.text('G', x, top - 4, 'gradients', 'bf' if started else 'fut')
    frame.text('Gr', x + width('gradients', 'bf') + 10, top - 4, 'root mean square', 'dim s12')
    columns = 1 if plan.narrow else 2 if len(found) <= 8 else 3
    per = max(1, int((plan.voice[1] - 30 - top if plan.narrow else plan.h - 8 - top) // 20))
    came = [max((s for s, _ in a.parts if s <= m.step), default=-1) for a in found]
    room, first = columns * per, 0
    if len(found) > room:
        latest = max(range(len(found)), key=came.__getitem__) if max(came) >= 0 else len(found) - 1
        first = max(0, min(latest - room // 2, len(found) - room))
        frame.text('Gof', x + w, top - 4, f'{first + 1}–{first + room} of {len(found)}', 'dim end s12')
    wide = w / columns
    for n, arrival in enumerate(found[first : first + room]):
        k, left, base = n + first, x + (n // per) * wide, top + 16 + (n % per) * 20
        value = partial(run, arrival, m.step)
        frame.text(
            f'g{k}',
            left,
            base,
            arrival.name,
            'm' if came[k] >= 0 else 'm fut',
            room=wide - (72 if columns == 3 else 150),
        )
        if columns < 3:
            frame.text(f'g{k}s', left + wide - 86, base, shape_text(arrival.shape), 'dim s12 end')
        if value is not None and value.data is not None and value.data.size:
            frame.text(f'g{k}v', left + wide - 14, base, numbers.said(rms(value.data)), 'end bb')


def partial(run: Pass, arrival: Arrival, step: int) -> Value | None:
    """A gradient as far as its parts have come."""
    if arrival.total is None:
        return None
    if run.ended is not None and run.ended <= step:
        return arrival.total
    parts = [p.value for s, p in arrival.parts if s <= step and p.value is not None and p.value.data is not None]
    if not parts:
        return None
    with np.errstate(all='ignore'):
        return parts[0]._replace(data=np.asarray(sum((p.data for p in parts[1:]), parts[0].data)))


def rms(array: np.ndarray) -> float:
    """The root mean square, in double."""
    if array.size == 1:
        return abs(float(array.item()))
    data = np.asarray(array, np.float64)
    with np.errstate(all='ignore'):
        return float(np.sqrt(np.mean(data * data)))


def differ(yours: np.ndarray, true: np.ndarray) -> tuple[tiles.Marks, tiles.Marks]:
    """Which numbers of yours are wrong, and the worst of them; the same place of the true ones."""
    a, b = tiles.folded(yours), tiles.folded(true)
    with np.errstate(all='ignore'):
        off = np.abs(a.astype(np.float64) - b)
        off[~np.isfinite(off)] = np.inf
        wrong = off > 2e-3 * max(1e-6, float(np.max(np.abs(b), initial=0.0)))
    worst = tuple(int(n) for n in np.unravel_index(int(np.argmax(off)), off.shape))
    return tiles.Marks(wrong, worst), tiles.Marks(wrong, worst, True)
