"""What runs forward: calls of Cells, ops, the entries that they leave, and why they may leave none."""

from typing import Any

from ..core.rules import Plain
from . import facts, kept, names
from .book import Book
from .record import Entry, Ghost, Scope
from .source import code_of, method, users
from .tensors import tensors


class Forward:
    """Tells Enter, Leave, Call, Op and Write."""

    def __init__(self, book: Book) -> None:
        self.book, self.walk, self.record = book, book.walk, book.record
        self.stack, self.tensors, self.places = book.stack, book.tensors, book.places
        self.used: dict[int, list] = {}  # entry -> what the ops inside a Cell with its own bprop read
        self.span: tuple = (0, 0, 0, 0)  # of the last op that a bprop ran
        self.cast = False  # whether that was a cast

    def enter(self, event: Any) -> None:
        """A Cell is called."""
        name, call, entry = type(event.cell).__name__, self.walk.call, self.walk.made
        mark = None if call.inside else self.places.mark(event.where)
        self.places.shows(method(event.cell, '_construct'), event.custom)
        if event.custom:
            self.places.shows(method(event.cell, 'bprop'))
        if entry is not None:
            made = self.book.place(entry, event.inputs)
            pairs = zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True)
            made.inputs = tuple(v for t, n in pairs for v in self.book.values(t, event.at, n))
            made.yours = users(method(event.cell, 'bprop'))
            self.used[entry] = []
        elif not call.inside:
            call.scope = self.scope(event, name, mark)
        if not call.inside and self.stack.reading is None:
            self.book.step('enter', entry=entry, mark=mark, what=name, scope=call.scope)
        if entry is not None:
            made.first = max(len(self.record.steps) - 1, 0)

    def returned(self, out: Any) -> None:
        """What the user's own line calls the tensors that a Cell returns."""
        for t in tensors(out):
            maker, name = self.tensors.maker.get(id(t)), self.tensors.called.get(id(t))
            outputs = self.record.entries[maker].outputs if name and maker is not None else ()
            if len(outputs) == 1 and not outputs[0].name:
                self.record.entries[maker].outputs = (outputs[0]._replace(name=name),)

    def scope(self, event: Any, name: str, mark: Any) -> int:
        """A Cell without a bprop of its own is a scope."""
        arguments = zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True)
        given = [(t, self.book.value(t, event.at, n)) for t, n in arguments if hasattr(t, 'asnumpy')]
        called = Scope(name, mark, len(self.record.steps), tuple(v for _, v in given))
        called.keys = tuple(self.tensors.key(t) for t, _ in given)
        self.record.scopes.append(called)
        return len(self.record.scopes) - 1

    def leave(self, event: Any) -> None:
        """A Cell returns."""
        call = self.walk.call
        if call is None or event.failed:
            return
        if call.scope is not None:
            self.returned(event.out)
            outputs = self.book.values(event.out, event.at, self.places.target(call.where) or 'out')
            self.record.scopes[call.scope].outputs = outputs
        if call.entry is not None:
            self.outputs(event, call.entry, 'out')
            made = self.record.entries[call.entry]
            made.ghosts = [g._replace(whole=(g.made,) == made.made) for g in made.ghosts]

    def outputs(self, event: Any, entry: int, name: str) -> None:
        """What an entry made."""
        made = self.record.entries[entry]
        made.outputs = self.book.values(event.out, event.at, name)
        made.made = tuple(self.tensors.key(t) for t in tensors(event.out))

    def call(self, event: Any) -> None:
        """The one entry that a Cell with its own bprop leaves on the tape."""
        entry, given = self.walk.made, tensors(list(event.inputs))
        if entry is None:
            return
        made = self.record.entries[entry]
        if self.walk.call is None:  # the call itself was hidden
            self.book.place(entry, given)
            made.inputs = self.book.values(tuple(event.inputs), event.at)
            made.yours = users(method(event.cell, 'bprop'))
        self.book.by(made)
        made.facts = facts.of_bprop(event.cell)
        made.own = tuple(v.name for v in made.inputs)
        read = [t for each in event.inputs for t, _ in names.outputs(each, '')]
        said = (self.tensors.said(t) if hasattr(t, 'asnumpy') else '' for t in read)
        made.inputs = tuple(v._replace(name=n or v.name) for v, n in zip(made.inputs, said, strict=False))
        made.keys = tuple(self.tensors.key(t) for t in given)
        made.wires = kept.wires(self.used.pop(entry, []), event.cell.internal_params, True)
        made.why = kept.why_loose(event, self.stack.gradients(), self.tensors) if made.kind == 'loose' else ''
        self.outputs(event, entry, self.places.target(event.where) or 'out')
        self.written(entry)

    def written(self, entry: int) -> None:
        """An entry is there, with what it made."""
        made = self.record.entries[entry]
        made.written = self.book.step('write', entry=entry, mark=made.mark)

    # ---- ops ----

    def op(self, event: Any) -> None:
        """A primitive ran."""
        hider, reading = self.stack.hider, self.stack.reading
        if reading is not None:
            self.record.readings[reading].ran.append(event)
            self.cuts(event, reading)
        if self.walk.made is not None:
            self.write(event, self.walk.made)
        elif hider is not None:
            self.hide(event, self.record.entries[hider], hider)
        elif reading is not None:
            self.inside(event)

    def hide(self, event: Any, entry: Entry, number: int) -> None:
        """An op inside a Cell with its own bprop: it runs and leaves nothing."""
        entry.hidden.append(event.rule.name)
        self.used[number] += event.inputs
        mark = self.places.mark(event.where)
        step = self.book.step('hidden', entry=number, mark=mark, what=event.rule.name)
        if entry.hidden_at is None:
            entry.hidden_at = step
        outs = self.book.values(event.out, event.at, self.places.target(event.where))
        value = outs[0] if outs else self.book.value(None, event.at)
        veiled = any(c.inside and c.event.custom for c in self.stack.calls())
        lost = 'Float' in value.dtype and not isinstance(facts.under(event.rule), Plain) and not veiled
        own = [id(t) for call in self.stack.calls() if call.entry == number for t in tensors(list(call.inputs))]
        places = tuple(own.index(id(t)) if id(t) in own else None for t in event.inputs)
        values = tuple(self.book.value(t, event.at, self.tensors.own_name(t)) for t in event.inputs)
        made = next((self.tensors.key(t) for t in tensors(event.out)), -1)
        keys, said = tuple(map(self.tensors.key, event.inputs)), self.places.expression(event.where)
        ghost = Ghost(event.rule.name, said, value, step, lost, event, values, places, keys, made, mark=mark)
        entry.ghosts.append(ghost)

    def inside(self, event: Any) -> None:
        """An op that a bprop or a hook runs. What the built-in rules run is their own business."""
        reading = self.stack.reading
        entry = self.record.readings[reading].entry
        mark, where = self.places.users(event.where)
        if self.record.entries[entry].kind not in ('call', 'hook') or not mark:
            return
        outs = self.book.values(event.out, event.at, self.places.target(event.where))
        what = self.places.expression(where) or event.rule.name
        last = self.record.steps[-1]
        part = self.within(where.span) or (self.cast and where.span == self.span)  # a cast that nobody wrote
        if part and (last.kind, last.reading) == ('inside', reading):
            self.record.steps.pop()  # it was a part of this expression: one step for the whole
        self.span, self.cast = where.span, event.rule.name == 'Cast'
        self.book.step('inside', entry=entry, reading=reading, mark=mark, what=what, value=outs[0] if outs else None)

    def cuts(self, event: Any, reading: int) -> None:
        """What a bprop has made from NumPy is no op, and leaves no entry: it is told where an op reads it."""
        entry = self.record.readings[reading].entry
        cell = getattr(self.record.entries[entry].op, 'cell', None)
        found = facts.from_numpy(cell) if cell is not None else {}
        for t, name in zip(event.inputs, self.walk.names[self.walk.now] or (), strict=False) if found else ():
            made = None if self.tensors.made(t) else found.get(name)
            if made is not None and self.tensors.key(t) not in self.record.cuts:
                value = self.book.value(t, event.at, name)
                self.book.step('inside', entry=entry, reading=reading, mark=made.mark, what=made.formula, value=value,
                               cut=True)  # fmt: skip
                self.record.cuts[self.tensors.key(t)] = self.record.steps[-1]

    def within(self, span: tuple) -> bool:
        """Whether the last op of a bprop stands inside this piece of code."""
        (line, last, column, end), (own, own_last, own_column, own_end) = span, self.span
        return (line, column) <= (own, own_column) and (own_last, own_end) <= (last, end) and span != self.span

    def write(self, event: Any, entry: int) -> None:
        """An op that leaves an entry, or could not."""
        made = self.book.place(entry, event.inputs)
        pairs = zip(event.inputs, self.walk.names[self.walk.now], strict=True)
        made.inputs = tuple(self.book.value(t, event.at, n) for t, n in pairs)
        self.outputs(event, entry, self.places.target(event.where))
        if facts.under(event.rule) in facts.GATES:  # what goes through is called as before
            named = zip(made.outputs, made.inputs if len(made.inputs) == len(made.outputs) else (), strict=False)
            made.outputs = tuple(v._replace(name=i.name) for v, i in named) or made.outputs
        made.wires = kept.wires(list(event.inputs), (), False)
        made.why = kept.why_loose(event, self.stack.gradients(), self.tensors) if made.kind == 'loose' else ''
        self.hooked(made)
        self.written(entry)

    def hooked(self, made: Entry) -> None:
        """What the source of a hook says, and whose it is."""
        if made.kind == 'hook':
            code = code_of(made.function)
            made.yours, made.facts = users(code), facts.of_hook(made.function)
            self.places.shows(code)

    def overwrite(self, event: Any) -> None:
        """A Tensor's memory is overwritten: a Parameter is updated, say."""
        entry = self.walk.made
        if entry is None:
            return
        made = self.book.place(entry, (event.tensor,))
        made.inputs = (self.book.value(event.tensor, event.at, 'before'),)
        made.outputs = (self.book.value(event.tensor, event.at + 1, 'after'),)
        made.target = self.tensors.name(event.tensor)
        made.why = 'a write into memory is no op'
        self.written(entry)
