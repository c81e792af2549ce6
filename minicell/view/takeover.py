"""A takeover: the lines of the bprop that backward goes into, and beside them what they have made and returned."""

from ..ink import numbers, tiles
from ..ink.boxes import Box, Card, Column, Flow, Put, Row, Space, Text
from ..ink.shapes import width
from ..judge.origin import guilty
from ..judge.verdict import SURROGATE, WRONG, written
from ..story.record import Gradient, Value
from . import formula, phrases, style, verdict
from .columns import TAGS
from .gradient import Shown, beside, box
from .now import Now
from .program import WAVY, Code, Listing

TAPES = ('', *TAGS[1:])  # in keys of what stands beside them: `own` is the frame around lines, `rowo9.0` the row of one
UNCHECKED = 'nobody checked: the shapes fit, so no error'


def own_lines(now: Now, listing: Listing, rows: int, level: int) -> Box:
    """The lines of the bprop, in a frame from when backward comes to them."""
    entry, key, w = now.own(level), f'own{TAPES[level]}', listing.w
    lines = listing.of(entry)
    if not lines:
        return Space(w, 0, key=key)
    always = {(x.file, x.number) for x in (lines[0], lines[-1])}
    look, told = '', ''
    if now.begun(level):
        look, told = ('mine' if now.running(level) else 'mine0'), entry.facts.dout
    wrong = dict.fromkeys(guilty(now.record, now.shot.known, now.told), WAVY)
    code = Code(listing, lines, rows, f'o{TAPES[level]}', now.told.mark, always, now.over, told=told, under=wrong)
    return Card(code, look, (0, style.PAD), key=key, at=(0, 0), rx=style.CARD_ROUND, layer=0)


class Taken:
    """What a takeover makes and hands out, at a moment: each gradient from its line to its verdict."""

    def __init__(self, now: Now, number: int, room: float) -> None:
        self.now, self.number, self.room = now, number, room
        self.reading, self.entry = now.record.readings[number], now.entry_of(number)
        self.begun = now.taken[self.entry.level] == number
        self.given = self.begun and now.given(self.reading)
        self.verdicts = self.reading.verdicts if number in now.shot.known else ()
        gave = enumerate(phrases.given(now.record, self.entry, self.reading))
        self.gave = {k: g for k, g in gave if g.value is not None or self.wrong(k)}
        self.gravest = sorted(self.gave, key=lambda k: verdict.rank(self.verdicts[k]) if self.verdicts else 0)

    def wrong(self, place: int) -> bool:
        """Whether a gradient is judged to be another than is due."""
        return bool(self.verdicts) and self.verdicts[place].verdict in (WRONG, SURROGATE)

    def made(self) -> dict[str, tuple[int, Value, bool]]:
        """What the lines have made by now, in the order in which they ran: (line, value, whether it is this step's)."""
        record, found = self.now.record, {}
        for n in range(self.reading.reached, self.now.step + 1) if self.begun else ():
            step = record.steps[n]
            value, mark, what = step.value, step.mark, step.what
            if step.kind == 'write' and step.entry is not None and record.entries[step.entry].by == self.number:
                entry = record.entries[step.entry]
                value, mark, what = (entry.outputs[0] if entry.outputs else None), entry.mark, entry.source
            elif step.kind != 'inside' or step.reading != self.number:
                continue
            if value is not None and value.data is not None and mark is not None:
                name = value.name or what
                found.pop(name, None)
                found[name] = mark.line, value, n == self.now.step and not self.now.compare
        return found

    def versus(self) -> Box | None:
        """The worst number of all, and what it should be, so large that it is read from the last row."""
        v = self.verdicts[self.gravest[0]] if self.verdicts and self.gravest else None
        if v is None or v.verdict != WRONG or v.yours is None or v.worst is None:
            return None
        mine, true = written(v.yours[v.worst], v.due[v.worst])
        fits = (look for look in ('ques', 'xxl', 'big') if max(width(mine, look), width(true, look)) < style.PLATE[0])
        look, boxes, tape = f'{next(fits, "mid2")} mid ont', [], TAPES[self.entry.level]
        worst = self.owned(self.gave[self.gravest[0]].name + numbers.index(v.worst), style.PLATE[0])
        for key, name, ink, ground, said in (
            (f'V2{tape}', worst, 'mid3', 'block wrong', mine),
            (f'V4{tape}', 'should be', 'mid3 af', 'rl', true),
        ):
            digits = Text(said, look, key=f'{key}t', layer=style.OVER)
            plate = Card(digits, ground, (0, 0), style.PLATE, key=f'{key}p', rx=style.CARD_ROUND)
            boxes.append(Column(Text(name, ink, style.PLATE[0], key), plate, gap=0, across='start'))
        unlike = Put(Text('≠', 'big mid', key=f'V0{tape}'), least=(0, style.PLATE[1]))
        return Row(boxes[0], unlike, boxes[1], gap=style.WORDS, across='end')

    def owned(self, name: str, room: float) -> str:
        """A gradient's name, with whose it is if there is room for both."""
        said = f'{"your" if self.entry.yours else f"{self.entry.name}’s"} {name}'
        return said if width(said, 'mid3') <= room else name

    def known(self) -> Box:
        """Under the lines, what is known of all that they hand out."""
        facts, step = self.entry.facts, self.now.told
        deaf = self.begun and facts and not facts.reads_dout
        known = UNCHECKED if self.given and not self.verdicts else f'no line uses {facts.dout}' if deaf else ''
        failed = f'✗ {step.what.partition(":")[0]}' * (step.kind == 'fail' and step.reading == self.number)
        look = 'xx' if failed else 'bf'
        return Text(failed or known, look, style.CODE, key='nob' + TAPES[self.entry.level])

    def box(self, said: Box | None) -> Box:
        """The gradients with what is known of them, and under them what else the lines make while they run, or what is
        said of a rule."""
        made = self.made()
        found = [(k, self.gave[k]) for k in sorted(self.gravest[: style.TABLES])]
        left = len(self.gave) - style.TABLES
        many = max(min(len(found) + sum(self.wrong(k) for k, _ in found), int(self.room // style.TABLE[0])), 1)
        wide = min(style.TABLE[1], self.room / many - style.GAP - style.PAD)
        room, digits = (wide, style.TABLE_H), (self.room, style.TABLE_H)
        plate = lambda v: tiles.plate(v, *room, style.TALL, 'num', digits)
        tables = [box(self.shown(k, g, made, wide), wide, plate, self.room) for k, g in found]
        tables += [Text(f'and {left} more', 'dim')] * (left > 0)
        returned = {said for _, g in found for said in self.returned(g, made)}
        if self.given:  # variables stay, if no later tape has them
            made = {name: told for name, told in made.items() if name.isidentifier() and not self.now.record.depth}
        rest = {name: told for name, told in made.items() if name not in returned and not self.verdicts}
        tables = Flow(*tables, room=self.room, gap=style.GAP, across='start')
        return Column(tables, said or self.others(rest), gap=style.CLOSE, across='start')

    def returned(self, g: Gradient, made: dict) -> list[str]:
        """What the lines have made of a gradient that they return: a variable of its name may be another number."""
        return [said for said in (g.name, g.formula) if g.mark and said in made and made[said][0] == g.mark.line]

    def shown(self, place: int, g: Gradient, made: dict, room: float) -> list[Shown]:
        """A gradient, and the true one beside it where that is another."""
        v, key = self.verdicts[place] if self.verdicts else None, f'{self.number}.{place}'
        whole = verdict.settled(v, g.value) if g.value is not None else Value(g.name, words='None')
        so_far = next((made[said][1] for said in self.returned(g, made)), None)
        value = whole if self.given else so_far
        peers = (r for *_, r in self.now.story.parts.get(g.key, ()) if r.run == self.reading.run)
        calls = [r for r in peers if self.now.record.entries[r.entry].kind == self.entry.kind]
        name, same = g.name, formula.gradient_of(g.of, formula.order(self.now.story.by(self.reading)))
        if value is not None:  # one call's part of a sum, and whose it is
            name = self.owned(name + f', entry {self.entry.label}' * bool(calls[1:]), room)
        also = f'{name} ({same})'.replace(' ', '\xa0').replace('\xa0(', ' (', 1)  # what the program calls it
        name = name if g.name.endswith(g.of) or width(also, 'mid3') > style.TABLE[1] else also
        due = verdict.due(v, g.name) if self.wrong(place) else None
        how = said = None
        if not self.now.record.depth:
            how, said = g.formula, phrases.true_formula(self.now.record, self.entry, place)
            said = said if v is None or v.verdict != SURROGATE or v.due.any() else phrases.no_slope(self.entry) or said
        others = [r.verdicts for r in verdict.peers(self.now.record, self.reading) if r is not self.reading]
        badge = v and verdict.badge(v, any(found[place].asked for found in others if len(found) > place))
        mine = Shown(f'g{key}', name, whole, value, badge, how, False, v and verdict.marks(v))
        return beside(mine, due, f's{key}', f'true {g.name}', said)

    def others(self, found: dict[str, tuple[int, Value, bool]]) -> Box:
        """What is made on the way: of many lines, the last of it."""
        boxes, before = [], None
        for name, (line, value, here) in [*found.items()][-style.LIST_MOST :]:
            ground = ' gave' if here else ' on'
            where = Text(f'line {line}', 'dim') if line != before else None
            words = Text(name, 'm on' if here else 'm', style.NAMES[0])
            left = self.room - sum(box.size[0] + style.APIECE for box in (where, words) if box)
            how = tiles.plate(value, min(style.MADE[0], left), style.MADE[1])
            picture = tiles.Tile(value, how=how, key=f'm{self.number}.{line}.{name}', classes=ground)
            boxes.append(Row(where, words, picture, gap=style.APIECE))
            before = line
        return Flow(*boxes, room=self.room, gap=style.GAP)
