"""How an account is made: what a gradient was added up from, each part taken apart by the rule that gave it."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor, is_float, tensors_in
from ..core.watch import Call, Op, Tape
from ..heard import Hook
from ..ops.hooks import HookedRule, Passing
from ..replay.program import past_hooks, under, wide
from ..story.facts import of_bprop, of_gradient
from ..story.source import method, users
from . import slopes, table, true
from .book import Book, Handed, place
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
        if here.step:
            if len(parts) > 1:
                self.note(f'This is one of {len(parts)} parts of {self.name}.')
            parts = [here]
        for part in parts:
            if part.value is None:
                self.note(f'{self.book.who(part.entry)} handed out None for {of}, which counts as 0.')
        parts = [part for part in parts if part.value is not None]
        if not parts and not self.notes:
            self.note(f'Nothing on the tape leads from {of or "it"} to the result.')
        kept = largest([self.at(part) for part in parts])
        shown, rest = ([p for k, p in enumerate(parts) if (k in kept) is told] for told in (True, False))
        self.bprops = [part for part in (*shown, *rest) if isinstance(part.entry, Call)]
        self.own = any(yours(part.entry.cell) for part in self.bprops)
        rows = [row for part in shown for row in self.rows_of(part)]
        if rest:
            self.loose += sum(size(self.at(part)) for part in rest)
            rows.append(Row(f'{len(rest)} other entries', product=sum(map(self.at, rest)), kind='others'))
        rows = [r for r in rows if r.through != 'none of it'] or rows  # a slice of other numbers, say
        rows = running(rows + self.left_over(rows))
        due, heading, true_rows, verdict = true.beside(self, shown, rest, rows)
        whose, total = 'your ' * any(r.yours for r in rows), table.say(self.number)
        return dict(
            title=f'How {whose}{table.at(self.name, self.index)} = {total} was made', rows=tuple(rows), total=total,
            number=self.number, note=' '.join(self.notes), true=due, true_heading=heading, true_rows=tuple(true_rows),
            verdict=verdict,
        )  # fmt: skip

    # ---- rows ----

    def rows_of(self, part: Handed) -> list[Row]:
        """What one part consists of."""
        value, entry = self.at(part), part.entry
        if entry is None:
            row = Row('backward starts with it', product=value, kind='start')
        elif isinstance(entry, Call):
            row = self.of_bprop(part, entry, value)
        elif isinstance(under(entry.rule), Passing):
            row = self.of_hook(part, entry, value)
        else:
            return self.of_rule(part, entry, value)
        self.loose += size(value)
        return [row]

    def of_bprop(self, part: Handed, entry: Call, value: Any) -> Row:
        """A bprop signs for what it returned."""
        own, facts, written = yours(entry.cell), of_bprop(entry.cell), of_gradient(entry, part.place)
        row = Row(f'{"your " * own}bprop', **self.book.line(entry), product=value, kind='bprop', yours=own)
        if not own or len(self.bprops) > 1:
            row = row._replace(who=f'{row.who} of {self.book.who(entry)}')
        if facts is not None and own:
            line = place(written.mark.span) if written.mark else f'{facts.end.line}'
            row = row._replace(line=line, file=facts.end.file)
        if facts is not None and not facts.reads_dout:
            self.note(f'{type(entry.cell).__name__}.bprop does not use {facts.dout}.')
        came = [(t, g) for t, g in part.step.arrived if g is not None]
        single = len(came) == 1 and self.value(came[0][1], part.at).size == 1  # else a bprop may use all of it
        return row._replace(formula=written.formula, of=self.same_place(part, *came[0]) if single else None)

    def same_place(self, part: Handed, tensor: Tensor, cotangent: Any) -> tuple | None:
        """The element of a cotangent that stands where the number stands, if it is one of the same shape."""
        if cotangent is None or self.value(cotangent, part.at).shape != self.handed.tensor.shape:
            return None
        return self.book.collected(self.handed.reading, tensor, cotangent, part.step.event.at), self.index

    def of_hook(self, part: Handed, entry: Op, value: Any) -> Row:
        """So does a hook; where it changed nothing, the slope is 1."""
        row = Row(f'yours: {self.book.who(entry)}', **self.book.line(entry), product=value, kind='hook', yours=True)
        passed = past_hooks(part.step.arrived, entry.inputs)[part.place]
        if passed and (of := self.same_place(part, *passed)):
            row = row._replace(of=of)
            if self.hooked('the hook', came := self.at(of[0]), value):
                row = row._replace(factor=1.0, cotangent=came)
        return row

    def hooked(self, who: str, came: Any, went: Any) -> bool:
        """Say what a hook did; whether that is nothing."""
        nothing = np.array_equal(came, went, equal_nan=True)
        self.note(f'{who[0].upper()}{who[1:]} changed nothing.' if nothing else
                  f'{table.say(came)} arrived, and {who} made {table.say(went)} of it.')  # fmt: skip
        return nothing

    def of_rule(self, part: Handed, entry: Op, value: Any) -> list[Row]:
        """A rule's part: a row for each element of dout that the number came through."""
        event, hooked = part.step.event, isinstance(entry.rule, HookedRule)
        came = [self.book.collected(self.handed.reading, t, g, event.at) for t, g in part.step.arrived]
        own, kind = hooked or hasattr(entry.rule, 'owner'), 'hook' if hooked else 'rule'
        who = f'hook on {self.book.name(entry.out) or "it"}, then ' if hooked else ''
        who = f'{"your " * own}{who}{self.book.who(entry)}'
        rows = self.split(self.read(entry, part.step.came, event.at), part.place, value, came)
        if not rows:  # rather one than none
            self.note(f'What {who} handed out cannot be taken apart any further.')
            self.loose += size(value)
            rows = [Row('', product=value)]
        elif hooked and len(rows) == 1 and rows[0].of:
            before, index = rows[0].of
            before = self.value(before.value, event.at)[index].item()
            self.hooked(f'the hook on {self.output(entry.out)}', before, rows[0].cotangent)
        look = dict(who=who, **self.book.line(entry), yours=own)
        return [r._replace(**look, kind=kind if r.kind == 'rule' else r.kind) for r in rows]

    def read(self, entry: Op, given: list, at: int) -> Read:
        """An entry's rule with all that it read on the way back."""
        inputs, outs = ([wide(self.tape.value(t, at)) for t in ts] for ts in (entry.inputs, tensors_in(entry.out)))
        return Read(entry, inputs, outs, [None if g is None else wide(self.value(g, at)) for g in given])

    def split(self, read: Read, at: int, value: Any, came: list[Handed] = ()) -> list[Row]:
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
            slope, dout, product = (each[n].item() for each in (s + 0.0, g, parts + 0.0))  # (no −0)
            through = table.at(self.output(outs[k], k if len(outs) > 1 else None), j)
            by = self.named(read.op, *named[n]) if n in named else ''
            rows.append(Row('', '', slope, dout, product, 0.0, through, by, of=(came[k], j) if came else None))
        if len(others := np.setdiff1d(every, kept)):
            product = parts[others].sum().item()
            rows.append(Row('', product=product, through=f'{len(others)} others', kind='others'))
        return rows or [Row('', through='none of it')]

    def named(self, op: Op, number: int, where: tuple, sign: int) -> str:
        """What a slope is called that is a value of an input: `y[2,1]`."""
        names = self.book.walk.names.get(op.at)  # as the line has them
        name = self.output(op.out) if number < 0 else names[number] if names else ''
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
        if near(total, self.number, 1e-6 * size(self.number)):
            return []
        if near(total, self.number, self.room(max(self.loose, size(self.number)))):
            return [Row(f'rounding in {t.dtype}', product=missing, kind='rounding')]
        if self.held(total) == self.number:
            return [Row(f'too large for {t.dtype}', product=missing, kind='rounding')]
        owners = {id(e.owner) for e in self.tape.events if isinstance(e, Hook) and e.kind == 'tensor'}
        if owners & {id(t), id(self.book.walk.tensors.same.get(id(t)))}:
            self.hooked(f'the hook on {name}', total, self.number)
            return [Row(f'your hook on {name}', product=missing, kind='hook', yours=True)]
        self.note('The tape does not know where the rest comes from.')
        return [Row('not on the tape', product=missing, kind='unknown')]


def yours(cell: object) -> bool:
    """Whether a Cell's bprop stands in the user's code."""
    return users(method(cell, 'bprop'))
