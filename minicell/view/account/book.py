"""A tape's events, put in order for questions: who handed what to which tensor, and what all of it is called."""

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ...core.errors import HOME, Where
from ...core.tensor import Tensor, tensors_in
from ...core.watch import Call, Op, Tape
from ...story import facts as facts_of
from ...story import names, source

NAME = re.compile(r'[A-Za-z_][\w.]*')
PRIMES = ('', '′', '″', '‴')


class Step:
    """Backward at one entry: its Pull, its Give, and what the hooks that ran in between returned."""

    def __init__(self, pull: Any) -> None:
        self.pull, self.give, self.returned = pull, None, []


class Reading:
    """One reading back: the gradient that it is of, where it starts, its steps, what it ends in."""

    def __init__(self, begin: Any, back: Any, level: int) -> None:
        self.begin, self.back, self.level = begin, back, level
        self.steps: list[Step] = []
        self.end: Any = None
        self.ids = {id(t) for t in self.leaves}
        # a graph's first call is given Tensors of its own, which have the same addresses
        self.at = {t.at: t for t in self.leaves if t.at >= 0 and not hasattr(t, 'requires_grad')}

    @property
    def leaves(self) -> tuple:
        """The inputs and Parameters of the gradient."""
        return self.begin.inputs if self.begin else ()


class Handed:
    """A gradient that the tape handed out: in which reading, to which tensor; `part`: one contribution alone."""

    def __init__(self, reading: Reading, tensor: Tensor, value: object, at: int, part: Any = None) -> None:
        self.reading, self.tensor, self.value, self.at, self.part = reading, tensor, value, at, part


class Contribution(NamedTuple):
    """What one step gave to a tensor: as the `place`-th of all that it gave. step None: backward starts with it."""

    step: Step | None
    place: int
    value: object
    at: int


class Book:
    """All that is asked of a tape, found in one walk over its events."""

    def __init__(self, tape: Tape) -> None:
        self.readings: list[Reading] = []
        self.called: dict[int, str] = {}  # id of a Tensor -> what the code calls it
        self.same: dict[int, Tensor] = {}  # id of a gradient's leaf -> the Tensor that it replaced
        self.maker: dict[int, Any] = {}  # id of a Tensor -> the Op or Call that made it
        self.labels: dict[int, str] = {}  # time of an Op or Call -> its number on the tape
        self.lines: dict[int, Where | None] = {}  # and the place in the user's code that it stands for
        self.tensors: dict[int, Tensor] = {}  # all that ops, Cells and gradients were given
        self._open: list[Reading] = []
        self._begun: dict[int, tuple[Any, int]] = {}  # address of the first input -> Begin, entries before it
        self._levels: list[int] = []  # of the entries
        self._counts: dict[int, int] = {}
        self._calls: list[Where | None] = []  # of the Cells that run
        self._given, self._left = [], ()
        self._said: dict[tuple, tuple[str, str]] = {}  # place in the code -> target and expression
        for event in tape.events:
            if told := getattr(self, f'_{type(event).__name__.lower()}', None):
                told(event)

    # ---- forward ----

    def _begin(self, event: Any) -> None:
        self._begun[id(getattr(event, 'of', None))] = event, len(self._levels)
        parameters = parameters_of(event.function, len(event.inputs))
        for leaf, parameter, entered in zip(event.inputs, parameters, event.sources, strict=True):
            name = getattr(entered, 'name', '') or parameter or self.called.get(id(entered), '')
            for t in (leaf, entered):
                self._name(t, name)
            if leaf is not entered:
                self.same[id(leaf)] = entered

    def _enter(self, event: Any) -> None:
        self._calls.append(event.where)
        self._given.append(event.inputs)
        for t, name in zip(event.inputs, parameters_of(event.cell, len(event.inputs)), strict=True):
            if isinstance(t, Tensor):
                self._name(t, name)

    def _leave(self, event: Any) -> None:
        where = self._calls.pop() if self._calls else None
        self._left = self._given.pop() if self._given else ()
        if isinstance(event.out, Tensor):
            self._name(event.out, self._code(where)[0])

    def _op(self, event: Any) -> None:
        self._made(event)
        target, expression = self._code(event.where)
        if not any(w is not None and event.where and w.code is event.where.code and w.lasti == event.where.lasti
                   for w in self._calls):  # fmt: skip
            self._name(event.out, target)
        written = names.inputs(expression, len(event.inputs)) if expression else ()
        for order in (written, written[::-1]):  # Python turns `3 * x` into x times 3
            pairs = list(zip(event.inputs, order, strict=False))
            if all(NAME.fullmatch(n) or names.is_number(n, t.array) for t, n in pairs):
                for t, name in pairs:
                    self._name(t, name if NAME.fullmatch(name) else '')
                break

    def _call(self, event: Any) -> None:
        for copy, t in zip(tensors_in(self._left), tensors_in(event.inputs), strict=False):
            if copy is not t:
                self.same.setdefault(id(copy), t)
        self._made(event)
        parts = [p.strip() for p in self._code(event.where)[0].strip('()').split(',')]
        outs = tensors_in(event.out)
        for t, name in zip(outs, parts if len(parts) == len(outs) else (), strict=False):
            self._name(t, name)

    def _made(self, event: Any) -> None:
        """An Op or Call, with its number if it stands on the tape."""
        for t in tensors_in(event.out):
            self.maker[id(t)] = event
        for t in tensors_in(event.inputs):
            self.tensors[id(t)] = t
        if event.state == 'recorded':
            level = self._open[-1].level if self._open else 0
            self._levels.append(level)
            self._counts[level] = self._counts.get(level, 0) + 1
            self.labels[event.at] = f'{self._counts[level]}{PRIMES[min(level, 3)]}'
        own = [w for w in (event.where, *reversed(self._calls)) if w is not None and not w.ours]
        by = self._open[-1].steps[-1].pull.entry if self._open and self._open[-1].steps else None
        self.lines[event.at] = own[0] if own else self.lines.get(by.at) if by else None

    def _name(self, tensor: object, name: str) -> None:
        if isinstance(tensor, Tensor):
            self.tensors[id(tensor)] = tensor
            name = getattr(tensor, 'name', '') or name
            if name and not name.startswith('('):  # `a, b = split(x)` names no single one
                self.called.setdefault(id(tensor), name)

    def _code(self, where: Where | None) -> tuple[str, str]:
        """The name that the user's line gives to a call's value, and the call's source; read once a place."""
        if where is None or where.ours:
            return '', ''
        key = where.code, where.lasti
        if key not in self._said:
            self._said[key] = where.target or names.target(where.expression), where.expression
        return self._said[key]

    # ---- backward ----

    def _back(self, event: Any) -> None:
        begin, before = self._begun.get(id(getattr(event, 'of', None)), (None, 0))
        self._open.append(Reading(begin, event, 1 + max(self._levels[before:], default=0)))
        self.readings.append(self._open[-1])

    def _pull(self, event: Any) -> None:
        if self._open:
            self._open[-1].steps.append(Step(event))

    def _hooked(self, event: Any) -> None:
        if self._open and self._open[-1].steps and event.returned is not None:
            self._open[-1].steps[-1].returned.append(event.returned)

    def _give(self, event: Any) -> None:
        while self._open and not (self._open[-1].steps and self._open[-1].steps[-1].pull.entry is event.entry):
            self._open.pop()  # an error that someone caught had ended it
        if self._open:
            self._open[-1].steps[-1].give = event

    def _end(self, event: Any) -> None:
        if event.gradients is None:  # an exception has ended it, or a vjp's function has returned
            self._open = [r for r in self._open if r.back.of is not event.of]
            return
        shapes = [g.shape for g in event.gradients]
        while self._open and [t.shape for t in self._open[-1].leaves] != shapes and self._open[-1].begin:
            self._open.pop()
        if self._open:
            self._open.pop().end = event

    # ---- questions ----

    def entered(self, tensor: Tensor, reading: Reading) -> Tensor:
        """What collects the gradients of `tensor`: an outer gradient looks through an inner one's leaves."""
        while id(tensor) in self.same and id(tensor) not in reading.ids:
            tensor = self.same[id(tensor)]
        return reading.at.get(tensor.at, tensor)

    def contributions(self, reading: Reading, tensor: Tensor) -> list[Contribution]:
        """All that a tensor was given in a reading, in the order of time."""
        found = [
            Contribution(None, place, g, reading.back.at)
            for place, (t, g) in enumerate(reading.back.outputs)
            if self.entered(t, reading) is tensor
        ]
        for step in reading.steps:
            for place, (t, g) in enumerate(step.give.gradients if step.give else ()):
                if self.entered(t, reading) is tensor:
                    found.append(Contribution(step, place, g, step.give.at))
        return found

    def handed(self) -> Iterator[tuple[object, Handed]]:
        """Everything that was handed out: what was given first, then what arrived, then the results."""
        for reading in self.readings:
            for step in reading.steps:
                for place, (t, g) in enumerate(step.give.gradients if step.give else ()):
                    one = Contribution(step, place, g, step.give.at)
                    yield g, Handed(reading, self.entered(t, reading), g, step.give.at, one)
        for reading in self.readings:
            for t, g in reading.back.outputs:
                yield g, Handed(reading, self.entered(t, reading), g, reading.back.at)
            for step in reading.steps:
                for t, g in cotangents(step.pull):
                    yield g, Handed(reading, self.entered(t, reading), g, step.pull.at)
        for reading in self.readings:
            if reading.end:
                for t, g in zip(reading.leaves, reading.end.gradients, strict=False):
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
            known = reading.begin and reading.end and self._code(reading.begin.where)[0]
            parts = [part for p in known.strip('()').split(',') if (part := p.strip())] if known else []
            if parts and len(parts) == len(reading.leaves):
                for part, g in zip(parts, reading.end.gradients, strict=True):
                    others.setdefault(part, self.by_id[id(g)])
        return results | {name: handed for name, handed in others.items() if name not in results}

    def name(self, tensor: Tensor) -> str:
        """What the code calls a tensor, or the entry that made it."""
        while id(tensor) not in self.called and id(tensor) in self.same:
            tensor = self.same[id(tensor)]
        if id(tensor) in self.called:
            return self.called[id(tensor)]
        if id(tensor) in self.gradients:
            return self.gradients[id(tensor)]
        return self.who(self.maker[id(tensor)]) if id(tensor) in self.maker else ''

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
            for t, g in zip(reading.leaves, reading.end.gradients if reading.end else (), strict=False):
                if name := self.called.get(id(t)):
                    found.setdefault(id(g), names.gradient(name))
        return found

    def who(self, entry: Op | Call) -> str:
        """An entry as the tape view calls it: `1 Mul`."""
        name = type(entry.cell).__name__ if isinstance(entry, Call) else entry.rule.name
        return f'{self.labels.get(entry.at, "")} {name}'.strip()


def parameters_of(function: Any, count: int) -> list[str]:
    """The names of a function's or Cell's parameters; those of *x are `x[0]`, `x[1]`."""
    found = names.parameters(function, count)
    code = getattr(getattr(function, 'construct', function), '__code__', None)
    if code is not None and code.co_filename.startswith(HOME) and not hasattr(function, 'construct'):
        return [''] * count
    if code is None or not code.co_flags & inspect.CO_VARARGS:
        return found
    several, given = code.co_varnames[code.co_argcount + code.co_kwonlyargcount], sum(map(bool, found))
    return [name or f'{several}[{k - given}]' for k, name in enumerate(found)]


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
