"""A tape put in order for questions: who handed what to which tensor, and what all of it is called."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ... import judge
from ...core.errors import Where
from ...core.tensor import Tensor, tensors_in
from ...core.watch import Call, Op, Tape
from ...judge.verdict import Verdict
from ...story import facts as facts_of
from ...story import names, source
from ...story.events import Walk
from ...story.stack import ReadBack, Turn

NAME = re.compile(r'[A-Za-z_][\w.]*')


class Handed:
    """A gradient that the tape handed out: in which reading, to which tensor; `part`: one contribution alone."""

    def __init__(self, reading: ReadBack, tensor: Tensor, value: object, at: int, part: Any = None) -> None:
        self.reading, self.tensor, self.value, self.at, self.part = reading, tensor, value, at, part


class Contribution(NamedTuple):
    """What one step gave to a tensor: as the `place`-th of all that it gave. step None: backward starts with it."""

    step: Turn | None
    place: int
    value: object
    at: int


class Book:
    """All that is asked of a tape."""

    def __init__(self, tape: Tape) -> None:
        self.walk = walk = Walk(tape)
        self.readings = walk.readings
        self.read: dict[int, str] = {}  # id of a Tensor -> what a line calls it that reads it
        self.origin: dict[int, Op | Call] = {}  # id of a Tensor -> what made it, on the tape or not
        self.lines: dict[int, Where | None] = {}  # time of an Op or Call -> its place in the user's code
        self.tensors: dict[int, Tensor] = {}  # all that ops, Cells and gradients were given
        self.judged: dict[int, tuple[Verdict, ...]] = {}  # id of the Turn of a bprop -> the verdicts on it
        for event in walk:
            if note := getattr(self, f'_{type(event).__name__.lower()}', None):
                note(event)

    # ---- what things are called ----

    def _begin(self, event: Any) -> None:
        self.tensors |= {id(t): t for t in (*event.inputs, *event.sources)}

    def _enter(self, event: Any) -> None:
        for t, name in zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True):
            if isinstance(t, Tensor):
                self._reads(t, name)

    def _op(self, event: Any) -> None:
        expression = self.walk.places.expression(event.where)
        written = names.inputs(expression, len(event.inputs)) if expression else ()
        for order in (written, written[::-1]):  # Python turns `3 * x` into x times 3
            pairs = list(zip(event.inputs, order, strict=False))
            if all(NAME.fullmatch(n) or names.is_number(n, t.array) for t, n in pairs):
                for t, name in pairs:
                    self._reads(t, name if NAME.fullmatch(name) else '')
                break
        self._call(event)

    def _call(self, event: Any) -> None:
        entry = self.walk.entry
        self.lines[event.at] = entry.where if entry else self.walk.places.users(event.where)[1]
        self.origin |= {id(t): event for t in tensors_in(event.out)}
        self.tensors |= {id(t): t for t in tensors_in(event.inputs)}

    def _reads(self, tensor: Tensor, name: str) -> None:
        self.tensors[id(tensor)] = tensor
        if name:
            self.read.setdefault(id(tensor), name)

    def called(self, tensor: Tensor) -> str:
        """What the code calls a tensor: the line that makes it, else a line that reads it."""
        return self.walk.tensors.name(tensor) or self.read.get(id(tensor), '')

    # ---- questions ----

    def verdict(self, c: Contribution) -> Verdict:
        """What is known of what a bprop gave: a takeover is judged once."""
        if id(c.step) not in self.judged:
            self.judged[id(c.step)] = judge.of_turn(self.walk.tape, c.step)
        return self.judged[id(c.step)][c.place]

    def entered(self, tensor: Tensor, reading: ReadBack) -> Tensor:
        """What collects the gradients of `tensor`: an outer gradient looks through an inner one's leaves."""
        return self.walk.tensors.collector(tensor, reading.gradient.inputs)

    def contributions(self, reading: ReadBack, tensor: Tensor) -> list[Contribution]:
        """All that a tensor was given in a reading, in the order of time."""
        found = [
            Contribution(None, place, g, reading.back.at)
            for place, (t, g) in enumerate(reading.back.outputs)
            if self.entered(t, reading) is tensor
        ]
        for step in reading.turns:
            for place, (t, g) in enumerate(step.give.gradients if step.give else ()):
                if self.entered(t, reading) is tensor:
                    found.append(Contribution(step, place, g, step.give.at))
        return found

    def handed(self) -> Iterator[tuple[object, Handed]]:
        """Everything that was handed out: what was given first, then what arrived, then the results."""
        for reading in self.readings:
            for step in reading.turns:
                for place, (t, g) in enumerate(step.give.gradients if step.give else ()):
                    one = Contribution(step, place, g, step.give.at)
                    yield g, Handed(reading, self.entered(t, reading), g, step.give.at, one)
        for reading in self.readings:
            for t, g in reading.back.outputs:
                yield g, Handed(reading, self.entered(t, reading), g, reading.back.at)
            for step in reading.turns:
                for t, g in cotangents(step.event):
                    yield g, Handed(reading, self.entered(t, reading), g, step.event.at)
        for reading in self.readings:
            if reading.end:
                for t, g in zip(reading.gradient.inputs, reading.end.gradients, strict=False):
                    yield g, Handed(reading, t, g, reading.end.at)

    @cached_property
    def by_id(self) -> dict[int, Handed]:
        """The same by the id of what was handed out."""
        return {id(g): handed for g, handed in self.handed() if g is not None}

    def by_name(self) -> dict[str, Handed]:
        """The same by name, the results first; of two that have one name, the later."""
        results, others = {}, {}
        for g, handed in self.handed():
            if g is not None and handed.part is None:
                end = handed.reading.end
                of = results if end and handed.at == end.at else others
                of[self.gradient(handed.tensor)] = handed
        for reading in self.readings:  # a result by the name that the user's line gives it
            begin = reading.gradient.begin
            known = begin and reading.end and self.walk.places.target(begin.where)
            parts = [part for p in known.strip('()').split(',') if (part := p.strip())] if known else []
            if parts and len(parts) == len(reading.gradient.inputs):
                for part, g in zip(parts, reading.end.gradients, strict=True):
                    others.setdefault(part, self.by_id[id(g)])
        return results | {name: handed for name, handed in others.items() if name not in results}

    def name(self, tensor: Tensor) -> str:
        """What the code calls a tensor, or the entry that made it."""
        same = self.walk.tensors.same
        while not self.called(tensor) and id(tensor) in same:
            tensor = same[id(tensor)]
        made = self.origin.get(id(tensor))
        return self.called(tensor) or self.gradients.get(id(tensor), '') or (self.who(made) if made else '')

    def gradient(self, tensor: Tensor) -> str:
        """What to call a tensor's gradient: `dx`, or `d(dx)` where that is one itself."""
        name = self.name(tensor)
        return f'd({name})' if id(tensor) in self.gradients else names.gradient(name)

    @cached_property
    def gradients(self) -> dict[int, str]:
        """What to call the Tensors that are gradients themselves, by id: what another gradient differentiates."""
        found: dict[int, str] = {}
        for reading in self.readings:
            several = len(reading.back.outputs) > 1
            for k, (_, g) in enumerate(reading.back.outputs):
                found.setdefault(id(g), f'dout[{k}]' if several else 'dout')
            for t, g in zip(reading.gradient.inputs, reading.end.gradients if reading.end else (), strict=False):
                if name := self.called(t):
                    found.setdefault(id(g), names.gradient(name))
        return found

    def who(self, event: Op | Call) -> str:
        """An entry as the tape view calls it: `1 Mul`."""
        number = self.walk.entry_of.get(id(event))
        if number is None:
            return type(event.cell).__name__ if isinstance(event, Call) else event.rule.name
        entry = self.walk.entries[number]
        return f'{entry.label} {entry.name}' if entry.kind != 'loose' else entry.name


def cotangents(pull: Any) -> list[tuple[Tensor, object]]:
    """The float outputs of the entry that backward reached, each with what arrived there (None: nothing)."""
    outs = [t for t in tensors_in(pull.entry.out) if t.array.dtype.kind in 'fc']
    given = pull.cotangent if isinstance(pull.cotangent, tuple) else (pull.cotangent,)
    return list(zip(outs, given, strict=False))


def place(span: tuple[int, int, int, int] | None) -> str:
    """A place in the code as `16:9–14`: the line, and the columns, in characters from 0."""
    if span is None:
        return ''
    line, last, column, end = span
    return f'{line}:{column}–{end}' if last == line and end else f'{line}–{last}' if last > line else f'{line}'


def place_of_bprop(cell: object, number: int) -> tuple[str, str]:
    """The formula of a bprop's gradient, and its place: `x + 1` and `16:9–14`."""
    facts = facts_of.of_bprop(cell)
    formula = facts.formulas[number] if facts and 0 <= number < len(facts.formulas) else ''
    if not formula:
        return '', str(facts.end.line) if facts else ''
    span = facts.marks[number].span
    return formula, place(span) if span[0] == span[1] else str(span[0])


def yours(cell: object) -> bool:
    """Whether a Cell's bprop stands in the user's code."""
    return source.users(source.method(cell, 'bprop'))
