"""What comes out: the gradients of a takeover with the judge's verdicts, and the gradients that were asked for."""

from typing import Any

import numpy as np

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Lines, Row, Space, Text
from ..ink.shapes import width
from ..judge.verdict import WRONG
from ..story.followed import follow
from ..story.record import Gradient, Value
from . import phrases, style, takeover, verdict
from .now import Now

UNSEEN = 'the shapes fit, so no error'


def digits(value: Value, room: float) -> tiles.Plate:
    """How a result is drawn: in its share of the room, or in more if that is what its digits need."""
    own, more = (tiles.plate(value, w, style.TABLE[1], style.TALL, 'num') for w in (room, style.TABLE[0]))
    return own if own.kind == more.kind else more


def stack(*boxes: Box | None, gap: float = 2, key: str = '') -> Box:
    """Boxes under one another, at the left."""
    return Column(*boxes, gap=gap, across='start', key=key)


class Taken:
    """The gradients of a takeover at a moment. `whole`: the true one stands beside each of them."""

    def __init__(self, now: Now, number: int, whole: bool = False) -> None:
        self.now, self.number, self.whole, self.compare = now, number, whole, now.compare
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

    def there(self, place: int) -> Value | None:
        """A gradient as far as it is known: what its line has made, and then what was returned."""
        gave = self.reading.gave[place]
        if self.given or not self.begun:
            told = self.verdicts[place] if self.verdicts else None
            return verdict.settled(told, gave.value) if self.given else None
        return {name: value for _, name, value, _ in takeover.made(self.now) if name == gave.name}.get(gave.name)

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
        under = Row(off, Space(grows=1), Text(self.sum(w - style.VOICE), 'af', key='V3'))
        return Column(Row(*pair, gap=style.APIECE, across='end'), under)

    def rows(self) -> tuple:
        """What the built-in rules would have added up to the true number that is shown large."""
        record, g = self.now.record, self.gave[0][1]
        if record.why is None or len(record.entries) > style.TOUCHED:
            return ()
        account = follow(record, f'how {g.name} was made', record.why, g.tensor, self.worst[0])
        return account.true_rows if account is not None else ()

    def sum(self, room: float) -> str:
        """The true number as a sum, `= 2.10 + 1.20 + 3.30`; '' where it has no room, or does not add up as rounded."""
        terms = [row.product for row in self.rows()]
        total = sum(terms)
        parts = [numbers.said(term) for term in terms if numbers.said(total - term) != numbers.said(total)]
        shown = [numbers.read(part) for part in (*parts, self.worst[2])]
        said = '= ' + ' + '.join(parts).replace('+ −', '− ')
        adds = not round(sum(shown[:-1]) - shown[-1], numbers.MOST)
        return said if len(parts) > 1 and adds and width(said) <= room else ''

    def lit(self) -> list[str]:
        """The numbers of forward that this sum is made of: `y[2,0]`."""
        if not self.compare or not self.worst or not self.sum(style.CODE - style.VOICE):
            return []
        inputs = {v.name: (key, v.shape) for key, v in zip(self.entry.keys, self.entry.inputs, strict=False)}
        found = []
        for row in self.rows():
            name, _, at = row.by.partition('[')
            index = tuple(int(n) for n in at.rstrip(']').split(',') if n)
            if name in inputs and at:
                key, shape = inputs[name]
                found.append(f'a{key}[{",".join(map(str, tiles.cell_of(index, shape)))}]')
        return found

    def tables(self, room: float, across: int = style.ACROSS) -> list[Box]:
        """Each gradient, and when they are compared beside the worst the true one."""
        out: list[Box] = []
        each = min(style.TABLE[0], room / min(max(len(self.names), 1) + self.compare, across) - style.GAP)
        for k, name in enumerate(self.names[: style.TABLES]):
            there = k < len(self.gave)
            out += self.table(k, *self.gave[k], each) if there else [stack(Text(name, 'fut mid3', each))]
        left = len(self.names) - style.TABLES
        return out + [Text(f'and {left} more', 'dim')] * (left > 0)

    def table(self, k: int, place: int, g: Gradient, room: float) -> list[Box]:
        """A gradient; the true one beside it."""
        told = self.verdicts[place] if self.verdicts else None
        shape = verdict.settled(told, g.value) if g.value is not None else Value(g.name, words='None')
        value, key, row = self.there(place) or (shape if self.given else None), f'g{self.number}.{place}', f't{k}'
        plate = lambda v: digits(v, room)
        if value is None:
            ghost = tiles.Tile(shape, key=key, how=plate(shape), there=False)
            name = Text(g.name, 'fut mid3', room, f'{row}N')
            return [stack(name, Text('', 'm'), ghost, gap=style.CLOSE, key=row)]
        known = verdict.known(self.reading)
        true = verdict.settled(known[place], verdict.due(known[place], g.name)) if known else None
        top = None  # where both have one shape, they share their scale
        if true is not None and true.shape == shape.shape and shape.data is not None:
            top = max(numbers.largest(shape.data), numbers.largest(true.data))
        head: Box = Text(self.owned(g.name, room - style.GAP), 'mid3', room - style.GAP, f'{row}N')
        fits = width(g.formula, 'm') <= room + style.ROOMY_FORMULA
        second: Box = Text(g.formula * fits, 'm', key=f'{row}F')
        if told and not (self.compare and k == 0):  # beside the name where it has room, else in place of the formula
            badge = Text(*verdict.badge(told), key=f'{row}B')
            beside = head.size[0] + badge.size[0] + style.WORDS <= room
            head, second = (Row(head, badge, gap=style.WORDS), second) if beside else (head, badge)
        marks = verdict.marks(told, self.verdicts, k == 0) if self.compare else None
        looks: dict[str, Any] = dict(classes=' bare', top=top, how=plate(shape) if value.data is not None else None)
        if self.given or value.data is None or value.shape != shape.shape:
            looks |= dict(account=True, marks=marks)
        if self.compare and k and not self.whole and self.blamed(place) and (pair := verdict.worst(told)):
            return [stack(head, second, self.small(place, *pair), gap=style.CLOSE, key=row)]
        deaf = self.entry.facts and not self.entry.facts.reads_dout  # no number is right for a reason
        luck = int(np.sum(~marks.wrong)) if marks is not None and deaf else 0
        below = Text(f'✓ {luck} right by luck', 'dim', key=f'{row}L') if luck else None
        out = [stack(head, second, tiles.Tile(value, key=key, **looks), below, gap=style.CLOSE, key=row)]
        if self.compare and true is not None and (k == 0 or self.whole):
            said = phrases.true_formula(self.now.record, self.entry, place) * self.blamed(place)
            name = f'true {g.name}'
            name = name if width(name, 'mid3') <= room - style.GAP else 'the true one'
            head = Text(name, 'mid3 af', room - style.GAP, f'{row}sN')
            second = Text(said * (width(said, 'm') <= room + style.GAP), 'm af', key=f'{row}sF')
            looks = dict(classes=' tru bare', top=top, marks=marks and marks._replace(peer=True))
            due = tiles.Tile(true, key=f's{self.number}.{place}', how=plate(true), **looks)
            out.append(stack(head, second, due, gap=style.CLOSE, key=f'{row}s'))
        return out

    def badges(self) -> list[Box]:
        """What is known of each gradient, in few words."""
        gave = self.gave[: style.TABLES] if self.given else ()
        said = [verdict.badge(self.verdicts[k]) if self.verdicts else ('nobody checked', 'bf') for k, _ in gave]
        return [Row(Text(g.name, 'mid2', style.NAMES[0]), Text(*each), gap=style.APIECE, key=f't{place}')
                for (place, g), each in zip(gave, said, strict=True)]  # fmt: skip

    def small(self, place: int, at: tuple[int, ...], yours: str, true: str) -> Box:
        """Of another wrong gradient its worst number, and what that should be."""
        i, j = tiles.cell_of(at, self.verdicts[place].due.shape)
        key, true_key = (f'{tag}{self.number}.{place}[{i},{j}]' for tag in 'gs')
        digits = [Text(said, 'mid num', v=v, key=f'{v}t') for v, said in ((key, yours), (true_key, true))]
        mine = Card(digits[0], 'cell hot', style.NUMBER_PAD, key=key, layer=style.LIFTED, v=key, rc=key)
        due = Card(digits[1], 'rl past', style.NUMBER_PAD, key=true_key, v=true_key)
        pair = Row(Card(mine, 'tile wrong', (0, 0), key=f'{key}p'), Text('≠'), due)
        return stack(pair, Text(f'at {numbers.index(at)}', 'dim', key=f'{key}a') if at else None, gap=style.CLOSE)
