"""What a picture shows, as plain data: steps, entries, readings, values. No drawing here, and no engine."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, NamedTuple

import numpy as np


class Value(NamedTuple):
    """A tensor at one moment: its name in the code, its shape and numbers. `words` stand where there are no numbers."""

    name: str
    shape: tuple[int, ...] = ()
    dtype: str = ''
    data: np.ndarray | None = None
    words: str = ''


class Mark(NamedTuple):
    """Lines of code that a step points at; `back` where backward reads what that line had written."""

    file: str
    line: int
    last: int
    back: bool = False
    span: tuple[int, int, int, int] | None = None  # first and last line, first and last column: the very expression


class Gradient(NamedTuple):
    """What one entry handed out for one of its inputs."""

    name: str
    of: str
    value: Value | None
    why: str = ''  # why there is none
    formula: str = ''  # the source that computed it
    mark: Mark | None = None  # and where it stands, or where it is returned
    tensor: object = None  # the gradient itself: `tape.why` takes it
    key: int = -1  # which tensor it is of
    when: int | None = None  # the step that hands it out, or adds it to what has come before


class Result(NamedTuple):
    """What the source of a bprop says of a gradient that it returns; nothing where it does not tell."""

    name: str = ''
    formula: str = ''  # the source that computed it
    mark: Mark | None = None  # and where that stands
    key: str = ''  # of a Parameter's: `self.w`


class Facts(NamedTuple):
    """What the source of a bprop says about itself."""

    start: Mark
    end: Mark
    results: tuple[Result, ...] = ()
    dout: str = 'dout'
    reads_dout: bool = True


class Wire(NamedTuple):
    """A Parameter that an entry uses; not `whole` if a takeover swallowed it."""

    name: str
    whole: bool
    words: str


class Ghost(NamedTuple):
    """An op that a takeover hid: it ran, and left nothing."""

    name: str
    source: str
    out: Value
    first: int  # the step that shows it
    lost: bool  # it would have been recorded
    op: Any = None  # its event
    inputs: tuple[Value, ...] = ()
    places: tuple[int | None, ...] = ()  # which of the tensors that the Cell was given each of these is
    keys: tuple[int, ...] = ()  # which tensor each input is
    made: int = -1  # which tensor it made
    whole: bool = False  # and the Cell returned that
    mark: Mark | None = None
    rule = property(lambda self: self.op.rule)  # the engine's rule of it
    outputs = property(lambda self: (self.out,))


@dataclass(eq=False)
class Scope:
    """A call of a Cell without a bprop of its own: what it runs stands on the tape one by one."""

    name: str
    mark: Mark | None
    first: int  # the step that enters it
    inputs: tuple[Value, ...] = ()
    keys: tuple[int, ...] = ()  # which tensors these are
    outputs: tuple[Value, ...] = ()


@dataclass(eq=False)
class Entry:
    """One entry of the tape: an op, a Cell with its own bprop, or something that left no entry (`loose`)."""

    label: str  # its number; – for what left no entry, ← for a write into memory
    name: str
    kind: str  # 'op', 'call', 'hook', 'loose', 'torn'; 'cell' where a whole Cell is one card
    first: int = 0  # the step that shows it first
    inputs: tuple[Value, ...] = ()  # by their names in the program
    own: tuple[str, ...] = ()  # what a Cell with its own bprop calls them
    outputs: tuple[Value, ...] = ()
    keys: tuple[int, ...] = ()  # which tensor each input is: the same number, the same tensor
    made: tuple[int, ...] = ()  # the same numbers for its outputs
    scopes: tuple[int, ...] = ()  # the Cells that it ran in, outermost first
    hidden: list[str] = field(default_factory=list)
    ghosts: list[Ghost] = field(default_factory=list)
    wires: tuple[Wire, ...] = ()
    why: str = ''  # of a loose entry: why it left none
    inside: tuple[str, ...] = ()  # of a card for a whole Cell: the names of its entries
    hidden_at: int | None = None  # the step in which the hidden ops ran
    written: int | None = None  # the step that wrote it
    mark: Mark | None = None
    where: object = None  # its place in the user's code; what a rule runs stands where the entry does that is read
    round: int = 1  # how many entries this place has made on this tape by then: in a loop over time, the time step
    source: str = ''  # the user's expression
    error: str = ''  # of a torn entry
    level: int = 0  # on which tape it stands: 0 the first, 1 the one that reading it back wrote
    by: int | None = None  # the reading that wrote it, where a gradient did
    facts: Facts | None = None
    yours: bool = True  # its own bprop or hook, if it has one, stands in the user's code
    op: Any = None  # the event of an op, or of a call of a Cell
    hook: str = ''  # of a hook: 'backward_pre', 'backward' (of a Cell), 'tensor' or 'op'
    function: object = None  # and what is called
    target: str = ''  # the tensor that a hook hangs on, or that was overwritten
    run: int | None = None  # the gradient (Pass) on whose tape it stands
    rule = property(lambda self: getattr(self.op, 'rule', None))  # the engine's, of an op: its formula is read there


class Hooked(NamedTuple):
    """One call of a hook: the gradients before and after it; `after` is None where it returned None."""

    before: tuple[Value, ...]
    after: tuple[Value, ...] | None
    facts: Facts | None


@dataclass(eq=False)
class Reading:
    """Backward at one entry: what came in, what went out."""

    entry: int
    order: int
    reached: int
    douts: tuple[Value, ...]
    origin: int | None = None  # the entry that handed the cotangent in
    given: int | None = None
    gave: tuple[Gradient, ...] = ()
    turn: object = None  # what happened there, once it has handed out
    judge: Callable[[], tuple] | None = None  # makes its verdicts
    error: str = ''
    run: int | None = None  # the gradient (Pass) that reads
    hooks: tuple[Hooked, ...] = ()  # the calls of hooks here
    cotangents: tuple[object, ...] = ()  # what douts show: the tensors themselves
    ran: list = field(default_factory=list)  # the events of the ops that ran there

    @cached_property
    def verdicts(self) -> tuple:
        """One for each gradient that a bprop handed out: made when someone looks. () where nobody judges."""
        return tuple(self.judge()) if self.judge else ()


class Arrival(NamedTuple):
    """A gradient at the end of its way: the tensor it belongs to, and what it was added up from."""

    name: str
    of: str
    shape: tuple[int, ...]
    parts: tuple[tuple[int, Value], ...]  # (the step that brought it, what it brought)
    total: Value | None
    why: str = ''
    tensor: object = None  # the gradient itself
    key: int = -1  # which tensor it belongs to


@dataclass(eq=False)
class Pass:
    """One gradient: what it differentiates, where backward starts, what it returns."""

    order: int  # how many gradients are open, with it
    mark: Mark | None
    begun: int
    started: int | None = None
    ended: int | None = None
    seeds: tuple[Value, ...] = ()
    level: int = 0  # the tape that its backward writes on, while one more gradient watches
    arrivals: tuple[Arrival, ...] = ()
    watched: bool = False  # whether one more gradient follows what its backward computes
    inside: int | None = None  # the reading in whose bprop or hook it runs, where nobody watches it
    around: int | None = None  # the Pass that watches it: the innermost around it that differentiates what it computes
    inner: int = 0  # how many gradients are nested in it, one in the other: 0 of a plain one
    result_of: int | None = None  # the Pass whose result it differentiates, as it is
    target: str = ''  # what the user's line assigns its result to
    asked: str = ''  # 'jvp' or 'jacfwd', if it is one of the two readings that these are made of
    again: bool = False  # and it is the second: it differentiates the first with respect to what that started with
    reads: int = 0  # how many entries it reads
    key: object = None  # names the gradient among the events
    judge: Callable[[], tuple] | None = None  # of a gradient of a gradient: makes its verdicts

    @property
    def outermost(self) -> bool:
        """Whether it is the one around a nest of gradients."""
        return self.around is None and self.inner > 0

    @property
    def names(self) -> dict[str, str]:
        """What the line that takes a gradient of a gradient calls it: `bend` in `bend = grad(grad(net))(x)`."""
        names = [n.strip(' ()') for n in self.target.split(',')] if self.outermost and not self.asked else []
        due = len(names) == len(self.arrivals) and all(n.isidentifier() for n in names)
        return {a.name: n for a, n in zip(self.arrivals, names, strict=True)} if due else {}

    @property
    def nested(self) -> bool:
        """Whether it belongs to a nest of gradients."""
        return self.around is not None or self.inner > 0

    @cached_property
    def verdicts(self) -> tuple:
        """One for each arrival, where it went through a bprop; else ()."""
        return tuple(self.judge()) if self.judge else ()


class Step(NamedTuple):
    """One event that the reader steps to."""

    kind: str  # enter, hidden, write, start, reach, inside, give, add, arrive, fail
    entry: int | None = None
    reading: int | None = None
    run: int | None = None  # the gradient (Pass) that is being read
    mark: Mark | None = None
    what: str = ''
    value: Value | None = None
    ways: int = 0  # of what is added up: how many parts there are so far
    parts: tuple[Value, ...] = ()  # and these, where they are few
    scope: int | None = None  # the Cell without a bprop of its own that it enters
    cut: bool = False  # what its line makes is a constant to autodiff: the numbers came from NumPy


@dataclass(eq=False)
class Record:
    """A tape, told in steps."""

    entries: list[Entry] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    ran: list[CodeType] = field(default_factory=list)  # the user's functions that ran, and those that hid what they do
    hides: list[CodeType] = field(default_factory=list)
    code: list = field(default_factory=list)  # the lines of these that a picture shows
    cuts: dict[int, Step] = field(default_factory=dict)  # by the key of a tensor: the step that made it from NumPy
    unknown: tuple[str, ...] = ()  # what nobody could tell: it is left out
    why: Callable[..., Any] | None = None  # the account of one number of a gradient: `tape.why`
    truth: Callable[[object], list] | None = None  # by the key of a Pass: what it would hand over without any bprop

    @cached_property
    def depth(self) -> int:
        """The level of the last tape."""
        return max((e.level for e in self.entries), default=0)
