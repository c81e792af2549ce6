"""The whole picture of a moment: one grid for each tape, your code as its first column, and what came out under it."""

from functools import partial
from math import ceil

from ..ink.band import Band
from ..ink.boxes import Arrow, Box, Card, Column, Flow, Grid, Lines, Put, Row, Space, Span, Text, draw
from ..ink.shapes import Frame, width, wrapped
from ..ink.tiles import Tile
from ..story.names import gradient
from ..story.record import Entry, Mark, Reading
from . import answers, formula, lane, phrases, result, strip, style, takeover
from .columns import BACKWARD, Columns, Tape, skips
from .lane import Lane, wires
from .lines import Line
from .moment import Shot, Story
from .now import Now
from .program import Code, Listing
from .strip import Part
from .tape import Cells, Road, boxes_of

DEFINED = 'what was computed, in order'
RECORDED = 'grad of grad: the backward pass itself was recorded here'
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
        levels = range(self.record.depth + 1)
        self.tapes = [Tape(story, level, self.room, boxes_of, narrow) for level in levels]
        self.tapes = [tape for tape in self.tapes if tape.entries]
        self.asks = {(run.mark.file, run.mark.line) for run in self.record.passes if run.mark}
        entries = self.record.entries
        owns = {t.level: max((listing.high(listing.of(entries[i])) for i in t.entries), default=0) for t in self.tapes}
        cells = max(map(listing.high, listing.cells.values()), default=0)
        self.taken = any(map(strip.taken, entries))
        self.own_rows = {level: min(rows, style.OWN_ROWS) for level, rows in owns.items()}  # of a tape's takeovers
        self.cell_rows = min(cells, style.CELL_ROWS) if any(owns.values()) else 0
        calls = listing.high(listing.calls) + (0 if self.own_rows.get(0) else cells)
        most = style.MOST_ROWS if self.own_rows.get(0) else style.ROWS_ALONE
        self.rows = max(min(calls, most), style.FEWEST_ROWS)

    def frames(self, shots: list[Shot]) -> tuple[list[Frame], float]:
        """The frames of these steps, and how high they are: the rows of each tape are as high in all of them."""
        moments = [Now(self.story, shot) for shot in shots]
        made = [[self.tape(now, tape) for tape in self.tapes] for now in moments]
        for lanes in zip(*made, strict=True):
            high = [max(rows) for rows in zip(*(each.grid.high for each in lanes), strict=True)]
            for each in lanes:
                each.grid.grow(high)
        drawn = [draw(self.whole(now, lanes), self.w) for now, lanes in zip(moments, made, strict=True)]
        return [canvas.frame for canvas, *_ in drawn], ceil(max((h for *_, h in drawn), default=0))

    def whole(self, now: Now, lanes: list[Lane]) -> Box:
        """All of a frame."""
        parts: list[Box] = [
            each if self.begun(now, tape) else Space(*each.size) for each, tape in zip(lanes, self.tapes, strict=True)
        ]
        if self.narrow or not lanes:
            parts.insert(0, Column(Text('your program', 'dim'), self.calls(now), gap=2))
        if (self.narrow and (self.record.depth or not self.taken)) or not lanes:
            own = lambda number: phrases.takeover_around(self.record, self.record.passes[number]) is None
            ends = [level for level, found in enumerate(self.story.comers) if any(map(own, found))]  # not in a bprop
            parts.append(self.answers(now, max(ends, default=self.record.depth)))
        return Card(Column(*parts, gap=style.APART, across='fill'), '', (style.EDGE, 0), at=(None, 0))

    def begun(self, now: Now, tape: Tape) -> bool:
        """Whether a tape is there: a later one begins when something is recorded on it."""
        return not tape.level or any(now.done(i) or now.writes(i) for i in tape.entries)

    # ---- code ----

    def code(
        self, now: Now, lines: list[Line], tag: str, rows: int, key: str, mark: Mark | None, low: float = 0
    ) -> Box:
        """Some lines, those around the one that runs."""
        entry, w = now.own(), self.code_w
        hid = entry is not None and entry.hidden_at is not None and now.step >= entry.hidden_at
        nested = self.asks if self.record.depth > 0 and tag == 'a' else ()
        shown = self.listing.window(lines, rows, mark, self.asks)
        code = Code(shown, tag, w, None if now.over else mark, hid, nested=nested)
        look = 'panel' if self.narrow and tag == 'a' else ''
        return Card(code, look, (0, 0), (w, rows * style.ROW), at=(0, low), key=key)

    def calls(self, now: Now) -> Box:
        """Your program."""
        calls, cells = self.listing.beside(now.own())
        mark = now.told.mark or next((run.mark for run in self.record.passes if run.mark), None)
        return self.code(now, calls if self.own_rows.get(0) else calls + cells, 'a', self.rows, 'code', mark)

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
        lanes = range(max((lane + 1 for _, lane, *_ in skips(columns)), default=0))
        over = Column(Space(0, style.LANE / 2), *[Space(0, style.LANE, key=f'{tag}o{k}') for k in lanes], gap=0)
        low = Column(*[Space(0, style.LANE, key=f'{tag}u{k}') for k in lanes], gap=0)
        back = Text(BACKWARD, 'af' if cells.run is not None else 'fut', key=f'{tag}BW')
        head = Put(back, at=(0, 0.6), least=(0, style.HEAD_ROW))
        rows = [
            [Span(self.heading(now, tape, parts), count)],
            [Span(over, count)],
            [None, *up],
            [None, *middle],
            [None, *[None] * columns.heads, head] if columns.heads else [Span(head, count)],
            down,
            [Span(Column(low, self.told(now, tape), gap=0), count)],
        ]
        if self.narrow:
            rows.insert(-1, [None, *map(cells.under, columns.list)])
        else:
            high = max(box.size[1] for box in down)
            rows = [[first, *row] for first, row in zip(self.first_column(now, tape, high), rows, strict=True)]
        if self.narrow and self.own_rows[level]:
            rows += [[Span(takeover.own_lines(now, self.listing, self.own_rows[level], level), count)],
                     [Span(Card(self.made(now, level), '', (0, 2), at=(0, 0)), count)]]  # fmt: skip
        if self.taken and not self.record.depth:
            rows.append([Span(self.outcome(now), len(rows[2]))])
        first = 1 + (not self.narrow)
        grid = Grid(rows, (style.GAP, 0), least={style.TAPE_ROW: style.FILM}, stretch=range(first, first + count - 1))
        stems = [Arrow(partial(lane.stem, now, i, tag), f'{tag}s{i}') for _, i in columns.opened]
        flows = [takeover.row_key(line, level - 1) for line in self.lifted(now, tape) if line is not None]
        bridge = Arrow(partial(lane.bridge, tag, takeover.frame_key(level - 1), flows, self.narrow), f'{tag}flows')
        arrows = [*wires(cells), *stems, *self.band(now, cells), *[bridge] * bool(flows)]
        return Lane(tag, grid, arrows, now.behind(level), 'film rib' if flows else 'film')

    def heading(self, now: Now, tape: Tape, parts: list[Part]) -> Box:
        """What is seen of forward: of a loop, which turn; of a later tape, what is on it."""
        unit = next((p.unit for p in parts if p.kind == 'open' and p.unit is not None and p.unit.turns), None)
        opened = [self.record.entries[i] for p in parts if p.kind == 'open' for i in p.entries]
        said = [strip.told(unit)] if unit else []
        labels = [e.label for e in opened if strip.numbered(e)]
        if any(p.kind != 'open' for p in parts) and labels:
            seen = '–'.join(dict.fromkeys((labels[0], labels[-1])))
            said.append(f'entr{"ies" if "–" in seen else "y"} {seen} of {tape.count}')
        elif tape.level:
            said.append(self.wrote(now, tape))
        head = Text('forward →', 'ff', key=f'{tape.tag}FW')
        more = Text(', '.join(said), 'dim', self.room - head.size[0] - 2 * style.WORDS, f'{tape.tag}of')
        row = lambda *end: Row(head, more, Space(grows=1), *end, gap=style.WORDS)
        values = (v for e in opened for v in (*e.inputs, *e.outputs) if v.data is not None)
        squares = any(tape.plate(v).kind == 'squares' for v in values)
        whole = row(Text(LEGEND, 'dim', key=f'{tape.tag}legend'))
        shown = whole if squares and whole.size[0] <= self.room else row()
        return Put(shown, at=(None, 0.5), least=(0, style.HEAD_ROW))

    def wrote(self, now: Now, tape: Tape) -> str:
        """What lies on a later tape: what the rules computed, and lines of a bprop, which ran."""
        found = self.lifted(now, tape)
        lines = sorted({line for line in found if line is not None})
        ends = '–'.join(map(str, dict.fromkeys((*lines[:1], *lines[-1:]))))
        own = f'line{"s" * (len(lines) > 1)} {ends} of the bprop' * bool(lines)
        return ' and '.join(filter(None, ('what backward computed' * (None in found or not lines), own)))

    def lifted(self, now: Now, tape: Tape) -> list[int | None]:
        """For each entry that a tape has by now, which line of the bprop that is shown has written it."""
        own = {(x.file, x.number) for x in self.listing.of(now.own(tape.level - 1))}
        marks = [self.record.entries[i].mark for i in tape.entries if now.done(i)]
        return [mark.line if mark and (mark.file, mark.line) in own else None for mark in marks]

    def told(self, now: Now, tape: Tape) -> Box:
        """Under the road: the rule as a formula; or the way into the lines of a bprop, and what they have made."""
        told, lines = now.told, []
        entry = self.record.entries[now.read.entry] if now.read is not None else None
        here = entry is not None and entry.level == tape.level
        if here and told.kind == 'add':
            lines = [self.added(now, tape)] if told.parts else []
        elif here and not strip.taken(entry):
            lines = self.formulas(now, now.read, entry, tape.tag)
        taken = self.own_rows[tape.level]
        high = style.ROW * 2 if not self.record.depth or taken else style.ROW
        said = Put(Column(*lines, gap=2, across='start', key=f'{tape.tag}how'), at=(0, 0.5), least=(0, high))
        if not taken or self.narrow:
            return said
        return Column(
            Space(0, style.ROAD, key=f'{tape.tag}lane'), said if lines else self.made(now, tape.level), gap=style.CLOSE
        )

    def added(self, now: Now, tape: Tape) -> Box:
        """A sum of gradients: what had come before, what this use sends back, and both together."""
        *before, last = now.told.parts
        so_far, total = (v[0]._replace(data=sum(part.data for part in v)) for v in (before, now.told.parts))
        comes_to = phrases.added((so_far, last))[0]
        boxes: list[Box] = [Text(f'{gradient(now.told.what)} =', 'mid', style.NAMES[0], f'{tape.tag}sum')]
        for name, sign, value in (('so far', '+', so_far), ('from this use', '=', last), ('in all', '', total)):
            key = f'{tape.tag}sum{sign}'
            picture = Column(Text(name, 'dim'), Tile(value, style.MADE, key), gap=2, across='start', key=f'{key}c')
            boxes.append(
                Row(picture, Text(sign.replace('=', comes_to), 'mid', key=f'{key}s') if sign else None, gap=style.WORDS)
            )
        return Flow(*boxes, room=self.room, gap=style.WORDS)

    def made(self, now: Now, level: int) -> Box:
        """What the lines of a bprop have made by now."""
        if now.taken is None or now.entry_of(now.taken).level != level:
            return Space()
        shown = self.record.depth and takeover.begun(now)
        badges = result.Taken(now, now.taken).badges() if shown else []  # where there are no tables
        said = takeover.unread(now)
        head = Flow(
            Text(said, 'bf', key='nob') if said else Space(0, style.ROW), *badges, room=self.room, gap=style.GAP
        )
        return Column(head, takeover.values(now, self.room), gap=2, across='start')

    def formulas(self, now: Now, reading: Reading, entry: Entry, tag: str) -> list[Box]:
        """The rule that is read, with numbers where there is one each, in at most two rows: whole, for a part of a
        formula would be another formula."""
        places = [k for k, v in enumerate(entry.inputs) if v.data is not None]
        gave = {k: g.value for k, g in zip(places, reading.gave, strict=False) if g.value is not None}
        dout = reading.douts[0] if reading.douts else None
        said: list[str] = []
        for found in formula.formulas(now.record, entry, now.story.by(reading), dout):
            if not gave or found.k in gave:
                single = now.given(reading) and phrases.single(gave.get(found.k))
                words = found.with_numbers(gave[found.k].data.item()) if single else str(found)
                said.append(words if width(words, 'm') <= self.room else str(found))
        again = lambda words: f'{words}, twice' if said.count(words) > 1 else words  # it reads one tensor twice
        told = [words for words in map(again, dict.fromkeys(said))
                if all(width(row, 'm') <= self.room for row in wrapped(words, self.room, 'm', 2))]  # fmt: skip
        boxes = [Lines(words, self.room, 'm', 2, f'{tag}how{k}') for k, words in enumerate(told)]
        while boxes and Flow(*boxes, room=self.room, gap=style.BETWEEN, lead=2).size[1] > 2 * style.ROW:
            boxes.pop()
        return boxes and [Flow(*boxes, room=self.room, gap=style.BETWEEN, lead=2)]

    def first_column(self, now: Now, tape: Tape, high: float) -> list[Box | Span | None]:
        """Your code; beside a later tape, and where nothing takes over, what comes out. `high`: backward's row."""
        level, tag = tape.level, tape.tag
        nested = any(self.record.passes[number].nested for number in self.story.comers[level])
        beside = Lines(RECORDED * nested, style.CODE - style.ROW, 'dim', key=f'{tag}why') if level else self.calls(now)
        name = Put(Text('your program' * (not level), 'dim'), at=(0, 0.5), least=(style.CODE, 0))
        which = f'{phrases.nth(level)} tape' if self.record.depth else 'the tape'
        said = [*self.readers(level), ''] if self.record.depth else ['' if now.compare else DEFINED]
        more = next(words for words in said if width(words) <= style.CODE - width(which, 'b') - style.GAP)
        film = Row(
            Text(which, 'b' * (level > 0), key=f'{tag}which'), Text(more, 'dim', key=f'{tag}by'), gap=style.WORDS
        )
        head = name, Span(Put(beside, at=(0, 0)), 1, 2), None, Put(film, at=(0, 0.5))
        if self.own_rows[level]:
            entry = now.own(level)
            named = '' if entry is None else 'your hook' if entry.kind == 'hook' else f'the Cell {entry.name}'
            named = 'your Cell' if entry is not None and entry.yours and entry.kind == 'call' else named
            _, lines = self.listing.beside(entry)
            cell = self.code(now, lines, f'{tag}c', self.cell_rows, f'{tag}cell', now.told.mark, 1)
            own = takeover.own_lines(now, self.listing, self.own_rows[level], level)
            own = Column(own, self.answers(now, level), gap=style.PAD) if level else own
            back = Put(Text(named, 'dim'), at=(0, 0.6)), Put(cell, at=(0, 1)), Put(own, at=(0, 0))
        else:
            answers = Put(self.answers(now, level, high + 2 * style.ROW), at=(0, 0.5))
            back = Span(answers, 1, style.BACK_ROWS), None, None
        return [*head, *back]

    def readers(self, level: int) -> list[str]:
        """Which gradients read a tape back and where they are asked for, in fewer and fewer words."""
        lines: dict[str, set[int]] = {}
        for run in map(self.record.passes.__getitem__, self.story.comers[level]):
            lines.setdefault(phrases.reads_as(self.record, run), set()).update({run.mark.line} if run.mark else ())
        whole = ' and '.join(who + ''.join(f', line {n}' for n in sorted(found)) for who, found in lines.items())
        return [whole, ' and '.join(lines)]

    # ---- between the boxes ----

    def band(self, now: Now, cells: Cells) -> list[Box]:
        """The way into the lines of a bprop, and the frame around these and what they return."""
        level, tag, out = cells.tape.level, cells.tag, []
        if now.taken is None or not takeover.begun(now, level) or not self.listing.of(now.own(level)):
            return []
        i = self.record.readings[now.taken].entry
        values = [part.slots[0] for part in cells.columns.list if part.kind == 'values']
        starts = [slot for slot in values if slot.entry == i and slot.out is not None]
        for slot in starts:
            loud = now.running and now.told.kind == 'reach'
            past, ink = ('', 'onr') if loud else (' past', 'mid2 bf')
            start, own, look = f'{tag}d{slot.key}', takeover.frame_key(level), (f'fat{past}', f'fatk{past}')
            way = f'{tag}lane'
            out.append(Band(start, own, f'r{i}', look, 'takeover', ink, level=way, down=self.narrow, key='fat'))
        given = now.given(self.record.readings[now.taken])
        if now.compare and not self.record.depth:
            out.append(Arrow(partial(lane.lit, result.Taken(now, now.taken).lit()), 'lit'))
        if given and not self.record.depth and not self.narrow:
            out.append(Arrow(partial(lane.joined, now.running), 'came'))
        return out

    # ---- what comes out ----

    def answers(self, now: Now, level: int, h: float = style.VOICE) -> Box:
        """The gradients that were asked for."""
        return answers.arrivals(now, level, self.code_w - style.ROW * (not self.narrow), h)

    def outcome(self, now: Now) -> Box:
        """The gradients of the takeover in focus, and what is known of them."""
        number = now.taken if now.taken is not None else next(iter(self.story.taken), None)
        if number is None:
            return Card(self.answers(now, 0), '', (0, style.PAD))
        taken, w = result.Taken(now, number), style.CODE - style.ROW
        pad = 0 if self.narrow else style.PAD
        room = self.inner - 2 * pad
        across, rest = (style.ACROSS_NARROW, room) if self.narrow else (style.ACROSS, room - w - style.GAP)
        voice = Card(taken.voice(w), '', (0, 0), (w, 0), at=(0, 0.5))
        tables = Flow(*taken.tables(rest, across), room=rest, gap=style.GAP, across='start')
        beside = Row(voice, tables, gap=style.GAP, across='start')
        both = Column(tables, voice, gap=style.PAD) if self.narrow else beside
        # (where no lines of a bprop are shown, the gradients stand in their place)
        last = answers.asked_for(now, taken, room) if self.own_rows[0] or self.narrow else None
        return Card(Column(both, last, gap=style.PAD), '', (pad, style.PAD), at=(None, 0), key='outcome')
