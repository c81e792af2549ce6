"""What a takeover hands out: its gradients with the judge's verdicts, and the worst number beside the true one."""

import numpy as np

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Lines, Row, Space, Text
from ..ink.shapes import width
from ..judge.verdict import WRONG
from ..story.followed import follow
from ..story.record import Gradient, Value
from . import phrases, style, takeover, verdict
from .gradient import Shown, box, scale, stack
from .now import Now

UNSEEN = 'the shapes fit, so no error'


def digits(value: Value, room: float) -> tiles.Plate:
    """How a result is drawn: in its share of the room, or in more if that is what its digits need."""
    own, more = (tiles.plate(value, w, style.TABLE[1], style.TALL, 'num') for w in (room, style.TABLE[0]))
    return own if own.kind == more.kind else more


class Taken:
    """The gradients of a takeover at a moment."""

    def __init__(self, now: Now, number: int) -> None:
        self.now, self.number, self.compare = now, number, now.compare
        self.reading = now.record.readings[number]
        self.entry = now.record.entries[self.reading.entry]
        self.begun = now.taken == number
        self.given = self.begun and now.given(self.reading)
        self.verdicts = self.reading.verdicts if number in now.shot.known else ()
        self.first = min(self.verdicts, key=verdict.rank, default=None)
        self.worst = verdict.worst(self.first) if self.first and self.first.verdict == WRONG else None
        gave = [*enumerate(phrases.given(now.record, self.entry, self.reading))]
        if self.compare:
            gave.sort(key=lambda pair: verdict.rank(self.verdicts[pair[0]]))
        self.gave = [(k, g) for k, g in gave if g.value is not None or (self.compare and self.blamed(k))]
        self.names = [g.name for _, g in self.gave] or phrases.names_of(now.record, self.entry)

    def blamed(self, place: int) -> bool:
        """Whether a gradient is wrong."""
        return bool(self.verdicts) and self.verdicts[place].verdict == WRONG

    def owned(self, name: str, room: float) -> str:
        """A gradient's name, with whose it is if there is room for both."""
        said = f'{"your" if self.entry.yours else f"{self.entry.name}’s"} {name}'
        return said if width(said, 'mid3') <= room else name

    # ---- boxes ----

    def voice(self, w: float) -> Box:
        """What is known, large: a question, that nobody checked, or the worst number beside what it should be."""
        if not self.given:
            whose = 'your hook' if self.entry.kind == 'hook' else 'your bprop' if self.entry.yours else 'its bprop'
            them = 'it' if len(self.names) == 1 else 'them'
            said = f'{whose} makes {them}' if self.begun else f'{phrases.displaced(self.entry)}, or {whose}?'
            if self.now.told.kind == 'fail':
                return Text(f'✗ {self.now.told.what.partition(":")[0]}', 'big xx', w, 'V0')
            return stack(Text('?', 'ques', key='V0'), Lines(said, w, 'fut', key='V1'))
        if self.worst:
            return self.versus(w, *self.worst)
        said, more, look = 'nobody checked', UNSEEN, 'big bf'
        if self.first:
            said, _, more = verdict.badge(self.first)[0].partition(', ')
            said, look = (f'✗ {self.gave[0][1].name}', 'big xx') if said[0] == '✗' else (said, 'big')
        return stack(Text(said, look, key='V0'), Text(more, key='V1'))

    def versus(self, w: float, place: tuple[int, ...], yours: str, true: str) -> Box:
        """The worst number, and what it should be."""
        (wide, high), room = style.PLATE, style.PLATE[0] - style.SAID_IN
        fits = (s for s in ('ques', 'xxl', 'big') if max(width(yours, s), width(true, s)) < room)
        look = f'{next(fits, "mid2")} mid ont'

        def plate(key: str, name: str, ink: str, ground: str, said: str) -> Box:
            digits = Text(said, look, room + style.SAID_IN / 2, f'{key}t', style.OVER)
            number = Card(digits, ground, (0, 0), (wide, high), key=f'{key}p', rx=style.CARD_ROUND)
            return stack(Text(name, f'mid3{ink}', wide + style.SAID_IN, key), number, gap=style.CLOSE)

        mine = self.owned(f'{self.gave[0][1].name}{numbers.index(place)}', wide + style.SAID_IN)
        pair = [plate('V2', mine, '', 'block wrong', yours), Text('≠', 'big mid', key='V0')]
        pair.append(plate('V4', 'should be', ' af', 'rl', true))
        off = Text(verdict.badge(self.first)[0].replace(' up to', ''), 'xx', key='V1')
        under = Row(off, Space(grows=1), Text(self.sum(w - style.VOICE)[0], 'af', key='V3'))
        return Column(Row(*pair, gap=style.APIECE, across='end'), under)

    def sum(self, room: float) -> tuple[str, list[str]]:
        """The true number as a sum, `= 2.10 + 1.20 + 3.30`, and the numbers of forward that it is made of: `y[2,0]`.
        Nothing where it has no room, or does not add up as rounded."""
        record, entry, name = self.now.record, self.entry, self.gave[0][1].name
        if record.why is None or len(record.entries) > style.TOUCHED:
            return '', []
        account = follow(record, f'how {name} was made', record.why, self.gave[0][1].tensor, self.worst[0])
        rows = account.true_rows if account is not None else ()
        total = sum(row.product for row in rows)
        parts = [numbers.said(r.product) for r in rows if numbers.said(total - r.product) != numbers.said(total)]
        said = '= ' + ' + '.join(parts).replace('+ −', '− ')
        adds = not round(sum(map(numbers.read, parts)) - numbers.read(self.worst[2]), numbers.MOST)
        if len(parts) < 2 or not adds or width(said) > room:
            return '', []
        inputs = {v.name: (key, v.shape) for key, v in zip(entry.keys, entry.inputs, strict=False)}
        lit = []
        for name, _, at in (row.by.partition('[') for row in rows):
            if name in inputs and at:
                key, shape = inputs[name]
                place = tiles.cell_of(tuple(map(int, at.rstrip(']').split(','))), shape)
                lit.append(f'a{key}[{",".join(map(str, place))}]')
        return said, lit

    def lit(self) -> list[str]:
        """These numbers, where the sum is shown."""
        return self.sum(style.CODE - style.VOICE)[1] if self.compare and self.worst else []

    def tables(self, room: float, across: int = style.ACROSS) -> list[Box]:
        """Each gradient, and when they are compared beside the first, and each that is wrong, the true one."""
        found, left = self.gave[: style.TABLES], len(self.gave) - style.TABLES
        true = max(sum(self.blamed(place) for place, _ in found), 1) * self.compare
        wide = min(style.TABLE[0], room / min((len(found) or len(self.names)) + true, across) - style.GAP - style.CLOSE)
        plate = lambda v: digits(v, wide)
        out = [box(self.shown(place, g, wide, k == 0), wide, plate, room) for k, (place, g) in enumerate(found)]
        out += [Text(name, 'fut mid3', wide) for name in self.names[: style.TABLES * (not found)]]
        return out + [Text(f'and {left} more', 'dim')] * (left > 0)

    def shown(self, place: int, g: Gradient, room: float, first: bool) -> list[Shown]:
        """A gradient, and where that is due the true one."""
        told, known = self.verdicts[place] if self.verdicts else None, verdict.known(self.reading)
        shape = verdict.settled(told, g.value) if g.value is not None else Value(g.name, words='None')
        value = shape if self.given else self.made(g.name) if self.begun else None
        true = verdict.settled(known[place], verdict.due(known[place], g.name)) if known else None
        marks = verdict.marks(told, self.verdicts, first) if self.compare else None
        badge = verdict.badge(told) if told and not (self.compare and first) else None
        name, key = g.name if value is None else self.owned(g.name, room), f'{self.number}.{place}'
        deaf = self.entry.facts and not self.entry.facts.reads_dout
        luck = int(np.sum(~marks.wrong)) if marks is not None and deaf else 0
        said = f'✓ {luck} right by luck' * bool(luck)
        top = scale(shape, true)
        mine = Shown(f'g{key}', name, shape, value, badge, g.formula, False, marks, top, self.given, said)
        if not self.compare or true is None or not (first or self.blamed(place)):
            return [mine]
        said = phrases.true_formula(self.now.record, self.entry, place) * self.blamed(place)
        peer = marks and marks._replace(peer=True)
        return [mine, Shown(f's{key}', f'true {g.name}', true, true, None, said or None, True, peer, top, False)]

    def made(self, name: str) -> Value | None:
        """A gradient as its line has made it, before it is returned."""
        return next((value for _, called, value, _ in reversed(takeover.made(self.now)) if called == name), None)

    def badges(self) -> list[Box]:
        """What is known of each gradient, in few words."""
        gave = self.gave[: style.TABLES] if self.given else ()
        said = [verdict.badge(self.verdicts[k]) if self.verdicts else ('nobody checked', 'bf') for k, _ in gave]
        return [Row(Text(g.name, 'mid2', style.NAMES[0]), Text(*each), gap=style.APIECE, key=f't{place}')
                for (place, g), each in zip(gave, said, strict=True)]  # fmt: skip
