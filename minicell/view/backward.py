"""The backward events of a tape, told: which gradient starts, what it reads, what is handed out and added up."""

from typing import Any

from . import names, verdict
from .model import Arrival, Entry, Gradient, Part, Pass, Reading, Value
from .notes import Notes, places, tensors


class Backward(Notes):
    """Tells the events of gradients."""

    def begin(self, event: Any) -> None:
        """A gradient starts."""
        function = event.function
        del self.open[event.order - 1 :]  # what an error, caught since, had left open
        if not self.open:
            self.reading.clear()
            self.depths.clear()
        run = Pass(event.order, self.mark(event.where), len(self.record.steps))
        run.entries, run.depth = len(self.record.entries), len(self.cells)
        run.written = sum(self.counts.values())
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
        for i, (tensor, cotangent) in enumerate(event.outputs):
            value = self.value(cotangent, event.at, f'dout[{i}]' if len(event.outputs) > 1 else 'dout')
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
        cotangents, called = (event.cotangent,), ['dout']
        if isinstance(event.cotangent, tuple | list):
            outs = zip(places(event.entry.out, 'dout'), tensors(event.entry.out), strict=True)
            # no gradient comes for a mask
            cotangents, called = event.cotangent, [name for name, t in outs if t.asnumpy().dtype.kind in 'fc']
        douts = tuple(
            Value(name, words='None') if c is None else self.value(c, event.at, name)
            for name, c in zip(called, cotangents, strict=True)
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
        told.gave = self.gave(event, entry)
        if entry.kind == 'call':
            told.truth = verdict.judged(self.tape, self.pulls[reading])
        mark = entry.facts.end if entry.facts else entry.mark and entry.mark._replace(back=True)
        told.given = self.step('give', entry=told.entry, reading=reading, mark=mark)
        contributions = self.open[-1][2]
        label = f'{entry.label} {entry.name}' + '.bprop' * (entry.kind == 'call')
        for (tensor, gradient), shown in zip(event.gradients, told.gave, strict=True):
            tensor = self.entered(tensor)
            if gradient is None:
                self.nones[id(tensor)] = f'{label} returned None, which counts as zero' if entry.facts else ''
                continue
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

    def gave(self, event: Any, entry: Entry) -> tuple[Gradient, ...]:
        """What was handed out, by the names that the user's code has for it."""
        custom = entry.kind == 'call'
        facts = entry.facts if custom else None
        arguments = names.parameters(event.entry.cell, len(event.entry.inputs)) if custom else []
        due = [v for v in entry.inputs if v.data is not None]
        out = []
        for i, (tensor, gradient) in enumerate(event.gradients):
            of = due[i].name if i < len(due) else getattr(tensor, 'name', '') or self.called.get(id(tensor), '')
            # the gradients of Parameters stand behind those of the arguments
            place = arguments.index(of) if of in arguments else i if i >= len(due) else -1
            name = (part(facts.names, place) if facts else '') or names.gradient(of)
            value = None if gradient is None else self.value(gradient, event.at, name)
            why = '' if value else self.why_none(tensor, custom)
            told = Gradient(name, of, value, why)
            if facts and 0 <= place < len(facts.formulas):
                told = told._replace(formula=facts.formulas[place], line=facts.lines[place])
            out.append(told)
        return tuple(out)

    def why_nothing(self, tensor: Any, name: str) -> str:
        """Why no gradient came: a bprop may have returned None, a takeover may have swallowed the Parameter."""
        if self.nones.get(id(tensor)):
            return self.nones[id(tensor)]
        cut = (e for e in self.record.entries for w in e.wires if w.name == name and not w.whole)
        if entry := next(cut, None):
            return f'its wire is cut at {entry.label} {entry.name}: not in internal_params'
        return 'nothing on the tape leads from it to the result'

    def why_none(self, tensor: Any, custom: bool) -> str:
        """Why an entry handed out nothing for an input."""
        if not is_float(tensor):
            return f'a tensor of {tensor.dtype} has none'
        if custom:
            return 'None counts as zero'
        made = self.maker.get(id(tensor))
        return (self.record.entries[made].why if made is not None else '') or 'a constant'

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
            why = '' if found else self.why_nothing(tensor, of)
            arrivals.append(Arrival(name, of, tuple(tensor.shape), found, total, why))
        run.arrivals = tuple(arrivals)
        run.ended = self.step('arrive', run=self.record.passes.index(run), mark=run.mark)


def is_float(tensor: Any) -> bool:
    """Whether a tensor can have a gradient."""
    return 'Float' in str(tensor.dtype)


def part(items: tuple[str, ...], index: int) -> str:
    """The item at `index`, or ''."""
    return items[index] if 0 <= index < len(items) else ''
