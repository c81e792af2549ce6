"""One tape as boxes: forward over what was taped over backward, in shared columns.

A column holds values, and under them the gradients that come back for them; or an entry: its card, its block on the
tape, its rule. What is still to come has its place from the first frame on.
"""

from collections.abc import Sequence

from ..ink.boxes import Box, Canvas, Card, Column, Lines, Put, Rect, Row, Space, Text, Upright
from ..ink.shapes import width
from ..ink.tiles import Tile
from ..story.names import gradient
from ..story.record import Entry, Pass, Value
from . import formula, phrases, strip, style
from .columns import Columns, Slot
from .formula import name_of
from .now import Now
from .strip import Part, taken

NEVER = 'never called'


class Cells:
    """The boxes of columns at a moment."""

    def __init__(self, columns: Columns, now: Now) -> None:
        self.columns, self.tape, self.record, self.tag = columns, columns.tape, columns.record, columns.tag
        self.now = now
        self.run = now.reader(self.tape.level)
        self.quiet = ' q2' if self.run is not None else ''
        self.named = style.NAMES[columns.tight]  # px of a name

    def column(self, part: Part) -> tuple[Box | None, Box | None, Box | None]:
        """Forward, tape and backward of a column."""
        return getattr(self, part.kind)(part)

    # ---- values ----

    def values(self, part: Part) -> tuple[Box | None, Box | None, Box | None]:
        """Tensors, and what comes back for them."""
        up = Put(self.tensors(part.slots), at=(0.5, 1 if self.columns.over else 0.5))
        return up, None, self.gradients(part.slots)

    def tensors(self, slots: tuple[Slot, ...]) -> Box:
        """Tensors under their names; of several, short names stand beside them: a tape is no higher than it must be."""
        beside = len(slots) > 1 and self.columns.tight < style.NAMES_ABOVE and not self.tape.narrow
        beside = beside and all(width(s.name) <= style.BESIDE for s in slots)
        boxes = [self.value(slot, beside) for slot in slots]
        return Column(*boxes, gap=style.CLOSE, across='end' if beside else 'start')

    def value(self, slot: Slot, beside: bool = False) -> Box:
        """A tensor and its name."""
        how, there, key = self.tape.plate(slot.value, self.columns.tight), self.there(slot), f'{self.tag}{slot.key}'
        name = named(slot.name, '' if there else 'fut', self.named, f'{key}n')
        digits = how.kind == 'squares'  # a press shows them
        look = ' past' * self.now.compare
        picture: Box = Tile(slot.value, key=key, how=how, there=there, classes=look, account=digits)
        if beside:
            return Row(name, picture, gap=style.APIECE, key=f'{self.tag}v{slot.key}')
        wide = self.tape.fits(slot, self.columns.tight)[0] if self.returning([slot]) else 0  # with its gradient below
        number = Row(picture, Space(max(wide - how.w, 0)), key=f'{self.tag}v{slot.key}')
        return Column(name, number, gap=0, across='start')

    def returning(self, slots: Sequence[Slot]) -> list[Slot]:
        """Those of them whose gradients come back and stand under them."""
        return [slot for slot in slots if real(slot.value) and not self.returned(slot) and self.comes(slot)]

    def there(self, slot: Slot) -> bool:
        """Whether a tensor is there by now: what enters the program is, from the start."""
        if slot.out is not None:
            return self.now.done(slot.entry)
        made = formula.makers(self.tape.record).get(slot.key)
        known = self.tape.level == 0 if made is None else self.now.done(made)
        return known or self.now.done(slot.entry) or self.now.writes(slot.entry)

    def gradients(self, slots: tuple[Slot, ...]) -> Box:
        """What comes back for these tensors, on the road."""
        shown, first = self.returning(slots), self.record.entries[slots[0].entry]
        if not shown and (given := next((s.entry for s in slots if self.returned(s)), None)) is not None:
            return Road(Put(self.ghost(given)), 'road')  # the tables show what the bprop returns
        came = any(self.came(slot) is not None for slot in slots)
        turns = slots[0].out is not None and taken(first) and came and self.now.reading(slots[0].entry) is not None
        pile = self.pile(shown, len(shown) == 1)
        if len(shown) > 1:  # their names stand on it, too
            pile = Card(pile, 'aback', style.PILE_PAD, layer=1)
        child = Put(pile, at=(0 if turns else 0.5, 0.5))
        return Road(child, self.road(came and any(self.loud(s) for s in slots), came, slots), starts=turns)

    def pile(self, shown: list[Slot], alone: bool, folded: bool = False) -> Box:
        """Gradients one under the other."""
        return Column(*[self.gradient(slot, alone, folded) for slot in shown], gap=style.JOINED, across='start')

    def under(self, part: Part) -> Box | None:
        """The gradients of what stands over a card: under its rule."""
        shown = self.returning(part.slots) if part.kind == 'open' else ()
        return Put(Column(Space(0, style.ABOVE), self.pile(shown, False, True), gap=0)) if shown else None

    def comes(self, slot: Slot) -> bool:
        """Whether a gradient of a tensor will ever come: for a constant there is none."""
        story = self.tape.story
        read = slot.out is not None and (slot.entry in story.reached or slot.entry in story.begins)
        return read or bool(story.parts.get(slot.key))

    def returned(self, slot: Slot) -> bool:
        """Whether the gradient of a tensor is one that a takeover returns, and stands in its tables."""
        return slot.out is None and taken(self.record.entries[slot.entry]) and not self.record.depth

    def aside(self, i: int) -> bool:
        """Whether the rule that a takeover displaces has room before its card, under what nothing else shows."""
        at = next(n for n, entry in self.columns.opened if entry == i)
        before = self.columns.list[at - 1] if at else None
        alone = before is not None and before.kind == 'values'
        return alone and all(self.returned(s) or not real(s.value) for s in before.slots)

    def road(self, loud: bool, came: bool, slots: tuple[Slot, ...] = ()) -> str:
        """How a piece of the road looks."""
        if not came or any(s.out is None and taken(self.record.entries[s.entry]) for s in slots):
            return 'road'
        return 'rb' if loud else 'rb past'

    def gradient(self, slot: Slot, alone: bool, folded: bool) -> Box:
        """A gradient and its name; before it has come, its place."""
        w, h = self.tape.fits(slot, self.columns.tight, folded)
        w += 2  # (it stands on a ground that is a little larger)
        value = self.came(slot)
        label = self.label(slot)
        name = named(label, '' if value is not None else 'fut', max(self.named, w), f'{self.tag}d{slot.key}n')
        if value is None:
            number: Box = Space(w, max(h, style.ROAD) if alone else h)
        else:
            how = (self.tape.cotangent if alone else self.tape.plate)(value, self.columns.tight)
            past = '' if self.loud(slot) else ' past'
            yours = slot.out is None and taken(self.record.entries[slot.entry])
            how = how._replace(ink='') if yours else how
            ink = f' rl bare{past}' if how.ink else ' gave' if yours else ' on'
            picture = Tile(value, key=f'{self.tag}d{slot.key}', how=how, classes=ink, account=True)
            ground = 'paper' if not how.ink else f'rl{past}'
            tall = (0.0, style.ROAD) if how.ink else (0.0, 0.0)
            number = Put(Card(picture, ground, (1.0, 0.0), tall, rx=0 if how.ink else style.BLOCK_ROUND),
                         at=(0, 0.5), least=(w, max(h, style.ROAD) if alone else h))  # fmt: skip
        low = Space(0, name.size[1]) if alone else None  # so that the number stands on the road
        return Column(name, number, low, gap=0, across='start')

    def label(self, slot: Slot) -> str:
        """What a gradient is called; before all, as it will be called at its widest."""
        story, runs = self.tape.story, [self.now.whose(slot.entry)]
        if not self.now.shot:
            runs += map(story.by, story.reached.get(slot.entry, ()))
        return max((self.called(slot, run) for run in runs), key=width)

    def called(self, slot: Slot, run: Pass | None) -> str:
        """What a gradient is called in a run: by the rule that reads it, where one does."""
        entry = self.record.entries[slot.entry]
        if slot.out is None:
            written = entry.kind == 'loose' and slot.name == 'before'  # a Parameter, say, that is overwritten there
            more = '' if self.tape.narrow else self.now.so_far(slot.key, run)
            return gradient(entry.target if written else slot.name) + more
        last = slot.entry == self.tape.entries[-1]
        dout = formula.called(self.record, entry, run).dout
        if len(entry.outputs) > 1:
            return f'dout[{slot.out}]' if entry.kind == 'call' or not slot.value.name else gradient(slot.value.name)
        if slot.name == 'out' or (last and (slot.value.name == '' or entry.level)):
            return dout
        if dout.rstrip('′″‴') not in ('dout', entry.facts and entry.facts.dout):
            return dout
        long = f'{gradient(slot.name)} = {dout}', gradient(slot.name), dout
        return next((words for words in long if width(words) <= self.named), dout)

    def came(self, slot: Slot) -> Value | None:
        """The gradient of a tensor as far as it has come."""
        now = self.now
        if (part := now.part(slot.key)) is not None:
            return part
        if slot.out is not None:
            reading = now.reading(slot.entry)
            if reading is not None and slot.out < len(reading.douts):
                value = reading.douts[slot.out]
                return value if value.data is not None else None
            begun = [p for p in now.story.begins.get(slot.entry, ()) if p.started <= now.step]
            found = now.story.cotangent(slot.key, begun[-1] if begun else self.run).until(now.step)
            return found or (begun[-1].seeds[slot.out] if begun and slot.out < len(begun[-1].seeds) else None)
        return now.story.cotangent(slot.key, now.whose(slot.entry)).until(now.step)

    def loud(self, slot: Slot) -> bool:
        """Whether this step is about it."""
        now = self.now
        if now.read is None:
            return not now.compare and now.told.kind == 'start' and slot.out is not None
        entry = self.record.entries[now.read.entry]
        if now.read.entry == slot.entry and slot.out is not None:
            return now.told.kind != 'give' or not taken(entry)
        return now.told.kind in ('give', 'add') and slot.key in entry.keys

    # ---- entries ----

    def open(self, part: Part) -> tuple[Box, Box | None, Box | None]:
        """An entry: its card, its block on the tape, its rule."""
        (i,) = part.entries
        entry = self.record.entries[i]
        off = entry.kind in ('loose', 'torn') or not entry.label
        card, over = self.card(i, entry, part.tight > 0), part.slots
        wide = card.size[0]
        side = 1 if over and taken(entry) else 0.5, 0.5  # backward turns off right of the rule that is not called
        if over:
            card = Column(Put(self.tensors(over), key=f'{self.tag}i{i}'), Put(card, at=side), gap=style.ABOVE)
        block = None if off else Put(Put(self.block(i, entry), least=(wide, 0)), at=side)
        bend = style.BEND + wide / 2 * bool(over)
        rule = Road(Space(), 'road') if off else self.rule(i, entry, part.tight > 0, bend)
        return Put(card, at=(None if over else 0.5, 0.5)), block, rule

    def card(self, i: int, entry: Entry, plain: bool) -> Box:
        """What ran."""
        now = self.now
        done, here = now.done(i), now.writes(i)
        begun = done or here
        pale, grey = ('', 'dim') if begun else ('fut', 'fut')
        title = entry.name if entry.kind == 'loose' else f'{"✗ " * (entry.kind == "torn")}{name_of(entry)}'
        rows: list[Box] = [Lines(title, style.SOURCE, f'mid {pale}', 2, f'e{i}t', 'fill')]
        whose = {'call': ('own bprop', 'has a bprop'), 'hook': ('your hook', 'a hook')}.get(entry.kind)
        written = self.tape.source(i)
        source = Lines(written, style.SOURCE, f'm mid {grey}', style.SOURCE_ROWS, f'e{i}o', 'fill')
        if whose:
            rows.append(Text(whose[not entry.yours], 'mid bf' if begun else 'mid fut'))
            if entry.hidden:
                rows.append(self.hidden(i, entry, plain))
        elif entry.kind == 'loose':
            rows.append(Lines(why(entry), style.SOURCE, f'mid {grey}', style.SOURCE_ROWS, across='fill'))
        elif entry.inside:
            rows.append(Text(f'{len(entry.inside)} entries', f'mid {grey}'))
        elif written and not plain and source.size[1] <= style.SOURCE_ROWS * style.ROW:
            rows.append(source)
        if (slot := self.columns.within(i)) is not None:
            how, there = self.tape.plate(slot.value, self.columns.tight), now.done(i)
            rows.append(Put(Tile(slot.value, key=f'{self.tag}{slot.key}', how=how, there=there)))
        odd, key = {'loose': 'card', 'torn': 'card torn'}, f'e{i}'
        look = odd.get(entry.kind, f'card f{self.quiet}' if begun else 'card') + ' cur' * here
        least, round_ = (style.CARD_W, style.CARD_H), style.CARD_ROUND
        return Card(Column(*rows, gap=1), look, style.CARD_PAD, least, key=key, rx=round_, go=key)

    def hidden(self, i: int, entry: Entry, plain: bool) -> Box:
        """What a takeover hides: it ran, and was not taped."""
        ran = entry.hidden_at is not None and entry.hidden_at <= self.now.step
        here = self.now.told.kind == 'hidden' and self.now.writes(i)
        said, *more = entry.hidden
        written = '' if plain else next((g.source for g in entry.ghosts if g.source), '')
        said = f'{len(entry.hidden)} operations' if more else written or said
        words = Lines(said, style.SOURCE, 'm mid' if ran else 'm mid fut', style.SOURCE_ROWS, across='fill')
        words = Column(words, Text('not taped', 'mid dim' if ran else 'mid fut'), gap=0)
        return Card(words, 'ghost' + ' q' * (not here), style.HIDDEN_PAD, layer=style.LIFTED, key=f'e{i}h')

    def block(self, i: int, entry: Entry) -> Box:
        """Its block on the tape: a ring around it where it is written or read."""
        now, words = self.now, f'{entry.label} {name_of(entry)}'
        said = Text(words if width(words) <= self.named else entry.label, 'mid', key=f'B{i}t')
        done = now.done(i)
        here = done and (now.reads(i) or (now.writes(i) and now.told.kind == 'write'))
        look = 'block cur' if here else 'block' if done else 'slot'
        child, key = said if done else Space(*said.size), f'B{i}'
        go, round_ = f'e{i}' if done else None, style.BLOCK_ROUND
        made = Card(child, look, style.BLOCK_PAD, (style.BLOCK_W, 0), key=key, rx=round_, go=go)
        return Card(made, 'ring' if here else '', style.RING, key=f'ring{i}', layer=style.OVER)

    def rule(self, i: int, entry: Entry, plain: bool, bend: float) -> Box:
        """Its rule, a part of the road; or the ghost of one that a takeover displaces."""
        if taken(entry) and self.aside(i):
            return Road(Space(), 'road' if self.now.reading(i) is None else 'none')
        if taken(entry):
            return Road(Row(Put(self.ghost(i), grows=1), Space(bend, 0), gap=0), 'road')
        reading = self.now.reading(i)
        loud = self.now.reads(i)
        past = '' if loud else ' past'
        said = phrases.rule_of(entry)
        small = ' onw' * plain
        look, ink = (f'rl{past}', f'onr mid{past}{small}') if reading is not None else ('rl todo', 'mid fut')
        words = named(said, ink, style.RULES[self.columns.tight], f'r{i}t')
        loudest = named(said, f'onr{small}', style.RULES[self.columns.tight], '')
        words.size = max(loudest.size[0], words.size[0]), words.size[1]
        rule = Card(words, look, style.BLOCK_PAD, (0, style.ROAD), (None, 0.5), key=f'r{i}', rx=0, go=f'r{i}')
        slot, box = self.columns.within(i), Put(rule, at=(None, 0.5), grows=1)
        if slot is not None:
            box = Row(box, self.gradient(slot, True, True), gap=0)
        return Road(box, self.road(loud, reading is not None))

    def ghost(self, i: int) -> Box:
        """The rule that would have been called, on the road that backward does not take."""
        entry = self.record.entries[i]
        reading = self.now.reading(i)
        many, call = len(phrases.lost(entry)) > 1, entry.kind == 'call'
        what = f'{len(phrases.lost(entry))} rules' if many else phrases.displaced(entry).removeprefix('the ')
        state = (NEVER if call else 'it decides') if reading is not None else ''
        ground = 'ghost' if self.now.reads(i) and self.now.told.kind == 'reach' else 'ghost q'
        look = 'mid dim' if reading is not None else 'mid fut'
        name = Text(what if call else 'straight on', look, style.RULES[0], key=f'r{i}t')
        alone = Put(name, at=(None, 0.5), least=(0, 2 * name.size[1]))
        words = Column(name, Text(state, 'mid', key=f'r{i}f'), gap=0) if state else alone
        least = max(name.size[0], width(NEVER)) + 2 * style.HIDDEN_PAD[0], 0
        return Card(words, ground, style.HIDDEN_PAD, least, (None, 0.5), key=f'r{i}', rx=style.CARD_ROUND, go=f'r{i}')

    # ---- closed ----

    def spine(self, part: Part) -> tuple[Box, Box | None, Box | None]:
        """A closed entry, or a turn of a loop."""
        i, entries = part.entries[0], [self.record.entries[k] for k in part.entries]
        alone, now = len(entries) == 1, self.now
        done = now.done(part.entries[-1])
        words = name_of(entries[0]) if alone else strip.told(part.unit).rpartition(' of ')[0]
        look = f'card f{self.quiet}' if done and entries[0].kind not in ('loose', 'torn') else 'card'
        name = Upright(words, '' if done else 'fut', style.UPRIGHT)
        pad, least = style.SPINE_PAD, (style.SPINE, style.UPRIGHT + style.WORDS)
        card = Put(Card(name, look, pad, least, key=f'e{i}', go=f'e{i}'))
        if entries[0].kind in ('loose', 'torn') or not entries[0].label:
            return card, None, Road(Space(), 'road')
        label = entries[0].label if alone else ''
        said, look = Text(label, 'mid' if done else 'mid dim'), 'block' if done else 'slot'
        least = style.SPINE, style.ROW
        block = Put(Card(said, look, (1, 0), least, key=f'B{i}', rx=style.BLOCK_ROUND))
        given = any(now.given(now.reading(k)) for k in part.entries)
        own = any(map(taken, entries))
        said = 'yours' if own and any(e.yours for e in entries) else 'bprop' if own else 'rule'
        back = 'ghost' + ' q' * (not given) if own else 'card bk' if given else 'card'
        ink = 'fut' if not given else 'bf' if own else ''
        rule = Card(Upright(said, ink, style.UPRIGHT), back, pad, (style.SPINE, 0), key=f'r{i}', go=f'r{i}')
        return card, block, Road(Put(rule), self.road(False, given))

    def more(self, part: Part) -> tuple[Box, Box | None, Box | None]:
        """How many entries are left out here."""
        count = sum(strip.numbered(self.record.entries[i]) for i in part.entries)
        said = Upright(f'{count} more' * bool(count), 'dim', style.UPRIGHT)
        ends = part.entries[:1] + part.entries[-1:]
        given = any(self.now.given(self.now.reading(k)) for k in ends)
        return Put(Column(Text('⋯', 'mid dim'), said, gap=2)), None, Road(Space(style.SPINE), self.road(False, given))


class Road(Box):
    """A piece of backward's road, and what stands on it."""

    def __init__(self, child: Box, look: str, least: float = style.ROAD, starts: bool = False) -> None:
        self.child, self.look, self.starts = child, look, starts  # whether backward turns off behind it
        self.size = child.size[0], max(child.size[1], least)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The road in the middle of the height, half a gap beyond on each side."""
        end, right = x - style.GAP / 2 * (not self.starts), x + w + style.GAP / 2 + 0.5
        to.frame.path(f'{to.path}~', f'M{right:g},{y + h / 2:g}H{end:g}', self.look, 0)
        to.put(self.child, Rect(x, y, w, h))


class RoadEnd(Box):
    """Where the road leads to: its head."""

    size = (style.TIP, style.ROAD)

    def __init__(self, look: str, tag: str) -> None:
        self.look, self.tag = look, tag

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Its tip at the left."""
        to.frame.path(f'{self.tag}end', f'M{x + w + style.GAP / 2:g},{y + h / 2:g}H{x + style.TIP:g}', self.look, 0)
        head = {'road': 'rl todo', 'rb': 'rl', 'rb past': 'rl past'}[self.look]
        to.frame.head(f'{self.tag}endh', x - style.GAP, y + h / 2, 'l', head, 0, style.HEAD)


def boxes_of(columns: Columns, part: Part) -> tuple[Box | None, ...]:
    """The boxes of a column, as large as they will be."""
    cells = Cells(columns, Now(columns.tape.story, None))
    return *cells.column(part), cells.under(part)


def named(words: str, look: str, room: float, key: str) -> Box:
    """A name, in several rows where it is too long for one."""
    return Text(words, look, key=key) if width(words, look) <= room else Lines(words, room, look, key=key)


def real(value: Value) -> bool:
    """Whether a tensor can have a gradient."""
    return value.data is None or value.data.dtype.kind in 'fc'


def why(entry: Entry) -> str:
    """Why an entry is not on the tape."""
    return f'not taped: {entry.why}' if entry.why else 'not taped'
