"""One gradient as a whole: it begins, starts to read the tape back, hands its gradients over, or stops before that."""

from typing import Any

from . import names
from .book import Book
from .record import Arrival, Pass, Value
from .stack import Gradient


class Gradients:
    """Tells Begin, Back and End."""

    def __init__(self, book: Book) -> None:
        self.book, self.walk, self.stack, self.tensors = book, book.walk, book.stack, book.tensors
        self.record = book.record

    def begin(self, event: Any) -> None:
        """A gradient starts, and calls its function."""
        if self.stack.hider is None:
            self.run(self.walk.frame.gradient, self.walk.frame.watched)

    def run(self, gradient: Gradient, watched: bool) -> Pass:
        """A new Pass of a gradient: its first, or one more reading."""
        where = gradient.begin and gradient.begin.where
        run = Pass(len(self.stack.gradients()), self.book.places.mark(where), len(self.record.steps))
        run.key = gradient.key
        run.watched, run.inside = watched, None if watched else self.stack.reading
        if gradient.run is not None:
            run.begun = gradient.run.begun
        self.record.passes.append(run)
        gradient.run, gradient.number = run, len(self.record.passes) - 1
        return run

    def back(self, event: Any) -> None:
        """Reading back starts."""
        frame = self.walk.frame
        gradient = frame.gradient
        if not frame.told:
            return
        run = gradient.run
        if run is None or run.started is not None:
            run = self.run(gradient, frame.watched)
        run.order, run.watched, run.level = len(self.stack.gradients()), frame.watched, frame.level
        for entry in gradient.early:  # these ran in a Cell of which nothing else is taped
            entry.run = gradient.number
        played = self.record.entries[gradient.first : gradient.last]
        run.reads = sum(e.kind in ('op', 'call', 'hook') and e.label != '' for e in played)
        run.seeds = tuple(self.seeds(event, frame.contributions))
        maker = self.tensors.maker
        first = next((maker[id(t)] for t, _ in event.outputs if id(t) in maker), None)
        run.started = self.book.step('start', entry=first, mark=run.mark)

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
        frame = self.walk.frame
        if event.gradients is None or frame is None or not frame.told or frame.gradient.run is None:
            return
        gradient, run = frame.gradient, frame.gradient.run
        run.arrivals = tuple(self.arrivals(event, gradient, frame.contributions))
        run.ended = self.book.step('arrive', run=gradient.number, mark=run.mark)

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
