"""A tape put in order for questions: who handed what to which tensor, and what all of it is called.

The walk that the picture takes has named every tensor and numbered every entry; here is nothing but what it knows.
"""

from functools import cached_property
from typing import Any, NamedTuple

from ..core.tensor import Tensor, tensors_in
from ..core.watch import Call, Op, Tape
from ..story import names
from ..story.events import Walk
from ..story.places import columns
from ..story.stack import ReadBack, Turn


class Handed(NamedTuple):
    """A gradient that the tape handed out for a tensor, and when: a part of it, as the `place`-th of all that a step
    gave (step None: that backward starts with); or, without a place, what had come together by then."""

    reading: ReadBack
    tensor: Tensor
    value: object
    at: int
    place: int | None = None
    step: Turn | None = None
    entry = property(lambda self: self.step and self.step.event.entry)  # that handed it out


class Book:
    """All that is asked of a tape."""

    def __init__(self, tape: Tape) -> None:
        self.walk = Walk(tape)
        self.events = list(self.walk)
        self.origin = {id(t): e for e in self.events if isinstance(e, Op | Call) for t in tensors_in(e.out)}

    @cached_property
    def tensors(self) -> dict[int, Tensor]:
        """All that ops, Cells and gradients were given, by id."""
        given = ((getattr(e, 'inputs', ()), getattr(e, 'sources', ())) for e in self.events)
        return {id(t): t for each in given for t in tensors_in(each)}

    # ---- what things are called ----

    def called(self, tensor: Tensor) -> str:
        """What the code calls a tensor; nothing for one of the many that are called dout."""
        name = self.walk.tensors.name(tensor)
        return name * (not name.startswith('dout') or id(tensor) not in self.walk.tensors.dout_of)

    def name(self, tensor: Tensor) -> str:
        """The same, or the expression or the entry that made it, or to which it came."""
        known = self.walk.tensors
        while not self.called(tensor) and id(tensor) in known.same:
            tensor = known.same[id(tensor)]
        said = self.called(tensor) or known.made_by(tensor) or known.by_entry(tensor)
        return said or self.source(self.origin.get(id(tensor)))

    def source(self, event: Op | Call | None) -> str:
        """The user's expression for what no entry tells, if it is short."""
        said = self.walk.places.expression(event.where) if event is not None else ''
        return said if len(said) <= names.LONGEST else ''

    def gradient(self, tensor: Tensor) -> str:
        """What to call a tensor's gradient."""
        return names.gradient(self.name(tensor))

    def who(self, event: Op | Call) -> str:
        """An entry as the picture calls it: `1 Mul`."""
        entry = self.entry(event)
        if entry is None:
            return type(event.cell).__name__ if isinstance(event, Call) else event.rule.name
        return f'{entry.label} {entry.name}' if entry.kind != 'loose' else entry.name

    def entry(self, event: Op | Call) -> Any:
        """The entry that an Op or a Call has left, if any."""
        number = self.walk.entry_of.get(id(event))
        return None if number is None else self.walk.entries[number]

    def line(self, event: Op | Call) -> dict:
        """Where it stands in the user's code."""
        entry = self.entry(event)
        where = entry.where if entry is not None else event.where
        if where is None or getattr(where, 'ours', False):
            return dict(entry=event.at)
        return dict(line=place(columns(where) or where.span), file=where.file, entry=event.at)

    # ---- what was handed out ----

    def collected(self, reading: ReadBack, tensor: Tensor, *handed: Any) -> Handed:
        """What was handed out for a tensor: an outer gradient looks through an inner one's leaves."""
        return Handed(reading, self.walk.tensors.collector(tensor, reading.gradient.inputs), *handed)

    @cached_property
    def parts(self) -> list[Handed]:
        """All that readings start with, and that their steps gave, in the order of time."""
        found = []
        for reading in self.walk.readings:
            given = [(None, reading.back.at, reading.back.outputs)]
            given += [(step, step.give.at, step.give.gradients) for step in reading.turns if step.give]
            for step, at, pairs in given:
                found += [self.collected(reading, t, g, at, place, step) for place, (t, g) in enumerate(pairs)]
        return found

    @cached_property
    def results(self) -> list[Handed]:
        """What each gradient returned: the later ones last."""
        ended = sorted((r for r in self.walk.readings if r.end), key=lambda r: r.end.at)
        pairs = [(r, zip(r.gradient.inputs, r.end.gradients, strict=False)) for r in ended]
        return [Handed(r, t, g, r.end.at) for r, found in pairs for t, g in found if g is not None]

    @cached_property
    def handed(self) -> list[Handed]:
        """Everything that was handed out: the parts first, then what arrived, then the results."""
        came = [
            self.collected(reading, t, g, step.event.at)
            for reading in self.walk.readings for step in reading.turns for t, g in step.arrived
        ]  # fmt: skip
        return [handed for handed in (*self.parts, *came) if handed.value is not None] + self.results

    @cached_property
    def by_id(self) -> dict[int, Handed]:
        """The same by the id of what was handed out."""
        return {id(handed.value): handed for handed in self.handed}

    @cached_property
    def by_name(self) -> dict[str, Handed]:
        """The same by name, the results first; of two that have one name, the later. A result has two: its own, and the
        one that the user's line gives it."""
        found = {self.gradient(h.tensor): h for h in self.results}
        whole = [h for h in self.handed if h.step is None]
        found |= {name: h for h in whole if (name := self.gradient(h.tensor)) not in found}
        for reading in self.walk.readings:
            begin, gave = reading.gradient.begin, reading.end.gradients if reading.end else ()
            target = self.walk.places.returned(begin.where) if begin else ''
            for g, name in names.outputs(gave if len(gave) > 1 else next(iter(gave), None), target):
                if name.isidentifier() and g is not None:
                    found.setdefault(name, self.by_id[id(g)])
        return found


def place(span: tuple[int, int, int, int]) -> str:
    """A place in the code as `16:9–14`: the line, and the columns, in characters from 0."""
    line, last, column, end = span
    return f'{line}:{column}–{end}' if last == line and end else f'{line}–{last}' if last > line else f'{line}'
