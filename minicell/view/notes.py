"""What a teller of events keeps in mind: who made which tensor, what the code calls it, what is still open."""

from typing import Any

import numpy as np

from . import names
from .model import Mark, Pass, Record, Step, Value

WORDS = 40  # characters of what is no tensor
COPIED = 1024  # numbers
PRIMES = ('', '′', '″', '‴')


class Notes:
    """The Record as far as it is told, and what is open: cells, gradients, readings."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        self.record = Record()
        self.maker: dict[int, int] = {}  # id of a tensor -> the entry that made it
        self.called: dict[int, str] = {}  # id of a tensor -> its name in the code
        # open calls: where, the entry of a Cell with its own bprop, the scope of one without
        self.cells: list[tuple[Any, int | None, int | None]] = []
        self.veils: list[int] = []  # where in `cells` a Cell with a bprop stands that is hidden itself: it hides, too
        self.used: dict[int, list] = {}  # entry -> what the ops inside a Cell with its own bprop read
        self.wheres: dict[tuple, Any] = {}  # (code, instruction) -> the first call there
        self.nones: dict[int, str] = {}  # id of a tensor -> who said that it has no gradient
        self.keys: dict[int, int] = {}  # id of a tensor -> its number
        self.left: dict[int, int] = {}  # id of a Cell that just returned -> its entry
        self.open: list[tuple[Pass, Any, dict]] = []  # gradients: the pass, its Begin, contributions by tensor
        self.reading: list[int] = []  # readings that have not handed out yet
        self.depths: list[int] = []  # how many calls were open when each of them began
        self.pulls: dict[int, Any] = {}  # reading -> its Pull event
        self.same: dict[int, Any] = {}  # id of a gradient's marked input -> the tensor that entered it
        self.errors: dict[int, BaseException] = {}  # those that have been told
        self.span: tuple = (0, 0, 0, 0)  # of the last op that a bprop ran
        self.codes: dict[Any, None] = {}
        self.hides: dict[Any, None] = {}
        self.now = 0  # the time of the event that is being told
        self.counts: dict[int, int] = {}  # how many entries stand on each tape

    def step(self, kind: str, **details: Any) -> int:
        """Append a step and return its number."""
        if self.open and 'run' not in details:
            details['run'] = self.record.passes.index(self.open[-1][0])
        self.record.steps.append(Step(kind, written=sum(self.counts.values()), at=self.now, **details))
        return len(self.record.steps) - 1

    def mark(self, where: Any) -> Mark | None:
        """Where an event stands in the user's code."""
        if where is None or getattr(where, 'ours', False):
            return None
        code = getattr(where, 'code', None)
        if code is not None and code.co_name != '<module>':
            self.codes.setdefault(code)
        first, last = where.span[:2]
        return Mark(where.file, first, last)

    def target(self, where: Any) -> str:
        """The name that the line gives to this call's own value: what runs deeper inside the line has none."""
        calls = [*(call for call, _, _ in self.cells), *(begin.where for _, begin, _ in self.open)]
        if where is None or any(call is not None and at_same(call, where) for call in calls):
            return ''
        return getattr(self.first(where), 'target', '') or names.target(self.expression(where))

    def first(self, where: Any) -> Any:
        """The first call at the same place: in a loop the source is read once."""
        return self.wheres.setdefault((where.code, where.lasti), where) if hasattr(where, 'lasti') else where

    def expression(self, where: Any) -> str:
        """The source of a call."""
        return getattr(self.first(where), 'expression', '')

    def users(self, where: Any) -> Mark | None:
        """The line to mark for an op: in a bprop the bprop's own, in a layer of minicell's the one that called it."""
        calls = [call for call, _, _ in self.cells]
        if self.reading and self.depths[-1] < len(calls):
            return self.mark(calls[self.depths[-1]])
        own = self.mark(where)
        return own or next((m for call in reversed(calls) if (m := self.mark(call))), None)

    def value(self, thing: Any, at: int, name: str = '') -> Value:
        """A tensor as it was at time `at`, or an array, or the words for what is neither."""
        if isinstance(thing, np.ndarray | np.generic | float):
            data, dtype = np.asarray(thing), str(np.asarray(thing).dtype).capitalize()
        elif hasattr(thing, 'asnumpy'):
            data, dtype = np.asarray(self.tape.value(thing, at)), str(thing.dtype)
            if data.size <= COPIED or hasattr(thing, 'requires_grad'):
                data = data.copy()  # what is told stays as it was, whatever is written into the memory later
        else:
            return Value(name, words=repr(thing)[:WORDS])
        if data.dtype.kind == 'c':
            data, name = np.abs(data), f'|{name}|'  # what can be tinted is the magnitude
        return Value(name, data.shape, dtype, data)

    def values(self, thing: Any, at: int, name: str = '') -> tuple[Value, ...]:
        """The tensors in an output: one, or those in a tuple, list or dict."""
        if not isinstance(thing, dict | list | tuple):
            # `y, mask = drop(x)` names what drop returns, and no single tensor that was made on the way
            return (self.value(thing, at, '' if name.startswith('(') else name),)
        parts = [p.strip() for p in name.strip('()').split(',')] if isinstance(thing, list | tuple) else []
        if len(parts) == len(thing) > 1:
            return tuple(v for t, n in zip(thing, parts, strict=True) for v in self.values(t, at, n))
        keyed = thing.items() if isinstance(thing, dict) else enumerate(thing)
        return tuple(v for key, t in keyed for v in self.values(t, at, f'{name or "out"}[{key!r}]'))

    def own(self, out: Any, entry: int, outputs: tuple[Value, ...]) -> None:
        """Remember who made these tensors, and their names."""
        self.record.entries[entry].made = tuple(self.key(t) for t in tensors(out))
        for tensor, value in zip(tensors(out), outputs, strict=False):
            self.maker[id(tensor)] = entry
            if value.name:
                self.called[id(tensor)] = value.name

    def made_by(self, tensor: Any) -> str:
        """The entry that made a tensor, as a name for what the code has no name for: `3 Add`, or ''."""
        if id(tensor) not in self.maker:
            return ''
        entry = self.record.entries[self.maker[id(tensor)]]
        return f'{entry.label} {entry.name}' if entry.kind == 'op' else entry.name

    def key(self, tensor: Any) -> int:
        """A tensor's number; what a gradient marked has that of the tensor that entered it."""
        while id(tensor) in self.same:
            tensor = self.same[id(tensor)]
        return self.keys.setdefault(id(tensor), len(self.keys))

    def scopes(self) -> tuple[int, ...]:
        """The Cells that run now, since the gradient or the reading began that everything here belongs to."""
        base = self.depths[-1] if self.reading else self.open[-1][0].depth if self.open else 0
        return tuple(scope for _, _, scope in self.cells[base:] if scope is not None)

    @property
    def level(self) -> int:
        """The tape that entries go to now: what a backward computes goes on one of its own."""
        return next((run.level for run, _, _ in reversed(self.open) if run.started is not None), 0)

    def label(self) -> str:
        """The next entry's number: 1, 2 …, and 1′, 2′ … for what a backward writes while another gradient watches."""
        level = self.level
        self.counts[level] = self.counts.get(level, 0) + 1
        return f'{self.counts[level]}{PRIMES[level] if level < len(PRIMES) else f"({level})"}'

    def hiding(self) -> int | None:
        """The entry of the outermost open Cell with its own bprop: what runs now is hidden in it."""
        return next((entry for _, entry, _ in self.cells if entry is not None), None)

    def in_order(self, inputs: tuple, written: tuple[str, ...]) -> tuple[str, ...]:
        """The names of an op's inputs in the op's own order: Python turns `3 * x` into x times 3.

        Where a number may be meant that nobody has named, no name is better than a wrong one.
        """
        if len(written) != 2:
            return written
        known = tuple(self.called.get(id(t), '') for t in inputs)
        for order in (written, written[::-1]):
            if any(a and a == b for a, b in zip(known, order, strict=True)):
                return order
            if any(names.is_number(n, t.asnumpy()) for t, n in zip(inputs, order, strict=True)):
                return order
        scalars = [t for t, n in zip(inputs, known, strict=True) if not t.shape and not n and id(t) not in self.maker]
        return ('', '') if scalars else written


def at_same(one: Any, other: Any) -> bool:
    """Whether two calls stand at the same place in the code."""
    return one.code is other.code and one.span == other.span and one.file == other.file


def tensors(thing: Any) -> list:
    """The tensors in an output, in order."""
    if isinstance(thing, dict):
        return [t for part in thing.values() for t in tensors(part)]
    if isinstance(thing, list | tuple):
        return [t for part in thing for t in tensors(part)]
    return [thing] if hasattr(thing, 'asnumpy') else []


def places(thing: Any, name: str) -> list[str]:
    """How the code reaches each of these tensors in an output called `name`: `dout['low']`, `dout['high'][0]`."""
    if isinstance(thing, dict | list | tuple):
        keyed = thing.items() if isinstance(thing, dict) else enumerate(thing)
        return [place for key, t in keyed for place in places(t, f'{name}[{key!r}]')]
    return [name] if hasattr(thing, 'asnumpy') else []
