"""What comes out: the gradients of a takeover with the judge's verdicts, and the gradients that were asked for."""

import numpy as np

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Lines, Row, Space, Text
from ..ink.shapes import width
from ..judge.verdict import WRONG, Verdict
from ..story.followed import follow
from ..story.record import Entry, Gradient, Reading, Value
from . import phrases, style, verdict
from .now import Now

UNSEEN = 'the shapes fit, so no error'


class Taken:
    """The gradients of a takeover at a moment."""

    def __init__(self, now: Now, number: int, whole: bool = False) -> None:
        self.now, self.number, self.whole = now, number, whole  # whole: the true one beside each gradient
        self.reading: Reading = now.record.readings[number]
        self.entry: Entry = now.record.entries[self.reading.entry]
        self.begun = now.taken == number
        self.given = self.begun and now.given(self.reading)
        self.judged = number in now.shot.known
        self.verdicts = self.reading.verdicts if self.judged else ()
        named = zip(self.reading.gave, verdict.called(self.reading), strict=True)
        self.gave = [(k, g._replace(name=name)) for k, (g, name) in enumerate(named)]
        if now.compare:
            self.gave.sort(key=lambda pair: verdict.rank(self.verdicts[pair[0]]))
        self.gave = [(k, g) for k, g in self.gave if g.value is not None or (now.compare and self.blamed(k))]

    @property
    def names(self) -> list[str]:
        """What its gradients are called."""
        return [g.name for _, g in self.gave] or phrases.names_of(self.now.record, self.entry)

    def blamed(self, place: int) -> bool:
        """Whether it is wrong."""
        return bool(self.verdicts) and self.verdicts[place].verdict == WRONG

    def there(self, place: int) -> Value | None:
        """A gradient as far as it is known: what its line has made, and then what was returned."""
        if not self.begun:
            return None
        gave = self.reading.gave[place]
        if self.given:
            return gave.value
        found = None
        for n in range(self.reading.reached, self.now.step + 1):
            step = self.now.record.steps[n]
            if step.reading == self.number and step.value is not None and gave.name and step.value.name == gave.name:
                found = step.value
        taped = (v for e in self.now.record.entries if e.by == self.number and self.ran(e) for v in e.outputs)
        return next((v for v in taped if gave.name and v.name == gave.name), found)

    def ran(self, entry: Entry) -> bool:
        """Whether an entry of the next tape is there."""
        return entry.written is not None and entry.written <= self.now.step

    def due(self, place: int) -> Value | None:
        """The true gradient, once somebody has asked for it."""
        known = verdict.known(self.reading)
        return verdict.due(known[place], self.reading.gave[place].name) if known else None

    def alike(self, place: int, value: Value) -> bool:
        """Whether a gradient has the shape of the true one, once that is known: both share their scale."""
        true = self.due(place)
        return true is not None and value.data is not None and true.shape == value.data.shape

    @property
    def deaf(self) -> bool:
        """Whether no line of the bprop uses dout: then a number is right by chance, and not with another loss."""
        return bool(self.entry.facts and not self.entry.facts.reads_dout)

    @property
    def awaited(self) -> str:
        """Who will make the gradients."""
        kind, yours = self.entry.kind, self.entry.yours
        whose = 'your hook' if kind == 'hook' else 'your bprop' if yours else 'its bprop'
        them = 'it' if len(self.names) == 1 else 'them'
        return f'{whose} makes {them}' if self.begun else f'{phrases.displaced(self.entry)}, or {whose}?'

    def owned(self, name: str, room: float) -> str:
        """A gradient's name, with whose it is if there is room for both."""
        said = f'{"your" if self.entry.yours else f"{self.entry.name}’s"} {name}'
        return said if width(said, 'mid3') <= room else name

    # ---- boxes ----

    def voice(self, w: float) -> Box:
        """What is known, large: a question, that nobody checked, or the worst number beside what it should be."""
        if not self.given:
            return column(w, Text('?', 'ques', key='V0'), Lines(self.awaited, w, 'fut', key='V1'))
        if not self.judged:
            return column(w, Text('nobody checked', 'big bf', key='V0'), Text(UNSEEN, key='V1'))
        first = min(self.verdicts, key=verdict.rank)
        if first.verdict == WRONG and (pair := verdict.worst(first)):
            return self.versus(w, first, *pair)
        said, _, more = verdict.badge(first)[0].partition(', ')
        wrong = ' xx' * (first.verdict == WRONG)
        return column(
            w, Text(f'✗ {self.gave[0][1].name}' if wrong else said, f'big{wrong}', key='V0'), Text(more, key='V1')
        )

    def versus(self, w: float, v: Verdict, place: tuple[int, ...], yours: str, true: str) -> Box:
        """The worst number, and what it should be."""
        g, (wide, high) = self.gave[0][1], style.PLATE
        name = self.owned(f'{g.name}{numbers.index(place)}', wide + style.SAID_IN)
        fits = (s for s in ('ques', 'xxl', 'big') if max(width(yours, s), width(true, s)) < wide - style.SAID_IN)
        look = next(fits, 'mid2')

        def plate(key: str, name: str, ink: str, ground: str, said: str) -> Box:
            number = Card(
                Text(said, f'{look} mid ont', wide - style.SAID_IN / 2, layer=style.OVER, key=f'{key}t'),
                ground,
                (0, 0),
                (wide, high),
                rx=style.CARD_ROUND,
                key=f'{key}p',
            )
            return Column(
                Text(name, f'mid3{ink}', wide + style.SAID_IN, key=key), number, gap=style.CLOSE, across='start'
            )

        pair = Row(plate('V2', name, '', 'block wrong', yours),
                   Text('≠', 'big mid', key='V0'), plate('V4', 'should be', ' af', 'rl', true),
                   gap=style.APIECE, across='end')  # fmt: skip
        under = Row(Text(verdict.badge(v)[0].replace(' up to', ''), 'xx', key='V1'), Space(grows=1),
                    Text(self.sum(g, v, place, true, w - style.VOICE), 'af', key='V3'))  # fmt: skip
        return Column(pair, under)

    def rows(self, g: Gradient, place: tuple[int, ...]) -> tuple:
        """What the built-in rules would have added up to the true number."""
        record = self.now.record
        if record.why is None or len(record.entries) > style.TOUCHED:
            return ()
        account = follow(record, f'how {g.name} was made', record.why, g.tensor, place)
        return account.true_rows if account is not None else ()

    def sum(self, g: Gradient, v: Verdict, place: tuple[int, ...], true: str, room: float) -> str:
        """The true number as a sum, `= 2.10 + 1.20 + 3.30`; '' where it has no room, or does not add up as rounded."""
        terms = [row.product for row in self.rows(g, place)]
        total = sum(terms)
        parts = [numbers.said(term) for term in terms if numbers.said(total - term) != numbers.said(total)]
        shown = [float(part.replace('−', '-').replace('∞', 'inf')) for part in (*parts, true)]
        said = '= ' + ' + '.join(parts).replace('+ −', '− ')
        adds = not round(sum(shown[:-1]) - shown[-1], numbers.MOST)
        return said if len(parts) > 1 and adds and width(said) <= room else ''

    def lit(self) -> list[str]:
        """The numbers of forward that this sum is made of: `y[2,0]`."""
        first = min(self.verdicts, key=verdict.rank, default=None) if self.now.compare else None
        pair = verdict.worst(first) if first is not None and first.verdict == WRONG else None
        if pair is None or not self.sum(self.gave[0][1], first, pair[0], pair[2], style.CODE - style.VOICE):
            return []
        inputs = {v.name: (key, v.shape) for key, v in zip(self.entry.keys, self.entry.inputs, strict=False)}
        found = []
        for row in self.rows(self.gave[0][1], pair[0]):
            name, _, at = row.by.partition('[')
            key, shape = inputs.get(name, (None, ()))
            index = tuple(int(n) for n in at.rstrip(']').split(',') if n)
            if key is not None and at:
                found.append(f'a{key}[{",".join(map(str, tiles.cell_of(index, shape)))}]')
        return found

    def tables(self, room: float, across: int = style.ACROSS) -> list[Box]:
        """Each gradient, and when they are compared beside the worst the true one."""
        out: list[Box] = []
        count = max(len(self.names), 1)
        each = min(style.TABLE[0], room / min(count + self.now.compare, across) - style.GAP)
        for k, name in enumerate(self.names[: style.TABLES]):
            if k >= len(self.gave):
                out.append(column(0, Text(name, 'fut mid3', each)))
                continue
            place, g = self.gave[k]
            out += self.table(k, place, g, each)
        left = len(self.names) - style.TABLES
        return out + [Text(f'and {left} more', 'dim')] * (left > 0)

    def table(self, k: int, place: int, g: Gradient, room: float) -> list[Box]:
        """A gradient; the true one beside it."""
        value, compare = self.there(place), self.now.compare
        shape = g.value if g.value is not None else Value(g.name, words='None')
        if value is None and self.given:
            value = shape
        true, alike = self.due(place), self.alike(place, shape)
        arrays = [v.data for v in (shape, true) if v is not None and v.data is not None]
        top = max(map(tiles.largest, arrays), default=0.0) if alike else None
        how = tiles.plate(shape, room, style.TABLE[1], style.TALL, 'num')
        key = f'g{self.number}.{place}'
        name = self.owned(g.name, room - style.GAP)
        if value is None:
            ghost = tiles.Tile(shape, key=key, how=how, there=False)
            return [
                Column(
                    Text(g.name, 'fut mid3', room, key=f't{k}N'),
                    Text('', 'm'),
                    ghost,
                    gap=style.CLOSE,
                    across='start',
                    key=f't{k}',
                )
            ]
        marks = verdict.marks(self.verdicts[place], verdict.most(self.verdicts), k == 0) if compare else None
        badge = verdict.badge(self.verdicts[place]) if self.judged else None
        head: Box = Text(name, 'mid3', room - style.GAP, key=f't{k}N')
        said = g.formula if width(g.formula, 'm') <= room + style.ROOMY_FORMULA else ''
        second: Box = Text(said, 'm', key=f't{k}F')
        if badge and not (compare and k == 0):  # beside the name where it has room, else in place of the formula
            words: Box = Text(*badge, key=f't{k}B')
            fits = head.size[0] + words.size[0] + style.WORDS <= room
            head, second = (Row(head, words, gap=style.WORDS), second) if fits else (head, words)
        if self.given or value.data is None or value.shape != shape.shape:
            picture = tiles.Tile(
                value,
                key=key,
                how=how if value.data is not None else None,
                classes=' bare',
                account=True,
                marks=marks,
                top=top,
            )
        else:
            picture = tiles.Tile(value, key=key, how=how, classes=' bare', top=top)
        if compare and k and not self.whole and (pair := verdict.worst(self.verdicts[place])) and self.blamed(place):
            return [Column(head, second, self.small(place, *pair), gap=style.CLOSE, across='start', key=f't{k}')]
        luck = int(np.sum(~marks.wrong)) if marks is not None and self.deaf else 0
        below = Text(f'✓ {luck} right by luck', 'dim', key=f't{k}L') if luck else None
        out: list[Box] = [Column(head, second, picture, below, gap=style.CLOSE, across='start', key=f't{k}')]
        if compare and true is not None and (k == 0 or self.whole):
            said = phrases.true_formula(self.now.record, self.entry, place) * self.blamed(place)
            how = tiles.plate(true, room, style.TABLE[1], style.TALL, 'num')
            due = tiles.Tile(true, key=f's{self.number}.{place}', how=how, classes=' tru bare', top=top,
                       marks=marks and marks._replace(peer=True))  # fmt: skip
            said = said if width(said, 'm') <= room + style.GAP else ''
            name = f'true {g.name}'
            name = name if width(name, 'mid3') <= room - style.GAP else 'the true one'
            head = Text(name, 'mid3 af', room - style.GAP, key=f't{k}sN')
            out.append(Column(head, Text(said, 'm af', key=f't{k}sF'), due,
                              gap=style.CLOSE, across='start', key=f't{k}s'))  # fmt: skip
        return out

    def badges(self) -> list[Box]:
        """What is known of each gradient, in few words."""
        out: list[Box] = []
        for place, g in self.gave[: style.TABLES] if self.given else ():
            said = verdict.badge(self.verdicts[place]) if self.judged else ('nobody checked', 'bf')
            out.append(Row(Text(g.name, 'mid2', style.NAMES[0]), Text(*said), gap=style.APIECE, key=f't{place}'))
        return out

    def small(self, place: int, at: tuple[int, ...], yours: str, true: str) -> Box:
        """Of another wrong gradient its worst number, and what that should be."""
        i, j = tiles.cell_of(at, self.verdicts[place].due.shape)
        key, true_key = f'g{self.number}.{place}[{i},{j}]', f's{self.number}.{place}[{i},{j}]'
        mine = Text(yours, 'mid num', v=key, key=f'{key}t')
        due = Text(true, 'mid num', v=true_key, key=f'{true_key}t')
        cell = Card(mine, 'cell hot', style.NUMBER_PAD, key=key, layer=style.LIFTED, v=key, rc=key)
        pair = Row(Card(cell, 'tile wrong', (0, 0), key=f'{key}p'), Text('≠'),
                   Card(due, 'rl past', style.NUMBER_PAD, key=true_key, v=true_key))  # fmt: skip
        where = Text(f'at {numbers.index(at)}', 'dim', key=f'{key}a') if at else None
        return Column(pair, where, gap=style.CLOSE, across='start')


def column(w: float, *boxes: Box) -> Box:
    """Words under one another."""
    return Column(*boxes, gap=2, across='start')
