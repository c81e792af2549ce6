"""One gradient as a whole: it begins, starts to read the tape back, hands its gradients over, or stops before that."""

from typing import Any

from .. import jacobian
from . import names
from .book import Book
from .record import Arrival, Pass, Value
from .stack import Gradient, ReadBack

LINEAR = jacobian.linearize.__name__


class Gradients:
    """Tells Begin, Back and End."""

    def __init__(self, book: Book) -> None:
        self.book, self.walk, self.stack, self.tensors = book, book.walk, book.stack, book.tensors
        self.record = book.record
        self.later: set[Gradient] = set()  # whose functions have returned before anybody read back: a vjp's

    def begin(self, event: Any) -> None:
        """A gradient starts, and calls its function."""
        if owner(self.walk.frame.gradient) == LINEAR:  # what a jvp asks about is what its first reading starts with
            for tensor, name in zip(event.inputs, names.douts(len(event.inputs)), strict=True):
                self.tensors.called[id(tensor)] = self.tensors.called.get(id(tensor)) or name
        if self.stack.hider is None:
            self.run(self.walk.frame.gradient, self.walk.frame.watched)

    def run(self, gradient: Gradient, watched: bool) -> Pass:
        """A new Pass of a gradient: its first, or one more reading."""
        where = gradient.begin and gradient.begin.where
        run = Pass(len(self.stack.gradients()), self.book.places.mark(where), len(self.record.steps))
        run.key, run.target = gradient.key, self.book.places.returned(where)
        run.watched, run.inside = watched, None if watched else self.stack.reading
        if gradient.run is not None:
            run.begun, run.inner = gradient.run.begun, gradient.run.inner
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
        run.target *= gradient not in self.later
        self.nest(run, gradient)
        run.result_of = self.result_of(event, run.key)
        for entry in gradient.early:  # these ran in a Cell of which nothing else is taped
            entry.run = gradient.number
        played = self.record.entries[gradient.first : gradient.last]
        run.reads = sum(e.kind in ('op', 'call', 'hook') and e.label != '' for e in played)
        run.seeds = tuple(self.seeds(event, frame.contributions))
        first = next((self.tensors.maker[id(t)] for t, _ in event.outputs if id(t) in self.tensors.maker), None)
        run.started = self.book.step('start', entry=first, mark=run.mark)

    def nest(self, run: Pass, gradient: Gradient) -> None:
        """Find the gradient that watches this one, and count it there: those that read back only run it."""
        frames = self.stack.gradients()[:-1]
        playing = [f.gradient for f in frames if not isinstance(f, ReadBack)]
        around = playing[-1] if run.watched and playing else None
        run.around = around.number if around is not None else None
        if run.around is not None and frames[-1].gradient is around and owner(around) == LINEAR:
            outer = self.record.passes[run.around]
            outer.asked = run.asked = 'jacfwd' if owner(gradient) else 'jvp'
            outer.again = True
        while run.around is not None:
            inner, run = run, self.record.passes[run.around]
            first = inner.asked and not inner.again  # the two readings of a jvp are one derivative
            run.inner = max(run.inner, inner.inner + (not first))

    def result_of(self, event: Any, key: object) -> int | None:
        """The gradient that it watches whose result, with nothing done to it, is what it differentiates."""
        outputs, passes = {id(tensor) for tensor, _ in event.outputs}, self.record.passes
        inner = (k for k, run in enumerate(passes) if run.around is not None and passes[run.around].key is key)
        return next((k for k in inner if outputs and outputs <= {id(a.tensor) for a in passes[k].arrivals}), None)

    def seeds(self, event: Any, contributions: dict[int, list]) -> list[Value]:
        """What backward starts with, each a contribution to the output that it belongs to."""
        out = []
        for name, (tensor, cotangent) in zip(names.douts(len(event.outputs)), event.outputs, strict=True):
            value = self.book.value(cotangent, event.at, name)
            contributions.setdefault(id(tensor), []).append((len(self.record.steps), value, None))
            out.append(value)
        return out

    def end(self, event: Any) -> None:
        """The gradients arrive, or the gradient stops without."""
        frame = self.walk.frame
        self.later |= {frame.gradient} if frame is not None and event.gradients is None else set()
        if event.gradients is None or frame is None or not frame.told or frame.gradient.run is None:
            return
        gradient, run = frame.gradient, frame.gradient.run
        run.arrivals = tuple(self.arrivals(event, gradient, frame.contributions))
        run.ended = self.book.step('arrive', run=gradient.number, mark=run.mark)

    def arrivals(self, event: Any, gradient: Gradient, contributions: dict[int, list]) -> list[Arrival]:
        """What came for each input, and from where."""
        out = []
        inputs = gradient.inputs or event.gradients
        slopes = along(gradient.run, len(inputs)) if gradient.run.again else ()
        for tensor, total in zip(inputs, event.gradients, strict=False):
            of = self.tensors.name(tensor) or self.tensors.name(self.tensors.given(tensor)) or f'input {len(out) + 1}'
            found = tuple((step, part) for step, part, _ in contributions.get(id(tensor), []))
            name = slopes[len(out)] if slopes else names.gradient(of)
            value = None if total is None else self.book.value(total, event.at, name)
            why = ''
            if not gradient.begin:
                why = 'its function ran before this Tape began'
            elif not found and (value is None or value.data is None or not value.data.any()):
                why = self.why_nothing(tensor, of)
            out.append(Arrival(name, of, tuple(tensor.shape), found, value, why, total, self.tensors.key(tensor)))
        return out

    def why_nothing(self, tensor: Any, name: str) -> str:
        """Why no gradient came: a bprop may have returned None, a takeover may have swallowed the Parameter."""
        if self.tensors.nones.get(id(tensor)):
            return self.tensors.nones[id(tensor)]
        cut = (e for e in self.record.entries for w in e.wires if w.name == name and not w.whole)
        if entry := next(cut, None):
            return f'its wire is cut at {entry.label} {entry.name}: not in internal_params'
        return 'nothing on the tape leads from it to the result'


def along(run: Pass, count: int) -> list[str]:
    """What the derivatives along a direction are called: as in `y, slope = jvp(…)`, else the Jacobian times v."""
    if run.asked != 'jvp' or not run.target:
        return ['J v'] * count
    slopes = range(count)
    returned = None, tuple(slopes) if count > 1 else 0
    return [name for k, name in names.outputs(returned, run.target) if k in slopes]


def owner(gradient: Gradient) -> str:
    """The function of minicell's that has made what is differentiated, as those behind jvp and jacfwd do, or ''."""
    function = gradient.begin.function if gradient.begin is not None else None
    ours = getattr(function, '__module__', '') == jacobian.__name__
    return function.__qualname__.split('.')[0] if ours else ''
