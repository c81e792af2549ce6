"""A card for each gradient of a takeover, with the true one beside it, and the ways that lead there."""

import numpy as np

from ..model import Entry, Gradient, Reading, Value
from . import numbers, phrases, program, tiles, verdict
from .kit import cut, width
from .moment import Moment
from .plan import CARD, CODE, GAP, TALL, Box

UNSEEN = 'not checked: the shapes fit, so no error'


class Cards:
    """The gradients of a takeover, a card each; when compared, each has the true one beside it and a verdict."""

    def __init__(self, m: Moment, entry: Entry, number: int, bend: float = 0) -> None:
        self.m, self.entry, self.number, self.bend = m, entry, number, bend
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
        self.unchecked(boxes[0].y - 23)

    def unchecked(self, y: float) -> None:
        """Why nobody noticed, beside the way on which what is wrong is handed on."""
        m = self.m
        judged = [g for g in self.reading.gradients if g.ok is not None] if self.m.compare else []
        fits = all(g.value is not None and g.value.data is not None and g.value.shape == g.true.shape for g in judged)
        failed = any(step.kind == 'fail' for step in self.m.record.steps)
        if all(g.ok for g in judged) or not fits or failed or verdict.surrogate(self.reading):
            return
        left = max(max(self.tips.values()) + 12, CODE)
        x = max(self.notes(), left + 28)
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
        x = self.bend + 26
        return x if self.m.plan.w - x > width(UNSEEN) else max(self.tips.values()) + 40


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
