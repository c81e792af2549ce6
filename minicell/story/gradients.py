"""One gradient as a whole: it begins, starts to read the tape back, hands its gradients over, or stops before that."""

from functools import partial
from typing import Any

from . import names, verdict
from .book import Book
from .record import Arrival, Pass, Value
from .stack import Gradient, Play, ReadBack


class Gradients:
    """Tells Begin, Back and End."""

    def __init__(self, book: Book) -> None:
        self.book, self.stack, self.tensors = book, book.stack, book.tensors
        self.record = book.record
        self.known: list[Gradient] = []

    def begin(self, event: Any) -> None:
        """A gradient starts, and calls its function."""
        key = getattr(event, 'of', None)
        if key is None:  # a tape made by hand: what an error, caught since, has left open
            for frame in self.stack.gradients()[event.order - 1 :]:
                self.stack.pop(frame)
        gradient = Gradient(key, event, len(self.record.entries))
        self.known.append(gradient)
        marked = zip(event.inputs, names.parameters(event.function, len(event.inputs)), event.sources, strict=True)
        for tensor, parameter, source in marked:
            self.tensors.enter(tensor, source, parameter)
        watched = self.stack.watched
        if self.stack.hider is None:
            self.run(gradient, watched)
        self.stack.push(Play(gradient, watched))

    def run(self, gradient: Gradient, watched: bool) -> Pass:
        """A new Pass of a gradient: its first, or one more reading."""
        where = gradient.begin and gradient.begin.where
        run = Pass(len(self.stack.gradients()) + 1, self.book.places.mark(where), len(self.record.steps))
        run.watched, run.inside = watched, None if watched else self.stack.reading
        if gradient.run is not None:
            run.begun = gradient.run.begun
        self.record.passes.append(run)
        gradient.run, gradient.number = run, len(self.record.passes) - 1
        return run

    def back(self, event: Any) -> None:
        """Reading back starts."""
        gradient = self.find(event)
        playing = self.stack.gradient_of(gradient.key)
        if playing is not None and playing.gradient is gradient:
            self.stack.pop(playing)
        if gradient.last is None:
            gradient.last = len(self.record.entries)
        told = self.stack.hider is None
        frame = ReadBack(gradient, self.stack.watched, told=told)
        run = gradient.run
        if told and (run is None or run.started is not None):
            run = self.run(gradient, frame.watched)
        self.stack.push(frame)
        if not told:
            return
        run.order, run.watched = len(self.stack.gradients()), frame.watched
        played = self.record.entries[gradient.first : gradient.last]
        for entry in gradient.early:  # these ran in a Cell of which nothing else is taped
            entry.run = gradient.number
        run.reads = sum(e.kind in ('op', 'call', 'hook') and e.label != '' for e in played)
        run.level = frame.level = 1 + max((e.level for e in played), default=0)
        run.seeds = tuple(self.seeds(event, frame.contributions))
        maker = self.tensors.maker
        first = next((maker[id(t)] for t, _ in event.outputs if id(t) in maker), None)
        run.started = self.book.step('start', entry=first, mark=run.mark)

    def find(self, event: Any) -> Gradient:
        """The gradient that an event names; one that began before the Tape did is met here first."""
        key = getattr(event, 'of', None)
        if key is None:
            playing = next((f for f in reversed(self.stack.gradients()) if not isinstance(f, ReadBack)), None)
            if playing is not None:
                return playing.gradient
        found = next((g for g in reversed(self.known) if g.key is key and key is not None), None)
        if found is None:
            count = len(self.record.entries)
            found = Gradient(key, None, count, count)
            self.known.append(found)
        return found

    def seeds(self, event: Any, contributions: dict[int, list]) -> list[Value]:
        """What backward starts with, each a contribution to the output that it belongs to."""
        out = []
        for i, (tensor, cotangent) in enumerate(event.outputs):
            value = self.book.value(cotangent, event.at, f'dout[{i}]' if len(event.outputs) > 1 else 'dout')
            contributions.setdefault(id(tensor), []).append((len(self.record.steps), value, None))
            out.append(value)
        return out

    def end(self, event: Any) -> None:
        """The gradients arrive, or the gradient stops without."""
        if event.gradients is None:
            return self.close(event)
        frame = self.stack.gradient_of(getattr(event, 'of', None), ReadBack)
        if frame is None:
            return
        gradient, run = frame.gradient, frame.gradient.run
        if frame.told and run is not None:
            self.stack.pop(self.after(frame))
            run.arrivals = tuple(self.arrivals(event, gradient, frame.contributions))
            run.ended = self.book.step('arrive', run=gradient.number, mark=run.mark)
            if run.order == 1 and self.through_bprop(gradient.number):
                run.truth = partial(verdict.judged_again, self.book.tape, gradient.key)
        self.stack.pop(frame)

    def through_bprop(self, number: int) -> bool:
        """Whether a gradient differentiated another one that a bprop had computed."""
        record = self.record
        inner = {k for k, run in enumerate(record.passes) if k > number and run.watched}
        return any(r.run in inner and record.entries[r.entry].kind == 'call' for r in record.readings)

    def after(self, frame: ReadBack) -> Any:
        """What is still open inside a gradient."""
        return next((item for item in self.stack.all[self.stack.all.index(frame) + 1 :]), None)

    def arrivals(self, event: Any, gradient: Gradient, contributions: dict[int, list]) -> list[Arrival]:
        """What came for each input, and from where."""
        out = []
        inputs = gradient.begin.inputs if gradient.begin else event.gradients
        for tensor, total in zip(inputs, event.gradients, strict=False):
            of = self.tensors.called.get(id(tensor)) or f'input {len(out) + 1}'
            found = tuple((step, part) for step, part, _ in contributions.get(id(tensor), []))
            name = names.gradient(of)
            value = None if total is None else self.book.value(total, event.at, name)
            why = ''
            if not gradient.begin:
                why = 'its function ran before this Tape began'
            elif not found and (value is None or value.data is None or not value.data.any()):
                why = self.why_nothing(tensor, of)
            out.append(Arrival(name, of, tuple(tensor.shape), found, value, why, total))
        return out

    def why_nothing(self, tensor: Any, name: str) -> str:
        """Why no gradient came: a bprop may have returned None, a takeover may have swallowed the Parameter."""
        if self.tensors.nones.get(id(tensor)):
            return self.tensors.nones[id(tensor)]
        cut = (e for e in self.record.entries for w in e.wires if w.name == name and not w.whole)
        if entry := next(cut, None):
            return f'its wire is cut at {entry.label} {entry.name}: not in internal_params'
        return 'nothing on the tape leads from it to the result'

    def close(self, event: Any) -> None:
        """A vjp's function has returned, or an exception ends the gradient."""
        frame = self.stack.gradient_of(event.of)
        if frame is None:
            return
        if not isinstance(frame, ReadBack):
            frame.gradient.last = len(self.record.entries)
        self.stack.pop(frame)
