"""The whole picture of a moment: one grid for each tape, your code as its first column, and what came out under it."""

from functools import partial
from math import ceil

from ..ink.band import Band
from ..ink.boxes import Arrow, Box, Card, Column, Flow, Lines, Put, Row, Space, Span, Text, draw
from ..ink.shapes import Frame, width
from ..ink.tiles import Tile
from ..judge.origin import origins
from ..story.record import Entry, Reading
from . import formula, gradient, lane, phrases, strip, style, takeover
from .columns import BACKWARD, Columns, Tape, skips
from .lane import Lane, wires
from .moment import Shot, Story
from .now import Now
from .program import DUE, Code, Listing
from .strip import Part
from .tape import Cells, Road, boxes_of

DEFINED = 'what was computed, in order'
RECORDED = 'here backward itself was recorded'
LEGEND = '■ above 0, □ below: area is size'


class Board:
    """The layout of a record, for a screen or for a phone."""

    def __init__(self, story: Story, narrow: bool) -> None:
        self.story, self.record, self.narrow = story, story.record, narrow
        self.w = style.NARROW if narrow else style.WIDE
        self.inner = self.w - 2 * style.EDGE
        self.code_w = self.inner if narrow else style.CODE
        self.room = self.inner if narrow else self.inner - style.CODE - style.GAP
        self.listing = listing = Listing(self.record, self.code_w)
        tapes = [Tape(story, level, self.room, boxes_of, narrow) for level in range(self.record.depth + 1)]
        self.tapes = [tape for tape in tapes if tape.entries]
        self.asks = {(run.mark.file, run.mark.line) for run in self.record.passes if run.mark}
        high = lambda tape: max(listing.high(listing.of(self.record.entries[i])) for i in tape.entries)
        self.own_rows = {tape.level: min(high(tape), style.OWN_ROWS) for tape in self.tapes}  # of a tape's takeovers

    def frames(self, shots: list[Shot]) -> tuple[list[Frame], float]:
        """The frames of these steps, and how high they are: the rows of each tape are as high in all of them."""
        moments = [Now(self.story, shot) for shot in shots]
        made = [[self.tape(now, tape) for tape in self.tapes] for now in moments]
        for lanes in zip(*made, strict=True):
            high = [max(rows) for rows in zip(*(each.high for each in lanes), strict=True)]
            for each in lanes:
                each.grow(high)
        drawn = [draw(self.whole(now, lanes), self.w) for now, lanes in zip(moments, made, strict=True)]
        return [canvas.frame for canvas, *_ in drawn], ceil(max((h for *_, h in drawn), default=0))

    def whole(self, now: Now, lanes: list[Lane]) -> Box:
        """All of a frame."""
        there = lambda tape: not tape.level or any(now.done(i) or now.writes(i) for i in tape.entries)
        pairs = zip(lanes, self.tapes, strict=True)  # (a later tape begins when something is recorded on it)
        parts: list[Box] = [each if there(tape) else Space(*each.size) for each, tape in pairs]
        if self.narrow or not lanes:
            parts.insert(0, Column(Text('your program', 'dim'), self.calls(now), gap=0))
        if not lanes:
            parts.append(self.outcome(now, 0))
        return Card(Column(*parts, gap=style.APART, across='fill'), '', (style.EDGE, 0), at=(None, 0))

    # ---- code ----

    def calls(self, now: Now) -> Box:
        """Your program: those of its lines around the one that runs."""
        entry = now.own(0)
        hid = entry is not None and entry.hidden_at is not None and now.step >= entry.hidden_at
        mark = now.told.mark or next((run.mark for run in self.record.passes if run.mark), None)
        due = dict.fromkeys(origins(self.record, now.shot.known), DUE)
        code = Code(self.listing, self.listing.calls, style.ROWS, 'a', mark, self.asks, now.over, hid, under=due)
        return Card(code, 'panel' * self.narrow, (0, 0), at=(0, None), key='code')

    # ---- tapes ----

    def tape(self, now: Now, tape: Tape) -> Lane:
        """Forward, tape and backward, in shared columns."""
        level, tag = tape.level, tape.tag
        parts = tape.parts(now.focus[level])
        columns = Columns(tape, parts)
        cells = Cells(columns, now)
        up, middle, down = (list(row) for row in zip(*map(cells.column, columns.list), strict=True))
        for n, box in enumerate(up):
            box.key = f'{tag}c{n}'
        look = down[0].look if columns.list[0].kind == 'values' else 'road'
        down.insert(0, Road(Space(style.TIP), look, end=f'{tag}end'))  # whether what is asked for has come
        count = len(down)
        lanes = range(max((k + 1 for _, k, *_ in skips(columns)), default=0))
        over = Column(Space(0, style.LANE / 2), *[Space(0, style.LANE, key=f'{tag}o{k}') for k in lanes], gap=0)
        low = Column(*[Space(0, style.LANE, key=f'{tag}u{k}') for k in lanes], gap=0, key=f'{tag}low')
        back = Text(BACKWARD, 'af' if cells.run is not None else 'fut', key=f'{tag}BW')
        head = Put(back, at=(0, 0.6), least=(0, style.HEAD_ROW))
        free = next((n + 1 for n, part in enumerate(columns.list) if n and part.kind != 'open'), 0)
        free *= columns.list[0].kind == 'open'  # its stem leads down there
        rows = [
            [Span(self.heading(now, tape, parts), count)],
            [Span(over, count)],
            [None, *up],
            [None, *middle],
            [*[None] * free, Span(head, count - free)],
            down,
            [None, *map(cells.under, columns.list)],
        ]
        number, said = now.handing(level), self.said(now, tape)
        taken = takeover.Taken(now, number, self.room) if number is not None else None
        rows_of_own = self.own_rows[level]
        way = own = None
        if rows_of_own:  # what is said stands in the way into your lines, until backward goes there
            way = Put((not now.begun(level) and said) or Space(), at=(0, 0.5), least=(0, style.ROAD), key=f'{tag}lane')
            own = Column(takeover.own_lines(now, self.listing, rows_of_own, level), taken and taken.known(), gap=0)
            said = said if now.begun(level) else None
        below = taken.box(said) if taken else said or Space()
        least = style.ROW * (2 - bool(self.record.depth)) if own is None else 0
        worst, below = taken and taken.versus(), Put(below, at=(0, 0.5), least=(0, least))
        if self.narrow:
            parts = [low, way, own, below, worst or Space(), self.outcome(now, level)]
            rows += [[Span(box, count)] for box in parts if box is not None]
        else:
            rows.append([Span(Column(low, way, below, gap=0), count)])
            rows = [[first, *row] for first, row in zip(self.first_column(now, tape, worst, own), rows, strict=True)]
        first = 1 + (not self.narrow)
        stems = [Arrow(partial(lane.stem, now, i, tag), f'{tag}s{i}') for _, i in columns.opened]
        beside = takeover.TAPES[level - 1]
        flows = [f'rowo{beside}{line}.0' for line in self.lifted(now, tape)]
        bridge = Arrow(partial(lane.bridge, tag, f'own{beside}', flows, self.narrow), f'{tag}flows')
        arrows = [*wires(cells), *stems, *self.band(now, cells), *[bridge] * bool(flows)]
        return Lane(tag, rows, range(first, first + count - 1), arrows, 'film rib' if flows else 'film')

    def heading(self, now: Now, tape: Tape, parts: list[Part]) -> Box:
        """What is seen of forward: of a loop, which turn; of a later tape, what is on it."""
        unit = next((p.unit for p in parts if p.kind == 'open' and p.unit is not None and p.unit.turns), None)
        opened = [self.record.entries[i] for p in parts if p.kind == 'open' for i in p.entries]
        said = [strip.told(unit)] if unit else []
        labels = [e.label for e in opened if strip.numbered(e)]
        if any(p.kind != 'open' for p in parts) and labels:
            seen = '–'.join(dict.fromkeys((labels[0], labels[-1])))
            said.append(f'entr{"ies" if "–" in seen else "y"} {seen} of {tape.count}')
        elif lines := self.lifted(now, tape):
            ends = '–'.join(map(str, dict.fromkeys((lines[0], lines[-1]))))
            said.append(f'line{"s" * (len(lines) > 1)} {ends} of the bprop')
        head = Text('forward →', 'ff', key=f'{tape.tag}FW')
        more = Text(', '.join(said), 'dim', self.room - head.size[0] - 2 * style.WORDS, f'{tape.tag}of')
        values = (v for e in opened for v in (*e.inputs, *e.outputs) if v.data is not None)
        legend = Text(LEGEND * any(tape.plate(v).kind == 'squares' for v in values), 'dim', key=f'{tape.tag}legend')
        fits = head.size[0] + more.size[0] + legend.size[0] + 2 * style.GAP <= self.room
        shown = Row(head, more, Space(grows=1), legend if fits else None, gap=style.WORDS)
        return Put(shown, at=(None, 0.5), least=(0, style.HEAD_ROW))

    def lifted(self, now: Now, tape: Tape) -> list[int]:
        """The lines of the bprop that is shown which have written what a tape has by now."""
        own = {(x.file, x.number) for x in self.listing.of(now.own(tape.level - 1) if tape.level else None)}
        marks = (self.record.entries[i].mark for i in tape.entries if now.done(i))
        return sorted({mark.line for mark in marks if mark and (mark.file, mark.line) in own})

    def said(self, now: Now, tape: Tape) -> Box | None:
        """The rule that is read, as a formula, or what is added."""
        entry = self.record.entries[now.read.entry] if now.read is not None else None
        if entry is None or entry.level != tape.level:
            return None
        if now.told.kind == 'add':
            return self.added(now, tape) if now.told.parts else None
        return None if strip.taken(entry) else self.formulas(now, now.read, entry, tape.tag)

    def added(self, now: Now, tape: Tape) -> Box:
        """A sum of gradients: what had come before, what this use sends back, and both together."""
        *before, last = now.told.parts
        so_far, total = (v[0]._replace(data=sum(part.data for part in v)) for v in (before, now.told.parts))
        sign = phrases.added((so_far, last))[0]
        name = formula.gradient_of(now.told.what, formula.order(now.story.by(now.read)))
        said = f'{name} so far', '+ from this use', f'{sign} in all'
        boxes = [
            Column(Text(words, 'dim', style.NAMES[0]), Tile(v, style.MADE, f'{tape.tag}sum{k}'), gap=2, across='start')
            for k, (words, v) in enumerate(zip(said, (so_far, last, total), strict=True))
        ]
        return Flow(*boxes, room=self.room, gap=2 * style.GAP)

    def formulas(self, now: Now, reading: Reading, entry: Entry, tag: str) -> Box | None:
        """The rule that is read, with numbers where there is one each."""
        places = [k for k, v in enumerate(entry.inputs) if v.data is not None]
        gave = {k: g.value for k, g in zip(places, reading.gave, strict=False) if g.value is not None}
        said: dict[str, None] = {}
        for found in formula.formulas(now.record, entry, now.story.by(reading), next(iter(reading.douts), None)):
            if not gave or found.k in gave:
                single = now.given(reading) and phrases.single(gave.get(found.k))
                words = found.with_numbers(gave[found.k].data.item()) if single else str(found)
                said[words if width(words, 'm') <= self.room else str(found)] = None
        boxes = [Lines(words, self.room, 'm', key=f'{tag}how{k}') for k, words in enumerate(said)]
        return Flow(*boxes, room=self.room, gap=style.BETWEEN, lead=2) if boxes else None

    def first_column(self, now: Now, tape: Tape, worst: Box | None, own: Box | None) -> list[Box | Span | None]:
        """Your code, and what comes out."""
        level, tag = tape.level, tape.tag
        beside = Put(Text(RECORDED, 'dim', key=f'{tag}why'), at=(0, 0)) if level else self.calls(now)
        name = Put(Text('your program' * (not level), 'dim'), at=(0, 0.5), least=(style.CODE, 0))
        which = f'{phrases.nth(level)} tape' if self.record.depth else 'the tape'
        runs = [self.record.passes[n] for n in self.story.comers[level]]
        who = [phrases.reads_as(self.record, run) for run in runs]
        where = [f'{name}, line {run.mark.line}' if run.mark else name for name, run in zip(who, runs, strict=True)]
        said = [' and '.join(dict.fromkeys(words)) for words in (where, who)] if self.record.depth else [DEFINED]
        more = next((words for words in said if width(words) <= style.CODE - width(which, 'b') - style.GAP), '')
        by = Text(more, 'dim', key=f'{tag}by')
        film = Row(Text(which, 'b' * (level > 0), key=f'{tag}which'), by, gap=style.WORDS)
        head = name, Span(beside, 1, 2), None, Put(film, at=(0, 0.5))
        if own is None:
            found = Column(worst, self.outcome(now, level), gap=style.PAD, across='start')
            return [*head, Span(Put(found, at=(0, 0.5)), 1, style.BACK_ROWS), None, None, None]
        came = self.outcome(now, level)  # where the road ends, but for a number that is wrong
        below = Column(own, came if worst else None, gap=0)
        top = Card(worst or came, '', (0, style.CLOSE), at=(0, 0.5))
        return [*head, Span(top, 1, 2), None, None, Put(below, at=(0, 0))]

    def outcome(self, now: Now, level: int) -> Box:
        """The gradients that were asked for; on a phone not those of a gradient within another: the road shows them."""
        run = gradient.asked(now, level)
        if run is None or (self.narrow and (run.around, run.inside) != (None, None)):
            return Space()
        return gradient.arrivals(now, run, level, self.code_w - style.PAD * (not self.narrow))

    def band(self, now: Now, cells: Cells) -> list[Box]:
        """The way into the lines of a bprop."""
        level, tag, number = cells.tape.level, cells.tag, now.taken[cells.tape.level]
        if not now.begun(level) or not self.listing.of(now.own(level)):
            return []
        i, loud = self.record.readings[number].entry, now.running(level) and now.told.kind == 'reach'
        past, ink = ('', 'onr') if loud else (' past', 'mid2 bf')
        look, own, way = (f'fat{past}', f'fatk{past}'), f'own{takeover.TAPES[level]}', f'{tag}lane'
        slots = (part.slots[0] for part in cells.columns.list if part.kind == 'values')
        starts = [f'{tag}d{slot.key}' for slot in slots if slot.entry == i and slot.out is not None]
        key = f'fat{takeover.TAPES[level]}'
        return [Band(start, own, f'r{i}', look, 'takeover', ink, self.narrow, key, way) for start in starts]
