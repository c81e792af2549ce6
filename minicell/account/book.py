"""A tape put in order for questions: who handed what to which tensor, and what all of it is called."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..core.errors import Where
from ..core.tensor import Tensor, tensors_in
from ..core.watch import Call, Enter, Op, Tape
from ..story import names
from ..story.events import Walk
from ..story.stack import ReadBack, Turn

NAME = re.compile(r'[A-Za-z_][\w.]*')


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
        self.walk = walk = Walk(tape)
        self.read: dict[int, str] = {}  # id of a Tensor -> what a line calls it that reads it
        self.origin: dict[int, Op | Call] = {}  # id of a Tensor -> what made it, on the tape or not
        self.lines: dict[int, Where | None] = {}  # time of an Op or Call -> its place in the user's code
        self.tensors: dict[int, Tensor] = {}  # all that ops, Cells and gradients were given
        for event in walk:
            inputs = getattr(event, 'inputs', ())
            self.tensors |= {id(t): t for t in tensors_in((inputs, getattr(event, 'sources', ())))}
            for t, name in zip(inputs, self.written(event), strict=False):
                if NAME.fullmatch(name):
                    self.read.setdefault(id(t), name)
            if isinstance(event, Op | Call):
                self.lines[event.at] = walk.entry.where if walk.entry else walk.places.users(event.where)[1]
                self.origin |= {id(t): event for t in tensors_in(event.out)}

    # ---- what things are called ----

    def written(self, event: Any) -> Sequence[str]:
        """What the code calls that an event reads."""
        if isinstance(event, Enter):
            return names.parameters(event.cell, len(event.inputs))
        if not isinstance(event, Op):
            return ()
        found = names.inputs(self.walk.places.expression(event.where), len(event.inputs))
        # one may be a number: Python turns `3 * x` into x times 3
        return found if all(map(NAME.fullmatch, found)) else self.walk.tensors.in_order(event.inputs, found)

    def called(self, tensor: Tensor) -> str:
        """What the code calls a tensor: the line that makes it, else a line that reads it."""
        return self.walk.tensors.name(tensor) or self.read.get(id(tensor), '')

    def name(self, tensor: Tensor) -> str:
        """The same, or the expression or the entry that made it."""
        same = self.walk.tensors.same
        while not self.called(tensor) and id(tensor) in same:
            tensor = same[id(tensor)]
        made, known = self.origin.get(id(tensor)), self.called(tensor) or self.gradients.get(id(tensor), '')
        return known or (made and (self.walk.tensors.made_by(tensor) or self.who(made))) or ''

    def gradient(self, tensor: Tensor) -> str:
        """What to call a tensor's gradient: `dx`, or `d(dx)` where that is one itself."""
        name = self.name(tensor)
        return f'd({name})' if id(tensor) in self.gradients else names.gradient(name)

    @cached_property
    def gradients(self) -> dict[int, str]:
        """What to call the Tensors that are gradients themselves, by id: what another gradient differentiates."""
        found: dict[int, str] = {}
        for reading in self.walk.readings:
            several = len(reading.back.outputs) > 1
            for k, (_, g) in enumerate(reading.back.outputs):
                found.setdefault(id(g), f'dout[{k}]' if several else 'dout')
            for t, g in zip(reading.gradient.inputs, reading.end.gradients if reading.end else (), strict=False):
                if name := self.called(t):
                    found.setdefault(id(g), names.gradient(name))
        return found

    def who(self, event: Op | Call) -> str:
        """An entry as the picture calls it: `1 Mul`."""
        number = self.walk.entry_of.get(id(event))
        if number is None:
            return type(event.cell).__name__ if isinstance(event, Call) else event.rule.name
        entry = self.walk.entries[number]
        return f'{entry.label} {entry.name}' if entry.kind != 'loose' else entry.name

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
    def handed(self) -> list[Handed]:
        """Everything that was handed out: the parts first, then what arrived, then the results."""
        came, results = [], []
        for reading in self.walk.readings:
            for step in reading.turns:
                came += [self.collected(reading, t, g, step.event.at) for t, g in step.arrived]
            if end := reading.end:
                pairs = zip(reading.gradient.inputs, end.gradients, strict=False)
                results += [Handed(reading, t, g, end.at) for t, g in pairs]
        return [handed for handed in (*self.parts, *came, *results) if handed.value is not None]

    @cached_property
    def by_id(self) -> dict[int, Handed]:
        """The same by the id of what was handed out."""
        return {id(handed.value): handed for handed in self.handed}

    @cached_property
    def by_name(self) -> dict[str, Handed]:
        """The same by name, the results first; of two that have one name, the later."""
        results, others = {}, {}
        for handed in self.handed:
            if handed.step is None:
                end = handed.reading.end
                (results if end and handed.at == end.at else others)[self.gradient(handed.tensor)] = handed
        for reading in self.walk.readings:  # a result by the name that the user's line gives it
            begin, found = reading.gradient.begin, reading.end.gradients if reading.end else ()
            target = self.walk.places.target(begin.where) if begin else ''
            for g, name in names.outputs(found if len(found) > 1 else next(iter(found), None), target):
                if name.isidentifier() and g is not None:
                    others.setdefault(name, self.by_id[id(g)])
        return results | others | results
