"""What a takeover hid, as a program: run on other numbers, and read back by the rules, in Float64 each.

Every op that construct ran stands on the Tape with the numbers that it ran on. So nothing of the user's runs again
here: not construct, not a hook, no generator. Random masks and state are what they were.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.primitives import CAST
from ..core.rules import Bundle, Parts, Plain, Shaped
from ..core.tape import NOWHERE
from ..core.tensor import Tensor, is_float, memory, tensors_in, wrap
from ..core.watch import Begin, Op, Tape, Write
from ..heard import Asked
from ..ops.arithmetic import SELECT
from ..ops.create import STOP
from ..ops.hooks import Passing
from ..story.facts import under

Arrays = Sequence[np.ndarray | None]
ODD = np.uint64(0x9E3779B97F4A7C15)
VALUES = 'construct takes numbers out of a Tensor ({}), and what is made of these is no op'
GRADIENT = 'construct asks for a gradient itself'  # which a gradient of the gradient follows, too
WRITES = 'construct writes into memory ({}), which no rule differentiates'


class Ran(NamedTuple):
    """An op with the numbers that it read and made."""

    op: Op
    inputs: list[np.ndarray]
    outs: list[np.ndarray]


class Program:
    """The ops between the inputs of a construct and its outputs."""

    def __init__(self, tape: Tape, inputs: Iterable[Tensor], out: Any, events: Iterable[Any]) -> None:
        self.tape, self.inputs, events = tape, list(inputs), list(events)
        self.out, self.outs = out, [t for t in tensors_in(out) if is_float(t)]
        self.ops = [e for e in events if isinstance(e, Op)]
        self.touched, self.sloped = self.ways()
        self.blind = min(filter(None, map(self.beyond, events)), key=GRADIENT.__eq__, default='')  # what no rule sees
        self.chosen = 0  # the inputs (a bit each) whose numbers chose what to compute, as an index or an `if` does
        self.selects = self.stopped = 0  # those by which `select` chose, and those that stop_gradient stopped somewhere
        for op in self.ops:
            self.selects |= self.touched.get(id(op.inputs[0]), 0) if under(op.rule) is SELECT else 0
            self.stopped |= self.touched.get(id(op.inputs[0]), 0) if under(op.rule) is STOP else 0
        for e in events:
            self.chosen |= self.touched.get(id(e.tensor), 0) if isinstance(e, Asked) and e.chooses else 0

    def beyond(self, event: Any) -> str:
        """What the rules do not see of an event, or ''."""
        if isinstance(event, Asked) and not event.chooses and self.touched.get(id(event.tensor)):
            return VALUES.format(event.how)
        if isinstance(event, Write) and id(memory(event.tensor.array)) in self.read_after(event.at):
            return WRITES.format(event.what)
        if isinstance(event, Op) and any(t.array.dtype.kind == 'c' for t in tensors_in(event.out)):
            return 'construct computes with complex numbers'
        if isinstance(event, Op) and any(t.at >= NOWHERE and id(t) not in self.touched for t in event.inputs):
            return 'construct runs a graph that is traced'
        return GRADIENT * isinstance(event, Begin)

    def read_after(self, at: int) -> set[int]:
        """The memory that is read, or returned, after a time."""
        later = [t for op in self.ops if op.at > at for t in op.inputs]
        return {id(memory(t.array)) for t in (*later, *self.outs)}

    # ---- numbers ----

    @cached_property
    def recorded(self) -> list[Ran]:
        """The ops with the numbers as they were."""
        found = []
        for op in self.ops:
            ins, outs = ([wide(self.tape.value(t, op.at)) for t in ts] for ts in (op.inputs, tensors_in(op.out)))
            found.append(Ran(op, ins, outs))
        return found

    def straight(self, came: Arrays) -> list[np.ndarray]:
        """What the gradients are where an op of one Tensor without a slope has the slope 1, as a cast has; none if all
        have a slope."""
        steps = lambda op: type(rule := under(op.rule)) is Plain and rule is not STOP and len(op.inputs) == 1
        cast = lambda op: op._replace(rule=CAST, attrs=(np.float64,)) if steps(op) else op
        return self.read(came, [r._replace(op=cast(r.op)) for r in self.recorded]) if any(map(steps, self.ops)) else []

    def settled(self) -> 'Program':
        """Itself, with copies of all numbers: before what it was made of is put back."""
        _ = self.recorded, self.made
        return self

    @cached_property
    def made(self) -> list[np.ndarray]:
        """The outputs."""
        return [wide(self.tape.value(t, NOWHERE)) for t in self.outs]

    @np.errstate(all='ignore')
    def again(self, xs: Arrays, shake: Callable | None = None) -> tuple[list[Ran], list[np.ndarray]]:
        """The ops on other inputs, and the outputs. What is random, and what a Cell kept, stays what it was."""
        known = {id(t): x for t, x in zip(self.inputs, xs, strict=True)}
        ran = []
        for before in self.recorded:
            op, rule = before.op, under(before.op.rule)
            ins = [known.get(id(t), x) for t, x in zip(op.inputs, before.inputs, strict=True)]
            outs = before.outs
            if any(id(t) in known for t in op.inputs) and not (isinstance(rule, Shaped) or rule is STOP):
                outs = ins if isinstance(rule, Passing) else made(rule, ins, op.attrs, shake)
                known.update(zip(map(id, tensors_in(op.out)), outs, strict=True))
            ran.append(Ran(op, ins, outs))
        return ran, [known.get(id(t), made) for t, made in zip(self.outs, self.made, strict=True)]

    # ---- the rules ----

    def read(
        self, came: Arrays, ran: list | None = None, shake: Callable | None = None, but: Any = ()
    ) -> list[np.ndarray]:
        """The gradient of each input for these cotangents of the outputs; shake: what rounds each of them; but: ids of
        Tensors through which nothing passes."""
        cotangents, _ = self.trace(came, self.recorded if ran is None else ran, shake, but)
        return [np.broadcast_to(cotangents.get(id(t), 0.0), t.shape) for t in self.inputs]

    @np.errstate(all='ignore')
    def trace(self, came: Arrays, ran: list, shake: Callable | None = None, but: Any = ()) -> tuple[dict, list[tuple]]:
        """What arrives at each Tensor, by its id, and (op, what came for each of its outputs), the last op first."""
        cotangents: dict[int, Any] = {}
        steps = []

        def add(t: Tensor, g: Any) -> None:
            g = shake(g, False) if shake else g
            cotangents[id(t)] = cotangents[id(t)] + g if id(t) in cotangents else g

        for t, g in zip(self.outs, came, strict=True):
            if g is not None:
                add(t, wide(g))
        for op, ins, outs in reversed(ran):
            gs = [cotangents.pop(id(t), None) for t in tensors_in(op.out) if is_float(t) and id(t) not in but]
            if all(g is None for g in gs):
                continue
            steps.append((op, gs))
            for t, d in zip(op.inputs, pulled(op, ins, outs, gs), strict=True):
                if d is not None:
                    add(t, d)
        return cotangents, steps

    # ---- the ways from an input to an output ----

    def ways(self) -> tuple[dict[int, int], dict[int, int]]:
        """By the id of each Tensor, a bit an input: whose values it depends on, and from which a slope leads there."""
        values = {id(t): 1 << k for k, t in enumerate(self.inputs)}
        slopes = {id(t): 1 << k for k, t in enumerate(self.inputs) if is_float(t)}
        for op in self.ops:
            rule, of = under(op.rule), {'values': 0, 'slopes': 0}
            for t in op.inputs:
                of['values'] |= values.get(id(t), 0)
                of['slopes'] |= slopes.get(id(t), 0)
            for t in tensors_in(op.out):
                values[id(t)] = of['values'] * (not isinstance(rule, Shaped))
                slopes[id(t)] = of['slopes'] * (is_float(t) and not isinstance(rule, Plain))
        return values, slopes

    def leads(self, place: int, came: Arrays) -> tuple[bool, bool]:
        """Whether ways lead from an input to what was asked for, and whether one has a slope all along."""
        used = [t for t, g in zip(self.outs, came, strict=True) if g is not None]
        return tuple(any(of.get(id(t), 0) >> place & 1 for t in used) for of in (self.touched, self.sloped))


def made(rule: Any, inputs: list[np.ndarray], attrs: dict, shake: Callable | None) -> list[np.ndarray]:
    """What an op makes of these numbers; what only chooses among them, as max does, rounds none."""
    value = inputs[0] if rule is CAST else rule.run_kernel(inputs, attrs)
    outs = [wide(v) for v in (value if isinstance(value, tuple | list) else (value,))]
    met = np.concatenate([[0.0], *map(np.ravel, inputs)]) if shake else None
    return outs if shake is None else [v if np.isin(v, met).all() else shake(v, True) for v in outs]


def pulled(op: Op, ins: list, outs: list, gs: list) -> list:
    """What the rule of an op hands to each of its inputs; None: nothing."""
    rule = under(op.rule)
    if isinstance(rule, Passing):
        return past_hooks(gs, op.inputs)
    several = not isinstance(op.out, Tensor)
    g = Parts({k: g for k, g in enumerate(gs) if g is not None}) if several else gs[0]
    given = [wrap(np.asarray(v)) for v in ins]
    x, y = rule.raw(tuple(given), op.attrs)
    out = Bundle(tuple(wrap(np.asarray(v)) for v in outs), -1) if several else wrap(np.asarray(outs[0]))
    found: dict[int, Any] = {}
    for t, d in rule.vjp(g, -NOWHERE, x, y, out):
        if d is not None:
            found[id(t)] = d
    return [found.get(id(t)) for t in given]


def past_hooks(gs: Iterable[Any], inputs: Sequence[Tensor]) -> list:
    """What an entry that calls hooks would hand to each input without them: the truth has none."""
    floats = iter(gs)
    return [next(floats, None) if is_float(t) else None for t in inputs]


def shaken(eps: float, seed: int) -> Callable:
    """What rounds numbers at random, by up to eps of each: equal values alike, and 0 not at all, so that a comparison
    stays what it was; cotangents (`alike` is false) by their place."""
    rng = np.random.default_rng(seed)

    def shake(v: Any, alike: bool) -> np.ndarray:
        v = np.array(v, order='C')
        if v.dtype.kind != 'f':
            return v
        if not alike:
            return v * (1 + eps * rng.uniform(-1, 1, v.shape))
        n = (v.reshape(-1).view(np.uint64) + np.uint64(seed)) * ODD
        n = (n ^ (n >> np.uint64(31))) * ODD
        return v * (1 + eps * ((n >> np.uint64(11)) / 2.0**52 - 1)).reshape(v.shape)

    return shake


def rounding(tape: Tape, outs: Arrays, found: Sequence[Tensor | None], eps: float) -> list[np.ndarray | None]:
    """How far what a bprop made of outs, on a Tape of its own, may be off by rounding; None where no op shows that."""
    made = {id(t) for e in tape.events if isinstance(e, Op) for t in tensors_in(e.out)}
    reads = [e.inputs if isinstance(e, Op) else [e.tensor] for e in tape.events if isinstance(e, Op | Asked)]
    read = {id(t): t for each in reads for t in each if id(t) not in made}
    program = Program(tape, read.values(), [d for d in found if d is not None], tape.events)
    if program.blind:
        return [None] * len(found)
    runs = []
    for shake in (shaken(16 * eps, seed) for seed in range(1, 5)):  # (no input was rounded, and out was)
        given = [(t, any(t.array is out for out in outs)) for t in read.values()]
        runs.append(program.again([shake(wide(t), True) if rounded else wide(t) for t, rounded in given], shake)[1])
    off = iter(
        np.sqrt(np.mean([np.square(a - b) for b in each], 0)) for a, *each in zip(program.made, *runs, strict=True)
    )
    return [None if d is None else next(off) for d in found]


def wide(value: Any) -> np.ndarray:
    """Numbers in Float64; integers and truth values as they are."""
    array = value.array if isinstance(value, Tensor) else np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == 'f' else array
