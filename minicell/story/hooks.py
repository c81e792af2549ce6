"""Hooks: the user's functions that see a gradient on its way, and may put another in its place."""

from typing import Any

from . import facts, names
from .book import Book
from .readings import Readings
from .record import Gradient, Hooked, Reading, Value
from .source import code_of
from .stack import Hooking, ReadBack, Turn
from .tensors import tensors


class Hooks:
    """Tells Hook and Hooked."""

    def __init__(self, book: Book, readings: Readings) -> None:
        self.book, self.stack, self.tensors = book, book.stack, book.tensors
        self.record = book.record
        self.readings = readings
        self.entries: dict[tuple, int] = {}  # (ids of a function and of a tensor) -> the entry of the hook

    def hook(self, event: Any) -> None:
        """A hook is called."""
        frame = self.stack.innermost(ReadBack)
        if frame is None or not frame.told:
            self.stack.push(Hooking(None, event))
        elif event.kind == 'tensor':
            self.on_tensor(event, frame)
        else:
            self.at_entry(event)

    def at_entry(self, event: Any) -> None:
        """It hangs at an entry of its own, which is being read."""
        turn = self.stack.innermost(Turn)
        reading = turn.reading if turn is not None else None
        if reading is not None:
            entry = self.record.entries[self.record.readings[reading].entry]
            facts.hang(self.book, entry, event.function, event.owner, event.kind)
            self.book.places.shows(code_of(event.function))
        self.stack.push(Hooking(reading, event))

    def on_tensor(self, event: Any, frame: ReadBack) -> None:
        """It hangs on a tensor: an entry beside the tape."""
        number = self.entry(event)
        entry = self.record.entries[number]
        of = self.tensors.name(event.owner) if event.owner is not None else ''
        inputs = frame.gradient.begin.inputs if frame.gradient.begin else ()
        collectors = [t for t in inputs if self.owned(t, event.owner)]
        collector = collectors[0] if collectors and frame.waiting is None else event.owner
        found = frame.contributions.get(id(collector), [])
        douts = tuple(self.value(g, names.gradient(of)) for g in event.gradients)
        mark = entry.facts.start if entry.facts else entry.mark
        reading = Reading(number, frame.gradient.run.order, len(self.record.steps), douts)
        reading.run = frame.gradient.number
        reading.origin = found[-1][2] if found else None
        self.record.readings.append(reading)
        here = len(self.record.readings) - 1
        self.book.step('reach', entry=number, reading=here, mark=mark)
        self.stack.push(Hooking(here, event, own=True))

    def entry(self, event: Any) -> int:
        """The entry of a hook on a tensor, made when it first runs."""
        key = id(event.function), id(event.owner)
        if key not in self.entries:
            self.entries[key] = number = self.book.new('', '', 'hook', (), (), None)
            made = self.record.entries[number]
            facts.hang(self.book, made, event.function, event.owner, event.kind)
            made.mark = made.facts.start if made.facts else None
            made.target = self.tensors.name(event.owner) if event.owner is not None else ''
            maker = self.tensors.maker.get(id(event.owner))
            made.sources = () if maker is None else (maker,)
        return self.entries[key]

    def owned(self, marked: Any, owner: Any) -> bool:
        """Whether a gradient's input is this tensor, under a mark or not."""
        return marked is owner or self.tensors.same.get(id(marked)) is owner

    def hooked(self, event: Any) -> None:
        """It has returned."""
        turn = self.stack.innermost(Hooking)
        if turn is None or turn.event.function is not event.function:
            return
        self.stack.pop(turn)
        if turn.reading is None:
            return
        told = self.record.readings[turn.reading]
        entry = self.record.entries[told.entry]
        changed = event.returned if isinstance(event.returned, tuple) else (event.returned,)
        of = [self.name(entry, k) for k, _ in enumerate(turn.event.gradients)]
        before = tuple(self.value(g, names.gradient(n)) for g, n in zip(turn.event.gradients, of, strict=True))
        after = None
        if event.returned is not None:
            after = tuple(self.value(g, names.gradient(n)) for g, n in zip(changed, of, strict=False))
        code = facts.of_hook(event.function)
        told.hooks += (Hooked(before, after, code),)
        if turn.own:
            self.hand_on(turn, told, of, event.returned)

    def hand_on(self, turn: Hooking, told: Reading, of: list[str], returned: Any) -> None:
        """What a hook on a tensor leaves goes on: to the entry that made it, or to where the gradient arrives."""
        frame = self.stack.innermost(ReadBack)
        entry = self.record.entries[told.entry]
        after = told.hooks[-1].after or told.hooks[-1].before
        told.gave = tuple(Gradient(v.name, n, v) for v, n in zip(after, of, strict=True))
        mark = entry.facts.end if entry.facts else entry.mark
        told.given = self.book.step('give', entry=told.entry, reading=turn.reading, mark=mark)
        gradient = turn.event.gradients[0] if returned is None else returned
        part = (told.given, after[0], told.entry)
        if frame.waiting is not None:
            if not self.book.seen_first:
                waiting, frame.waiting = frame.waiting, None
                raw = gradient if tensors(waiting.cotangent) else getattr(gradient, 'array', gradient)
                self.readings.reach(waiting, raw, told.entry)
            frame.contributions[id(turn.event.owner)] = [part]
            return
        inputs = frame.gradient.begin.inputs if frame.gradient.begin else ()
        for t in inputs:
            if self.owned(t, turn.event.owner):
                frame.contributions[id(t)] = [part]

    def name(self, entry: Any, place: int) -> str:
        """What the gradient at a place is of."""
        if entry.hook == 'tensor':
            return entry.target
        due = [v for v in (entry.outputs if entry.hook == 'backward_pre' else entry.inputs) if v.data is not None]
        return due[place].name if place < len(due) else ''

    def value(self, gradient: Any, name: str) -> Value:
        """A gradient, or that there is none."""
        return Value(name, words='None') if gradient is None else self.book.value(gradient, self.book.now, name)
