"""The Record as far as it is told: steps, new entries, values as they were."""

from functools import lru_cache
from typing import Any

import numpy as np

from . import names
from .places import Places
from .record import Entry, Mark, Record, Step, Value
from .stack import Gradient, Play, Stack, Turn
from .tensors import Tensors

WORDS = 40  # characters of what is no tensor
COPIED = 1024  # numbers
PRIMES = ('', '′', '″', '‴')


class Book:
    """What all tellers write into, and what they know."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        self.record = Record()
        self.stack = Stack()
        self.tensors = Tensors(self.record)
        self.places = Places(self.stack)
        self.gradients: list[Gradient] = []
        self.entry_of: dict[int, int] = {}  # id of an Op or Call -> its entry
        self.counts: dict[int, int] = {}  # how many entries stand on each tape
        self.now = 0  # the time of the event that is being told
        self.then: Any = None  # the event behind it

    @property
    def seen_first(self) -> bool:
        """Whether a hook on a tensor is called next: it sees a cotangent before the entry does."""
        return type(self.then).__name__ == 'Hook' and self.then.kind == 'tensor'

    def step(self, kind: str, **details: Any) -> int:
        """Append a step and return its number."""
        frame = self.stack.innermost(Play)
        if frame is not None and frame.gradient.number is not None:
            details.setdefault('run', frame.gradient.number)
        self.record.steps.append(Step(kind, **details))
        return len(self.record.steps) - 1

    def new(self, label: str, name: str, kind: str, inputs: tuple, given: Any, mark: Mark | None) -> int:
        """Append an entry and return its number."""
        stack = self.stack
        entry = Entry(label, name, kind, len(self.record.steps), inputs, mark=mark, level=stack.level)
        entry.sources = self.tensors.sources(given)
        entry.keys = tuple(self.tensors.key(t) for t in given)
        entry.scopes = tuple(c.scope for c in self.calls_here() if c.scope is not None)
        if root := stack.root:
            entry.run = root.number
            root.early += [entry] if root.number is None else []
        if entry.level:
            reading = stack.reading
            last = len(self.record.readings) - 1
            entry.by = reading if reading is not None else last if last >= 0 else None
        self.record.entries.append(entry)
        return len(self.record.entries) - 1

    def calls_here(self) -> list:
        """The Cells that run now, since the reading or the gradient began that everything here belongs to."""
        stack = self.stack
        return stack.calls_since(Turn) if stack.innermost(Turn) else stack.calls_since(Play)

    def label(self) -> str:
        """The next entry's number: 1, 2 …, and 1′, 2′ … for what a backward writes while another gradient watches."""
        level = self.stack.level
        self.counts[level] = self.counts.get(level, 0) + 1
        return f'{self.counts[level]}{PRIMES[level] if level < len(PRIMES) else f"({level})"}'

    def value(self, thing: Any, at: int, name: str = '') -> Value:
        """A tensor as it was at time `at`, or an array, or the words for what is neither."""
        if isinstance(thing, np.ndarray | np.generic | float):
            data = np.asarray(thing)
            dtype = dtype_name(data.dtype)
        elif hasattr(thing, 'asnumpy'):
            data, dtype = np.asarray(self.tape.value(thing, at)), str(thing.dtype)
            if data.size <= COPIED or hasattr(thing, 'requires_grad'):
                data = data.copy()  # what is told stays as it was, whatever is written into the memory later
        else:
            return Value(name, words=said(thing))
        if data.dtype.kind == 'c':
            data, name = np.abs(data), f'|{name}|'  # what can be tinted is the magnitude
        return Value(name, data.shape, dtype, data)

    def values(self, thing: Any, at: int, name: str = '') -> tuple[Value, ...]:
        """The tensors in an output by the names that `name`, the target of the call, has for them."""
        return tuple(self.value(t, at, n) for t, n in names.outputs(thing, name))


@lru_cache  # (numpy takes long to say what a dtype is called)
def dtype_name(dtype: np.dtype) -> str:
    """What the dtype of an array is called on the tape."""
    return str(dtype).capitalize()


def said(thing: Any) -> str:
    """Words for what is no tensor; what cannot say what it is still has a type."""
    try:
        return repr(thing)[:WORDS]
    except Exception:
        return type(thing).__name__
