"""One tape as boxes: forward over what was taped over backward, in shared columns.

A column holds values, and under them the gradients that come back for them; or an entry: its card, its block on the
tape, its rule. What is still to come has its place from the first frame on.
"""

from collections.abc import Sequence

from ..ink.boxes import Box, Canvas, Card, Column, Lines, Put, Rect, Row, Space, Text, Upright
from ..ink.shapes import width
from ..ink.tiles import Tile
from ..story.record import Pass, Value
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
        here = now.read is not None and self.record.entries[now.read.entry].level == self.tape.level
        self.read = now.read if here else None  # what this step reads on this tape: another may have the same tensors
        self.named = style.NAMES[columns.tight]  # px of a name

    def column(self, part: Part) -> tuple[Box | None, Box | None, Box | None]:
        """Forward, tape and backward of a column."""
        return Opened(self, part).boxes() if part.kind == 'open' else getattr(self, part.kind)(part)

    # ---- values ----

    def values(self, part: Part) -> tuple[Box | None, Box | None, Box | None]:
        """Tensors, and what comes back for them."""
        up = Put(self.tensors(part.slots), at=(0.5, 1 if self.columns.over else 0.5))
        return up, None, self.gradients(part.slots)

    def tensors(self, slots: tuple[Slot, ...]) -> Box:
        """Tensors under their names; of several, short names stand beside them: a tape is no higher than it must be."""
        beside = len(slots) > 1 and not self.columns.tight and not self.tape.narrow
        beside = beside and all(width(self.title(s)) <= style.BESIDE for s in slots)
        boxes = [self.value(slot, beside) for slot in slots]
        return Column(*boxes, gap=style.CLOSE, across='end' if beside else 'start')

    def title(self, slot: Slot) -> str:
        """A tensor's name, and why no gradient passes it."""
        return slot.name + ' from NumPy' * (slot.key in self.record.cuts)

    def value(self, slot: Slot, beside: bool = False) -> Box:
        """A tensor and its name."""
        how, there, key = self.tape.plate(slot.value, self.columns.tight), self.there(slot), f'{self.tag}{slot.key}'
        name = named(self.title(slot), '' if there else 'fut', self.named, f'{key}n')
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
        real = lambda v: v.data is None or v.data.dtype.kind in 'fc'
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
        if (given := self.aside(slots)) is not None:
            return Road(Put(Opened(self, Part('open', (given,))).ghost()), 'road')
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
        return Put(Column(Space(0, style.JOINED), self.pile(shown, False, True), gap=0)) if shown else None

    def comes(self, slot: Slot) -> bool:
        """Whether a gradient of a tensor will ever come: for a constant there is none."""
        story = self.tape.story
        read = slot.out is not None and (slot.entry in story.reached or slot.entry in story.begins)
        return read or bool(story.parts.get(slot.key))

    def returned(self, slot: Slot) -> bool:
        """Whether the gradient of a tensor is one that a takeover returns, and stands in its tables."""
        return slot.out is None and taken(self.record.entries[slot.entry])

    def aside(self, slots: Sequence[Slot]) -> int | None:
        """The takeover whose displaced rule stands under these values, where no gradient does."""
        return None if self.returning(slots) else next((s.entry for s in slots if self.returned(s)), None)

    def road(self, loud: bool, came: bool, slots: tuple[Slot, ...] = ()) -> str:
        """How a piece of the road looks."""
        if not came or any(map(self.returned, slots)):
            return 'road'
        return 'rb' if loud else 'rb past'

    def gradient(self, slot: Slot, alone: bool, folded: bool) -> Box:
        """A gradient and its name; before it has come, its place."""
        w, h = self.tape.fits(slot, self.columns.tight, folded)
        w += 2  # (it stands on a ground that is a little larger)
        value = self.came(slot)
        look, key = '' if value is not None else 'fut', f'{self.tag}d{slot.key}n'
        name = named(self.label(slot), look, max(self.named, w), key)
        if value is None:
            number: Box = Space(w, max(h, style.ROAD) if alone else h)
        else:
            how = (self.tape.cotangent if alone else self.tape.plate)(value, self.columns.tight)
            past = '' if self.loud(slot) else ' past'
            ink = f' rl bare{past}' if how.ink else ' on'
            picture = Tile(value, key=f'{self.tag}d{slot.key}', how=how, classes=ink, account=True)
            ground = 'paper' if not how.ink else f'rl{past}'
            tall = (0.0, style.ROAD) if how.ink else (0.0, 0.0)
            number = Put(Card(picture, ground, (1.0, 0.0), tall, rx=0 if how.ink else style.BLOCK_ROUND),
                         at=(0, 0.5), least=(w, max(h, style.ROAD) if alone else h))  # fmt: skip
        low = Space(0, name.size[1]) if alone else None  # so that the number stands on the road
        return Column(name, number, low, gap=0, across='start')

    def label(self, slot: Slot) -> str:
        """What a gradient is called; before all, as it will be called at its widest."""
        runs = [self.now.whose(slot.entry)]
        if not self.now.shot:
            runs += map(self.tape.story.by, self.tape.story.reached.get(slot.entry, ()))
        return max((self.called(slot, run) for run in runs), key=width)

    def called(self, slot: Slot, run: Pass | None) -> str:
        """What a gradient is called in a run: by the rule that reads it, where one does."""
        entry = self.record.entries[slot.entry]
        if slot.out is None:
            written = entry.kind == 'loose' and slot.name == 'before'  # a Parameter, say, that is overwritten there
            more = '' if self.tape.narrow else self.now.so_far(slot.key, run)
            return formula.gradient_of(entry.target if written else slot.name, formula.order(run)) + more
        last = slot.entry == self.tape.entries[-1]
        dout = formula.called(self.record, entry, run).dout
        if len(entry.outputs) > 1:
            named = slot.value.name and entry.kind != 'call'
            douts = reading.douts[slot.out :] if (reading := self.now.reading(slot.entry)) else ()
            none = ' = 0' * (bool(douts) and douts[0].data is None)  # nobody used it: the bprop gets zeros
            return formula.gradient_of(slot.value.name, formula.order(run)) if named else f'dout[{slot.out}]{none}'
        if slot.name == 'out' or (last and (slot.value.name == '' or entry.level)):
            return dout
        if dout.rstrip('′″‴') not in ('dout', entry.facts and entry.facts.dout):
            return dout
        own = formula.gradient_of(slot.name, formula.order(run))
        return next((words for words in (f'{own} = {dout}', own) if width(words) <= self.named), dout)

    def came(self, slot: Slot) -> Value | None:
        """The gradient of a tensor as far as it has come."""
        now = self.now
        if self.read is not None and (part := now.part(slot.key)) is not None:
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
        if self.read is None:
            return not now.compare and now.told.kind == 'start' and slot.out is not None
        entry = self.record.entries[self.read.entry]
        if self.read.entry == slot.entry and slot.out is not None:
            return now.told.kind != 'give' or not taken(entry)
        return now.told.kind in ('give', 'add') and slot.key in entry.keys

    # ---- entries ----

    def spine(self, part: Part) -> tuple[Box, Box | None, Box | None]:
        """A closed entry, or a turn of a loop."""
        i, entries = part.entries[0], [self.record.entries[k] for k in part.entries]
        alone, now = len(entries) == 1, self.now
        done = now.done(part.entries[-1])
        words = name_of(entries[0]) if alone else strip.told(part.unit).rpartition(' of ')[0]
        taped = strip.numbered(entries[0])
        look = f'card f{self.quiet}' if done and taped else 'card'
        name = Upright(words, 'fut' if not done else 'bf' if any(map(taken, entries)) else '', style.UPRIGHT)
        least = style.SPINE, style.CARD_H
        card = Put(Card(name, look, style.SPINE_PAD, least, key=f'e{i}', go=f'e{i}'))
        if not taped:
            return card, None, Road(Space(), 'road')
        said, look = Text(entries[0].label * alone, 'mid' if done else 'mid dim'), 'block' if done else 'slot'
        least = style.SPINE, style.ROW
        block = Put(Card(said, look, (1, 0), least, key=f'B{i}', rx=style.BLOCK_ROUND))
        given = any(now.given(now.reading(k)) for k in part.entries)
        return card, block, Road(Space(), self.road(False, given))

    def more(self, part: Part) -> tuple[Box, Box | None, Box | None]:
        """How many entries are left out here."""
        count = sum(strip.numbered(self.record.entries[i]) for i in part.entries)
        said = Upright(f'{count} more' * bool(count), 'dim', style.UPRIGHT)
        ends = part.entries[:1] + part.entries[-1:]
        given = any(self.now.given(self.now.reading(k)) for k in ends)
        return Put(Column(Text('⋯', 'mid dim'), said, gap=2)), None, Road(Space(style.SPINE), self.road(False, given))


class Opened:
    """An entry that is open, at a moment: its card, its block on the tape, its rule."""

    def __init__(self, cells: Cells, part: Part) -> None:
        self.cells, self.now, self.tape, self.slots = cells, cells.now, cells.tape, part.slots
        (self.i,) = part.entries
        self.plain, self.entry, self.slot = part.tight > 0, cells.record.entries[self.i], cells.columns.within(self.i)
        self.done, self.here, self.loud = (ask(self.i) for ask in (self.now.done, self.now.writes, self.now.reads))
        self.reading, self.takes = self.now.reading(self.i), taken(self.entry)
        at = next((n for n, i in cells.columns.opened if i == self.i), 0)
        self.aside = bool(at) and cells.aside(cells.columns.list[at - 1].slots) == self.i

    def boxes(self) -> tuple[Box, Box | None, Box | None]:
        """What stands over it is on its card; it is taped only where it has a number."""
        card, over, taped = self.card(), self.slots, strip.numbered(self.entry)
        wide = card.size[0]
        side = 1 if self.takes and not self.aside else 0.5, 0.5  # backward turns off right of what is not called
        if over:
            above = Put(self.cells.tensors(over), key=f'{self.cells.tag}i{self.i}')
            card = Column(above, Put(card, at=side), gap=style.ABOVE)
        card = Put(card, at=(side[0] if not over else None, 0.5))
        block = Put(Put(self.block(), least=(wide, 0)), at=side) if taped else None
        return card, block, self.rule(style.BEND + wide / 2) if taped else Road(Space(), 'road')

    def card(self) -> Box:
        """What ran."""
        entry, i, begun = self.entry, self.i, self.done or self.here
        pale, grey = ('', 'dim') if begun else ('fut', 'fut')
        title = entry.name if entry.kind == 'loose' else f'{"✗ " * (entry.kind == "torn")}{name_of(entry)}'
        words = lambda said, look: Lines(said, style.SOURCE, f'{look} {grey}', style.SOURCE_ROWS, f'e{i}o', 'fill')
        rows: list[Box] = [Lines(title, style.SOURCE, f'mid {pale}', 2, f'e{i}t', 'fill')]
        whose = {'call': ('own bprop', 'has a bprop'), 'hook': ('your hook', 'a hook')}.get(entry.kind)
        written = words(self.tape.source(i), 'm mid')
        if whose:
            rows.append(Text(whose[not entry.yours], 'mid bf' if begun else 'mid fut'))
            if entry.hidden:
                rows.append(self.hidden())
        elif entry.kind == 'loose':
            rows.append(words(f'not taped: {entry.why}' if entry.why else 'not taped', 'mid'))
        elif entry.inside:
            rows.append(Text(f'{len(entry.inside)} entries', f'mid {grey}'))
        elif self.tape.source(i) and not self.plain and written.size[1] <= style.SOURCE_ROWS * style.ROW:
            rows.append(written)
        if self.slot is not None:
            how = self.tape.plate(self.slot.value, self.cells.columns.tight)
            rows.append(Put(Tile(self.slot.value, key=f'{self.cells.tag}{self.slot.key}', how=how, there=self.done)))
        odd, key = {'loose': 'card', 'torn': 'card torn'}, f'e{i}'
        look = odd.get(entry.kind, f'card f{self.cells.quiet}' if begun else 'card') + ' cur' * self.here
        least, round_ = (style.CARD_W, style.CARD_H), style.CARD_ROUND
        return Card(Column(*rows, gap=1), look, style.CARD_PAD, least, key=key, rx=round_, go=key)

    def hidden(self) -> Box:
        """What a takeover hides: it ran, and was not taped."""
        entry = self.entry
        ran = entry.hidden_at is not None and entry.hidden_at <= self.now.step
        here = self.now.told.kind == 'hidden' and self.here
        said, *more = entry.hidden
        written = '' if self.plain else next((g.source for g in entry.ghosts if g.source), '')
        said = f'{len(entry.hidden)} operations' if more else written or said
        words = Lines(said, style.SOURCE, 'm mid' if ran else 'm mid fut', style.SOURCE_ROWS, across='fill')
        words = Column(words, Text('not taped', 'mid dim' if ran else 'mid fut'), gap=0)
        return Card(words, 'ghost' + ' q' * (not here), style.HIDDEN_PAD, layer=style.LIFTED, key=f'e{self.i}h')

    def block(self) -> Box:
        """Its block on the tape: a ring around it where it is written or read."""
        i, label = self.i, self.entry.label
        words = f'{label} {name_of(self.entry)}'
        said = Text(words if width(words) <= self.cells.named else label, 'mid', key=f'B{i}t')
        here = self.done and (self.loud or (self.here and self.now.told.kind == 'write'))
        look = 'block cur' if here else 'block' if self.done else 'slot'
        child, go = (said, f'e{i}') if self.done else (Space(*said.size), None)
        least = style.BLOCK_W, 0
        made = Card(child, look, style.BLOCK_PAD, least, key=f'B{i}', rx=style.BLOCK_ROUND, go=go)
        return Card(made, 'ring' if here else '', style.RING, key=f'ring{i}', layer=style.OVER)

    def rule(self, bend: float) -> Box:
        """Its rule, a part of the road; or the ghost of one that a takeover displaces."""
        begun, key, past = self.reading is not None, f'r{self.i}', '' if self.loud else ' past'
        if self.aside:
            return Road(Space(), 'none' if begun else 'road')
        if self.takes:
            return Road(Row(Put(self.ghost(), grows=1), Space(bend, 0), gap=0), 'road')
        said, small, room = phrases.rule_of(self.entry), ' onw' * self.plain, style.RULES[self.cells.columns.tight]
        look, ink = (f'rl{past}', f'onr mid{past}{small}') if begun else ('rl todo', 'mid fut')
        words = named(said, ink, room, f'{key}t')
        words.size = max(named(said, f'onr{small}', room, '').size[0], words.size[0]), words.size[1]
        rule = Card(words, look, style.BLOCK_PAD, (0, style.ROAD), (None, 0.5), key=key, rx=0, go=key)
        box: Box = Put(rule, at=(None, 0.5), grows=1)
        if self.slot is not None:
            box = Row(box, self.cells.gradient(self.slot, True, True), gap=0)
        return Road(box, self.cells.road(self.loud, begun))

    def ghost(self) -> Box:
        """The rule that would have been called, on the road that backward does not take."""
        lost, call, key = phrases.lost(self.entry), self.entry.kind == 'call', f'r{self.i}'
        what = f'{len(lost)} rules' if len(lost) > 1 else phrases.displaced(self.entry).removeprefix('the ')
        said = what if call else 'straight on'
        ground = 'ghost' if self.loud and self.now.told.kind == 'reach' else 'ghost q'
        name = Text(said, 'mid fut' if self.reading is None else 'mid dim', style.RULES[0], key=f'{key}t')
        words: Box = Put(name, at=(None, 0.5), least=(0, 2 * name.size[1]))
        if self.reading is not None:
            words = Column(name, Text(NEVER if call else 'it decides', 'mid', key=f'{key}f'), gap=0)
        least = max(name.size[0], width(NEVER)) + 2 * style.HIDDEN_PAD[0], 0
        return Card(words, ground, style.HIDDEN_PAD, least, (None, 0.5), key=key, rx=style.CARD_ROUND, go=key)


class Road(Box):
    """A piece of backward's road, and what stands on it. `starts`: backward turns off behind it; `end`: of the one
    with its tip, the key."""

    def __init__(self, child: Box, look: str, starts: bool = False, end: str = '') -> None:
        self.child, self.look, self.starts, self.end = child, look, starts, end
        self.size = child.size[0], max(child.size[1], style.ROAD)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The road in the middle of the height, half a gap beyond on each side."""
        left, right, middle = x - style.GAP / 2 * (not self.starts), x + w + style.GAP / 2 + 0.5, y + h / 2
        left = x + style.TIP if self.end else left
        to.frame.path(self.end or f'{to.path}~', f'M{right:g},{middle:g}H{left:g}', self.look, 0)
        if self.end:
            head = {'road': 'rl todo', 'rb': 'rl', 'rb past': 'rl past'}[self.look]
            to.frame.head(f'{self.end}h', x - style.GAP, middle, 'l', head, 0, style.HEAD)
        to.put(self.child, Rect(x, y, w, h))


def boxes_of(columns: Columns, part: Part) -> tuple[Box | None, ...]:
    """The boxes of a column, as large as they will be."""
    cells = Cells(columns, Now(columns.tape.story, None))
    return *cells.column(part), cells.under(part)


def named(words: str, look: str, room: float, key: str) -> Box:
    """A name, in several rows where it is too long for one."""
    return Text(words, look, key=key) if width(words, look) <= room else Lines(words, room, look, key=key)
