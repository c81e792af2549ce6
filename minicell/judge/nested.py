"""A gradient of a gradient once more, by the built-in rules alone: what it would be without any bprop.

A bprop that is right may still have the wrong derivative: what it computes in NumPy, say, is constant for the gradient
around it. So the ops that the Tape kept, hidden ones too, run once more, and are differentiated as often as before.
"""

import sys
import warnings
from typing import Any

import numpy as np

from ..core.differentiate import differentiate
from ..core.errors import MinicellError
from ..core.primitives import place_several
from ..core.rules import BACK, Plain
from ..core.tape import place
from ..core.tensor import Tensor, is_float, tensors_in, wrap
from ..core.watch import Back, Begin, Call, End, Enter, Leave, Op, Report, Tape, aside
from ..heard import Hook
from ..ops.hooks import Passing
from .verdict import RIGHT, UNKNOWN, WRONG, Verdict

MOST = 20_000  # events: more would take seconds
HOOKED = 'a hook takes part'
LOST = 'it uses a Tensor that cannot be followed: of a graph, say, or kept by a bprop'


class Unknown(Exception):
    """There is no such gradient, and why."""


def without_bprops(tape: Tape, key: object) -> list[np.ndarray]:
    """What the gradient of this name would hand over, if construct were differentiated in the place of each bprop."""
    events = tape.events
    begun = next((k for k, e in enumerate(events) if isinstance(e, Begin) and e.of is key), None)
    if begun is None:
        raise Unknown('its function ran before this Tape began')
    again = Again(tape, events)
    again.first = min([events[begun].at, *(t.at for t in events[begun].inputs if t.at >= 0)])
    inside = events[begun : again.end(begun)]
    if len(inside) > MOST:
        raise Unknown('the program is too long to run it again for a picture')
    if any(isinstance(e, Hook) for e in inside):
        raise Unknown(HOOKED)
    with aside(), warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try:
            return [g.array for g in again.gradient(begun, {})]
        except MinicellError as error:
            raise Unknown(str(error)) from None


def verdicts(tape: Tape, run: Any) -> tuple[Verdict, ...]:
    """The verdicts on the results of a gradient of a gradient: beside them stands the one without any bprop."""
    told = [
        Verdict('', a.of, k, True, None if a.total is None else a.total.data, None, '', UNKNOWN, a.why)
        for k, a in enumerate(run.arrivals)
    ]
    try:
        with np.errstate(all='ignore'):
            found = without_bprops(tape, run.key)
    except Unknown as error:
        return tuple(v._replace(why=str(error)) for v in told)
    judged = []
    for v, due in zip(told, found, strict=True):
        eps = np.finfo(due.dtype).eps if v.yours is None else np.finfo(v.yours.dtype).eps
        v = v._replace(due=due.astype(np.float64), by='rules', room=256 * eps * np.abs(due))
        wrong = v.differs.any()
        judged.append(v._replace(verdict=WRONG if wrong else RIGHT, why=''))
    return tuple(judged)


class Again:
    """Runs a stretch of events again. `known` holds, by the id of a Tensor of then, the one that stands for it now."""

    def __init__(self, tape: Tape, events: list) -> None:
        self.tape, self.events = tape, events
        self.calls = _calls(events)
        self.entries = {id(e) for e in self.calls.values()}
        self.first = 0  # from this address on, a Tensor depends on an input

    def end(self, begun: int) -> int:
        """Where a gradient ends that began here."""
        return self.one(begun, End)

    def one(self, begun: int, kind: type) -> int:
        """Where the one event of this kind stands that belongs to the gradient."""
        key = self.events[begun].of
        found = [k for k in range(begun, len(self.events)) if isinstance(e := self.events[k], kind) and e.of is key]
        if len(found) != 1 or (kind is End and self.events[found[0]].gradients is None):
            raise Unknown('it is read back more than once, or not to its end')
        return found[0]

    def now(self, t: Tensor, at: int, known: dict) -> Tensor:
        """What stands for a Tensor: a constant, unless it depends on an input."""
        if id(t) in known:
            return known[id(t)]
        if t.at >= self.first:  # a graph has Tensors of its own, and a bprop may keep what it made
            raise Unknown(LOST)
        return wrap(self.tape.value(t, at))

    def gradient(self, begun: int, known: dict) -> list[Tensor]:
        """The gradients that begin here; the values that its function makes become known."""
        self.end(begun)
        begin, back = self.events[begun], self.one(begun, Back)
        inputs = tuple(self.now(t, begin.at, known) for t in begin.sources)
        pairs = self.outputs(self.events[back])
        if not pairs:
            return [wrap(np.zeros_like(t.array)) for t in inputs]
        outside = {id(t): known.get(id(t)) for t in begin.inputs}  # a Parameter is its own leaf

        def function(*leaves: Tensor) -> tuple:
            known.update(zip(map(id, begin.inputs), leaves, strict=True))
            self.run(begun + 1, back, known)
            return tuple(self.now(t, self.events[back].at, known) for t, _ in pairs)

        seeds = tuple(self.now(g, begin.at, known) if isinstance(g, Tensor) else wrap(np.asarray(g)) for _, g in pairs)
        _, gradients, _ = differentiate(function, inputs, {}, tuple(range(len(inputs))), (), seeds)
        for name, tensor in outside.items():
            known.pop(name)
            if tensor is not None:
                known[name] = tensor
        return gradients

    def outputs(self, back: Back) -> list[tuple]:
        """Each float output with its cotangent, those too that depend on an input only where no bprop is called."""
        (given, sens) = next(raw[2] for raw in self.tape.entries() if raw[0] is BACK and raw[3] is back.of)
        floats, reached = [t for t in given if is_float(t)], {id(t): g for t, g in back.outputs}
        of_all = [np.ones_like(t.array) for t in floats] if sens is None else tensors_in(sens)
        return [(t, reached.get(id(t), g)) for t, g in zip(floats, of_all, strict=True)]

    def run(self, first: int, end: int, known: dict) -> None:
        """Run the events from `first` up to `end` again."""
        k = first
        while k < end:
            event = self.events[k]
            if isinstance(event, Begin):
                gradients, ended = self.gradient(k, known), self.end(k)
                known.update(zip(map(id, self.events[ended].gradients), gradients, strict=True))
                k = ended
            elif isinstance(event, Op):
                self.op(event, known)
            elif isinstance(event, Enter | Leave):
                self.pass_edge(event, k, known)
            elif isinstance(event, Call) and id(event) not in self.entries:
                raise Unknown(LOST)
            elif not isinstance(event, Call | Report):
                raise Unknown('it writes into memory, or stops at an error')
            k += 1

    def pass_edge(self, event: Enter | Leave, k: int, known: dict) -> None:
        """Into construct and out of it: with a bprop, both sides have Tensors of their own."""
        call = self.calls.get(k)
        if call is not None and isinstance(event, Enter):
            _stand_for(call.inputs, event.inputs, known)
        elif call is not None:
            _stand_for(event.out, call.out, known)

    def op(self, event: Op, known: dict) -> None:
        """Run an op again, if anything that it reads depends on an input."""
        inputs, rule = tuple(self.now(t, event.at, known) for t in event.inputs), event.rule
        if not any(id(t) in known for t in event.inputs):
            return
        outs = tensors_in(event.out)
        if isinstance(rule, Passing):
            raise Unknown(HOOKED)
        value = rule.run_kernel([t.array for t in inputs], event.attrs)
        at = -1 if isinstance(rule, Plain) else max(t.at for t in inputs)
        made = [wrap(np.asarray(v)) for v in (value if isinstance(value, tuple) else (value,))]
        x, y = rule.raw(inputs, event.attrs)
        if isinstance(value, tuple):
            place_several(rule, x, y, tuple(made), [t for t in made if is_float(t)], at, sys._getframe())
        else:
            place(rule, x, y, made[0], at, sys._getframe())
        known.update(zip(map(id, outs), made, strict=True))


def _stand_for(these: Any, those: Any, known: dict) -> None:
    """What is known of these Tensors holds for those: on its way into and out of a takeover, each gets a new object."""
    for this, that in zip(tensors_in(these), tensors_in(those), strict=True):
        if id(this) in known:
            known[id(that)] = known[id(this)]


def _calls(events: list) -> dict[int, Call | None]:
    """For each Enter and Leave of a Cell with its own bprop the entry of the call, which follows the Leave.

    None: a takeover around it hides it, so that the Cell was given the Tensors themselves.
    """
    entered, found = [], {}
    for k, event in enumerate(events):
        if isinstance(event, Enter):
            entered.append((k, event.custom))
        elif isinstance(event, Leave) and entered:
            at, custom = entered.pop()
            then = events[k + 1] if k + 1 < len(events) else None
            if custom and (isinstance(then, Call) or any(c for _, c in entered)):
                found[at] = found[k] = then if isinstance(then, Call) else None
    return found
