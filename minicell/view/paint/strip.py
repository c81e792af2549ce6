"""One tape as a row of columns: for each entry its inputs, its card and its output; backward stands under them."""

from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ...ink import tiles
from ...ink.shapes import Frame, width
from ...ink.tiles import Plate
from ...story.record import Entry, Record, Value
from . import formula
from .formula import TAKEN
from .plan import Lane

SPINE, GAP, ARROW = 24, 4, 20
UNDER = 78  # px of forward in which two numbers have room under one another
BEND = 42  # between the card of a takeover and its dout, where the band bends away
CARD = 84  # the least width of a card
GHOST = 108  # the most of a displaced rule that stands beside its entry
NAMES = {
    'ReduceSum': 'sum', 'ReduceMean': 'mean', 'CrossEntropy': 'cross entropy', 'HookIn': 'entrance', 'HookOut': 'exit',
}  # fmt: skip


class Slot(NamedTuple):
    """A value's place: in forward at y, in backward at back."""

    key: int
    value: Value
    name: str  # what it is called, so that no other value of the entry is called the same
    plate: Plate
    x: float
    y: float
    back: float  # the middle, in backward
    name_x: float
    above: bool  # the name stands above it


class Column(NamedTuple):
    """An open entry: where its values and its card stand."""

    entry: int
    inputs: tuple[Slot, ...]
    x: float  # of the card
    w: float
    outputs: tuple[Slot, ...]
    within: bool  # the output stands inside the card


class Fork(NamedTuple):
    """A takeover: where backward turns off its road, and where the rule that it displaces stands."""

    x: float  # the middle of the band that turns off
    ghost: float  # the left of the rule
    w: float  # and its width
    under: bool  # it turns off under its entry


class Spine(NamedTuple):
    """An entry that is closed."""

    entry: int
    x: float


class Row(NamedTuple):
    """What is seen of a tape at a moment."""

    columns: tuple[Column, ...]
    spines: tuple[Spine, ...]
    first: int  # of the tape's `of` entries, those from `first` to `last` are seen
    last: int
    of: int

    def places(self) -> list[tuple[int, float, float, bool]]:
        """(entry, x, width, whether it is open) from left to right."""
        found = [(c.entry, c.x, c.w, True) for c in self.columns] + [(s.entry, s.x, SPINE, False) for s in self.spines]
        return sorted(found)


def fork(row: Row, column: Column, lane: Lane) -> Fork:
    """Where backward turns off at a takeover: under its entry, where the rule has room left of that; else before it."""
    x = column.x + column.w / 2
    wide = min(column.w + 8, GHOST)
    ghost = x - 28 - wide
    before = [s.x + SPINE for s in row.spines] + [o.x + o.plate.w for c in row.columns for o in c.outputs]
    if ghost > max([lane.x + 14, *(right for right in before if right <= column.x)]) + 8:
        return Fork(x, ghost, wide, True)
    return Fork(min((s.x for s in column.outputs), default=column.x + column.w) - 23, column.x - 12, column.w, False)


def name_of(entry: Entry) -> str:
    """What a card is called."""
    return NAMES.get(entry.name, entry.name)


class Strip:
    """The places of the entries of one tape: all of them open where there is room, else the one in focus."""

    def __init__(self, record: Record, level: int, lane: Lane) -> None:
        self.record, self.lane = record, lane
        self.entries = [i for i, e in enumerate(record.entries) if min(e.level, 1) == level]
        self.rows: dict[int, Row] = {}
        self.all = None
        if 0 < len(self.entries) <= 4:
            self.all = self.open_all(150, True) or self.open_all(150) or self.open_all(0)

    def row(self, focus: int | None) -> Row:
        """What is seen with this entry in focus."""
        if self.all is not None:
            return self.all
        if focus not in self.rows:
            self.rows[focus] = self.fisheye(focus)
        return self.rows[focus]

    # ---- all open ----

    def constant(self, n: int, fresh: list[int]) -> bool:
        """Whether an entry has one new input, a number that gets no gradient and has room under the output before."""
        i, before = self.entries[n], self.record.entries[self.entries[n - 1]]
        if not n or self.lane.tall or self.lane.forward_h < UNDER or len(fresh) != 1 or len(before.outputs) != 1:
            return False
        value = self.record.entries[i].inputs[fresh[0]]
        gave = [g for r in self.record.readings if r.entry == i for g in r.gave if g.of == value.name]
        return value.shape == before.outputs[0].shape == () and all(g.value is None for g in gave)

    def open_all(self, source: float, under: bool = False) -> Row | None:
        """Every entry open, if they fit beside each other; cards show their expression up to `source` px wide.
        `under`: constants stand under the output before them."""
        seen: set[int] = set()
        parts = []
        for n, i in enumerate(self.entries):
            entry = self.record.entries[i]
            fresh = [
                k for k in range(len(entry.inputs)) if (entry.keys[k] if k < len(entry.keys) else -k - 1) not in seen
            ]
            seen.update(entry.keys)
            seen.update(entry.made)
            if self.lane.broad and n and entry.source:  # its expression names them
                fresh = []
            last = n == len(self.entries) - 1
            within = (
                last
                and self.lane.forward_h > 80
                and entry.kind not in TAKEN
                and len(entry.outputs) == 1
                and entry.outputs[0].shape == ()
            )
            parts.append((i, fresh, within))
        widths = [self.measure(i, fresh, within, 170, source) for i, fresh, within in parts]
        low = {n for n, (_, fresh, _) in enumerate(parts) if under and self.constant(n, fresh)}
        sides = [self.slots(*parts[n][:2], 0, 170)[0].x + 12 for n in low]
        widths = [(0.0, card, out) if n in low else (a, card, out) for n, (a, card, out) in enumerate(widths)]
        total = sum(a + card + out for a, card, out in widths)
        bends = sum(self.record.entries[i].kind in TAKEN for i in self.entries) * (BEND - ARROW)
        arrows = sum(
            (a > 0) + (out > 0) + (i != self.entries[-1]) for (i, _, _), (a, _, out) in zip(parts, widths, strict=True)
        )
        room = self.lane.w - total - arrows * ARROW - bends
        gap = ARROW + room / max(arrows, 1)
        if room < 0 or any(gap < wide for wide in sides):  # (its name stands beside it)
            return None
        x, columns = self.lane.x, []
        for n, ((i, fresh, within), (a, card, out)) in enumerate(zip(parts, widths, strict=True)):
            inputs = self.slots(i, fresh, x, a or 170)
            if n in low:
                aside = columns[-1].outputs[0].x - inputs[0].x
                inputs = (inputs[0]._replace(x=inputs[0].x + aside, name_x=inputs[0].name_x + aside),)
            x += a + gap * (a > 0)
            left, x = x, x + card
            after = gap + (BEND - ARROW) * (self.record.entries[i].kind in TAKEN)
            outputs = () if within else self.out_slots(i, x + after, out)
            x += (after + out) * (out > 0) + gap * (i != self.entries[-1])
            columns.append(Column(i, inputs, left, card, outputs, within))
        return Row(tuple(columns), (), 0, len(columns), len(columns))

    def measure(
        self, i: int, fresh: list[int], within: bool, room: float, source: float = 0
    ) -> tuple[float, float, float]:
        """The widths of an entry's inputs, card and output."""
        entry = self.record.entries[i]
        inputs = self.slots(i, fresh, 0, room)
        a = max((s.x + s.plate.w for s in inputs), default=0)
        out = 0 if within else max((s.plate.w for s in self.out_slots(i, 0, room)), default=0)
        if out and len(entry.outputs) == 1:  # and what is told of it on the way back
            told = (tiles.on_road(v) for v in self.douts(i))
            out = max(out, min(next((how.w for how in told if how), 0), room))
        words = [width(name_of(entry), 'b') + 16, width(f'{name_of(entry)}’s rule', 'b') + 22, CARD]
        if entry.kind == 'call':
            words.append(width('not taped') + 24)
        elif not within and entry.source:
            words.append(min(width(entry.source, 'm') + 16, source))
        if self.lane.broad:
            words.append(width(f'{entry.label} {name_of(entry)}') + 16)
        if entry.level:
            words += [min(width(f.said) + 12, 150) for f in formula.formulas(self.record, entry, alias='dslope')[:1]]
        if within and entry.outputs:
            words.append(tiles.plate(entry.outputs[0], 90, 24).w + 26)
        return a, min(max(words), 156), out

    def douts(self, i: int) -> list[Value]:
        """What came back for the outputs of an entry, in each of its readings."""
        return [v for r in self.record.readings if r.entry == i for v in r.douts]

    @cached_property
    def came(self) -> dict[int, list[Value]]:
        """What the rules handed out for each tensor, by its key."""
        out: dict[int, list[Value]] = {}
        for reading in self.record.readings:
            entry = self.record.entries[reading.entry]
            for key, gradient in zip(entry.keys, reading.gave if entry.kind not in TAKEN else (), strict=False):
                if gradient.value is not None and gradient.value.data is not None:
                    out.setdefault(key, []).append(gradient.value)
        return out

    def back(self, key: int) -> float:
        """The width that what comes back for a tensor cannot do without, alone and added up so far."""
        values = [v for v in self.came.get(key, ()) if v.data.size == 1]
        sums = accumulate(v.data for v in values)
        return max(map(tiles.least, (*values, *(Value('', data=total) for total in sums))), default=0)

    # ---- one open ----

    def fisheye(self, focus: int | None) -> Row:
        """The entry in focus open, its neighbours as spines; of a long tape only those around the focus."""
        lane, entries = self.lane, self.entries
        if not entries:
            return Row((), (), 0, 0, 0)
        at = entries.index(focus) if focus in entries else 0
        room = max(1, int((lane.w - lane.least) // (SPINE + GAP)) + 1)
        first = max(0, min(at - room // 2, len(entries) - room))
        shown = entries[first : first + room]
        wide = lane.w - (len(shown) - 1) * (SPINE + GAP)
        x, columns, spines = lane.x, [], []
        for i in shown:
            if i == entries[at]:
                columns.append(self.opened(i, x, min(wide, 460)))
                x += wide + GAP
            else:
                spines.append(Spine(i, x))
                x += SPINE + GAP
        # what left no entry is shown, and not counted
        counts = [self.record.entries[i].kind not in ('loose', 'torn') for i in entries]
        before, here = sum(counts[:first]), sum(counts[first : first + len(shown)])
        return Row(tuple(columns), tuple(spines), before, before + here, sum(counts))

    def opened(self, i: int, x: float, w: float) -> Column:
        """One entry over a width."""
        entry, lane = self.record.entries[i], self.lane
        arrow = ARROW - 4
        bend = (BEND if entry.kind in TAKEN else arrow) - arrow
        free = w - 2 * arrow - 8 - bend
        _, card, _ = self.measure(i, [], False, 0)
        card = min(card, max(free * 0.4, 70))
        every = list(range(len(entry.inputs)))
        rest = free - card
        wants = self.measure(i, every, False, rest)
        share = (
            wants[0]
            if wants[0] + wants[2] <= rest
            else min(wants[0], max(rest - wants[2], rest * (0.74 if lane.w < 400 else 0.56)))
        )
        out = max(map(tiles.least, (*entry.outputs, *self.douts(i))), default=0)
        out = max(out, width(formula.called(self.record, entry).dout) + 3) if entry.level else out
        share = min(share, rest - out)
        inputs = self.slots(i, every, x + 4, share)
        a = max((s.x + max(s.plate.w, self.back(s.key) + 6 - arrow) for s in inputs), default=x) - x
        left = x + a + (arrow if inputs else 0)
        card = min(card, max(x + w - left - arrow - bend - out, 70))
        outputs = self.out_slots(i, left + card + arrow + bend, x + w - 4 - left - card - arrow - bend)
        # (what comes back may reach to the very end)
        used = max((s.x + max(s.plate.w, out - 4) for s in outputs), default=left + card)
        slack = max(0.0, (x + w - 4 - used) / 2)  # what is left over goes to the arrows
        grow = min(slack, 40.0)
        outputs = tuple(s._replace(x=s.x + 2 * grow, name_x=s.name_x + 2 * grow) for s in outputs)
        return Column(i, inputs, left + grow, card, outputs, False)

    # ---- slots ----

    def slots(self, i: int, which: list[int], x: float, room: float) -> tuple[Slot, ...]:
        """The inputs of an entry, one below the other."""
        entry, lane = self.record.entries[i], self.lane
        which = [
            k for k in which if k < len(entry.inputs) and (k >= len(entry.keys) or entry.keys.index(entry.keys[k]) == k)
        ]
        flat = all(
            entry.inputs[k].data is not None and entry.inputs[k].data.size <= 4 and entry.inputs[k].data.ndim < 2
            for k in which
        )
        which = which[: (5 if flat else 3) if lane.forward_h > 90 else 2]
        if not which:
            return ()
        low = not lane.tall and len(which) == 1 < len(set(entry.keys))  # another comes from afar, over it
        names = formula.called(self.record, entry).inputs
        named = [names[k] if entry.inputs[k].name else '' for k in range(len(names))]
        above, side, plates = self.fit([entry.inputs[k]._replace(name=named[k]) for k in which], room, low)
        name_h = 16 if above else 0
        free = lane.forward_h - sum(how.h + name_h for how in plates)
        gap = max(free / len(plates), min(free / max(len(plates) - 1, 1), 12))
        y = lane.forward + (free if low else (free - gap * (len(plates) - 1)) / 2)
        back_gap = (lane.backward_h - sum(how.h + name_h for how in plates)) / len(plates)
        back = lane.road - lane.backward_h / 2 + back_gap / 2
        out = []
        for k, how in zip(which, plates, strict=True):
            y += name_h
            back += name_h
            middle = lane.road if len(which) == 1 else back + how.h / 2
            key = entry.keys[k] if k < len(entry.keys) else -1000 * i - k
            out.append(Slot(key, entry.inputs[k], named[k], how, x + side, y, middle, x, above))
            y, back = y + how.h + gap, back + how.h + back_gap
        return tuple(out)

    def fit(self, values: list[Value], room: float, low: bool = False) -> tuple[bool, float, list[Plate]]:
        """Whether names stand above, else how much room they take beside the values; and how each value is drawn."""
        lane, gaps = self.lane, 4.0 * (len(values) - 1)
        longest = max(width(v.name, 'b') for v in values) + 6
        each = lane.forward_h / len(values)
        for above, side, high in (
            (True, 0.0, lane.forward_h),
            (False, longest, lane.forward_h),
            (True, 0.0, each - 17),
        ):
            side = min(side, max(room - max(map(tiles.least, values)), 0))  # a number keeps its room, a name may be cut
            if side > (30 if lane.tall else 110) or (above and (low or (len(values) > 1 and not lane.tall))):
                continue
            plates = [tiles.plate(v, room - side, high) for v in values]
            if sum(how.h + 16 * above for how in plates) + gaps <= lane.forward_h + 0.5:
                return above, side, plates
        side = min(longest, 44.0, max(room - max(map(tiles.least, values)), 0))
        return False, side, [tiles.plate(v, room - side, each - 3) for v in values]

    def hooked(self, i: int) -> tuple[Value, ...]:
        """What a hook on a tensor gets: it has no output of its own."""
        if self.record.entries[i].kind != 'hook':
            return ()
        return next((r.douts for r in self.record.readings if r.entry == i), ())

    def out_slots(self, i: int, x: float, room: float) -> tuple[Slot, ...]:
        """The outputs of an entry, one below the other."""
        entry, lane = self.record.entries[i], self.lane
        outputs = entry.outputs or self.hooked(i)
        outputs = outputs[: 3 if lane.forward_h > 90 else 2]
        if not outputs:
            return ()
        alone = formula.called(self.record, entry).out
        each = lane.forward_h / len(outputs)
        out = []
        for n, value in enumerate(outputs):
            how = tiles.plate(value, max(room, 30), each - 17)
            y = (
                lane.forward
                + n * each
                + (each - how.h) / 2
                + (8 if len(outputs) > 1 or lane.forward_h < 80 or how.h > 50 else 0)
            )
            back = (
                lane.road
                if len(outputs) == 1
                else lane.road + (n + 0.5) * lane.backward_h / len(outputs) - lane.backward_h / 2
            )
            key = entry.made[n] if n < len(entry.made) else -1000 * i - 500 - n
            said = value.name or (alone if len(outputs) == 1 else f'out[{n}]')
            out.append(Slot(key, value, said, how, x, y, back, x, True))
        return tuple(out)


def name(frame: Frame, key: str, slot: Slot, words: str, classes: str, room: float = 150) -> None:
    """The name of a value, above it or beside it."""
    if slot.above:
        frame.text(f'{key}n', slot.name_x + 1, slot.y - 5, words, classes, room=room)
    else:
        frame.text(f'{key}n', slot.name_x, slot.y + slot.plate.h / 2 + 5, words, classes,
                   room=max(10.0, slot.x - slot.name_x - 3))  # fmt: skip
