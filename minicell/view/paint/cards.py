"""A card for each gradient of a takeover, with the true one beside it, and the ways that lead there."""

import numpy as np

from ..model import Entry, Gradient, Reading, Value
from . import forward, numbers, phrases, program, tiles, verdict
from .kit import cut, width
from .moment import Moment
from .plan import CARD, CODE, GAP, ROW, TALL, Box

UNSEEN = 'the shapes fit, so no error'
VOICE = 214  # px at the left of the cards, for what is known of them


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
        self.beside = not self.compact and not m.plan.narrow  # what is known of them stands at their left

    def draw(self) -> None:
        """The cards, and the band that leads to them from the `return` line."""
        names = [g.name for _, g in self.gave] or phrases.names_of(self.m.record, self.entry)
        count = min(len(names), 2 if self.m.plan.narrow else 3)
        boxes = self.boxes(count)
        for k, box in enumerate(boxes):
            if k < len(self.gave) and self.made(self.gave[k][1]):
                self.card(k, *self.gave[k], box)
            else:
                self.ahead(k, self.gave[k][0] if k < len(self.gave) else k, names[k], box)
        if self.beside:
            self.voice(names)
        if len(names) > count:
            last = self.m.own_rows[-1].y if self.m.own_rows else 0
            at = (self.m.plan.w - 24, last if not self.m.plan.narrow else boxes[0].y - 4)
            self.m.frame.text('tmore', *at, f'and {len(names) - count} more', 'dim end')
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
        x, w = x + VOICE * self.beside, w - VOICE * self.beside
        wide = min((w + GAP) / count - GAP, 560)
        return [Box(x + k * (wide + GAP), y, wide, h) for k in range(count)]

    def voice(self, names: list[str]) -> None:
        """What is known of the gradients, large: a question before, and at the end the number that is worst."""
        frame, (x, y, _, h) = self.m.frame, self.m.plan.results
        whose = 'your hook' if self.entry.kind == 'hook' else 'your bprop' if self.entry.yours else 'its bprop'
        large, base = ('hero', y + 76) if h > 120 else ('xxl', y + 48)
        under = base + (30 if h > 120 else 24)
        if not self.given:
            frame.text('V0', x + 8, base, '?', 'ques')
            said = f'{whose} makes {"it" if len(names) == 1 else "them"}'
            said = said if self.begun else f'{phrases.displaced(self.entry)}, or {whose}?'
            frame.text('V1', x + 8, under, said, 'fut', room=VOICE - 24)
            return
        wrong = [g for _, g in self.gave if g.ok is False]
        found = max(wrong, key=lambda g: g.error or 0.0, default=None)
        if not self.judged():
            frame.text('V0', x + 8, y + h / 2, 'nobody checked', 'big bf', room=VOICE - 20)
            frame.text('V1', x + 8, y + h / 2 + 22, UNSEEN, '', room=VOICE - 20)
        elif found is None or verdict.surrogate(self.reading):
            said = 'a surrogate' if found is not None else '✓ right'
            frame.text('V0', x + 8, y + h / 2 + 8, said, 'big', room=VOICE - 20)
        elif worst := self.worst(found):
            place, yours, true = worst
            frame.text('V2', x + 8, y + 17, f'your {found.name}{place}', 'mid3', room=VOICE - 20)
            large = large if width(yours, large) < VOICE - 20 else 'xxl'
            frame.text('V0', x + 6, base, yours, f'{large} xx', room=VOICE - 12)
            self.leader(x + 8 + width(yours, large), base - (42 if large == 'hero' else 21), base)
            frame.text('V1', x + 8, under, f'should be {true}', 'mid3 af', room=VOICE - 20)
        else:
            frame.text('V0', x + 8, y + h / 2 + 8, f'✗ {found.name}', 'big xx', room=VOICE - 20)

    def worst(self, g: Gradient) -> tuple[str, str, str] | None:
        """The worst number of a gradient: its place, what it is, and what it should be."""
        mine, true = g.value.data if g.value is not None else None, g.true
        if mine is None or true is None or mine.shape != true.shape or not true.size:
            return None
        at = differ(mine, true, False)[0].worst
        place = np.unravel_index(int(np.ravel_multi_index(at, tiles.folded(true).shape)), true.shape)
        digits = numbers.decimals([mine, true], 2)
        both = (tiles.shown(tiles.folded(each)[at], digits) for each in (mine, true))
        return f'[{", ".join(map(str, map(int, place)))}]' * (true.size > 1), *both

    def judged(self) -> bool:
        """Whether they have been compared with the true ones, by now."""
        return self.number in self.m.shot.known

    def ahead(self, k: int, place: int, name: str, box: Box) -> None:
        """Where a gradient will be."""
        frame, (x, y, w, h) = self.m.frame, box
        if self.again is not None:
            return  # its place is on the second tape
        if self.compact:
            frame.text(f't{k}N', x, self.m.own_rows[-1].y, name, 'fut mid2', room=w / 2)
            frame.text(f't{k}q', x + width(name, 'mid2') + 24, self.m.own_rows[-1].y + 3, '?', 'mid big fut')
            return
        frame.text(f't{k}N', x, y + 17, name, 'fut mid3', room=w / 2)
        if self.m.plan.narrow:
            whose = 'your hook' if self.entry.kind == 'hook' else 'your bprop' if self.entry.yours else 'its bprop'
            due = f'{whose} makes it' if self.begun else f'by {phrases.displaced(self.entry)}, or by {whose}?'
            frame.text(f't{k}F', x, y + 37, due, 'fut', room=w)
        value = self.entry.inputs[place] if place < len(self.entry.inputs) else None
        if value is not None and value.data is not None:  # as many places as there will be numbers
            how, _ = self.plates(value, None, w, h - CARD, None, False)
            tiles.draw(frame, f'g{self.number}.{place}', x - 2, y + CARD, value, how, there=False)

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
        if m.compare and g.true is not None and alike and g.true.size:
            facts = self.entry.facts
            errors = [t.error for t in self.reading.gradients if t.ok is False and t.error is not None]
            most = max(filter(np.isfinite, errors), default=0.0)
            marks, peers = differ(g.value.data, g.true, bool(facts and not facts.reads_dout), most)
            if g.ok is not False or verdict.surrogate(self.reading):  # no number is blamed
                marks, peers = None, peers._replace(worst=None, luck=False, off=None)
        mine = f'g{self.number}.{place}'
        if self.compact:
            self.line(k, mine, g, digits, marks, box)
            return
        name = f'{"your" if self.entry.yours else f"{self.entry.name}’s"} {g.name}'
        badge = self.badge(g)
        room = max(w - (width(badge[0], 'mid2') + 12 if badge else 0), w / 2)
        frame.text(f't{k}N', x, y + 17, name, 'mid3', room=room)
        named = min(width(name, 'mid3'), room)
        both, top, half = m.compare and g.true is not None, y + CARD, (w - 16) / 2
        due = Value(g.name, true.shape, '', true) if alike else None
        how, under = self.plates(g.value, due, w, h - CARD, digits, both)
        end = self.title(k, x, y + 38, half if both and under is None else w, 'returned', g.formula, 'num')
        self.verdict(k, g, x + named + 12, y + 17, w - named - 12)
        tiles.draw(frame, mine, x - 2, top, g.value, how, classes=' bare', account=True, marks=marks, top=self.top)
        if not both:
            return
        head = 'the true gradient' if g.ok is not False or verdict.surrogate(self.reading) else 'should be'
        formula = phrases.true_formula(self.entry, place) * (g.ok is False)
        at = x + half + 16 if under is None else end + 20
        self.title(f'{k}s', at, y + 38, x + w - at, head, formula, 'af')
        place_ = (x - 2 if how.lean else x + half + 16, top)
        due = due or Value(g.name, g.true.shape, '', g.true)
        tiles.draw(frame, f's{self.number}.{place}', *place_, due, under or tiles.plate(due, half, h - CARD, digits),
                   classes=' tru bare', marks=peers, top=self.top)  # fmt: skip

    def line(self, k: int, mine: str, g: Gradient, digits: int | None, marks: tiles.Marks | None, box: Box) -> None:
        """A gradient beside the line that returns it."""
        m, frame, x, y = self.m, self.m.frame, box.x, self.m.own_rows[-1].y - 5
        if self.again is not None and self.inline(k, g):
            return
        frame.text(f't{k}N', x, y + 5, g.name, 'mid2', room=60)
        x += width(g.name, 'mid2') + 10
        if self.again is None:  # else it stands on the second tape
            how = tiles.plate(g.value, box.w / 3, 20, digits)
            tiles.draw(frame, mine, x, y - how.h / 2, g.value, how, account=True, marks=marks, top=self.top)
            x += how.w + 10
        badge = self.badge(g)
        room = width(badge[0], 'mid2') + 16 if badge else 0
        said = f'= {g.formula}' if g.formula else ''
        if self.again is not None and phrases.single(g.value):
            said += f' = {phrases.amount(g.value)}'
        said = cut(said, box.x + box.w - x - room, 'm dim')
        frame.text(f't{k}F', x, y + 4.5, said, 'm dim')
        x += width(said, 'm dim') + 16 * bool(said)
        self.verdict(k, g, x, y + 5, m.plan.w - x - 14)

    def inline(self, k: int, g: Gradient) -> bool:
        """A gradient in the line that returns it, if it has room there: it is no longer the subject."""
        m, row, own = self.m, self.m.own_rows[-1], self.m.plan.own
        badge, said = self.badge(g), f'{g.name} = {phrases.amount(g.value)}' if phrases.single(g.value) else ''
        said += f'  {badge[0]}' if badge and said else ''
        left = own.x + program.GUTTER + len(row.text) * program.LETTER + 12
        if not said or left + width(said) > own.x + own.w - 12:
            return False
        left = own.x + own.w - 14 - width(said)
        m.frame.rect(f't{k}bg', left - 6, row.y - 14.5, width(said) + 12, ROW, 'dout', 2, rx=4)
        m.frame.text(f't{k}N', own.x + own.w - 14, row.y, said, 'end', 6)
        return True

    def plates(
        self, value: Value, due: Value | None, w: float, h: float, digits: int | None, both: bool
    ) -> tuple[tiles.Plate, tiles.Plate | None]:
        """How a gradient is drawn, and the true one: in one cell with it where they fit, else beside it."""
        other = due if due is not None else value
        how, under = tiles.plate(value, w, h, digits, TALL, 'num'), tiles.plate(other, w, h, digits, TALL)
        if how.kind == under.kind == 'numbers':
            cell = tiles.longest(value, how) + tiles.longest(other, under) + 36
            if cell * how.columns <= w:
                cell = min(w / how.columns, max(cell, 110))
                how = how._replace(cell_w=cell, w=cell * how.columns, lean=-1 * both)
                return how, how._replace(ink='', lean=1)
        half = (w - 16) / 2
        return tiles.plate(value, half, h, digits), None

    def title(self, k: object, x: float, y: float, room: float, what: str, formula: str, look: str) -> float:
        """What numbers are, in their ink, and how they were made, where there is room; where that ends."""
        if width(what, look) > room:
            return x
        self.m.frame.text(f't{k}W', x, y, what, look)
        x, room, mono = x + width(what, look) + 8, room - width(what, look) - 8, 'm' if look == 'num' else f'm {look}'
        mono = 'dim' if formula.startswith('by ') else mono
        said = formula if width(formula, mono) <= room else ''
        self.m.frame.text(f't{k}F', x, y, said, mono)
        return x + width(said, mono)

    def verdict(self, k: int, g: Gradient, x: float, y: float, room: float) -> None:
        """Whether it is right: nobody knows before it is compared."""
        if said := self.badge(g):
            loud = 'wr' if self.beside and said[1] == 'xx' else f'mid2 {said[1]}'  # the large number is louder
            self.m.frame.text(f't{k}B', x, y, said[0], loud, room=room)

    def badge(self, g: Gradient) -> tuple[str, str] | None:
        """What is known of it, in words, and their look."""
        if self.judged():
            return verdict.badge(self.reading, next(t for t in self.reading.gradients if t.name == g.name))
        return ('nobody checked', 'bf') if self.given and not self.beside else None

    def band(self, boxes: list[Box]) -> None:
        """From the `return` line to each card."""
        m, frame, out = self.m, self.m.frame, self.m.own_rows[-1].y - 5
        now = not m.compare and m.now.kind == 'give' and m.now.reading == self.number
        look = '' if now else ' past'
        facts = self.entry.facts
        if facts and not facts.reads_dout and not m.behind:
            self.unread(facts.dout)
        if self.compact:
            if 't0bg' in frame:  # it stands in that line
                return
            tip = boxes[0].x - 8
            wrote = forward.lines(m, m.strips[1].row(m.focus[1]))
            if not m.behind and m.own_rows[-1].number not in wrote:
                frame.path('out', f'M{CODE - 4:g},{out:g}H{tip - 15:g}', f'fat th{look}', 1, draw=300)
                frame.head('outh', tip, out, 'r', f'fatk{look}', 1, 11, late=200)
            return
        if not any(g.value is not None for _, g in self.gave):  # nothing is handed on: None as every gradient
            return
        if m.plan.narrow:
            x, y = boxes[0].x + 40, boxes[0].y
            frame.path('out', f'M{x:g},{out + 15:g}V{y - 16:g}', f'fat th{look}', 1, draw=300)
            frame.head('outh', x, y - 2, 'd', f'fatk{look}', 6, 11, late=300)
            return
        x, y, w, h = m.plan.results
        frame.rect('came', x - 10, y - 4, w + 20, h + 10, 'mine0', 0, rx=10)
        tip = CODE + 30
        frame.path('out', f'M{CODE - 4:g},{out:g}H{tip - 12:g}A12,12,0,0,1,{tip:g},{out + 12:g}V{y - 16:g}',
                   f'fat th{look}', 1, draw=300)  # fmt: skip
        frame.head('outh', tip, y - 5, 'd', f'fatk{look}', 6, 11, late=200)

    def leader(self, x: float, top: float, end: float) -> None:
        """A line from the large number, which reaches from `top` to `end`, to its cell, if that is as high."""
        frame = self.m.frame
        cells = (s.attrs for s in frame.values() if s.attrs.get('class') == 'block wrong' and s.attrs['opacity'] == 1)
        if (at := next(cells, None)) is not None and top < at['y'] - 2.5 < end:
            way = f'M{x:g},{at["y"] - 2.5:g}H{at["x"] + at["width"] / 2:g}V{at["y"]:g}'
            frame.path('lead', way, 'hx', 4)

    def unread(self, dout: str) -> None:
        """Under the dout that comes in, that no line reads it."""
        m, (head, *lines) = self.m, self.m.own_rows
        chip = m.frame.get(f'dout{head.key}0')
        if chip is None:
            return
        x, y, wide, h = (chip.attrs[name] for name in ('x', 'y', 'width', 'height'))
        right, edge = x + wide, m.plan.own.x + m.plan.own.w - 5
        if not m.plan.narrow and edge > right:  # what comes in ends there
            m.frame.rect('stream', right - 4, y, edge - right + 4, h, 'dout', 1)
            m.frame.rect('cap', x - 4, y - 1, 4, h + 2, 'fatk', 2)
        for n, row in enumerate(lines):
            said = f'no line uses {dout}' if n else 'no line uses it ↑'
            if right - width(said) > m.plan.own.x + program.GUTTER + len(row.text) * program.LETTER + 12:
                m.frame.text('nob', right, row.y, said, 'bf end', 6)
                return
        if not m.plan.narrow and not self.compact:
            m.frame.text('nob', CODE + 50, m.plan.results.y - 14, f'no line uses {dout}', 'bf', 6)


def differ(yours: np.ndarray, true: np.ndarray, deaf: bool, most: float = 0) -> tuple[tiles.Marks, tiles.Marks]:
    """Which numbers of yours are wrong, and the worst of them; the same place of the true ones. Of a bprop that is
    `deaf` to dout, the others are right by chance: another loss would make them wrong. `most`: how far the worst of
    all gradients is off."""
    a, b = tiles.folded(yours), tiles.folded(true)
    with np.errstate(all='ignore'):
        off = np.abs(a.astype(np.float64) - b)
        off[~np.isfinite(off)] = np.inf
        wrong = off > 2e-3 * max(1e-6, float(np.max(np.abs(b), initial=0.0)))
    worst = tuple(int(n) for n in np.unravel_index(int(np.argmax(off)), off.shape))
    most = max(float(np.max(off[np.isfinite(off)], initial=0.0)), most, 1e-30)
    part = np.minimum(np.where(np.isfinite(off), off, most) / most, 0.99)
    if off[worst] >= most * (1 - 1e-6):
        part[worst] = 1
    mine = tiles.Marks(wrong, worst, luck=deaf, off=part)
    return mine, mine._replace(peer=True)
