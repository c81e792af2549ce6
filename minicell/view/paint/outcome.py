"""What comes out: the band that takes over, and a card for each gradient, with the true one beside it."""

import numpy as np

from .. import metrics
from ..model import Arrival, Entry, Gradient, Pass, Reading, Value, shape_text
from . import numbers, phrases, program, tiles, verdict
from .kit import cut, width
from .moment import Moment
from .plan import CARD, CODE, GAP, TALL, Box
from .strip import fork

ROWS = 22  # px of a gradient's row in a list
UNSEEN = 'not checked: the shapes fit, so no error'
SUMMED = 24  # parts that are written as a sum; more would not fit


def draw(m: Moment) -> None:
    """The takeover in focus and its gradients; without one, the gradients that were asked for."""
    failed = m.now.kind == 'fail' and not m.compare
    if failed:
        error(m)
        if m.taken is None:
            return
    if m.taken is None:
        first = m.story.first_reading
        if first is not None and m.strips[0].all is not None and m.column(m.record.readings[first].entry) is not None:
            Cards(m, m.entry_of(first), first).draw()  # their places, with a question mark
        else:
            arrivals(m)
        return
    entry = m.entry_of(m.taken)
    column = m.column(m.record.readings[m.taken].entry)
    if column is None or not column.outputs or not m.own_rows or entry.level:
        if not failed:
            arrivals(m)
        return
    running = not m.compare and m.now.reading == m.taken
    past = '' if m.compare or (running and m.now.kind == 'reach') else ' past'
    strip = m.strips[0]
    bend = fork(strip.row(m.focus[0]), column, strip.lane).x
    (down if m.plan.narrow else aside)(m, column.outputs[0].x, bend, past, entry)
    if not failed:
        Cards(m, entry, m.taken).draw()


def error(m: Moment) -> None:
    """What ended the run, on a torn card."""
    kind, _, message = m.now.what.partition(': ')
    x, y, w, h = m.plan.results
    m.frame.rect('torn', x + 1, y, w - 2, max(h, 56), 'sheet torn', 0, rx=10)
    m.frame.text('v0', x + 16, y + 26, f'✗ {kind}', 'big xx', room=w - 32)
    for k, row in enumerate(
        metrics.wrap(metrics.clean(message.partition('\n')[0]), w - 32, 13, max(int((h - 34) // 18), 1))
    ):
        m.frame.text(f'v{k + 1}', x + 16, y + 48 + 18 * k, row, 'dim')


def label_of(entry: Entry, room: float) -> str:
    """What the band says, in as many words as it has room for."""
    into = 'your hook' if entry.kind == 'hook' else 'your own lines' if entry.yours else 'its own bprop'
    said = (f'takeover: into {into}', f'takeover: {into}'.replace('own lines', 'lines'), 'takeover')
    return next((words for words in said if width(words, 'onr') <= room), '')


def because(m: Moment, entry: Entry, room: float) -> str:
    """Why backward leaves its road here, in as many words as there is room for."""
    if entry.kind == 'hook':
        said = ['because you registered it'] * entry.yours
    else:
        said = [
            f'because {entry.name} has its own bprop',
            'because of its own bprop',
            f'{entry.name} has its own bprop',
        ]
    if m.behind and not m.plan.narrow:
        said = [f'takeover{":" if words.startswith(entry.name) else ","} {words}' for words in said] + said
    return next((words for words in said if width(words) <= room), '')


def aside(m: Moment, x: float, bend: float, past: str, entry: Entry) -> None:
    """The band that turns off the road before the ghost, and goes left into the code."""
    frame, lane, under = m.frame, m.strips[0].lane, m.plan.under
    road, right = lane.road, x - 8
    near = min(bend + 52, x)
    far = near - 104 + 18 * (near == x)
    middle = (near + far) / 2
    bends = f'H{near:g}C{middle - 6:g},{road:g},{middle + 6:g},{under:g},{far:g},{under:g}'
    size, thin = (15, ' th') if m.behind else (28, '')
    to = f'M{x + 1:g},{road:g}{bends if under > road else ""}H{CODE + size:g}'
    frame.path('fat', to, f'fat{thin}{past}', 1, draw=600)
    frame.head('fath', CODE - 5, under, 'l', f'fatk{past}', 6, size, late=450)
    if not m.behind:
        frame.text('tk', CODE + 38, under + 5, label_of(entry, far - CODE - 16), f'onr{past}', 6, late=450)
    x, y = (bend + 12, lane.head) if under == road else (bend + 26, under + 5)
    frame.text('why', x, y, because(m, entry, (m.plan.w if lane.tall else right) - x), '', 6, late=450)


def down(m: Moment, x: float, bend: float, past: str, entry: Entry) -> None:
    """The band that goes down into the lines of bprop: on a phone they lie in its way."""
    frame, road, tip, bend = m.frame, m.strips[0].lane.road, m.plan.own.y - 22, max(bend, 40)
    to = f'M{x + 1:g},{road:g}H{bend + 21:g}A21,21,0,0,0,{bend:g},{road + 21:g}V{tip - 34:g}'
    frame.path('fat', to, f'fat{past}', 1, draw=600)
    frame.head('fath', bend, tip, 'd', f'fatk{past}', 6, 24, late=450)
    side, ink = ' end' if bend > 200 else '', 'dim' if past else 'bf'
    room, x = (bend if side else m.plan.w - bend) - 24, bend + (-26 if side else 26)
    frame.text('tk', x, tip - 30, label_of(entry, room), f'{ink}{side}', 6, late=450)
    frame.text('why', x, tip - 12, because(m, entry, room), f'{ink}{side}', 6, late=450)


class Cards:
    """The gradients of a takeover, a card each; when compared, each has the true one beside it and a verdict."""

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
        self.compact = m.plan.results.h < 40
        self.again = m.again if self.compact else None
        self.tips: dict[int, float] = {}  # where the arrow to a card points

    def draw(self) -> None:
        """The cards, and the band that leads to them from the `return` line."""
        names = [g.name for _, g in self.gave] or phrases.names_of(self.m.record, self.entry)
        count = min(len(names), 2 if self.m.plan.narrow else 3)
        boxes = self.boxes(count)
        for k, box in enumerate(boxes):
            if k < len(self.gave) and self.made(self.gave[k][1]):
                self.card(k, *self.gave[k], box)
            else:
                self.ahead(k, names[k], box)
        if len(names) > count:
            x, y, w, _ = self.m.plan.results
            self.m.frame.text('tmore', x + w, y - 18, f'and {len(names) - count} more', 'dim end')
        if self.given:
            self.band(boxes)

    def made(self, gradient: Gradient) -> bool:
        """Whether a gradient can be seen yet: once its line has run."""
        if self.given or not self.begun:
            return self.given
        m = self.m
        ran = (s for s in m.record.steps[self.reading.reached : m.step + 1] if s.reading == self.number)
        taped = (v for e in m.record.entries if e.by == self.number and (e.written or 0) <= m.step for v in e.outputs)
        names = {s.value.name for s in ran if s.value is not None} | {v.name for v in taped}
        return bool(gradient.name) and gradient.name in names

    def boxes(self, count: int) -> list[Box]:
        """The cards' places."""
        x, y, w, h = self.m.plan.results
        if self.m.plan.narrow:
            gap = 22
            high = (h + gap) / max(self.m.plan.cards, 1) - gap
            return [Box(x, y + k * (high + gap), w, high) for k in range(count)]
        wide = min((w + GAP) / count - GAP, 560)
        return [Box(x + k * (wide + GAP), y, wide, h) for k in range(count)]

    def ahead(self, k: int, name: str, box: Box) -> None:
        """Where a gradient will be."""
        frame, (x, y, w, h) = self.m.frame, box
        if self.again is not None:
            return  # its place is on the second tape
        if self.compact:
            frame.text(f't{k}N', x, self.m.own_rows[-1].y, name, 'fut mid2', room=w / 2)
            frame.text(f't{k}q', x + width(name, 'mid2') + 24, self.m.own_rows[-1].y + 3, '?', 'mid big fut')
            return
        frame.text(f't{k}N', x, y + 18, name, 'fut mid3', room=w / 2)
        frame.text(f't{k}q', x + 12, min(y + 78, y + h - 12), '?', 'mid ques')
        whose = 'your hook' if self.entry.kind == 'hook' else 'your bprop' if self.entry.yours else 'its bprop'
        due = f'{whose} makes it' if self.begun else f'by {phrases.displaced(self.entry)}, or by {whose}?'
        frame.text(f't{k}F', x + 40, min(y + 72, y + h - 18), due, 'fut', room=w - 40)

    def card(self, k: int, place: int, g: Gradient, box: Box) -> None:
        """A gradient, beside it the true one, and the verdict on the card's edge."""
        m, frame, (x, y, w, h) = self.m, self.m.frame, box
        g = g if g.value is not None else g._replace(value=Value(g.name, words='None'))
        judged = self.reading.__dict__.get('gradients', ())[place : place + 1]  # as many decimals as in the comparison
        true = judged[0].true if judged else None
        alike = true is not None and g.value.data is not None and true.shape == g.value.data.shape
        digits = numbers.decimals([g.value.data, true], 2) if alike else None
        arrays = [g.value.data, true] if alike else [g.value.data]
        self.top = max((tiles.largest(a) for a in arrays if a is not None), default=0.0)  # one scale for both
        marks = peers = None
        if m.compare and g.ok is False and g.true is not None and alike and not verdict.surrogate(self.reading):
            facts = self.entry.facts
            marks, peers = differ(g.value.data, g.true, bool(facts and not facts.reads_dout))
        mine = f'g{self.number}.{place}'
        if self.compact:
            y, said = m.own_rows[-1].y - 5, f'= {g.formula}' if g.formula else ''
            if self.again is not None:  # it stands on the second tape
                left, x = m.plan.results.x, self.again.x
                said, what = f'{g.name} {said}', 'the inner grad’s result'
                badge = self.badge(g)
                room = x - left - 26 - (width(badge[0], 'mid2') if badge else 0)
                if width(what) + 8 + width(said, 'm') > room:
                    what = ''
                self.title(k, left, y - 14, room, what, said)
                at = left + width(what) + 8 + width(frame[f't{k}F'].attrs['T'], 'm') + 16
                self.verdict(k, g, at, y - 14, x - 8 - at)
                return
            frame.text(f't{k}N', x, y + 5, g.name, 'mid2', room=60)
            x += width(g.name, 'mid2') + 10
            how = tiles.plate(g.value, w / 3, 20, digits)
            tiles.draw(frame, mine, x, y - how.h / 2, g.value, how, account=True, marks=marks, top=self.top)
            x += how.w + 10
            said = cut(said, box.x + box.w - x - 180, 'm dim')
            frame.text(f't{k}F', x, y + 4.5, said, 'm dim')
            self.verdict(k, g, x + width(said, 'm dim') + 16, y + 5, m.plan.w - x - width(said, 'm dim') - 16)
            return
        name = f'{"your" if self.entry.yours else f"{self.entry.name}’s"} {g.name}'
        frame.text(f't{k}N', x, y + 15, name, 'mid3', room=w / 2)
        self.tips[k] = x + min(width(name, 'mid3'), w / 2) / 2
        both = m.compare and g.true is not None
        room = (w - 40) / 2
        how = tiles.plate(
            g.value, room if both or true is not None or m.plan.narrow else w, h - CARD, digits, TALL, 'num'
        )
        top = y + CARD
        self.title(k, x, y + CARD - 7, room, 'returned', g.formula)
        self.verdict(k, g, x + width(name, 'mid3') + 16, y + 15, w - width(name, 'mid3') - 16)
        tiles.draw(frame, mine, x - 1, top, g.value, how, classes=' on', account=True, marks=marks, top=self.top)
        if not both:
            return
        head = 'the true gradient' if g.ok is not False or verdict.surrogate(self.reading) else 'should be'
        made = width('returned') + 8 + width(g.formula, 'm')
        right = x + max(how.w, made if made <= room else width('returned')) + 22
        self.title(
            f'{k}s', right, y + CARD - 7, x + w - right, head, phrases.true_formula(self.entry, place) * (g.ok is False)
        )
        true = tiles.plate(Value(g.name, g.true.shape, '', g.true), room, h - CARD, digits, TALL, 'num')
        if any(key.startswith(f'{mine}[') and key.endswith(']l') for key in frame):
            frame.text(f't{k}L', x, top + how.h + 18, '✓ right by chance', 'dim', room=how.w)
        tiles.draw(frame, f's{self.number}.{place}', right - 1, top, Value(g.name, g.true.shape, '', g.true), true,
                   classes=' tru', marks=peers, top=self.top)  # fmt: skip

    def title(self, k: object, x: float, y: float, room: float, what: str, formula: str) -> None:
        """What stands under it, and how it was made, where there is room."""
        self.m.frame.text(f't{k}W', x, y, what, 'dim', room=room)
        x, room = x + width(what) + 8, room - width(what) - 8
        look = 'dim' if formula.startswith('by ') else 'm'
        self.m.frame.text(f't{k}F', x, y, formula if width(formula, look) <= room else '', look)

    def verdict(self, k: int, g: Gradient, x: float, y: float, room: float) -> None:
        """Whether it is right: nobody knows before it is compared."""
        if said := self.badge(g):
            self.m.frame.text(f't{k}B', x, y, said[0], f'mid2 {said[1]}', room=room)

    def badge(self, g: Gradient) -> tuple[str, str] | None:
        """What is known of it, in words, and their look."""
        if self.number in self.m.shot.known:
            return verdict.badge(self.reading, next(t for t in self.reading.gradients if t.name == g.name))
        return ('nobody checked', 'bf') if self.given else None

    def band(self, boxes: list[Box]) -> None:
        """From the `return` line to each card."""
        m, frame, out = self.m, self.m.frame, self.m.own_rows[-1].y - 5
        now = not m.compare and m.now.kind == 'give' and m.now.reading == self.number
        look = '' if now or m.compare else ' past'
        facts = self.entry.facts
        if facts and not facts.reads_dout and not m.behind:
            self.unread(facts.dout)
        if self.compact:
            if self.again is not None:  # on to its place on the second tape
                x, y = self.again.x + self.again.plate.w / 2, self.again.y - 20
                to = f'M{CODE - 4:g},{out:g}H{x - 24:g}A24,24,0,0,1,{x:g},{out + 24:g}V{y - 15:g}'
                frame.path('out', to, f'fat th{look}', 1, draw=300)
                frame.head('outh', x, y, 'd', f'fatk{look}', 6, 11, late=200)
                return
            tip = boxes[0].x - 5
            frame.path('out', f'M{CODE - 4:g},{out:g}H{tip - 15:g}', f'fat th{look}', 1, draw=300)
            frame.head('outh', tip, out, 'r', f'fatk{look}', 1, 11, late=200)
            return
        if not self.tips:  # nothing is handed on: None as every gradient
            return
        if m.plan.narrow:
            k, x = next(iter(self.tips.items()))
            y = boxes[k].y
            frame.path('out', f'M{x:g},{out + 15:g}V{y - 16:g}', f'fat th{look}', 1, draw=300)
            frame.head('outh', x, y - 2, 'd', f'fatk{look}', 6, 11, late=300)
            return
        foot, bottom = m.own_rows[-1].y + 9, boxes[0].y - 17  # of the frame of the lines, and where the heads begin
        side = foot - 7  # under the head of the band that comes in
        r = bottom - side
        for k, x in self.tips.items():
            stem, middle = min(x, CODE - 28), (foot + bottom) / 2
            to = f'M{stem:g},{foot + 1:g}C{stem:g},{middle:g},{x:g},{middle:g},{x:g},{bottom:g}'
            if x > CODE + r:  # from the side of the frame, else from under it
                to = f'M{CODE - 4:g},{side:g}H{x - r:g}A{r:g},{r:g},0,0,1,{x:g},{bottom:g}'
            frame.path(f'out{k}', to, f'fat th{look}', 1, draw=400, late=200)
            frame.head(f'out{k}h', x, boxes[k].y - 2, 'd', f'fatk{look}', 6, 11, late=450)
        self.unchecked(boxes[0].y - 27)

    def unchecked(self, y: float) -> None:
        """Why nobody noticed, beside the way on which what is wrong is handed on."""
        m = self.m
        judged = [g for g in self.reading.gradients if g.ok is not None] if self.m.compare else []
        fits = all(g.value is not None and g.value.data is not None and g.value.shape == g.true.shape for g in judged)
        failed = any(step.kind == 'fail' for step in self.m.record.steps)
        if all(g.ok for g in judged) or not fits or failed or verdict.surrogate(self.reading):
            return
        left, x = max(max(self.tips.values()) + 12, CODE), self.notes()
        m.frame.path('unseento', f'M{left:g},{y + 8:g}H{x - 6:g}', 'link', 1)
        m.frame.text('unseen', x, y + 12.5, UNSEEN, '', 6, room=m.plan.w - x)

    def unread(self, dout: str) -> None:
        """Under the dout that comes in, that no line reads it."""
        m, (head, *lines) = self.m, self.m.own_rows
        chip = m.frame.get(f'dout{head.key}0')
        if chip is None:
            return
        right = chip.attrs['x'] + chip.attrs['width']
        for n, row in enumerate(lines):
            said = f'no line uses {dout}' if n else 'no line uses it ↑'
            if right - width(said) > m.plan.own.x + program.GUTTER + len(row.text) * program.LETTER + 12:
                m.frame.text('nob', right, row.y, said, 'bf end', 6)
                return
        if not m.plan.narrow and not self.compact:
            m.frame.text('nob', self.notes(), m.plan.under + 28, f'no line uses {dout}', '', 6)

    def notes(self) -> float:
        """Where what is said of the way out begins: under the reason for the takeover, where that leaves room."""
        strip = self.m.strips[0]
        column = self.m.column(self.reading.entry)
        x = fork(strip.row(self.m.focus[0]), column, strip.lane).x + 26 if column is not None else self.m.plan.w
        return x if self.m.plan.w - x > width(UNSEEN) else max(self.tips.values()) + 40


# ---- the gradients that were asked for ----


def arrivals(m: Moment) -> None:
    """Their numbers where there are few, else a row for each."""
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


def differ(yours: np.ndarray, true: np.ndarray, deaf: bool) -> tuple[tiles.Marks, tiles.Marks]:
    """Which numbers of yours are wrong, and the worst of them; the same place of the true ones. Of a bprop that is
    `deaf` to dout, the others are right by chance: another loss would make them wrong."""
    a, b = tiles.folded(yours), tiles.folded(true)
    with np.errstate(all='ignore'):
        off = np.abs(a.astype(np.float64) - b)
        off[~np.isfinite(off)] = np.inf
        wrong = off > 2e-3 * max(1e-6, float(np.max(np.abs(b), initial=0.0)))
    worst = tuple(int(n) for n in np.unravel_index(int(np.argmax(off)), off.shape))
    return tiles.Marks(wrong, worst, luck=deaf), tiles.Marks(wrong, worst, True)
