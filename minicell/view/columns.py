"""The columns of a tape: values (what some entries made and the next one reads) and entries, from left to right.

How wide they are follows from the record and from which entries are open, not from the step.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ..ink import tiles
from ..ink.shapes import width
from ..story.names import LONGEST, is_number
from ..story.record import Value
from . import formula, style
from .moment import Story
from .strip import Part, numbered, units

BACKWARD = '← backward'
TAGS = 'abcdefghijklmnop'  # of the tapes


class Slot(NamedTuple):
    """A tensor in a column of values: an output of an entry, or an input that is seen here first."""

    key: int
    value: Value
    name: str
    entry: int
    out: int | None = None  # which output


class Tape:
    """One tape: what of it is open around an entry, and how large its tensors are. `boxes`: makes those of a column.

    All entries are open where they have room. Else the one in focus is, and as many of its neighbours as fit; the
    others are spines, and far away they are a number. Turns of a loop that are not in focus are a spine each.
    """

    def __init__(self, story: Story, level: int, room: float, boxes: Callable, narrow: bool) -> None:
        self.story, self.record, self.level, self.room, self.boxes = story, story.record, level, room, boxes
        self.narrow, self.shapes = narrow, style.SHAPES_NARROW if narrow else style.SHAPES
        self.tag, self.units = TAGS[level], units(self.record, level)
        self.entries = [i for i, e in enumerate(self.record.entries) if e.level == level]
        self.count = sum(numbered(self.record.entries[i]) for i in self.entries)
        self.unit_of = {i: n for n, unit in enumerate(self.units) for i in unit.entries}
        self.parts = cache(self.around)
        self.fit: dict[tuple, tuple[float, float]] = {}
        self.widths: dict[tuple, float] = {}
        self.plates: dict[tuple, tuple[tiles.Plate, Value]] = {}
        self.lines = Counter((e.mark, e.round) for e in self.record.entries if e.level == level)

    def around(self, focus: int | None) -> list[Part]:
        """What is seen with an entry in focus: all of a short tape; else its neighbours, as far as there is room."""
        for tight in range(2 * (len(self.entries) <= style.MOST_OPEN)):
            parts = [Part('open', (i,), tight=tight) for i in self.entries]
            if Columns(self, parts).width() <= self.room:
                return parts
        focus = self.entries[0] if focus is None else focus
        at, found = self.unit_of[focus], [focus]
        own, window = self.units[at], self.units[max(at - style.MANY, 0) : at + style.MANY]
        closed = lambda unit: [(i,) for i in unit.entries] if unit is own else [unit.entries]
        seen = [Part('spine', entries, unit) for unit in window for entries in closed(unit)]
        near = [p.entries[0] for p in seen if p.unit is own or not p.unit.turns]  # (no other turn of a loop)
        middle = near.index(focus)
        order = sorted(near, key=lambda i: abs(near.index(i) - middle) * 2 + (near.index(i) > middle))
        for shape in self.shapes:
            if Columns(self, self.closed(seen, found, shape)).width() <= self.room:
                break
        for i in order[1 : 2 * style.MOST_OPEN]:
            if Columns(self, self.closed(seen, [*found, i], shape)).width() > self.room:
                break
            found.append(i)
        return self.closed(seen, found, shape)

    def closed(self, seen: list[Part], opened: list[int], shape: tuple) -> list[Part]:
        """The parts with these entries open."""
        tight, spines, *folded = shape
        out = [part._replace(tight=tight, folded=bool(folded)) for part in seen]
        out = [part._replace(kind='open') if part.entries[0] in opened else part for part in out]
        places = [k for k, part in enumerate(out) if part.kind == 'open']
        first, end = places[0], places[-1] + 1
        if spines is None:
            return out[first:end]
        shown = out[max(first - spines, 0) : end + spines]
        before = tuple(i for i in self.entries if i < shown[0].entries[0])
        after = tuple(i for i in self.entries if i > shown[-1].entries[-1])
        return [Part('more', before)] * bool(before) + shown + [Part('more', after)] * bool(after)

    def source(self, i: int) -> str:
        """The expression that an entry stands for: not one that stands for several, as the call of a Cell does."""
        entry = self.record.entries[i]
        return '' if self.lines[entry.mark, entry.round] > 1 else entry.source

    # ---- plates ----

    def plate(self, value: Value, tight: int = 0) -> tiles.Plate:
        """How a tensor is drawn: its digits where they are few, else squares."""
        key = id(value.data), value.words, tight
        if value.data is None or key not in self.plates:
            how = tiles.plate(value, *style.SQUARES[tight], digits=style.VALUES[tight])
            self.plates[key] = how, value  # (kept, for the id of what is gone goes to another)
        return self.plates[key][0]

    def fits(self, slot: Slot, tight: int, folded: bool = False) -> tuple[float, float]:
        """How large the gradient of a tensor will be at most, with the tensor itself above it."""
        key = slot.key, None if slot.out is None else slot.entry, tight, folded
        if key not in self.fit:  # (once for all entries that read it)
            parts = self.story.parts.get(slot.key, ())
            readings = self.story.reached.get(slot.entry, ()) if slot.out is not None else ()
            came = [value for _, value, _ in parts] + [r.douts[slot.out] for r in readings if slot.out < len(r.douts)]
            runs = {id(run): run for run in (self.story.by(reading) for *_, reading in parts)}
            came += [total for run in runs.values() for total in self.story.cotangent(slot.key, run).totals]
            known = [value for value in came if value.data is not None]
            plates = [self.cotangent(value, tight) for value in known]  # on their way, and where they are tensors
            high = max([style.ROW, *(p.h for p in plates)])
            plates += [] if folded else [self.plate(value, tight) for value in known]
            self.fit[key] = max([p.w for p in plates], default=0), high
        wide, high = self.fit[key]
        return max(wide, 0 if folded else self.plate(slot.value, tight).w), high

    def cotangent(self, value: Value, tight: int = 0) -> tiles.Plate:
        """How a gradient is drawn on its way: on the road where it has room there."""
        how = tiles.on_road(value)
        return how if how is not None and how.w <= style.VALUES[tight][0] else self.plate(value, tight)


class Columns:
    """The columns of some parts of a tape: between two entries those values that the one made and the other reads."""

    def __init__(self, tape: Tape, parts: list[Part]) -> None:
        self.tape, self.record, self.tag = tape, tape.record, tape.tag
        self.tight = max(part.tight for part in parts)
        self.list: list[Part] = []
        self.opened: list[tuple[int, int]] = []  # (column, entry) of those that are open
        self.seen: dict[int, int] = {}  # where each tensor stands
        waiting: list[Slot] = []
        for part in parts:
            i, opened = part.entries[0], part.kind == 'open'
            first = self.fresh(i, waiting) if opened else []
            self.add(Part('values'), waiting + first * (not part.folded))
            self.opened += [(len(self.list), i)] * opened
            waiting = self.outputs(i) if opened and not self.within(i) else []
            self.add(part, first * part.folded)
        self.add(Part('values'), waiting)
        self.over = any(self.list[n].slots for n, _ in self.opened)  # whether something stands over a card

    def within(self, i: int) -> Slot | None:
        """What an entry made, where that stands on its card: the one number that the tape ends with."""
        entry = self.record.entries[i]
        last = i == self.tape.entries[-1] and entry.kind == 'op' and not self.tape.level
        return self.outputs(i)[0] if last and [v.shape for v in entry.outputs] == [()] else None

    def add(self, part: Part, slots: list[Slot]) -> None:
        """One more column, in which these are seen; none of no values."""
        if slots or part.kind != 'values':
            self.seen.update({slot.key: len(self.list) for slot in slots})
            self.list.append(part._replace(slots=tuple(slots[: style.STACK])))

    def fresh(self, i: int, waiting: list[Slot]) -> list[Slot]:
        """The inputs of an entry that are seen here first; a number that its expression names is not repeated."""
        entry, out = self.record.entries[i], []
        known = {*self.seen, *(slot.key for slot in waiting)}
        names = formula.called(self.record, entry).inputs
        for k, value in enumerate(entry.inputs):
            key = entry.keys[k] if k < len(entry.keys) else (i, k)
            literal = is_number(value.name) and entry.source
            if key not in known and not literal:
                known.add(key)
                unnamed = not value.name and value.shape == () and key not in formula.makers(self.record)
                out.append(Slot(key, value, '' if unnamed else names[k], i))
        return out

    def outputs(self, i: int) -> list[Slot]:
        """What an entry made; of a hook on a tensor, what it is given."""
        entry, values = self.record.entries[i], self.record.entries[i].outputs
        if not values and entry.kind == 'hook':
            values = next((r.douts for r in self.record.readings if r.entry == i), ())
        alone = formula.called(self.record, entry).out
        keys = [entry.made[n] if n < len(entry.made) else (i, -1 - n) for n in range(len(values))]
        if entry.kind == 'op' and 0 < len(source := self.tape.source(i)) <= LONGEST:
            alone = source
        names = [v.name or (alone if len(values) == 1 else f'out[{n}]') for n, v in enumerate(values)]
        return [Slot(*each, i, n) for n, each in enumerate(zip(keys, values, names, strict=True))]

    def width(self) -> float:
        """How wide they are, with the gaps between them and the road's end."""
        return style.TIP + sum(style.GAP + self.measured(column) for column in self.list)

    def measured(self, part: Part) -> float:
        """How wide a column is."""
        if part.kind in ('spine', 'more'):
            label = self.record.entries[part.entries[0]].label if len(part.entries) == 1 else ''
            return max(style.SPINE, width(label) + 2)
        key = part._replace(slots=()), self.tight, self.over, *((s.key, s.entry, s.out) for s in part.slots)
        if key not in self.tape.widths:
            boxes = self.tape.boxes(self, part)
            self.tape.widths[key] = max(box.size[0] for box in boxes if box is not None)
        return self.tape.widths[key]


def skips(columns: Columns) -> list[tuple[int, int, int, int, int]]:
    """(column of the value, lane, entry, which input, tensor) of each value that is read further right than by its
    neighbour. Wires that would meet run in different lanes."""
    out, ends = [], []
    for n, i in columns.opened:
        for k, key in enumerate(dict.fromkeys(columns.record.entries[i].keys)):
            at = columns.seen.get(key)
            if at is not None and at < n - 1:
                lane = next((j for j, end in enumerate(ends) if end <= at), len(ends))
                ends[lane : lane + 1] = [n]
                out.append((at, lane, i, k, key))
    return out
