"""A tape's events, told as a Record: which step shows what. Pure data in, plain data out."""

from typing import Any

from ..where import HOME
from . import names, source, verdict
from .model import Arrival, Entry, Gradient, Mark, Part, Pass, Reading, Record, Value
from .notes import Notes, tensors

EVENTS = ('Enter', 'Leave', 'Op', 'Call', 'Begin', 'Back', 'Pull', 'Give', 'End', 'Fail')


def tell(tape: Any) -> Record:
    """The Record of a tape."""
    teller = Teller(tape)
    for event in tape.events:
        teller.tell(event)
    return teller.finish()


class Teller(Notes):
    """Reads events one by one."""

    def tell(self, event: Any) -> None:
        """Take in one event."""
        kind = type(event).__name__
        if kind in EVENTS:
            self.now = event.at
            getattr(self, kind.lower())(event)

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
            inputs = tuple(self.value(t, event.at, n) for t, n in zip(event.inputs, arguments, strict=True))
            entry = self.new('', type(event.cell).__name__, 'call', inputs, event.inputs, mark)
        self.cells.append((event.where, entry))
        if not inside and not self.reading:
            self.step('enter', entry=entry, mark=mark, what=type(event.cell).__name__)
        if entry is not None:
            self.record.entries[entry].first = max(len(self.record.steps) - 1, 0)

    def new(self, label: str, name: str, kind: str, inputs: tuple, tensors_in: Any, mark: Mark | None) -> int:
        """Append an entry and return its number."""
        makers = (self.maker.get(id(t)) for t in tensors_in)
        sources = tuple(m for m in makers if m is not None)
        entry = Entry(label, name, kind, len(self.record.steps), inputs, sources=sources, mark=mark, level=self.level)
        if self.level:
            entry.by = self.reading[-1] if self.reading else len(self.record.readings) - 1
        self.record.entries.append(entry)
        return len(self.record.entries) - 1

    def leave(self, event: Any) -> None:
        """A Cell returns."""
        _, entry = self.cells.pop() if self.cells else (None, None)
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
        target = getattr(event.where, 'target', '') or 'out'
        made.outputs = self.values(event.out, event.at, target)
        recorded = event.state == 'recorded'
        made.kind = 'call' if recorded else 'loose'
        made.label, made.facts = self.label() if recorded else '–', source.facts(event.cell)
        made.mark = self.mark(event.where) or made.mark
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
        if entry.hidden_at is None:
            entry.hidden_at = self.step('hidden', entry=number, mark=self.mark(event.where))

    def inside(self, event: Any) -> None:
        """An op that a bprop runs. What the built-in rules run is their own business."""
        reading = self.reading[-1]
        entry = self.record.readings[reading].entry
        mark = self.users(event.where)
        if self.record.entries[entry].kind == 'call' and mark:
            value = self.value(event.out, event.at, getattr(event.where, 'target', ''))
            what = getattr(event.where, 'expression', '') or event.rule.name
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
        expression = getattr(event.where, 'expression', '') if mark else ''
        written = names.inputs(expression, len(event.inputs))
        written = self.in_order(event.inputs, written)
        known = (n or self.called.get(id(t), '') for t, n in zip(event.inputs, written, strict=True))
        inputs = tuple(self.value(t, event.at, n) for t, n in zip(event.inputs, known, strict=True))
        kind = 'op' if event.state == 'recorded' else 'loose'
        label = self.label() if kind == 'op' else '–'
        entry = self.new(label, event.rule.name, kind, inputs, event.inputs, mark)
        made = self.record.entries[entry]
        made.source = expression
        made.outputs = self.values(event.out, event.at, getattr(event.where, 'target', '') if mark else '')
        if self.reading:
            by = self.record.entries[self.record.readings[self.reading[-1]].entry]
            line = f', line {mark.line}' if mark else ''
            made.note = f'by {by.name}.bprop{line}' if by.kind == 'call' else f'by the rule of {by.name}'
        elif self.open and self.open[-1][0].started is not None:
            made.note = 'by adding up'
        self.own(event.out, entry, made.outputs)
        made.written = self.step('write', entry=entry, mark=mark)

    # ---- backward ----

    def begin(self, event: Any) -> None:
        """A gradient starts."""
        function = event.function
        del self.open[event.order - 1 :]  # what an error, caught since, had left open
        if not self.open:
            self.reading.clear()
            self.depths.clear()
        run = Pass(event.order, self.mark(event.where), len(self.record.steps), len(self.record.entries))
        marked = zip(event.inputs, names.parameters(function, len(event.inputs)), event.sources, strict=True)
        for tensor, parameter, source_of in marked:
            name = getattr(source_of, 'name', '') or parameter or self.called.get(id(source_of), '')
            self.called.setdefault(id(tensor), name)
            if source_of is not tensor:
                self.same[id(tensor)] = source_of
            while source_of is not None:  # an outer gradient may not have known the name
                self.called[id(source_of)] = self.called.get(id(source_of)) or name
                source_of = self.same.get(id(source_of))
        self.record.passes.append(run)
        self.open.append((run, event, {}))

    def back(self, event: Any) -> None:
        """Reading back starts."""
        run, _, parts = self.open[-1]
        seeds = []
        for tensor, cotangent in event.outputs:
            value = self.value(cotangent, event.at, names.gradient(self.called.get(id(tensor), 'out')))
            parts.setdefault(id(tensor), []).append((len(self.record.steps), Part('start', value), None))
            seeds.append(value)
        run.seeds = tuple(seeds)
        run.level = 1 + max((e.level for e in self.record.entries[run.entries :]), default=0)
        first = next((self.maker[id(t)] for t, _ in event.outputs if id(t) in self.maker), None)
        run.started = self.step('start', entry=first, mark=run.mark)

    def pull(self, event: Any) -> None:
        """Backward reaches an entry."""
        number = self.maker.get(id(next(iter(tensors(event.entry.out)), None)))
        if number is None or not self.open:
            return
        entry = self.record.entries[number]
        run, _, contributions = self.open[-1]
        found = [part for t in tensors(event.entry.out) for part in contributions.get(id(t), [])]
        cotangents = event.cotangent if isinstance(event.cotangent, tuple | list) else (event.cotangent,)
        several = len(cotangents) > 1
        douts = tuple(
            Value(f'dout[{i}]' if several else 'dout', words='None')
            if c is None
            else self.value(c, event.at, f'dout[{i}]' if several else 'dout')
            for i, c in enumerate(cotangents)
        )
        for c, v in zip(cotangents, douts, strict=True):
            if tensors(c):
                self.called.setdefault(id(c), v.name)
        parts = tuple(part for _, part, _ in found) if len(found) > 1 else ()
        origin = found[-1][2] if found else None
        mark = entry.facts.start if entry.facts else entry.mark and entry.mark._replace(back=True)
        self.record.readings.append(Reading(number, run.order, len(self.record.steps), douts, parts, origin))
        reading = len(self.record.readings) - 1
        self.reading.append(reading)
        self.depths.append(len(self.cells))
        self.pulls[reading] = event
        self.step('reach', entry=number, reading=reading, mark=mark)

    def give(self, event: Any) -> None:
        """An entry hands out its gradients; a tensor that has one already adds them up."""
        if not self.reading or not self.open:
            return
        reading = self.reading.pop()
        del self.cells[self.depths.pop() :]
        told = self.record.readings[reading]
        entry = self.record.entries[told.entry]
        told.gradients = self.gradients(event, entry, self.pulls[reading])
        mark = entry.facts.end if entry.facts else entry.mark and entry.mark._replace(back=True)
        told.given = self.step('give', entry=told.entry, reading=reading, mark=mark)
        contributions = self.open[-1][2]
        label = f'{entry.label} {entry.name}' + '.bprop' * (entry.kind == 'call')
        for (tensor, gradient), shown in zip(event.gradients, told.gradients, strict=True):
            if gradient is None:
                continue
            tensor = self.entered(tensor)
            parts = contributions.setdefault(id(tensor), [])
            parts.append((told.given, Part(label, shown.value), told.entry))
            if len(parts) > 1:
                made = self.maker.get(id(tensor), told.entry)
                whole = tuple(part for _, part, _ in parts)
                step = self.step('add', entry=made, reading=reading, mark=mark, what=shown.of, parts=whole)
                parts[-1] = (step, *parts[-1][1:])

    def entered(self, tensor: Any) -> Any:
        """What collects the gradients of `tensor`: an outer gradient looks through an inner one's marks."""
        inputs = {id(t) for t in self.open[-1][1].inputs}
        while id(tensor) in self.same and id(tensor) not in inputs:
            tensor = self.same[id(tensor)]
        return tensor

    def gradients(self, event: Any, entry: Entry, pull: Any) -> tuple[Gradient, ...]:
        """What was handed out, beside the true gradient where a bprop of the user's computed it."""
        custom = entry.kind == 'call'
        truths = verdict.truth(self.tape, pull, len(event.gradients)) if custom else (None,) * len(event.gradients)
        facts = entry.facts if custom else None
        due = [v for v in entry.inputs if v.data is not None]
        out = []
        for i, ((tensor, gradient), true) in enumerate(zip(event.gradients, truths, strict=True)):
            of = due[i].name if i < len(due) else getattr(tensor, 'name', '') or self.called.get(id(tensor), '')
            place = next((p for p, v in enumerate(entry.inputs) if v.name == of), i)
            name = (part(facts.names, place) if facts else '') or names.gradient(of)
            value = None if gradient is None else self.value(gradient, event.at, name)
            formula = part(facts.formulas, place) if facts else ''
            why = '' if value else 'None: counted as zero' if is_float(tensor) else 'no float tensor, so no gradient'
            out.append(verdict.judge(Gradient(name, of, value, why, formula=formula), true))
        return tuple(out)

    def end(self, event: Any) -> None:
        """The gradients arrive."""
        if not self.open:
            return
        run, begin, contributions = self.open.pop()
        arrivals = []
        for tensor, gradient in zip(begin.inputs, event.gradients, strict=False):
            of = self.called.get(id(tensor)) or f'input {len(arrivals) + 1}'
            found = tuple((step, part) for step, part, _ in contributions.get(id(tensor), []))
            name = names.gradient(of)
            total = None if gradient is None else self.value(gradient, event.at, name)
            why = '' if found else 'nothing on the tape leads from it to the result'
            arrivals.append(Arrival(name, of, tuple(tensor.shape), found, total, why))
        run.arrivals = tuple(arrivals)
        run.ended = self.step('arrive', run=self.record.passes.index(run), mark=run.mark)

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


def is_float(tensor: Any) -> bool:
    """Whether a tensor can have a gradient."""
    return 'Float' in str(tensor.dtype)


def part(items: tuple[str, ...], index: int) -> str:
    """The item at `index`, or ''."""
    return items[index] if index < len(items) else ''
