"""Forward: the values, the cards of the entries and the arrows between them; and the tape on which entries lie."""

from ..model import Entry, Record
from . import program, tiles
from .kit import Frame, cut, width
from .moment import Moment
from .plan import ROW, Lane
from .strip import SPINE, TAKEN, Column, Row, Slot, Strip, fork, name, name_of

# What a tape is, in as many words as it has room for.
DEFINED = ('what was computed, in order; backward reads it from the right', 'what was computed, in order')


def draw(m: Moment, strip: Strip, row: Row, tag: str) -> None:
    """Forward of one tape. `tag` keeps the shapes of two tapes apart."""
    lane = strip.lane
    heading(m, row, lane, tag)
    film(m, row, lane, tag)
    quiet = ' q2' if m.run('ab'.index(tag)) is not None else ''
    for column in row.columns:
        opened(m, row, column, lane, tag, quiet)
    Wires(m, row, lane, tag, quiet).draw()
    if tag == 'b':
        bridge(m, row, lane)
    for at in row.spines:
        spine(m, at.entry, at.x, lane, quiet)


def heading(m: Moment, row: Row, lane: Lane, tag: str) -> None:
    """What forward does to the tape; where the tape has no room to say what it is, which tape, and where on it."""
    frame, x, y = m.frame, lane.x, lane.forward - (10 if tag == 'a' else 14)
    if tag == 'b' and not m.plan.narrow:
        x, y = 22, m.plan.second[0] + 20
    part = f'entries {row.first + 1}–{row.last} of {row.of}' if row.of > row.last - row.first else ''
    which = tape_name(m, tag)
    if m.plan.narrow and m.record.depth:
        frame.text(f'{tag}which', x, y, which)
        x += width(which) + 12
    frame.text(f'{tag}FW', x, y, 'forward →', 'ff')
    x += width('forward →', 'ff') + 10
    if m.plan.narrow and part:
        frame.text(f'{tag}of', lane.x + lane.w, y, part, 'dim end')
    elif m.plan.narrow and not m.record.depth:
        frame.text(f'{tag}FWt', x, y, 'writes the tape', 'dim')
    if m.plan.narrow:
        return
    x, y = lane.left + (14 if tag == 'a' else 22), lane.film + lane.film_h / 2 + 5
    frame.text(f'{tag}which', x, y, which)
    x += width(which) + 10
    end = lane.x
    if row.columns and not row.spines:
        first = row.columns[0]
        end = first.x + first.w / 2 - on_block(m.record.entries[first.entry], first.w, True)[1] / 2
    told = [part] if part else [reader(m, tag)] if m.record.depth else () if m.compare else DEFINED
    said = next((words for words in told if x + width(words) < end - 8), '')
    frame.text(f'{tag}of', x, y, said, 'dim')
    if part:  # where these entries lie on the whole tape
        x, w = x + width(said) + 10, lane.x - x - width(said) - 22
        if w > 20:
            start, wide = w * row.first / row.of, max(w * (row.last - row.first) / row.of, 3)
            frame.rect(f'{tag}track', x, y - 6, w, 3, 'run', 1, rx=1.5)
            frame.rect(f'{tag}thumb', x + min(start, w - wide), y - 7, wide, 5, 'thumb', 2, rx=2.5)


def yours(record: Record) -> bool:
    """Whether lines of a user's bprop stand on the second tape."""
    by = (record.entries[record.readings[e.by].entry] for e in record.entries if e.level and e.by is not None)
    return any(e.kind == 'call' and e.yours for e in by)


def reader(m: Moment, tag: str) -> str:
    """Which of two nested gradients reads a tape back."""
    runs = [p for p in m.record.passes if p.inside is None and min(p.level - 1, 1) == 'ab'.index(tag)]
    if len({p.order for p in runs}) != 1:
        return ''
    lines = {p.mark.line for p in runs if p.mark}
    which = 'outer' if runs[0].order == 1 else 'inner'
    return f'{which} grad' + (f', line {min(lines)}' if len(lines) == 1 else '')


def tape_name(m: Moment, tag: str) -> str:
    """What a tape is called."""
    if tag == 'a':
        return 'first tape' if m.record.depth else 'the tape'
    deepest = max((e.level for e in m.record.entries if e.written is not None and e.written <= m.step), default=1)
    return {1: 'second tape', 2: 'third tape'}.get(deepest, f'tape {deepest + 1}')


def film(m: Moment, row: Row, lane: Lane, tag: str) -> None:
    """The tape itself: a film with a frame for each entry, under its card; a pen writes it, a head reads it back."""
    frame, y, h = m.frame, lane.film, lane.film_h
    ground = m.plan.fields[2 * 'ab'.index(tag)]
    left, right = ground.x, ground.x + ground.w
    frame.rect(f'{tag}film', left, y, right - left, h, 'film', -1)
    for k, at in enumerate((y + 3.5, y + h - 3.5)):
        frame.path(f'{tag}holes{k}', f'M{left + 6:g},{at:g}H{right - 6:g}', 'holes', 0)
    top, high = y + 6, h - 12
    opens = {column.entry: column for column in row.columns}
    for i, x, w, is_open in row.places():
        entry = m.record.entries[i]
        if entry.kind in ('loose', 'torn') or not entry.label:
            continue
        said, wide = on_block(entry, w, is_open)
        middle, done = min(x + w / 2, right - wide / 2 - 8 * is_open), m.state(i)[0]
        if not done:
            frame.rect(f'B{i}', middle - wide / 2, top, wide, high, 'slot', 2, rx=4)
            continue
        writes = m.now.entry == i and m.now.kind == 'write' and not m.compare
        reads = m.reading_of(i)[3]
        read = m.reading_of(i)[1] is not None
        look = 'block' + ' own' * (tag == 'b' and written_by(m, i)) + ' cur' * (writes or reads)
        frame.rect(f'B{i}', middle - wide / 2, top, wide, high, look, 2, rx=4, go=f'e{i}')
        if width(said) <= wide:
            frame.text(f'B{i}t', middle, top + high / 2 + 4.5, said, 'mid')
        if is_open:
            if m.plan.narrow or not (tag == 'b' and written_by(m, i)):  # there the lines of the bprop lead to it
                up = f'M{middle:g},{lane.forward + lane.forward_h - 24:g}V{y:g}'
                frame.path(f'{tag}up{i}', up, 'link' + ' f' * writes, 1)
            if read:
                calls(m, f'{tag}dn{i}', middle, row, opens[i], lane)
        if writes or reads:
            frame.rect(f'{tag}ring', middle - wide / 2 - 2, top - 2, wide + 4, high + 4, 'ring', 5, rx=6)
            if writes:
                frame.head(f'{tag}pen', middle, y + 1, 'd', 'pen', 5, 7)


def on_block(entry: Entry, w: float, is_open: bool) -> tuple[str, float]:
    """What stands on an entry's block, and how wide that is."""
    long = f'{entry.label} {name_of(entry)}'
    if is_open and entry.level and entry.mark and entry.by is not None:
        long += f' · line {entry.mark.line}'
    said = long if is_open and width(long) + 20 < max(w + 60, 120) else entry.label
    return said, max(width(said) + 20, min(w, 84)) if is_open else w


def calls(m: Moment, key: str, x: float, row: Row, column: Column, lane: Lane) -> None:
    """What an entry calls on the way back: a thin line to its rule, or to where a takeover turns off the road."""
    y, end = lane.film + lane.film_h, lane.road - min(lane.backward_h, 50) / 2 - 1
    to = x
    if m.record.entries[column.entry].kind in TAKEN:
        to, end = fork(row, column, lane).x, lane.road - 6
    m.frame.path(key, f'M{x:g},{y:g}' + (f'V{y + 9:g}H{to:g}' if to != x else '') + f'V{end - 8:g}', 'call', 2)
    m.frame.head(f'{key}h', to, end, 'd', 'callh', 6, 6)


def opened(m: Moment, row: Row, column: Column, lane: Lane, tag: str, quiet: str) -> None:
    """An open entry: its inputs, its card, its outputs."""
    frame, i = m.frame, column.entry
    entry = m.record.entries[i]
    done, here = m.state(i)
    begun, past = done or here, ' past' * m.compare
    for slot in column.inputs:
        # what enters the program is known from the start
        there = begun or (entry.level == 0 and slot.key not in m.story.maker)
        name(frame, f'{tag}{slot.key}', slot, slot.value.name, '' if there else 'fut',
             max(column.x - slot.name_x - 20, 12))  # fmt: skip
        tiles.draw(frame, f'{tag}{slot.key}', slot.x, slot.y, slot.value, slot.plate, there=there, classes=past)
    y, h = card_place(entry, lane, column.within)
    look = 'card torn' if entry.kind == 'torn' else f'card f{quiet}' if begun and entry.kind != 'loose' else 'card'
    frame.rect(f'e{i}', column.x, y, column.w, h, look + ' cur' * here, 2, rx=8, go=f'e{i}')
    card(m, entry, i, column, y, h, begun, here)
    free = min((x for _, x, _, _ in row.places() if x > column.x), default=lane.x + lane.w + 4)
    for n, slot in enumerate(column.outputs if entry.outputs else ()):
        said = slot.value.name or ('out' if len(column.outputs) == 1 else f'out[{n}]')
        room = min(max(slot.plate.w, 70), free - slot.x - 4)
        name(frame, f'{tag}{slot.key}', slot, said, '' if done else 'fut', room)
        same = done and slot.value is m.story.again
        handed = slot is m.again and m.taken is not None  # it is what the bprop returned, too
        key = m.story.again_tile if handed else f'{tag}{slot.key}'
        tiles.draw(frame, key, slot.x, slot.y, slot.value, slot.plate, there=done, classes=' own' if same else past,
                   account=handed)  # fmt: skip


def card_place(entry: Entry, lane: Lane, within: bool) -> tuple[float, float]:
    """The top and the height of a card."""
    full = lane.forward_h
    h = full if lane.tall and entry.kind == 'call' else 68 if within else min(full, 64)
    low = 6 * (not lane.tall and full > h)  # in line with the values, which have names above them
    return lane.forward + (full - h) / 2 + low, h


def card(m: Moment, entry: Entry, i: int, column: Column, y: float, h: float, begun: bool, here: bool) -> None:
    """What stands on a card: the name, and what it runs or hides."""
    frame, w, middle = m.frame, column.w, column.x + column.w / 2
    ink, grey = ('mid', 'dim') if begun else ('mid fut', 'fut')
    title = entry.name if entry.kind == 'loose' else name_of(entry)
    if entry.kind == 'call' and h > 70:
        frame.text(f'e{i}t', middle, y + 24, title, ink, room=w - 10)
        frame.text(f'e{i}o', middle, y + 42, 'own bprop', f'{"bf" if begun else "fut"} mid', room=w - 8)
        if entry.hidden:
            ran = entry.hidden_at is not None and entry.hidden_at <= m.step
            frame.rect(f'e{i}h', column.x + 8, y + 52, w - 16, 46,
                       'ghost' + ' q' * (m.now.kind != 'hidden' or not here), 3, rx=6)  # fmt: skip
            frame.text(
                f'e{i}g', middle, y + 72, ran_inside(entry, w - 22), 'm mid' + ('' if ran else ' fut'), room=w - 20
            )
            frame.text(f'e{i}s', middle, y + 89, 'not taped', f'mid {"dim" if ran else "fut"}', room=w - 20)
        return
    if column.within:
        out, how = entry.outputs[0], tiles.plate(entry.outputs[0], w - 12, 24)
        frame.text(f'e{i}t', middle, y + 24, title, ink, room=w - 10)
        tiles.draw(frame, f'w{i}', middle - how.w / 2, y + 34, out, how, there=m.state(i)[0])
        return
    own = {'call': 'own bprop', 'hook': 'your hook'}.get(entry.kind, '')
    sub = own or ('not taped' if entry.kind == 'loose' else entry.source if column.w > 70 else '')
    frame.text(f'e{i}t', middle, y + h / 2 + (-4 if sub else 5), title, ink, room=w - 8)
    if sub and f'e{i}o' not in frame:  # (it may still lie over its line of code)
        look = f'{"bf" if begun else "fut"} mid' if own else f'm mid {grey}' if sub == entry.source else f'mid {grey}'
        frame.text(f'e{i}o', middle, y + h / 2 + 15, sub, look, room=w - 8)


def bridge(m: Moment, row: Row, lane: Lane) -> None:
    """From the lines of a bprop to the second tape: they are what is written there."""
    lines = sorted({m.record.entries[i].mark.line for i, *_ in row.places() if written_by(m, i)})
    frame, x, w = m.frame, m.plan.own.x + 8, m.plan.own.w - 16
    for block in blocks([r for r in m.own_rows if r.number in lines]):
        top, high = block[0].y - 14.5, block[-1].y - block[0].y + ROW
        frame.rect(f'wrote{block[0].key}', x, top, w, high, 'block own', rx=4, layer=0)
    if m.plan.narrow or not lines:
        return
    now = m.now.kind == 'write' and m.now.entry is not None and written_by(m, m.now.entry)
    look = '' if now or m.behind else ' q2'
    tips = [(i, left + (w / 2 if is_open else SPINE / 2)) for i, left, w, is_open in row.places() if written_by(m, i)]
    tops = {r.number: r.y - 4.5 for r in m.own_rows if r.number in lines}
    groups = [[n] for n in lines] if len(lines) <= 2 else [lines]
    wide, edge = (m.plan.own.x - 2) / len(groups), m.plan.own.x + 8
    for k, group in enumerate(groups):  # the first line lies outermost, and lowest on its way to the tape
        ends = [(i, tip) for i, tip in tips if m.record.entries[i].mark.line in group]
        left, lies, last = wide * (k + 0.5), lane.film - 3 - wide * (k + 0.5), ends[-1][1]
        top, r = tops[group[0]], wide
        to = f'M{edge:g},{top:g}H{left + r:g}A{r:g},{r:g},0,0,0,{left:g},{top + r:g}V{lies - r:g}'
        to += f'A{r:g},{r:g},0,0,0,{left + r:g},{lies:g}H{last - r:g}A{r:g},{r:g},0,0,1,{last:g},{lies + r:g}'
        frame.path(f'bridge{k}', f'{to}V{lane.film + 8:g}', f'rib{look}', 0)
        for n in group[1:]:
            frame.path(f'bridgel{n}', f'M{edge:g},{tops[n]:g}H{left:g}', f'rib{look}', 0)
        for i, tip in ends[:-1]:
            frame.path(f'bridge{i}', f'M{tip:g},{lies:g}V{lane.film + 8:g}', f'rib{look}', 0)
    said = f'line {lines[0]} while it runs'
    if len(lines) > 1:
        said = f'lines {lines[0]} {"to" if len(lines) > 2 else "and"} {lines[-1]} while they run'
    x = 22 + width('forward →', 'ff') + 14
    frame.text('bridget', x, m.plan.second[0] + 20, f'the outer grad records {said}', 'ff', room=lane.w)


def blocks(rows: list[program.Row]) -> list[list[program.Row]]:
    """Lines that follow one another, together."""
    out: list[list[program.Row]] = []
    for row in rows:
        if out and row.y - out[-1][-1].y <= ROW:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def written_by(m: Moment, i: int) -> bool:
    """Whether a line of the bprop that is shown has written an entry of the second tape."""
    mark = m.record.entries[i].mark
    return m.state(i)[0] and mark is not None and any((r.file, r.number) == (mark.file, mark.line) for r in m.own_rows)


def ran_inside(entry: Entry, room: float) -> str:
    """What a takeover hid: the op as it is written, where that is short."""
    if len(entry.hidden) > 1:
        return f'{len(entry.hidden)} ops'
    written = next((g.source for g in entry.ghosts if g.source), '')
    return written if written and width(written, 'm') <= room else entry.hidden[0]


def spine(m: Moment, i: int, x: float, lane: Lane, quiet: str) -> None:
    """A closed entry, and its rule below."""
    frame, entry = m.frame, m.record.entries[i]
    done, here = m.state(i)
    look = f'card f{quiet}' if done and entry.kind not in ('loose', 'torn') else 'card'
    frame.rect(f'e{i}', x, lane.forward, SPINE, lane.forward_h, look + ' cur' * here, 2, rx=6, go=f'e{i}')
    _, _, given, _ = m.reading_of(i)
    tall = lane.forward_h > 50
    if tall:
        upright(frame, f'e{i}t', x, lane.forward + lane.forward_h - 8, name_of(entry), lane.forward_h - 14,
                '' if done else 'fut')  # fmt: skip
    if entry.kind in ('loose', 'torn'):
        return
    own = entry.kind in TAKEN
    back = 'ghost' + ' q' * (not given) if own else 'card bk' if given else 'card'
    frame.rect(f'r{i}', x, lane.road - lane.backward_h / 2, SPINE, lane.backward_h, back, 2, rx=6, go=f'r{i}')
    if tall:
        said = 'rule' if not own else 'hook' if entry.kind == 'hook' else 'yours' if entry.yours else 'bprop'
        ink = 'fut' if not given else 'bf' if own else ''
        upright(frame, f'r{i}t', x, lane.road + lane.backward_h / 2 - 8, said, lane.backward_h - 14, ink)


def upright(frame: Frame, key: str, x: float, y: float, words: str, room: float, look: str) -> None:
    """A text that runs upwards on a spine."""
    frame.text(key, x + 16.5, y, cut(words, room, look), look, transform=f'rotate(-90 {x + 16.5:g} {y:g})')


class Wires:
    """Forward's arrows: from each value to the cards that read it, and from a card to its value."""

    def __init__(self, m: Moment, row: Row, lane: Lane, tag: str, quiet: str) -> None:
        self.m, self.row, self.lane, self.tag, self.quiet = m, row, lane, tag, quiet
        self.slots: dict[int, Slot] = {}  # where each tensor's picture is

    def draw(self) -> None:
        """All of them."""
        for column in self.row.columns:
            done, here = self.m.state(column.entry)
            look = self.quiet if done or here else ' q'
            for n, slot in enumerate(column.inputs):
                self.slots.setdefault(slot.key, slot)
                self.straight(f'w{self.tag}{column.entry}.{n}', slot, column, look)
            if not self.row.spines:
                self.from_afar(column, look)
            for n, slot in enumerate(column.outputs if self.m.record.entries[column.entry].outputs else ()):
                self.slots[slot.key] = slot
                y, h = card_place(self.m.record.entries[column.entry], self.lane, column.within)
                at = min(max(slot.y + slot.plate.h / 2, y + 6), y + h - 6)
                self.m.frame.arrow(f'w{self.tag}{column.entry}o{n}', column.x + column.w + 1, slot.x - 2, at,
                                   self.quiet if done else ' q')  # fmt: skip

    def straight(self, key: str, slot: Slot, column: Column, look: str) -> None:
        """From an input that stands beside its card."""
        frame, y, h = self.m.frame, *card_place(self.m.record.entries[column.entry], self.lane, column.within)
        at, left = slot.y + slot.plate.h / 2, slot.x + slot.plate.w + 2
        to = min(max(at, y + 9), y + h - 9)
        if abs(to - at) < 1:
            frame.arrow(key, left, column.x - 1, at, look)
            return
        frame.path(key, f'M{left:g},{at:g}H{(left + column.x) / 2:g}V{to:g}H{column.x - 8:g}', f'fw{look}')
        frame.head(f'{key}h', column.x - 1, to, 'r', f'fh{look}', 3, 5)

    def from_afar(self, column: Column, look: str) -> None:
        """From values that stand further left: straight on to the next card, else over what lies between."""
        frame, entry = self.m.frame, self.m.record.entries[column.entry]
        y, h = card_place(entry, self.lane, column.within)
        own = {s.key for s in column.inputs}
        for n, key in enumerate(entry.keys):
            slot = self.slots.get(key)
            if slot is None or key in own:
                continue
            right, at = slot.x + slot.plate.w, slot.y + slot.plate.h / 2
            between = any(right <= c.x < column.x for c in self.row.columns)
            if any(s.x > right for s in column.inputs):  # above those, if they stand low
                at = min(at, min(s.y for s in column.inputs) - 6)
                between |= at < slot.y + 4
            wire = f'w{self.tag}{column.entry}k{n}'
            if not between and y + 6 <= at <= y + h - 6:
                frame.arrow(wire, right + 2, column.x - 1, at, look)
                continue
            over, to = self.lane.forward - 3, column.x + 18 + 10 * n
            top = slot.y - (20 if slot.above else 1)
            frame.path(wire, f'M{right - 12:g},{max(top, over):g}V{over:g}H{to:g}V{y - 8:g}', f'fw{look}')
            frame.head(f'{wire}h', to, y - 1, 'd', f'fh{look}', 3, 5)
