"""What runs forward: calls of Cells, ops, the entries that they leave, and why they may leave none."""

from typing import Any

from ..ops.hooks import Passing
from . import facts, kept, names
from .book import Book
from .record import Entry, Ghost, Scope
from .source import method, users
from .stack import Call, Play, ReadBack
from .tensors import is_float, is_parameter, tensors


class Forward:
    """Tells Enter, Leave, Call, Op and Write."""

    def __init__(self, book: Book, pulled: set[int]) -> None:
        self.book, self.stack, self.tensors, self.places = book, book.stack, book.tensors, book.places
        self.record = book.record
        self.pulled = pulled  # ids of the Ops and Calls that a gradient reads outside of what hides them
        self.used: dict[int, list] = {}  # entry -> what the ops inside a Cell with its own bprop read
        self.left: Call | None = None  # the call of a Cell with its own bprop that has just returned
        self.span: tuple = (0, 0, 0, 0)  # of the last op that a bprop ran
        self.cast = False  # whether that was a cast

    # ---- Cells ----

    def enter(self, event: Any) -> None:
        """A Cell is called."""
        name = type(event.cell).__name__
        inside = self.stack.hider is not None
        call = Call(event.cell, event.where, event.inputs, veil=bool(event.custom and inside))
        mark = None if inside else self.places.mark(event.where)
        self.places.shows(method(event.cell, 'construct'), event.custom)
        if event.custom:
            self.places.shows(method(event.cell, 'bprop'))
        if event.custom and not inside:
            pairs = zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True)
            inputs = tuple(v for t, n in pairs for v in self.book.values(t, event.at, n))
            call.entry = self.book.new('', name, 'call', inputs, event.inputs, mark)
            self.used[call.entry] = []
            self.record.entries[call.entry].yours = users(method(event.cell, 'bprop'))
        elif not inside:
            self.named(event)
            call.scope = self.scope(event, name, mark)
        self.stack.push(call)
        if not inside and self.stack.reading is None:
            self.book.step('enter', entry=call.entry, mark=mark, what=name, scope=call.scope)
        if call.entry is not None:
            self.record.entries[call.entry].first = max(len(self.record.steps) - 1, 0)

    def named(self, event: Any) -> None:
        """What the user's own line calls the tensors that it gives to a Cell; inside, the Cell's names are its own."""
        expression = self.places.expression(event.where) if self.places.mark(event.where) else ''
        for t, written in zip(event.inputs, names.inputs(expression, len(event.inputs)), strict=True):
            if written.isidentifier() and hasattr(t, 'asnumpy') and not self.name(t):
                self.tensors.called[id(t)] = written

    def returned(self, out: Any, target: str) -> None:
        """What the user's own line calls the tensors that a Cell returns."""
        for t, name in names.outputs(out, target):
            maker = self.tensors.maker.get(id(t))
            if not name or maker is None or id(t) in self.tensors.called:
                continue
            self.tensors.called[id(t)] = name
            made = self.record.entries[maker]
            if len(made.outputs) == 1 and not made.outputs[0].name:
                made.outputs = (made.outputs[0]._replace(name=name),)

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
        call = self.stack.call_of(event.cell)
        if call is None:
            return
        self.stack.pop(call)
        if event.failed:
            return
        if call.scope is not None:
            target = self.places.target(call.where)
            if target:
                self.returned(event.out, target)
            outputs = self.book.values(event.out, event.at, target or 'out')
            self.record.scopes[call.scope].outputs = outputs
        if call.entry is not None:
            made = self.record.entries[call.entry]
            made.outputs = self.book.values(event.out, event.at, 'out')
            self.tensors.own(event.out, call.entry, made.outputs)
            self.left = call

    def call(self, event: Any) -> None:
        """The one entry that a Cell with its own bprop leaves on the tape."""
        left, self.left = self.left, None
        given = tensors(list(event.inputs))
        if left is not None:
            entry = left.entry
            self.tensors.copied(left.inputs, given)
        else:
            if id(event) not in self.pulled:
                return
            inputs = self.book.values(tuple(event.inputs), event.at)
            mark = self.places.mark(event.where)
            entry = self.book.new('', type(event.cell).__name__, 'call', inputs, given, mark)
            self.record.entries[entry].yours = users(method(event.cell, 'bprop'))
        made = self.record.entries[entry]
        recorded = event.state == 'recorded' or id(event) in self.pulled
        made.outputs = self.book.values(event.out, event.at, self.places.target(event.where) or 'out')
        made.kind = 'call' if recorded else 'loose'
        made.label, made.facts = self.book.label() if recorded else '–', facts.of_bprop(event.cell)
        made.mark = self.places.mark(event.where) or made.mark
        made.keys = tuple(self.tensors.key(t) for t in given)
        made.sources = self.tensors.sources(given)
        made.wires = kept.wires(self.used.pop(entry, []), event.cell.internal_params, True)
        made.why = '' if recorded else kept.why_loose(event, bool(self.stack.gradients()))
        self.written(event, entry, made)

    def written(self, event: Any, entry: int, made: Entry) -> None:
        """An entry is there, with what it made."""
        self.book.entry_of[id(event)] = entry
        self.tensors.own(event.out, entry, made.outputs)
        made.written = self.book.step('write', entry=entry, mark=made.mark)

    # ---- ops ----

    def op(self, event: Any) -> None:
        """A primitive ran."""
        self.left = None
        hider = self.stack.hider
        if id(event) in self.pulled:
            self.write(event, True)
        elif hider is not None:
            self.hide(event, self.record.entries[hider], hider)
        elif self.stack.reading is not None and event.state != 'recorded':
            self.inside(event)
        else:
            self.write(event, event.state == 'recorded')

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
        veiled = any(call.veil for call in self.stack.calls())
        lost = 'Float' in value.dtype and type(event.rule).__name__ != 'Plain' and not veiled
        written = self.places.expression(event.where)
        entry.ghosts.append(Ghost(event.rule.name, written, value, step, lost, event.rule))

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

    def within(self, span: tuple) -> bool:
        """Whether the last op of a bprop stands inside this piece of code."""
        (line, last, column, end), (own, own_last, own_column, own_end) = span, self.span
        return (line, column) <= (own, own_column) and (own_last, own_end) <= (last, end) and span != self.span

    def write(self, event: Any, recorded: bool) -> None:
        """An op that leaves an entry, or could not."""
        if not recorded and getattr(event.where, 'ours', False):
            return  # minicell's own work, such as making the first cotangent
        mark, where = self.places.users(event.where)
        expression = self.places.expression(where) if mark else ''
        # (before and behind a Cell with hooks stands the call of the whole Cell)
        gate = event.rule in facts.GATES
        own = self.places.mark(event.where) is not None and not gate
        written = names.inputs(expression, len(event.inputs)) if own else ('',) * len(event.inputs)
        pairs = list(zip(event.inputs, self.tensors.in_order(event.inputs, written), strict=True))
        known = [t.name if is_parameter(t) else n or self.name(t) for t, n in pairs]
        inputs = tuple(self.book.value(t, event.at, n) for t, n in zip(event.inputs, known, strict=True))
        kind = 'op' if recorded else 'loose'
        label = self.book.label() if recorded else '–'
        entry = self.book.new(label, event.rule.name, kind, inputs, event.inputs, mark)
        made = self.record.entries[entry]
        made.rule = event.rule
        made.source = expression
        made.outputs = self.book.values(event.out, event.at, self.places.target(event.where))
        if gate:  # what goes through is called as before
            named = zip(made.outputs, inputs if len(inputs) == len(made.outputs) else (), strict=False)
            made.outputs = tuple(v._replace(name=i.name) for v, i in named) or made.outputs
        made.wires = kept.wires(list(event.inputs), (), False)
        made.why = '' if recorded else kept.why_loose(event, bool(self.stack.gradients()))
        made.note = self.note(mark)
        if recorded and isinstance(event.rule, Passing):
            for function, owner, how in facts.hanging(event.rule, event.attrs):
                facts.hang(self.book, made, function, owner, how)
        self.written(event, entry, made)

    def name(self, tensor: Any) -> str:
        """What a tensor is called, or who made it."""
        return self.tensors.called.get(id(tensor)) or self.tensors.made_by(tensor)

    def note(self, mark: Any) -> str:
        """Who writes an entry while a gradient is read back."""
        reading = self.stack.reading
        if reading is not None:
            by = self.record.entries[self.record.readings[reading].entry]
            line = f', line {mark.line}' if mark else ''
            own = {'call': f'by {by.name}.bprop{line}', 'hook': f'by the {by.name}{line}'}
            return own.get(by.kind, f'by the rule of {by.name}')
        return 'by adding up' if isinstance(self.stack.innermost(Play), ReadBack) else ''

    def overwrite(self, event: Any) -> None:
        """A Tensor's memory is overwritten: a Parameter is updated, say."""
        if self.stack.hider is not None or self.stack.reading is not None or not is_float(event.tensor):
            return
        mark, _ = self.places.users(event.where)
        before = self.book.value(event.tensor, event.at, 'before')
        entry = self.book.new('←', event.what, 'loose', (before,), (event.tensor,), mark)
        made = self.record.entries[entry]
        made.outputs = (self.book.value(event.tensor, event.at + 1, 'after'),)
        made.target = self.tensors.name(event.tensor)
        made.why = 'a write into memory is no op'
        made.written = self.book.step('write', entry=entry, mark=mark)
