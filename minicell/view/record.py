"""A tape's events, told as a Record: which step shows what. Pure data in, plain data out."""

from typing import Any

from ..core.errors import HOME
from . import kept, names, source
from .backward import Backward, is_float
from .model import Entry, Ghost, Mark, Record, Scope
from .notes import tensors

EVENTS = {
    'Enter': 'enter', 'Leave': 'leave', 'Op': 'op', 'Call': 'call', 'Begin': 'begin', 'Back': 'back', 'Pull': 'pull',
    'Give': 'give', 'End': 'end', 'Fail': 'fail', 'Write': 'overwrite',
}  # fmt: skip


def tell(tape: Any) -> Record:
    """The Record of a tape."""
    teller = Teller(tape)
    for event in tape.events:
        teller.tell(event)
    return teller.finish()


class Teller(Backward):
    """Reads events one by one."""

    def tell(self, event: Any) -> None:
        """Take in one event."""
        kind = type(event).__name__
        if kind in EVENTS:
            self.now = event.at
            getattr(self, EVENTS[kind])(event)

    def finish(self) -> Record:
        """Close the record: the error that ended it, and the code to show."""
        record = self.record
        error = getattr(self.tape, 'error', None)
        if error is not None and id(error) not in self.errors:
            self.torn(error, None)
        marks = [step.mark for step in record.steps if step.mark]
        record.code = source.listing(self.codes, self.hides, marks)
        return record

    # ---- forward ----

    def enter(self, event: Any) -> None:
        """A Cell is called."""
        inside = self.hiding() is not None
        mark = None if inside else self.mark(event.where)
        for kind in ('construct', 'bprop') if event.custom else ('construct',):
            code = getattr(getattr(type(event.cell), kind, None), '__code__', None)
            if code is not None and not code.co_filename.startswith(HOME):
                self.codes.setdefault(code)
                if event.custom and kind == 'construct':
                    self.hides.setdefault(code)
        entry = None
        if event.custom and not inside:
            arguments = names.parameters(event.cell, len(event.inputs))
            pairs = zip(event.inputs, arguments, strict=True)
            inputs = tuple(v for t, n in pairs for v in self.values(t, event.at, n))
            entry = self.new('', type(event.cell).__name__, 'call', inputs, event.inputs, mark)
            code = getattr(type(event.cell).bprop, '__code__', None)
            self.record.entries[entry].yours = code is None or not code.co_filename.startswith(HOME)
        scope = None
        if entry is None and not inside:
            arguments = zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True)
            given = [(t, self.value(t, event.at, n)) for t, n in arguments if hasattr(t, 'asnumpy')]
            called = Scope(type(event.cell).__name__, mark, len(self.record.steps), tuple(v for _, v in given))
            called.keys = tuple(self.key(t) for t, _ in given)
            self.record.scopes.append(called)
            scope = len(self.record.scopes) - 1
        self.veils = [k for k in self.veils if k < len(self.cells)] + [len(self.cells)] * bool(event.custom and inside)
        self.cells.append((event.where, entry, scope))
        if entry is not None:
            self.used[entry] = []
        if not inside and not self.reading:
            self.step('enter', entry=entry, mark=mark, what=type(event.cell).__name__, scope=scope)
        if entry is not None:
            self.record.entries[entry].first = max(len(self.record.steps) - 1, 0)

    def new(self, label: str, name: str, kind: str, inputs: tuple, tensors_in: Any, mark: Mark | None) -> int:
        """Append an entry and return its number."""
        makers = (self.maker.get(id(t)) for t in tensors_in)
        sources = tuple(m for m in makers if m is not None)
        entry = Entry(label, name, kind, len(self.record.steps), inputs, sources=sources, mark=mark, level=self.level)
        entry.keys = tuple(self.key(t) for t in tensors_in)
        entry.scopes = self.scopes()
        if self.level:
            entry.by = self.reading[-1] if self.reading else len(self.record.readings) - 1
        self.record.entries.append(entry)
        return len(self.record.entries) - 1

    def leave(self, event: Any) -> None:
        """A Cell returns."""
        where, entry, scope = self.cells.pop() if self.cells else (None, None, None)
        if scope is not None and not event.failed:
            self.record.scopes[scope].outputs = self.values(event.out, event.at, self.target(where) or 'out')
        if entry is None or event.failed:
            return
        made = self.record.entries[entry]
        made.outputs = self.values(event.out, event.at, 'out')
        self.left[id(event.cell)] = entry
        self.own(event.out, entry, made.outputs)

    def call(self, event: Any) -> None:
        """The one entry that a Cell with its own bprop leaves on the tape."""
        entry = self.left.pop(id(event.cell), None)
        if entry is None:
            return
        made = self.record.entries[entry]
        target = self.target(event.where) or 'out'
        made.outputs = self.values(event.out, event.at, target)
        recorded = event.state == 'recorded'
        made.kind = 'call' if recorded else 'loose'
        made.label, made.facts = self.label() if recorded else '–', source.facts(event.cell)
        made.mark = self.mark(event.where) or made.mark
        given = tensors(list(event.inputs))  # what construct was given are Tensors of its own
        made.keys = tuple(self.key(t) for t in given)
        made.sources = tuple(m for t in given if (m := self.maker.get(id(t))) is not None)
        made.saves = kept.of_cell(made.facts) if recorded else ()
        made.wires = kept.wires(self.used.pop(entry, []), event.cell.internal_params, True)
        made.why = '' if recorded else kept.why_loose(event, bool(self.open))
        self.own(event.out, entry, made.outputs)
        made.written = self.step('write', entry=entry, mark=made.mark)

    def op(self, event: Any) -> None:
        """A primitive ran."""
        hider = self.hiding()
        if hider is not None:
            self.hide(event, self.record.entries[hider], hider)
        elif self.reading and event.state != 'recorded':
            self.inside(event)
        else:
            self.write(event)

    def hide(self, event: Any, entry: Entry, number: int) -> None:
        """An op inside a Cell with its own bprop: it runs and leaves nothing."""
        entry.hidden.append(event.rule.name)
        self.used[number] += event.inputs
        step = self.step('hidden', entry=number, mark=self.mark(event.where), what=event.rule.name)
        if entry.hidden_at is None:
            entry.hidden_at = step
        value = self.values(event.out, event.at, self.target(event.where))[0]
        veiled = any(k < len(self.cells) for k in self.veils)
        lost = 'Float' in value.dtype and type(event.rule).__name__ != 'Plain' and not veiled
        entry.ghosts.append(Ghost(event.rule.name, self.expression(event.where), value, step, lost))

    def inside(self, event: Any) -> None:
        """An op that a bprop runs. What the built-in rules run is their own business."""
        reading = self.reading[-1]
        entry = self.record.readings[reading].entry
        mark = self.users(event.where)
        if self.record.entries[entry].kind == 'call' and mark:
            value = self.value(event.out, event.at, self.target(event.where))
            what = self.expression(event.where) or event.rule.name
            if self.within(event.where.span) and self.record.steps[-1].kind == 'inside':
                self.record.steps.pop()  # it was a part of this expression: one step for the whole
            self.span = event.where.span
            self.step('inside', entry=entry, reading=reading, mark=mark, what=what, value=value)

    def within(self, span: tuple) -> bool:
        """Whether the last op of a bprop stands inside this piece of code."""
        (line, last, column, end), (own, own_last, own_column, own_end) = span, self.span
        return (line, column) <= (own, own_column) and (own_last, own_end) <= (last, end) and span != self.span

    def write(self, event: Any) -> None:
        """An op that leaves an entry, or could not."""
        if event.state != 'recorded' and getattr(event.where, 'ours', False):
            return  # minicell's own work, such as making the first cotangent
        mark = self.users(event.where)
        expression = self.expression(event.where) if mark else ''
        written = names.inputs(expression, len(event.inputs))
        written = self.in_order(event.inputs, written)
        pairs = zip(event.inputs, written, strict=True)
        known = (t.name if kept.is_parameter(t) else n or self.called.get(id(t)) or self.made_by(t) for t, n in pairs)
        inputs = tuple(self.value(t, event.at, n) for t, n in zip(event.inputs, known, strict=True))
        kind = 'op' if event.state == 'recorded' else 'loose'
        label = self.label() if kind == 'op' else '–'
        entry = self.new(label, event.rule.name, kind, inputs, event.inputs, mark)
        made = self.record.entries[entry]
        made.source, made.through = expression, self.mark(event.where) is None
        made.outputs = self.values(event.out, event.at, self.target(event.where) if mark else '')
        out = made.outputs[0].name if made.outputs else ''
        made.saves = kept.of_op(event, tuple(v.name for v in inputs), out) if kind == 'op' else ()
        made.wires = kept.wires(list(event.inputs), (), False)
        made.why = '' if kind == 'op' else kept.why_loose(event, bool(self.open))
        if self.reading:
            by = self.record.entries[self.record.readings[self.reading[-1]].entry]
            line = f', line {mark.line}' if mark else ''
            made.note = f'by {by.name}.bprop{line}' if by.kind == 'call' else f'by the rule of {by.name}'
        elif self.open and self.open[-1][0].started is not None:
            made.note = 'by adding up'
        self.own(event.out, entry, made.outputs)
        made.written = self.step('write', entry=entry, mark=mark)

    def overwrite(self, event: Any) -> None:
        """A Tensor's memory is overwritten: a Parameter is updated, say."""
        if self.hiding() is not None or self.reading or not is_float(event.tensor):
            return
        mark = self.users(event.where)
        before = self.value(event.tensor, event.at, 'before')
        entry = self.new('←', event.what, 'loose', (before,), (event.tensor,), mark)
        made = self.record.entries[entry]
        made.outputs = (self.value(event.tensor, event.at + 1, 'after'),)
        made.why = 'a write into memory is no op'
        made.written = self.step('write', entry=entry, mark=mark)

    def fail(self, event: Any) -> None:
        """An exception passes; the first place that it passes is where it was raised."""
        if id(event.error) not in self.errors:
            self.torn(event.error, event.where)

    def torn(self, error: BaseException, where: Any) -> None:
        """The card of an error. What came before it stays."""
        self.errors[id(error)] = error
        words = str(error).strip()
        message = f'{type(error).__name__}: {words}' if words else type(error).__name__
        reading = self.reading[-1] if self.reading else None
        entry = self.record.readings[reading].entry if reading is not None else None
        mark = self.mark(where)
        if mark is None and entry is not None:
            facts = self.record.entries[entry].facts
            mark = facts.end if facts else self.record.entries[entry].mark
        if entry is None:
            entry = self.new('!', type(error).__name__, 'torn', (), (), mark)
            made = self.record.entries[entry]
            made.source, made.error = getattr(where, 'expression', '') if mark else '', message
        step = self.step('fail', entry=entry, reading=reading, mark=mark, what=message)
        if reading is not None:
            told = self.record.readings[reading]
            told.failed, told.error = step, message
