"""A gradient of a gradient once more, by the built-in rules alone: what it would be without any bprop.

A bprop that is right may still have the wrong derivative: what it computes in NumPy, say, is constant for the gradient
around it. So the ops that the Tape kept, hidden ones too, run once more, and are differentiated as often as before.
"""

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core.differentiate import differentiate
from ..core.errors import MinicellError
from ..core.primitives import place_several
from ..core.rules import BACK, Plain, Shaped
from ..core.tape import place
from ..core.tensor import Tensor, is_float, tensors_in, wrap
from ..core.watch import Back, Begin, Call, End, Enter, Leave, Op, Tape, aside
from ..heard import Asked, Hook, Report
from ..ops.hooks import Passing
from ..story.events import Walk
from ..story.facts import under
from .program import made, shaken, wide

MOST = 20_000  # events: more would take seconds
EPS = float(np.finfo(np.float32).eps)
HOOKED = 'a hook takes part'
LOST = 'it uses a Tensor that cannot be followed: of a graph, say, or kept by a bprop'


class Unknown(Exception):
    """There is no such gradient, and why."""


def without_bprops(tape: Tape, key: object, seeds: Iterable[int] = (0,)) -> list[list[np.ndarray]]:
    """What the gradient of this name would hand over, if construct were differentiated in the place of each bprop.

    seeds: for each of them once; not 0 rounds the inputs at random, as Float32 does.
    """
    again, found = Again(tape), []
    begun = again.begun(key)
    begin, back = again.events[begun], again.next(key, begun, Back)
    again.first = min([begin.at, *(t.at for t in begin.inputs if t.at >= 0)])
    inside = again.events[begun : again.next(key, back, End)]
    if len(inside) > MOST:
        raise Unknown('the program is too long to run it again for a picture')
    if any(isinstance(e, Hook) for e in inside):
        raise Unknown(HOOKED)
    with aside(), warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try:
            for again.shake in (shaken(EPS, seed) if seed else None for seed in seeds):
                again.gradient(begun, back, {})
                found.append([g.array for g in again.handed])
            return found
        except MinicellError as error:
            raise Unknown(str(error).splitlines()[0]) from None


class Again:
    """Runs a stretch of events again. `known` holds, by the id of a Tensor of then, the one that stands for it now."""

    shake: Callable | None = None

    def __init__(self, tape: Tape) -> None:
        self.tape, self.events = tape, tape.events
        walk = Walk(tape)
        took = [(walk.took[id(e)], e) for e in walk if id(e) in walk.took]
        self.calls = {place: e for call, e in took for place in (call.first, call.last)}  # of its Enter, and its Leave
        self.entries = {id(e) for _, e in took}
        self.begins = {id(e.of): k for k, e in enumerate(self.events) if isinstance(e, Begin)}
        self.handed: list[Tensor] = []
        self.first = 0  # from this address on, a Tensor depends on an input

    def begun(self, key: object) -> int:
        """Where a gradient began."""
        if id(key) not in self.begins:
            raise Unknown('its function ran before this Tape began')
        return self.begins[id(key)]

    def next(self, key: object, at: int, *kinds: type) -> int:
        """Where the next event of these kinds stands that belongs to a gradient."""
        for k in range(at + 1, len(self.events)):
            if isinstance(event := self.events[k], kinds) and event.of is key:
                return k
        raise Unknown('it is not read back to its end')

    def now(self, t: Tensor, at: int, known: dict) -> Tensor:
        """What stands for a Tensor: a constant, unless it depends on an input."""
        if id(t) in known:
            return known[id(t)]
        if t.at >= self.first:  # a graph has Tensors of its own, and a bprop may keep what it made
            raise Unknown(LOST)
        return wrap(wide(self.tape.value(t, at)))

    def gradient(self, begun: int, back: int, known: dict) -> int:
        """Run a gradient's function, and read it back as at `back`. What it hands over becomes known; where it ends."""
        begin, ended = self.events[begun], self.next(self.events[begun].of, back, End)
        inputs, pairs = tuple(self.now(t, begin.at, known) for t in begin.sources), self.outputs(back)
        if self.shake and not known:  # the outermost
            inputs = tuple(wrap(self.shake(t.array, True)) for t in inputs)
        gradients = [wrap(np.zeros(t.shape)) for t in inputs]
        if pairs:
            stop = self.next(begin.of, begun, Back, End)  # a vjp is read after its function has returned
            inside = known if stop == back else dict(known)
            outside = {id(t): known.get(id(t)) for t in begin.inputs}  # a Parameter is its own leaf

            def function(*leaves: Tensor) -> tuple:
                inside.update(zip(map(id, begin.inputs), leaves, strict=True))
                self.run(begun + 1, stop, inside)
                return tuple(self.now(t, self.events[stop].at, inside) for t, _ in pairs)

            seeds = [
                self.now(g, self.events[back].at, known) if isinstance(g, Tensor) else wrap(wide(g)) for _, g in pairs
            ]
            _, gradients, _ = differentiate(function, inputs, {}, tuple(range(len(inputs))), (), tuple(seeds))
            for name, tensor in outside.items():
                known.pop(name, None)
                if tensor is not None:
                    known[name] = tensor
        if self.events[ended].gradients is not None:  # an error in a bprop, which is not called now, left it without
            known.update(zip(map(id, self.events[ended].gradients), gradients, strict=True))
        self.handed = gradients
        return ended

    def outputs(self, at: int) -> list[tuple]:
        """Each float output with its cotangent, those too that depend on an input only where no bprop is called."""
        back = self.events[at]
        which = sum(isinstance(e, Back) and e.of is back.of for e in self.events[:at])
        (given, sens) = [raw[2] for raw in self.tape.entries() if raw[0] is BACK and raw[3] is back.of][which]
        floats, reached = [t for t in given if is_float(t)], {id(t): g for t, g in back.outputs}
        of_all = [np.ones_like(t.array) for t in floats] if sens is None else tensors_in(sens)
        return [(t, reached.get(id(t), g)) for t, g in zip(floats, of_all, strict=True)]

    def run(self, first: int, end: int, known: dict) -> None:
        """Run the events from `first` up to `end` again."""
        k = first
        while k < end:
            event = self.events[k]
            if isinstance(event, Begin):
                then = self.next(event.of, k, Back, End)
                if isinstance(self.events[then], Back):
                    k = self.gradient(k, then, known)
                else:
                    _stand_for(event.sources, event.inputs, known)
            elif isinstance(event, Back):
                k = self.gradient(self.begun(event.of), k, known)
            elif isinstance(event, Op):
                self.op(event, known)
            elif isinstance(event, Enter | Leave):  # with a bprop, both sides have Tensors of their own
                call, enters = self.calls.get(k), isinstance(event, Enter)
                if call is not None:
                    _stand_for(*((call.inputs, event.inputs) if enters else (event.out, call.out)), known)
            elif isinstance(event, Call) and id(event) not in self.entries:
                raise Unknown(LOST)
            elif not isinstance(event, Call | Report | End | Asked):
                raise Unknown('it writes into memory, or stops at an error')
            k += 1

    def op(self, event: Op, known: dict) -> None:
        """Run an op again, if anything that it reads depends on an input."""
        inputs, rule = tuple(self.now(t, event.at, known) for t in event.inputs), under(event.rule)
        if not any(id(t) in known for t in event.inputs):
            return
        outs = tensors_in(event.out)
        if isinstance(rule, Passing):
            raise Unknown(HOOKED)
        if isinstance(rule, Shaped):
            return
        at = -1 if isinstance(rule, Plain) else max(t.at for t in inputs)
        found = [wrap(np.asarray(v)) for v in made(rule, [t.array for t in inputs], event.attrs, self.shake)]
        x, y = rule.raw(inputs, event.attrs)
        if isinstance(event.out, Tensor):
            place(rule, x, y, found[0], at, sys._getframe())
        else:
            place_several(rule, x, y, tuple(found), [t for t in found if is_float(t)], at, sys._getframe())
        known.update(zip(map(id, outs), found, strict=True))


def _stand_for(these: Any, those: Any, known: dict) -> None:
    """What is known of these Tensors holds for those: on its way into and out of a takeover, each gets a new object."""
    for this, that in zip(tensors_in(these), tensors_in(those), strict=True):
        if id(this) in known:
            known[id(that)] = known[id(this)]
