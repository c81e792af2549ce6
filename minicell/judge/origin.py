"""Which expressions a verdict is about: those that made what is wrong, and the one of construct that is forgotten."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import MinicellError
from ..core.tensor import Tensor, tensors_in
from ..core.watch import Op, Tape
from ..replay.program import Program, wide
from ..replay.program import made as run_again
from ..story.facts import under
from ..story.places import columns, source, written
from ..story.record import Arrival, Mark, Pass, Record, Step
from ..story.stack import Turn
from .takeover import Takeover
from .verdict import WRONG, Verdict

# Of mistakes: yours is a multiple of what is due everywhere; a path is missing.
SCALED = re.compile(r'It (is \S+ times what is due|is too \w+ by a factor, [^:]+|has the opposite sign[^:]*)[:.]')
PATH = re.compile('The path through (.+) is missing')
MOST = 40  # variables of a bprop that are tried


class Lack(NamedTuple):
    """What is missing, with {} for the line, and the op of construct that it is of."""

    said: str
    op: Any


def lack(t: Takeover, told: Verdict) -> Lack | None:
    """What a wrong gradient lacks, where exactly one op of construct can be meant."""
    if not isinstance(t.program, Program) or t.blind or not told.mistake:
        return None
    if SCALED.match(told.mistake):
        due, yours = (each.flat[np.abs(told.due).argmax()] for each in (told.due, told.yours))
        factors = [(op, factor(t, op, told.place)) for op in t.program.ops]
        found = [(f'The {fraction(f)} of {name(op)} in line {{}} is missing.', op)
                 for op, f in factors if f and np.isclose(f * yours, due, 1e-4)]  # fmt: skip
    elif path := PATH.match(told.mistake):
        ways = [op for op in t.program.ops if written(op.where).partition(' = ')[0] == path[1]]
        found = [('That path is in line {}.', op) for op in ways[-1:]]
    else:
        return None
    return Lack(*found[0]) if len(found) == 1 else None


def factor(t: Takeover, op: Any, place: int) -> float:
    """What an op multiplies by on the way from an input, where that is one number in each call; 0: there is none."""
    touched = [t.program.touched.get(id(x), 0) >> place & 1 for x in op.inputs]
    make = FACTORS.get(under(op.rule).name)
    if make is None or sum(touched) != 1:
        return 0.0
    at, constant = touched.index(1), op.inputs[touched.index(0)].array if 0 in touched else np.ones(())
    if constant.size != 1 or (at and under(op.rule).name != 'Mul'):
        return 0.0
    return float(make(op.inputs[at].array.size / op.out.array.size, constant.item()))


FACTORS: dict[str, Callable[[float, float], float]] = {
    'ReduceMean': lambda of, _: 1 / of, 'Square': lambda *_: 2.0, 'Neg': lambda *_: -1.0, 'Pow': lambda _, n: n,
    'Mul': lambda _, by: by, 'Div': lambda _, by: 1 / by if by else 0.0,
}  # fmt: skip


def fraction(f: float) -> str:
    """`1/6`, `2`, `0.37`."""
    near = Fraction(f).limit_denominator(999)
    simple = min(abs(near.numerator), near.denominator) == 1 and np.isclose(float(near), f, 1e-5, 0)
    return (str(near) if simple else f'{f:.3g}').replace('-', '−')


def name(op: Any) -> str:
    """What to call an op: the mean, or what is written there."""
    return 'the mean' if under(op.rule).name == 'ReduceMean' else written(op.where).rpartition(' = ')[2]


# ---- where a bprop goes wrong ----------------------------------------------------------------------------------------


def culprit(tape: Tape, turn: Turn, t: Takeover, told: Sequence[Verdict]) -> Mark | None:
    """The line of a bprop that makes a variable which alone would have to be another: with a gradient of a value of
    construct in its place, all that the bprop returns would be right, whatever dout is. The first such line."""
    if t.program is None or t.blind or all(v.verdict != WRONG for v in told):
        return None
    ops = [e for e in tape.events if isinstance(e, Op) and turn.event.at < e.at < turn.give.at]
    own = [op for op in ops if isinstance(op.out, Tensor) and op.where and not op.where.ours]
    named = [op for op in own if source(op.where)[1].isidentifier()]
    places = [v.place for v in told if v.due is not None]
    with suppress(LookupError, TypeError, ValueError, MinicellError):  # a kernel that does not take what is due
        trials = [Again(tape, turn, t, ops, seed) for seed in range(2)]
        for op, (n, due) in product(named[:MOST], enumerate(trials[0].parts)):
            if due.shape == op.out.shape and all(each.right(op, n, places) for each in trials):
                return Mark(op.where.file, *op.where.span[:2], span=columns(op.where))
    return None


class Again:
    """What a bprop ran, again, for another dout."""

    def __init__(self, tape: Tape, turn: Turn, t: Takeover, ops: list[Op], seed: int) -> None:
        rng = np.random.default_rng(seed)
        came = [None if g is None else rng.standard_normal(g.shape) for g in t.came]
        self.tape, self.ops, self.due = tape, ops, t.program.read(came)
        self.parts = [g for _, gs in t.program.trace(came, t.program.recorded)[1] for g in gs if g is not None]
        array = lambda g: getattr(g, 'array', g)
        self.known = {id(x): g for op in ops for x in op.inputs for h, g in zip(turn.came, came, strict=True)
                      if x.array is array(h)}  # fmt: skip
        made = {id(x.array): id(x) for op in ops for x in tensors_in(op.out)}
        self.gave = [made.get(id(array(g))) for _, g in turn.give.gradients]

    @np.errstate(all='ignore')
    def right(self, op: Op, n: int, places: Sequence[int]) -> bool:
        """Whether these gradients are right if an op makes a certain gradient of construct's."""
        known = self.known | {id(op.out): self.parts[n]}
        for each in self.ops:
            outs = [*map(id, tensors_in(each.out))]
            if not known.keys() & outs and known.keys() & map(id, each.inputs):
                ins = [known.get(id(x), wide(self.tape.value(x, each.at))) for x in each.inputs]
                known |= zip(outs, run_again(under(each.rule), ins, each.attrs, None), strict=True)
        fits = lambda made, due: made is not None and made.shape == due.shape and np.allclose(made, due, 1e-4, 1e-6)
        return all(fits(known.get(self.gave[k]), self.due[k]) for k in places)


# ---- the lines of a record -------------------------------------------------------------------------------------------


def guilty(record: Record, known: Iterable[int], step: Step) -> list[Mark]:
    """The expressions that made the wrong numbers of these readings; and those that end the way of a gradient, where a
    wrong one arrives."""
    found = [pair for n in known for pair in zip(record.readings[n].gave, record.readings[n].verdicts, strict=False)]
    run = record.passes[step.run] if step.kind == 'arrive' else None
    ends = record.cuts.values() if run is not None and run.outermost and lost(run) else ()
    return [v.made or g.mark for g, v in found if v.verdict == WRONG and g.mark] + [cut.mark for cut in ends]


def origins(record: Record, known: Iterable[int]) -> dict[Mark, str]:
    """The expressions of construct that mistakes of these readings are about, and what of them is missing."""
    readings = [record.readings[n] for n in known]
    lacks = {v.lack.op.at: v.lack.said for reading in readings for v in reading.verdicts if v.lack}
    ghosts = [g for reading in readings for g in record.entries[reading.entry].ghosts if g.mark]
    return {g.mark: lacks[g.op.at].format(g.mark.line) for g in ghosts if g.op.at in lacks}


def lost(run: Pass) -> dict[str, tuple[Arrival, Verdict]]:
    """The gradients that arrived and are wrong, by name."""
    pairs = zip(run.arrivals, run.verdicts, strict=False)
    return {run.names.get(a.name, a.name): (a, v) for a, v in pairs if v.verdict == WRONG}
