"""How an account is made: what a gradient was added up from, each part taken apart by the rule that gave it."""

from typing import Any

import numpy as np

from ...core.tensor import Tensor, map_tensors, tensors_in, wrap
from ...core.watch import Call, Op, Tape
from ...nn.hooks import Exit
from ...ops.hooks import HookedRule, _Hook, _of_leaves
from ...story import facts as facts_of
from ...story.places import columns
from ...story.source import method
from .. import style
from . import slopes, table, true
from .book import Book, Contribution, Handed, cotangents, place, place_of_bprop, yours
from .row import Row
from .slopes import Read, Unknown
from .sums import KEPT, MANY, largest, near, odd, running, size, weight

ROUNDING = style.ROUNDINGS


class Maker:
    """Makes one account."""

    def __init__(self, tape: Tape, book: Book, handed: Handed, index: tuple) -> None:
        self.tape, self.book, self.handed, self.index = tape, book, handed, index
        self.name = book.gradient(handed.tensor)
        self.number = self.value(handed.value, handed.at)[index].item()
        self.notes: list[str] = []
        self.loose = 0.0  # the magnitude of all that was added, within a row of others too

    def value(self, thing: object, at: int) -> np.ndarray:
        """A gradient's numbers at a time."""
        return self.tape.value(thing, at) if isinstance(thing, Tensor) else np.asarray(thing)

    def account(self) -> dict[str, Any]:
        """The fields of the account."""
        tensor, reading = self.handed.tensor, self.handed.reading
        given = [self.handed.part] if self.handed.part else self.book.contributions(reading, tensor)
        if self.handed.part and (parts := len(self.book.contributions(reading, tensor))) > 1:
            self.note(f'This is one of {parts} parts of {self.name}.')
        for c in given:
            if c.value is None:
                self.note(f'{self.book.who(c.step.event.entry)} handed out None for '
                          f'{self.book.name(tensor)}, which counts as 0.')  # fmt: skip
        given = [c for c in given if c.value is not None]
        if not given and not self.notes:
            self.note(f'Nothing on the tape leads from {self.book.name(tensor) or "it"} to the result.')
        self.bprops = [c for c in given if c.step and isinstance(c.step.event.entry, Call)]
        rows, rest = [], []
        if len(given) > MANY:
            kept = {id(c) for c in sorted(given, key=lambda c: -weight(self.at(c)))[:KEPT]}
            given, rest = [c for c in given if id(c) in kept], [c for c in given if id(c) not in kept]
        for c in given:
            rows += self.rows_of(c)
        if rest:
            self.loose += sum(size(self.at(c)) for c in rest)
            rows.append(Row(f'{len(rest)} other entries', product=sum(self.at(c) for c in rest), kind='others'))
        rows = [r for r in rows if r.through != 'none of it'] or rows  # a slice of other numbers, say
        rows = running(rows + self.left_over(rows))
        due, heading, true_rows, verdict = true.beside(self, given, rest, rows)
        own = any(r.yours for r in rows)
        total = table.say(self.number)
        title = f'How {"your " * own}{table.at(self.name, self.index)} = {total} was made'
        return dict(
            title=title, rows=tuple(rows), total=total, number=self.number, note=' '.join(self.notes), true=due,
            true_heading=heading, true_rows=tuple(true_rows), verdict=verdict, name=self.name, index=self.index,
        )  # fmt: skip

    def note(self, words: str) -> None:
        """Add a sentence under the table."""
        if words not in self.notes:
            self.notes.append(words)

    def at(self, c: Contribution) -> Any:
        """The number that was handed out."""
        return self.value(c.value, c.at)[self.index].item()

    # ---- rows ----

    def rows_of(self, c: Contribution) -> list[Row]:
        """What one contribution consists of."""
        value = self.at(c)
        if c.step is None:
            self.loose += size(value)
            return [Row('backward starts with it', product=value, kind='start')]
        entry = c.step.event.entry
        if isinstance(entry, Call):
            self.loose += size(value)
            return [self.of_bprop(c, entry, value)]
        if isinstance(facts_of.under(entry.rule), _Hook | Exit):
            self.loose += size(value)
            return [self.of_hook(c, entry, value)]
        return self.of_rule(c, entry, value)

    def line(self, entry: Op | Call) -> dict:
        """Where an entry stands."""
        where = self.book.lines.get(entry.at)
        return {
            'line': place(where and (columns(where) or where.span)),
            'file': where.file if where else '',
            'entry': entry.at,
        }

    def of_bprop(self, c: Contribution, entry: Call, value: Any) -> Row:
        """A bprop signs for what it returned."""
        own, kind = yours(entry.cell), type(entry.cell).__name__
        formula, line = place_of_bprop(entry.cell, argument(entry, c.place))
        facts = facts_of.of_bprop(entry.cell)
        if facts is not None and not facts.reads_dout:
            self.note(f'{kind}.bprop does not use {facts.dout}.')
        code = method(entry.cell, 'bprop')
        there = {'line': line, 'file': code.co_filename if code else '', 'entry': entry.at}
        only = own and len(self.bprops) == 1
        who = f'{"your " * own}bprop{"" if only else f" of {self.book.who(entry)}"}'
        dout = [self.value(g, c.at).size for _, g in cotangents(c.step.event) if g is not None]
        of = self.same_place(c) if dout == [1] else None  # a bprop may use all of it
        there = there if own else self.line(entry)
        return Row(who, **there, product=value, formula=formula, kind='bprop', yours=own, of=of)

    def same_place(self, c: Contribution) -> tuple | None:
        """The element of the cotangent that stands where the number stands, if it is one of the same shape."""
        found, entry, gave = cotangents(c.step.event), c.step.event.entry, [t for t, _ in c.step.give.gradients]
        if len(found) > 1:  # of a hook on several
            there = [k for k, t in enumerate(entry.inputs) if t is gave[c.place]]
            before = sum(t is gave[c.place] for t in gave[: c.place])
            found = [found[there[before]]] if before < len(there) < len(found) + 1 else [(None, None)]
        t, g = found[0]
        if g is None or self.value(g, c.at).shape != self.handed.tensor.shape:
            return None
        return Handed(self.handed.reading, self.book.entered(t, self.handed.reading), g, c.step.event.at), self.index

    def of_hook(self, c: Contribution, entry: Op, value: Any) -> Row:
        """So does a hook; where it changed nothing, the slope is 1."""
        of, factor, came = self.same_place(c), None, None
        if of is not None:
            came = self.value(of[0].value, of[0].at)[self.index].item()
            factor = 1.0 if came == value or (came != came and value != value) else None
            self.hooked('the hook', came, value)
        who = f'yours: {self.book.who(entry)}'
        came = came if factor else None
        return Row(
            who, **self.line(entry), factor=factor, cotangent=came, product=value, kind='hook', yours=True, of=of
        )

    def hooked(self, who: str, came: Any, went: Any) -> None:
        """Say what a hook did."""
        if came == went or (came != came and went != went):
            self.note(f'{who[0].upper()}{who[1:]} changed nothing.')
        else:
            self.note(f'{table.say(came)} arrived, and {who} made {table.say(went)} of it.')

    def of_rule(self, c: Contribution, entry: Op, value: Any) -> list[Row]:
        """A rule's part: a row for each element of dout that the number came through."""
        came = [(t, None if g is None else self.value(g, c.step.event.at)) for t, g in cotangents(c.step.event)]
        read = self.read(entry, [g for _, g in came], c.step.event.at)
        who, kind, own = self.book.who(entry), 'rule', hasattr(entry.rule, 'owner')
        pulled = [Handed(self.handed.reading, self.book.entered(t, self.handed.reading), g, c.step.event.at)
                  for t, g in cotangents(c.step.event)]  # fmt: skip
        line = self.line(entry)
        if isinstance(entry.rule, HookedRule):
            who = f'your hook on {self.book.name(entry.out) or "it"}, then {who}'
            kind, own, arrived = 'hook', True, read.cotangents[0]
            behind = [None if g is None else slopes.wide(self.value(g, c.at)) for g in c.step.came]
            read = read._replace(cotangents=behind)
        try:
            rows = self.split(read, c.place, self.index, entry.inputs, entry.out, value)
        except Unknown:  # rather one row than none
            self.note(f'What {who} handed out cannot be taken apart any further.')
            self.loose += size(value)
            return [Row(f'your {who}' if own and kind == 'rule' else who, **line, product=value, kind=kind, yours=own)]
        who = f'your {who}' if own and kind == 'rule' else who
        if kind == 'hook' and len(rows) == 1 and rows[0].of:
            self.hooked(f'the hook on {self.output(entry.out)}', arrived[rows[0].of[1]].item(), rows[0].cotangent)
        return [
            row._replace(who=who, **line, kind=kind if row.kind == 'rule' else row.kind, yours=own,
                         of=row.of and (pulled[row.of[0]], row.of[1]))
            for row in rows
        ]  # fmt: skip

    def read(self, entry: Op, given: list, at: int) -> Read:
        """An entry's rule with all that it read on the way back."""
        rule = entry.rule.inner if isinstance(entry.rule, HookedRule) else entry.rule
        inputs = [slopes.wide(self.tape.value(t, at)) for t in entry.inputs]
        widened = lambda t: wrap(slopes.wide(self.tape.value(t, at)))
        out = map_tensors(entry.out, widened) if slopes.is_several(entry.out) else widened(entry.out).array
        return Read(rule, inputs, entry.attrs, out, [None if g is None else slopes.wide(g) for g in given])

    def split(self, read: Read, at: int, index: tuple, inputs: tuple, out: Any, value: Any) -> list[Row]:
        """Slope × cotangent for each element that matters. Raises Unknown where they do not add up to `value`."""
        found = slopes.slopes(read, at, index)
        outs, kept, added, sizes, count = slopes.outputs(out), [], {}, 0.0, 0
        for k, (s, g) in enumerate(zip(found.of, read.cotangents, strict=True)):
            if s is None:
                continue
            matter = np.array(s != 0)  # NaN counts
            for n, j in found.named:
                matter[j] |= n == k
            if odd(value):
                for j in map(tuple, np.argwhere(~np.isfinite(g) & ~matter)[: style.ROUNDINGS].tolist()):
                    matter[j] = slopes.reaches(read, at, index, k, j)
            parts = added[k] = np.where(matter, s * g, 0.0)
            sized = np.where(np.isfinite(parts), np.abs(parts), np.inf).ravel()
            # a slope such as 1 − y² is rounded as the 1 is, however small it comes out
            sizes += sum(np.abs(a[np.isfinite(a) & matter]).sum() for a in (parts, g))
            there = np.flatnonzero(matter)
            count += there.size
            if there.size > MANY:
                there = there[np.argsort(-sized[there], kind='stable')[:MANY]]
            kept += [(k, tuple(map(int, np.unravel_index(j, s.shape)))) for j in there]
        if not near(self.held(sum(p.sum() for p in added.values())), value, self.room(sizes)):
            raise Unknown(f'{read.rule.name} does not add up')
        self.loose += sizes
        rows = []
        for k, j in sorted(kept):
            s, g = found.of[k][j].item(), read.cotangents[k][j].item()
            through = table.at(self.output(outs[k], k if len(outs) > 1 else None), j)
            by = self.named(found.named.get((k, j)), inputs, out)
            rows.append(Row('', '', s, g, s * g, 0.0, through, by, of=(k, j)))
        if count > MANY:
            rows = largest(rows)
            for r in rows:
                added[r.of[0]][r.of[1]] = 0.0
            rest = sum(p.sum().item() for p in added.values())
            rows.append(Row('', product=rest, through=f'{count - len(rows)} others', kind='others'))
        if not rows and found.of[0] is not None and found.of[0].shape == self.handed.tensor.shape:
            g = read.cotangents[0][index].item()
            rows.append(Row('', '', 0.0, g, 0.0, 0.0, table.at(self.output(outs[0]), index), of=(0, index)))
        return rows or [Row('', through='none of it')]

    def named(self, found: tuple | None, inputs: tuple, out: Any) -> str:
        """What a slope is called that is a value of an input: `y[2,1]`."""
        if found is None:
            return ''
        number, where, sign = found
        name = self.output(out) if number < 0 else self.book.name(inputs[number])
        return '−' * (sign < 0) + table.at(name, where) if name else ''

    def output(self, out: Tensor, number: int | None = None) -> str:
        """What the code calls an entry's output, or `out`; of several, `out 0`."""
        return self.book.called(out) or ('out' if number is None else f'out {number}')

    def room(self, sizes: float) -> float:
        """How far off a sum of parts of this size may be that is rounded to the gradient's dtype."""
        info = np.finfo(self.handed.tensor.array.dtype)
        return ROUNDING * float(max(info.eps * sizes, info.smallest_subnormal))

    def held(self, total: Any) -> Any:
        """A sum as the gradient's dtype holds it: what is too large is infinite."""
        return np.asarray(total).astype(self.handed.tensor.array.dtype).item()

    def left_over(self, rows: list[Row]) -> list[Row]:
        """What the rows do not add up to: a rounding, or what a hook of the input itself did."""
        total = sum(r.product for r in rows)
        missing, dtype = self.number - total, self.handed.tensor.dtype
        if near(0.0, missing, 1e-6 * size(self.number)) or (odd(self.number) and odd(total)):
            return []
        if near(0.0, missing, self.room(max(self.loose, size(self.number)))):
            return [Row(f'rounding in {dtype}', product=missing, kind='rounding')]
        if self.held(total) == self.number:
            return [Row(f'too large for {dtype}', product=missing, kind='rounding')]
        name, t = self.book.name(self.handed.tensor) or 'it', self.handed.tensor
        if (
            id(t) in _of_leaves
            or id(self.book.walk.tensors.same.get(id(t))) in _of_leaves
            or any(e[style.HOOKED] is t and isinstance(e[0], HookedRule) for e in self.tape.entries())
        ):
            self.hooked(f'the hook on {name}', sum(r.product for r in rows), self.number)
            return [Row(f'your hook on {name}', product=missing, kind='hook', yours=True)]
        self.note('The tape does not know where the rest comes from.')
        return [Row('not on the tape', product=missing, kind='unknown')]


def argument(entry: Call, number: int) -> int:
    """Which of a bprop's results is its `number`-th gradient, counted as the source writes them; -1: one inside."""
    found = []
    for k, x in enumerate(entry.inputs):
        found += [k] if isinstance(x, Tensor) else [-1] * len(tensors_in(x))
    if number < len(found):
        return found[number]
    return len(entry.inputs) if len(entry.cell.internal_params or ()) == 1 else -1
