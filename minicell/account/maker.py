"""How an account is made: what a gradient was added up from, each part taken apart by the rule that gave it."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor, is_float, tensors_in
from ..core.watch import Call, Op, Tape
from ..heard import Hook
from ..ops.hooks import HookedRule, Passing
from ..replay.program import past_hooks, wide
from ..story import facts as facts_of
from ..story.places import columns
from ..story.source import method, users
from . import slopes, table, true
from .book import Book, Handed, cotangents
from .rows import Row, largest, near, odd, running, size
from .slopes import Read

ROUNDINGS = 64  # of a sum that a rule may have made differently


class Maker:
    """Makes one account."""

    def __init__(self, tape: Tape, book: Book, handed: Handed, index: tuple) -> None:
        self.tape, self.book, self.handed, self.index = tape, book, handed, index
        self.name = book.gradient(handed.tensor)
        self.number = self.at(handed)
        self.notes: dict[str, None] = {}
        self.loose = 0.0  # the magnitude of all that was added, within a row of others too

    def value(self, thing: object, at: int) -> np.ndarray:
        """A gradient's numbers at a time."""
        return self.tape.value(thing, at) if isinstance(thing, Tensor) else np.asarray(thing)

    def at(self, handed: Handed) -> Any:
        """The number that was handed out."""
        return self.value(handed.value, handed.at)[self.index].item()

    def note(self, words: str) -> None:
        """Add a sentence under the table, once."""
        self.notes[words] = None

    def account(self) -> dict[str, Any]:
        """The fields of the account."""
        of, here = self.book.name(self.handed.tensor), self.handed
        parts = [p for p in self.book.parts if p.reading is here.reading and p.tensor is here.tensor]
        if self.handed.step:
            if len(parts) > 1:
                self.note(f'This is one of {len(parts)} parts of {self.name}.')
            parts = [self.handed]
        for part in parts:
            if part.value is None:
                self.note(f'{self.book.who(part.step.event.entry)} handed out None for {of}, which counts as 0.')
        given = [part for part in parts if part.value is not None]
        if not given and not self.notes:
            self.note(f'Nothing on the tape leads from {of or "it"} to the result.')
        self.bprops = [part for part in given if part.step and isinstance(part.step.event.entry, Call)]
        self.own = any(yours(part.step.event.entry.cell) for part in self.bprops)
        kept = largest([self.at(part) for part in given])
        shown = [given[k] for k in kept]
        rest = [part for k, part in enumerate(given) if k not in kept]
        rows = [row for part in shown for row in self.rows_of(part)]
        if rest:
            self.loose += sum(size(self.at(part)) for part in rest)
            rows.append(Row(f'{len(rest)} other entries', product=sum(map(self.at, rest)), kind='others'))
        rows = [r for r in rows if r.through != 'none of it'] or rows  # a slice of other numbers, say
        rows = running(rows + self.left_over(rows))
        due, heading, true_rows, verdict = true.beside(self, shown, rest, rows)
        own, total = any(r.yours for r in rows), table.say(self.number)
        title = f'How {"your " * own}{table.at(self.name, self.index)} = {total} was made'
        return dict(
            title=title, rows=tuple(rows), total=total, number=self.number, note=' '.join(self.notes), true=due,
            true_heading=heading, true_rows=tuple(true_rows), verdict=verdict, name=self.name, index=self.index,
        )  # fmt: skip

    # ---- rows ----

    def rows_of(self, part: Handed) -> list[Row]:
        """What one part consists of."""
        value, entry = self.at(part), part.step and part.step.event.entry
        if entry is None:
            row = Row('backward starts with it', product=value, kind='start')
        elif isinstance(entry, Call):
            row = self.of_bprop(part, entry, value)
        elif isinstance(facts_of.under(entry.rule), Passing):
            row = self.of_hook(part, entry, value)
        else:
            return self.of_rule(part, entry, value)
        self.loose += size(value)
        return [row]

    def line(self, entry: Op | Call) -> dict:
        """Where an entry stands."""
        where = self.book.lines.get(entry.at)
        line = place(where and (columns(where) or where.span))
        return dict(line=line, file=where.file if where else '', entry=entry.at)

    def of_bprop(self, part: Handed, entry: Call, value: Any) -> Row:
        """A bprop signs for what it returned."""
        own, facts, there = yours(entry.cell), facts_of.of_bprop(entry.cell), self.line(entry)
        written = facts_of.of_gradient(entry, part.place)
        if facts is not None:
            if own:
                mark = written.mark
                there.update(line=place(mark and mark.span) or str(facts.end.line), file=facts.end.file)
            if not facts.reads_dout:
                self.note(f'{type(entry.cell).__name__}.bprop does not use {facts.dout}.')
        only = own and len(self.bprops) == 1
        who = f'{"your " * own}bprop{"" if only else f" of {self.book.who(entry)}"}'
        came = [(t, g) for t, g in cotangents(part.step.event) if g is not None]
        single = len(came) == 1 and self.value(came[0][1], part.at).size == 1  # else a bprop may use all of it
        of = self.same_place(part, *came[0]) if single else None
        return Row(who, **there, product=value, formula=written.formula, kind='bprop', yours=own, of=of)

    def same_place(self, part: Handed, tensor: Tensor, cotangent: Any) -> tuple | None:
        """The element of a cotangent that stands where the number stands, if it is one of the same shape."""
        if cotangent is None or self.value(cotangent, part.at).shape != self.handed.tensor.shape:
            return None
        return self.book.collected(self.handed.reading, tensor, cotangent, part.step.event.at), self.index

    def of_hook(self, part: Handed, entry: Op, value: Any) -> Row:
        """So does a hook; where it changed nothing, the slope is 1."""
        row = Row(f'yours: {self.book.who(entry)}', **self.line(entry), product=value, kind='hook', yours=True)
        passed = past_hooks(cotangents(part.step.event), entry.inputs)[part.place]
        if passed and (of := self.same_place(part, *passed)):
            came = self.at(of[0])
            self.hooked('the hook', came, value)
            row = row._replace(of=of, **dict(factor=1.0, cotangent=came) if same(came, value) else {})
        return row

    def hooked(self, who: str, came: Any, went: Any) -> None:
        """Say what a hook did."""
        if same(came, went):
            self.note(f'{who[0].upper()}{who[1:]} changed nothing.')
        else:
            self.note(f'{table.say(came)} arrived, and {who} made {table.say(went)} of it.')

    def of_rule(self, part: Handed, entry: Op, value: Any) -> list[Row]:
        """A rule's part: a row for each element of dout that the number came through."""
        event, signed, line, kind = part.step.event, self.book.who(entry), self.line(entry), 'rule'
        came = [self.book.collected(self.handed.reading, t, g, event.at) for t, g in cotangents(event)]
        arrived = read = self.read(entry, [c.value for c in came], event.at)
        if isinstance(entry.rule, HookedRule):
            signed, kind = f'hook on {self.book.name(entry.out) or "it"}, then {signed}', 'hook'
            read = self.read(entry, part.step.came, event.at)
        own = kind == 'hook' or hasattr(entry.rule, 'owner')
        signed = f'your {signed}' if own else signed
        rows = self.split(read, part.place, value)
        if not rows:  # rather one than none
            self.note(f'What {signed} handed out cannot be taken apart any further.')
            self.loose += size(value)
            return [Row(signed, **line, product=value, kind=kind, yours=own)]
        if kind == 'hook' and len(rows) == 1 and rows[0].of:
            before = arrived.cotangents[0][rows[0].of[1]].item()
            self.hooked(f'the hook on {self.output(entry.out)}', before, rows[0].cotangent)
        return [
            row._replace(who=signed, **line, kind=kind if row.kind == 'rule' else row.kind, yours=own,
                         of=row.of and (came[row.of[0]], row.of[1]))
            for row in rows
        ]  # fmt: skip

    def read(self, entry: Op, given: list, at: int) -> Read:
        """An entry's rule with all that it read on the way back."""
        inputs, outs = ([wide(self.tape.value(t, at)) for t in ts] for ts in (entry.inputs, tensors_in(entry.out)))
        return Read(entry, inputs, outs, [None if g is None else wide(self.value(g, at)) for g in given])

    def split(self, read: Read, at: int, value: Any) -> list[Row]:
        """Slope × cotangent for each element that matters; no rows where they do not add up to `value`."""
        g = read.row
        for s, named in slopes.slopes(read, at, self.index):
            matter = s != 0  # NaN counts
            matter[list(named)] = True
            if odd(value) and np.isfinite((s * g)[matter]).all():
                matter |= ~np.isfinite(g)  # 0 × ∞
            parts = np.where(matter, s * g, 0.0)
            sizes, total = np.abs(parts[np.isfinite(parts)]).sum(), self.held(parts.sum())
            if near(total, value, self.room(sizes)):
                break
            if slopes.again(read, at, self.index, self.handed.tensor.array.dtype) == value:  # 1 − y², of y near 1
                sizes = 2 * abs(total - value) / self.room(1.0)
                break
        else:
            return []
        self.loose += sizes
        rows, every = [], np.flatnonzero(matter)
        outs = [t for t in tensors_in(read.op.out) if is_float(t)]
        kept = every[largest(parts[every])]
        if not len(kept) and read.cotangents[0] is not None and outs[0].shape == self.handed.tensor.shape:
            kept = np.ravel_multi_index(self.index, outs[0].shape) if self.index else 0  # what stands in the same place
        for n in np.ravel(kept):
            k, j = read.at(n)
            slope, came, product = (each[n].item() for each in (s + 0.0, g, parts + 0.0))  # (no −0)
            through = table.at(self.output(outs[k], k if len(outs) > 1 else None), j)
            by = self.named(named.get(n), read.op)
            rows.append(Row('', '', slope, came, product, 0.0, through, by, of=(k, j)))
        if len(others := np.setdiff1d(every, kept)):
            product = parts[others].sum().item()
            rows.append(Row('', product=product, through=f'{len(others)} others', kind='others'))
        return rows or [Row('', through='none of it')]

    def named(self, found: tuple | None, op: Op) -> str:
        """What a slope is called that is a value of an input: `y[2,1]`."""
        if found is None:
            return ''
        number, where, sign = found
        name = self.output(op.out) if number < 0 else self.book.name(op.inputs[number])
        return '−' * (sign < 0) + table.at(name, where) if name else ''

    def output(self, out: Tensor, number: int | None = None) -> str:
        """What the code calls an entry's output, or `out`; of several, `out 0`."""
        return self.book.called(out) or ('out' if number is None else f'out {number}')

    def room(self, sizes: float) -> float:
        """How far off a sum of parts of this size may be that is rounded to the gradient's dtype."""
        info = np.finfo(self.handed.tensor.array.dtype)
        return ROUNDINGS * float(max(info.eps * sizes, info.smallest_subnormal))

    def held(self, total: Any) -> Any:
        """A sum as the gradient's dtype holds it: what is too large is infinite."""
        return np.asarray(total).astype(self.handed.tensor.array.dtype).item()

    def left_over(self, rows: list[Row]) -> list[Row]:
        """What the rows do not add up to: a rounding, or what a hook of the input itself did."""
        total, t = sum(r.product for r in rows), self.handed.tensor
        missing, name = self.number - total, self.book.name(t) or 'it'
        if near(0.0, missing, 1e-6 * size(self.number)) or (odd(self.number) and odd(total)):
            return []
        if near(0.0, missing, self.room(max(self.loose, size(self.number)))):
            return [Row(f'rounding in {t.dtype}', product=missing, kind='rounding')]
        if self.held(total) == self.number:
            return [Row(f'too large for {t.dtype}', product=missing, kind='rounding')]
        owners = {id(e.owner) for e in self.tape.events if isinstance(e, Hook) and e.kind == 'tensor'}
        if owners & {id(t), id(self.book.walk.tensors.same.get(id(t)))}:
            self.hooked(f'the hook on {name}', total, self.number)
            return [Row(f'your hook on {name}', product=missing, kind='hook', yours=True)]
        self.note('The tape does not know where the rest comes from.')
        return [Row('not on the tape', product=missing, kind='unknown')]


def same(one: Any, other: Any) -> bool:
    """Whether two numbers are the same, or both NaN."""
    return one == other or (one != one and other != other)


def yours(cell: object) -> bool:
    """Whether a Cell's bprop stands in the user's code."""
    return users(method(cell, 'bprop'))


def place(span: tuple[int, int, int, int] | None) -> str:
    """A place in the code as `16:9–14`: the line, and the columns, in characters from 0."""
    if span is None:
        return ''
    line, last, column, end = span
    return f'{line}:{column}–{end}' if last == line and end else f'{line}–{last}' if last > line else f'{line}'
