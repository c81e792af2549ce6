"""The Record as far as it is told: steps, new entries, values as they were."""

from functools import lru_cache
from typing import Any

import numpy as np

from . import names
from .events import TORN, Walk
from .followed import printed, said
from .record import Entry, Record, Step, Value
from .stack import Play

WORDS = 40  # characters of what is no tensor
COPIED = 1024  # numbers


class Book:
    """What all tellers write into, and the walk that knows what is open and what things are called."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        self.walk = walk = Walk(tape)
        self.record = Record(entries=walk.entries)
        self.stack, self.tensors, self.places = walk.stack, walk.tensors, walk.places
        self.failed: dict[int, BaseException] = {}

    def step(self, kind: str, **details: Any) -> int:
        """Append a step and return its number."""
        frame = self.stack.innermost(Play)
        if frame is not None and frame.gradient.number is not None:
            details.setdefault('run', frame.gradient.number)
        self.record.steps.append(Step(kind, **details))
        return len(self.record.steps) - 1

    def place(self, number: int, given: Any) -> Entry:
        """An entry that the walk has just made: when it is shown first, what it reads, and where it belongs."""
        entry, stack = self.record.entries[number], self.stack
        entry.first = len(self.record.steps)
        entry.keys = tuple(self.tensors.key(t) for t in given)
        entry.scopes = tuple(c.scope for c in stack.calls_here() if c.scope is not None)
        if root := stack.root:
            entry.run = root.number
            root.early += [entry] if root.number is None else []
        self.by(entry)
        return entry

    def by(self, entry: Entry) -> None:
        """The reading that writes an entry, where a gradient does."""
        if entry.level:
            last = len(self.record.readings) - 1
            entry.by = self.stack.reading if self.stack.reading is not None else last if last >= 0 else None

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
            return Value(name, words=said(thing)[:WORDS] or type(thing).__name__)
        if data.dtype.kind == 'c':
            data, name = np.abs(data), f'|{name}|'  # what can be tinted is the magnitude
        return Value(name, data.shape, dtype, data)

    def values(self, thing: Any, at: int, name: str = '') -> tuple[Value, ...]:
        """The tensors in an output by the names that `name`, the target of the call, has for them."""
        return tuple(self.value(t, at, n) for t, n in names.outputs(thing, name))

    def fail(self, error: BaseException | None, where: Any = None) -> None:
        """An exception: a card at the first place that it passes, where it was raised. What came before it stays."""
        if error is None or id(error) in self.failed:
            return
        self.failed[id(error)] = error
        reading, mark, message = self.stack.reading, self.places.mark(where), printed(error)
        told = self.record.readings[reading] if reading is not None else None
        if told is None:
            entry = self.walk.new(TORN, type(error).__name__, 'torn', mark)
            made = self.place(entry, ())
            made.source, made.error = self.places.expression(where) if mark else '', message
        else:
            entry, told.error = told.entry, message
            facts = self.record.entries[entry].facts
            mark = mark or (facts.end if facts else self.record.entries[entry].mark)
        self.step('fail', entry=entry, reading=reading, mark=mark, what=message)


@lru_cache  # (numpy takes long to say what a dtype is called)
def dtype_name(dtype: np.dtype) -> str:
    """What the dtype of an array is called on the tape."""
    return str(dtype).capitalize()
