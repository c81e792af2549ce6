"""Forward: the values, the cards of the entries and the arrows between them; and the tape on which entries lie."""

from ...ink import numbers, tiles
from ...ink.shapes import Frame, cut, width
from ...story.record import Entry
from . import phrases, program
from .moment import Moment
from .plan import EDGE, ROW, WIDTH, Lane
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
        for column in row.columns:
            fed(m, column, lane)
    for at in row.spines:
        spine(m, at.entry, at.x, lane, quiet)


def heading(m: Moment, row: Row, lane: Lane, tag: str) -> None:
    """What forward does to the tape; where the tape has no room to say what it is, which tape, and where on it."""
    frame, x, y = m.frame, lane.x, lane.forward - 10
    part = part_of(m, row)
    which = tape_name(m, row, tag)
    if lane.broad:
        said = part or next(iter(readers(m, tag)), '')
        if m.plan.narrow:
            frame.text(f'{tag}which', x, lane.film - 30, which)
            at = x + width(which) + 10
            frame.text(f'{tag}of', at, lane.film - 30, said, 'dim', room=lane.x + lane.w - at)
        else:
            frame.text(f'{tag}which', 22, lane.film + 38, which, 'mid2')
            frame.text(f'{tag}of', 22, lane.film + 60, said, 'dim', room=lane.x - 40)
        frame.text(f'{tag}FWt', x, lane.film - 11, f'forward →  {ran(m, row)}', 'ff', room=lane.w)
        return
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
    x, y = EDGE, lane.film + lane.film_h / 2 + 5
    frame.text(f'{tag}which', x, y, which)
    x += width(which) + 10
    end = lane.x
    if row.columns and not row.spines:
        first = row.columns[0]
        end = first.x + first.w / 2 - on_block(m.record.entries[first.entry], first.w, True)[1] / 2
    told = [part] if part else readers(m, tag) if m.record.depth else () if m.compare else DEFINED
    said = next((words for words in told if x + width(words) < end - 8), '')
    frame.text(f'{tag}of', x, y, said, 'dim')
    if part:  # where these entries lie on the whole tape
        x, w = x + width(said) + 10, lane.x - x - width(said) - 22
        if w > 20:
            start, wide = w * row.first / row.of, max(w * (row.last - row.first) / row.of, 3)
            frame.rect(f'{tag}track', x, y - 6, w, 3, 'run', 1, rx=1.5)
            frame.rect(f'{tag}thumb', x + min(start, w - wide), y - 7, wide, 5, 'hp', 2, rx=2.5)


def numbered(m: Moment, row: Row) -> dict[int, list[str]]:
    """For each tape the numbers of its entries that are seen."""
    out: dict[int, list[str]] = {}
    for entry in (m.record.entries[i] for i, *_ in row.places()):
        if entry.label[:1].isdigit():
            out.setdefault(entry.level, []).extend(entry.label.split('–'))
    return out


def part_of(m: Moment, row: Row) -> str:
    """Which entries are seen, where that is not all of them: by their numbers, which begin anew on each tape."""
    if row.of <= row.last - row.first:
        return ''
    parts = ['–'.join(dict.fromkeys((found[0], found[-1]))) for _, found in sorted(numbered(m, row).items())]
    return f'entries {phrases.listed(parts)} of {row.of}' if parts else ''


def readers(m: Moment, tag: str) -> list[str]:
    """Which of two nested gradients read a tape back, in fewer and fewer words."""
    lines: dict[str, set[int]] = {}
    for run, _ in m.story.readers['ab'.index(tag)]:
        lines.setdefault(phrases.reads_as(m.record, run), set()).update({run.mark.line} if run.mark else ())
    if any(len(found) > 1 for found in lines.values()):
        return [' and '.join(lines)]
    return [
        ' and '.join(who + ''.join(f', line {n}' for n in found) for who, found in lines.items()),
        ' and '.join(lines),
    ]


def tape_name(m: Moment, row: Row, tag: str) -> str:
    """What the tapes are called on which the entries lie that are seen; before there are any, the second."""
    if tag == 'a':
        return 'first tape' if m.record.depth else 'the tape'
    names = [phrases.nth(level) for level in sorted(numbered(m, row)) or [1]]
    return f'{phrases.listed(names)} tape{"s" * (len(names) > 1)}'


def film(m: Moment, row: Row, lane: Lane, tag: str) -> None:
    """The tape itself: a film with a frame for each entry, under its card; a pen writes it, a head reads it back."""
    frame, y, h = m.frame, lane.film, lane.film_h
    left, right = m.plan.fields[0].x, m.plan.w + 6 * m.plan.narrow
    if lane.broad and not m.plan.narrow:
        left = lane.x - 18
    strip_of_film(frame, tag, left, right, lane, 'film' + ' rib' * (lane.broad and bool(lines(m, row))))
    top, high = y + 6, h - 12
    opens = {column.entry: column for column in row.columns}
    for i, x, w, is_open in row.places():
        entry = m.record.entries[i]
        if entry.kind in ('loose', 'torn') or not entry.label:
            continue
        if lane.broad:
            on_tape(m, i, x, w, is_open, lane, tag, opens)
            continue
        said, wide = on_block(entry, w, is_open)
        middle, done = min(x + w / 2, right - wide / 2 - 8 * is_open), m.state(i)[0]
        if not done:
            frame.rect(f'B{i}', middle - wide / 2, top, wide, high, 'slot', 2, rx=4)
            continue
        writes = m.now.entry == i and m.now.kind == 'write' and not m.compare
        reads = m.reading_of(i)[3]
        read = m.reading_of(i)[1] is not None
        look = 'block' + ' cur' * (writes or reads)
        frame.rect(f'B{i}', middle - wide / 2, top, wide, high, look, 2, rx=4, go=f'e{i}')
        if width(said) <= wide:
            frame.text(f'B{i}t', middle, top + high / 2 + 4.5, said, 'mid')
        if is_open:
            up = f'M{middle:g},{sum(card_place(entry, lane, opens[i].within)):g}V{y:g}'
            frame.path(f'{tag}up{i}', up, 'link' + ' f' * writes, 1)
            if read:
                calls(m, f'{tag}dn{i}', middle, row, opens[i], lane)
        if writes or reads:
            frame.rect(f'{tag}ring', middle - wide / 2 - 2, top - 2, wide + 4, high + 4, 'ring', 5, rx=6)
            if writes:
                frame.head(f'{tag}pen', middle, y + 1, 'd', 'fh', 5, 7)


def strip_of_film(frame: Frame, tag: str, left: float, right: float, lane: Lane, look: str) -> None:
    """The tape without anything on it."""
    frame.rect(f'{tag}film', left, lane.film, right - left, lane.film_h, look, -1)
    for k, at in enumerate((lane.film + 3.5, lane.film + lane.film_h - 3.5)):
        frame.path(f'{tag}holes{k}', f'M{left + 6:g},{at:g}H{right - 6:g}', 'holes', 0)


def on_tape(
    m: Moment, i: int, x: float, w: float, is_open: bool, lane: Lane, tag: str, opens: dict[int, Column]
) -> None:
    """An entry whose card lies on the tape: which step writes it or reads it, and what it calls."""
    here = m.now.entry == i and m.now.kind == 'write' and not m.compare
    _, reading, _, reads = m.reading_of(i)
    if reading is not None and is_open:
        calls(m, f'{tag}dn{i}', x + w / 2, m.strips[1].row(m.focus[1]), opens[i], lane)
    if here or reads:
        m.frame.rect(f'{tag}ring', x - 2, lane.forward - 2, w + 4, lane.forward_h + 4, 'ring', 5, rx=8)


def lines(m: Moment, row: Row) -> list[int]:
    """The lines of the bprop that is shown that have written an entry of the second tape."""
    return sorted({m.record.entries[i].mark.line for i, *_ in row.places() if written_by(m, i)})


def ran(m: Moment, row: Row) -> str:
    """What lies on the second tape."""
    found = lines(m, row)
    if not found:
        return 'what backward computed, in order'
    which = f'line {found[0]}'
    if len(found) > 1:
        which = f'lines {found[0]} {"to" if len(found) > 2 else "and"} {found[-1]}'
    if any(m.state(i)[0] and not written_by(m, i) for i, *_ in row.places()):
        return f'what backward computed, and {which} of the bprop'
    return f'{which} of the bprop, as {"they" if len(found) > 1 else "it"} ran'


def on_block(entry: Entry, w: float, is_open: bool) -> tuple[str, float]:
    """What stands on an entry's block, and how wide that is."""
    long = f'{entry.label} {name_of(entry)}'
    said = long if is_open and width(long) + 20 < max(w + 60, 120) else entry.label
    return said, max(width(said) + 20, min(w, 84)) if is_open else w


def calls(m: Moment, key: str, x: float, row: Row, column: Column, lane: Lane) -> None:
    """What an entry calls on the way back: a thin line to its rule, or to where a takeover turns off the road."""
    y, end = lane.film + lane.film_h, lane.road - WIDTH / 2 - 1
    to = x
    if m.record.entries[column.entry].kind in TAKEN:
        to, end = fork(row, column, lane).x, lane.road - 6
    m.frame.path(key, f'M{x:g},{y:g}' + (f'V{y + 9:g}H{to:g}' if to != x else '') + f'V{end - 8:g}', 'call', 2)
    m.frame.head(f'{key}h', to, end, 'd', 'run', 6, 6)


def opened(m: Moment, row: Row, column: Column, lane: Lane, tag: str, quiet: str) -> None:
    """An open entry: its inputs, its card, its outputs."""
    frame, i = m.frame, column.entry
    entry = m.record.entries[i]
    done, here = m.state(i)
    begun, past = done or here, ' past' * m.compare
    for slot in column.inputs:
        # what enters the program is known from the start
        there = begun or (entry.level == 0 and slot.key not in m.story.made)
        name(frame, f'{tag}{slot.key}', slot, slot.name, '' if there else 'fut',
             max(column.x - slot.name_x - 20, 12))  # fmt: skip
        tiles.draw(frame, f'{tag}{slot.key}', slot.x, slot.y, slot.value, slot.plate, there=there, classes=past)
    y, h = card_place(entry, lane, column.within)
    look = 'card torn' if entry.kind == 'torn' else f'card f{quiet}' if begun and entry.kind != 'loose' else 'card'
    if lane.broad and entry.kind not in ('loose', 'torn'):
        look = 'block' if begun else 'slot'
    frame.rect(f'e{i}', column.x, y, column.w, h, look + ' cur' * here, 2, rx=8, go=f'e{i}')
    card(m, entry, i, column, y, h, begun, here)
    free = min((x for _, x, _, _ in row.places() if x > column.x), default=lane.x + lane.w + 4)
    for slot in column.outputs if entry.outputs else ():
        room = min(max(slot.plate.w, 70), free - slot.x - 4)
        name(frame, f'{tag}{slot.key}', slot, slot.name, '' if done else 'fut', room)
        handed = slot is m.again and m.taken is not None  # it is what the bprop returned, too
        key = m.story.again_tile if handed else f'{tag}{slot.key}'
        look = ' gave' if handed else past  # it has the colour of the line that returned it
        tiles.draw(frame, key, slot.x, slot.y, slot.value, slot.plate, there=done, classes=look, account=handed)


def card_place(entry: Entry, lane: Lane, within: bool) -> tuple[float, float]:
    """The top and the height of a card."""
    full = lane.forward_h
    h = full if lane.tall and entry.kind == 'call' else 68 if within else min(full, 64)
    low = 6 * (not lane.tall and full > h)  # in line with the values, which have names above them
    return lane.forward + (full - h) / 2 + low, h


def card(m: Moment, entry: Entry, i: int, column: Column, y: float, h: float, begun: bool, here: bool) -> None:
    """What stands on a card: the name, and what it runs or hides."""
    frame, w, middle = m.frame, column.w, column.x + column.w / 2
    ink, grey = ('mid', 'dim' * (not here)) if begun else ('mid fut', 'fut')
    title = entry.name if entry.kind == 'loose' else name_of(entry)
    if entry.level and entry.label:
        long = f'{entry.label} {title} · line {entry.mark.line}' if entry.mark and entry.by is not None else ''
        title = long if long and width(long) <= w - 8 else f'{entry.label} {title}'
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
    """The lines of a bprop flow into the second tape: they are what is written there."""
    found, frame, right = lines(m, row), m.frame, m.plan.own.x + m.plan.own.w - 4
    groups = blocks([r for r in m.own_rows if r.number in found])
    tip, bottom = lane.x - 18, lane.film
    for block in groups:
        top, high = block[0].y - 14.5, block[-1].y - block[0].y + ROW
        frame.rect(f'wrote{block[0].key}', m.plan.own.x + 8, top, m.plan.own.w - 12, high, 'block own', rx=4, layer=0)
        if m.plan.narrow:
            continue
        start, bottom = bottom, bottom + lane.film_h / len(groups)
        far = right + 0.55 * (tip - right)
        near = tip - 0.55 * (tip - right)
        to = f'M{right:g},{top:g}C{far:g},{top:g},{near:g},{start:g},{tip:g},{start:g}V{bottom:g}'
        to += f'C{near:g},{bottom:g},{far:g},{top + high:g},{right:g},{top + high:g}Z'
        frame.path(f'bridge{block[0].key}', to, 'film rib', 0)


def fed(m: Moment, column: Column, lane: Lane) -> None:
    """On the card of an entry that reads a takeover's dout, that it does: it comes from the road of the first tape."""
    entry = m.record.entries[column.entry]
    if entry.by is None or not m.state(column.entry)[0]:
        return
    facts = m.entry_of(entry.by).facts
    value = next((v for v in entry.inputs if facts and v.name == facts.dout), None)
    if value is None or not phrases.single(value) or value.name in [s.value.name for s in column.inputs]:
        return
    said = f'{value.name} = {numbers.said(value.data.item())}'
    wide = width(said) + 14
    x, y = column.x + column.w / 2 - wide / 2, lane.forward - 10
    m.frame.rect(f'fed{column.entry}', x, y, wide, 19, 'dout', 6, rx=6)
    m.frame.text(f'fed{column.entry}t', x + wide / 2, y + 14, said, 'mid', 7)


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
    ink = '' if done else 'fut'
    if lane.broad:  # its number stands on the tape, too
        frame.text(f'e{i}n', x + SPINE / 2, lane.forward + 15, entry.label, f'mid {ink}', room=SPINE)
    if lane.forward_h > 50:
        room = lane.forward_h - 14 - 12 * lane.broad
        upright(frame, f'e{i}t', x, lane.forward + lane.forward_h - 6, name_of(entry), room, ink)
    if entry.kind in ('loose', 'torn'):
        return
    own = entry.kind in TAKEN
    back = 'ghost' + ' q' * (not given) if own else 'card bk' if given else 'card'
    high = min(lane.backward_h, 68)  # a takeover goes past under it
    frame.rect(f'r{i}', x, lane.road - high / 2, SPINE, high, back, 2, rx=6, go=f'r{i}')
    if high > 34:
        said = 'rule' if not own else 'hook' if entry.kind == 'hook' else 'yours' if entry.yours else 'bprop'
        ink = 'fut' if not given else 'bf' if own else ''
        upright(frame, f'r{i}t', x, lane.road + high / 2 - 6, said, high - 10, ink)


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
