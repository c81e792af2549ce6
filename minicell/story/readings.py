"""Backward at one entry: the cotangent that came, what is handed out, what is added up."""

from typing import Any

from . import facts, names
from .book import Book
from .record import Entry, Gradient, Reading, Result
from .stack import ReadBack, Turn
from .tensors import is_float

FEW = 6  # contributions that are told one by one


class Readings:
    """Tells Pull and Give."""

    def __init__(self, book: Book) -> None:
        self.book, self.walk, self.tensors = book, book.walk, book.tensors
        self.record = book.record

    def pull(self, event: Any) -> None:
        """Backward reaches an entry."""
        if (turn := self.walk.turn).known:
            self.reach(turn, event.cotangent)

    def reach(self, turn: Turn, cotangent: Any, hook: int | None = None) -> None:
        """An entry is reached: a Reading. `hook`: the entry that handed the cotangent on."""
        number, frame = turn.entry, turn.frame
        entry = self.record.entries[number]
        cotangents = cotangent if isinstance(cotangent, tuple | list) else (cotangent,)
        douts = tuple(self.book.value(c, self.walk.now, name) for name, c in zip(turn.douts, cotangents, strict=True))
        if hook is None:
            origins = [origin for t, _ in turn.arrived for *_, origin in frame.contributions.get(id(t), [])]
            hook = origins[-1] if origins else None
        self.begin(turn, douts, hook, entry.mark and entry.mark._replace(back=True)).cotangents = tuple(cotangents)

    def begin(self, turn: Turn, douts: tuple, origin: int | None, mark: Any) -> Reading:
        """A new Reading, and the step that reaches its entry."""
        entry, gradient = self.record.entries[turn.entry], turn.frame.gradient
        reading = Reading(turn.entry, gradient.run.order, len(self.record.steps), douts, origin, run=gradient.number)
        turn.reading = len(self.record.readings)
        self.record.readings.append(reading)
        start = entry.facts.start if entry.facts else mark
        self.book.step('reach', entry=turn.entry, reading=turn.reading, mark=start)
        return reading

    def give(self, event: Any) -> None:
        """An entry hands out its gradients; a tensor that has one already adds them up."""
        turn, frame = self.walk.turn, self.walk.frame
        if turn is None or turn.reading is None:
            return
        told = self.record.readings[turn.reading]
        entry = self.record.entries[told.entry]
        told.gave = self.gave(event, entry)
        told.turn = turn
        mark = entry.facts.end if entry.facts else entry.mark and entry.mark._replace(back=True)
        told.given = self.book.step('give', entry=told.entry, reading=turn.reading, mark=mark)
        label = entry.name if entry.kind == 'hook' else f'{entry.label} {entry.name}'
        label += '.bprop' * (entry.kind == 'call')
        by = turn.reading, label, mark
        pairs = zip(event.gradients, told.gave, strict=True)
        told.gave = tuple(self.hand(frame, tensor, gradient, shown, by) for (tensor, gradient), shown in pairs)

    def hand(self, frame: ReadBack, tensor: Any, gradient: Any, shown: Gradient, by: tuple) -> Gradient:
        """One gradient goes to its tensor."""
        reading, label, mark = by
        told, key = self.record.readings[reading], self.tensors.key(tensor)
        tensor = self.tensors.collector(tensor, frame.gradient.inputs)
        if gradient is None:
            facts = self.record.entries[told.entry].facts
            self.tensors.nones[id(tensor)] = f'{label} returned None, which counts as zero' if facts else ''
            return shown._replace(key=key)
        parts = frame.contributions.setdefault(id(tensor), [])
        parts.append((told.given, shown.value, told.entry))
        if (ways := len(parts)) > 1:
            made = self.tensors.maker.get(id(tensor), told.entry)
            few = tuple(value for _, value, _ in parts) if ways <= FEW else ()
            of = self.tensors.said(tensor) or shown.of
            step = self.book.step('add', entry=made, reading=reading, mark=mark, what=of, ways=ways, parts=few)
            parts[-1] = (step, *parts[-1][1:])
        return shown._replace(key=key, when=parts[-1][0])

    def gave(self, event: Any, entry: Entry) -> tuple[Gradient, ...]:
        """What was handed out, by the names that the user's code has for it."""
        custom = entry.kind == 'call'
        due = [v for v in entry.inputs if v.data is not None]
        own = [n for v, n in zip(entry.inputs, entry.own, strict=False) if v.data is not None]
        out = []
        for i, (tensor, gradient) in enumerate(event.gradients):
            of = due[i].name if i < len(due) else self.tensors.name(tensor)
            written = facts.of_gradient(event.entry, i) if custom else Result()
            name = written.name or names.gradient(own[i] if i < len(own) else of)
            value = None if gradient is None else self.book.value(gradient, event.at, name)
            why = '' if value else self.why_none(tensor, custom)
            mark = written.mark or (entry.facts.end if custom and entry.facts and entry.facts.results else None)
            out.append(Gradient(name, of, value, why, written.formula, mark, gradient))
        return tuple(out)

    def why_none(self, tensor: Any, custom: bool) -> str:
        """Why an entry handed out nothing for an input."""
        if not is_float(tensor):
            return f'a tensor of {tensor.dtype} has none'
        if custom:
            return 'None counts as zero'
        made = self.tensors.maker.get(id(tensor))
        known = made is not None or id(tensor) in self.tensors.same
        why = made is not None and self.record.entries[made].why
        constant = 'made from NumPy' if self.tensors.key(tensor) in self.record.cuts else 'a constant'
        return why or ('nobody asks for it here' if known else constant)
