"""Hooks: the user's functions that see a gradient on its way, and may put another in its place."""

from typing import Any

from . import facts, names
from .book import Book
from .forward import Forward
from .readings import Readings
from .record import Gradient, Hooked, Reading
from .stack import Hooking
from .tensors import tensors


class Hooks:
    """Tells Hook and Hooked."""

    def __init__(self, book: Book, forward: Forward, readings: Readings) -> None:
        self.book, self.walk, self.stack, self.tensors = book, book.walk, book.stack, book.tensors
        self.record = book.record
        self.forward, self.readings = forward, readings

    def hook(self, event: Any) -> None:
        """A hook is called."""
        turn = self.walk.turn
        if event.kind != 'tensor':  # it hangs at an entry of its own, which is being read
            turn.reading = turn.around.reading if turn.around is not None else None
        elif turn.entry is not None:
            self.on_tensor(event, turn)

    def on_tensor(self, event: Any, turn: Hooking) -> None:
        """It hangs on a tensor: an entry beside the tape."""
        frame, number = turn.frame, turn.entry
        entry = self.record.entries[number]
        of = self.tensors.name(event.owner) if event.owner is not None else ''
        if self.walk.made is not None:  # it runs for the first time
            self.forward.hooked(self.book.place(number, ()))
            entry.mark, entry.target = entry.facts and entry.facts.start, of
        waiting = turn.around is not None and turn.around.waits
        collectors = [t for t in frame.gradient.inputs if self.owned(t, event.owner)]
        collector = collectors[0] if collectors and not waiting else event.owner
        found = frame.contributions.get(id(collector), [])
        douts = tuple(self.book.value(g, self.walk.now, names.gradient(of)) for g in event.gradients)
        self.readings.begin(turn, douts, found[-1][2] if found else None, entry.mark)

    def owned(self, marked: Any, owner: Any) -> bool:
        """Whether a gradient's input is this tensor, under a mark or not."""
        return marked is owner or self.tensors.same.get(id(marked)) is owner

    def hooked(self, event: Any) -> None:
        """It has returned."""
        turn = self.walk.turn
        if turn is None or turn.reading is None:
            return
        told = self.record.readings[turn.reading]
        entry = self.record.entries[told.entry]
        changed = event.returned if isinstance(event.returned, tuple) else (event.returned,)
        of = [self.name(entry, k) for k, _ in enumerate(turn.event.gradients)]
        value = lambda g, n: self.book.value(g, self.walk.now, names.gradient(n))
        before = tuple(map(value, turn.event.gradients, of))
        after = None if event.returned is None else tuple(map(value, changed, of))
        told.hooks += (Hooked(before, after, facts.of_hook(event.function)),)
        if turn.event.kind == 'tensor':
            self.hand_on(turn, told, of, event.returned)

    def hand_on(self, turn: Hooking, told: Reading, of: list[str], returned: Any) -> None:
        """What a hook on a tensor leaves goes on: to the entry that made it, or to where the gradient arrives."""
        frame, waiting = turn.frame, turn.around
        entry = self.record.entries[told.entry]
        after = told.hooks[-1].after or told.hooks[-1].before
        told.gave = tuple(Gradient(v.name, n, v) for v, n in zip(after, of, strict=True))
        mark = entry.facts.end if entry.facts else entry.mark
        told.given = self.book.step('give', entry=told.entry, reading=turn.reading, mark=mark)
        gradient = turn.event.gradients[0] if returned is None else returned
        part = (told.given, after[0], told.entry)
        if waiting is not None and waiting.entry is not None and waiting.reading is None:
            if not waiting.waits:
                raw = gradient if tensors(waiting.event.cotangent) else getattr(gradient, 'array', gradient)
                self.readings.reach(waiting, raw, told.entry)
            frame.contributions[id(turn.event.owner)] = [part]
            return
        for t in frame.gradient.inputs:
            if self.owned(t, turn.event.owner):
                frame.contributions[id(t)] = [part]

    def name(self, entry: Any, place: int) -> str:
        """What the gradient at a place is of."""
        if entry.hook == 'tensor':
            return entry.target
        due = [v for v in (entry.outputs if entry.hook == 'backward_pre' else entry.inputs) if v.data is not None]
        return due[place].name if place < len(due) else ''
