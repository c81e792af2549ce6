"""The entries of a real tape, with a name for each value, for exercise 1b; and engines made of them, for 1c and 1d."""

import math
from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core.watch import Begin, Op


class Entry(NamedTuple):
    """One entry: the operation, the names of its inputs and of its output, and its rule.

    `rule(dout)` returns a tuple with one gradient per input. Plain numbers, as the 3 in `y * 3`, are no inputs here.
    """

    operation: str
    inputs: tuple[str, ...]
    out: str
    rule: Callable[[float], tuple[float, ...]]

    def __repr__(self) -> str:
        return f'{self.operation:4} inputs={self.inputs}, out={self.out!r}'


def entries_of(function: Callable, *inputs: float, **rules: Callable) -> tuple[list[Entry], str]:
    """The entries that a call of the function leaves, and the name of its result.

    The inputs are named as the function names them; what operations make is called v1, v2, and so on. `rules` take the
    place of minicell's own, by the names of their operations: `Sin=lambda x, out, dout: (math.cos(x) * dout,)`.
    """
    with ms.Tape() as tape:
        result, _ = ms.vjp(function, *[ms.Tensor(x, ms.float64) for x in inputs])
    leaves = next(event for event in tape.events if isinstance(event, Begin)).inputs
    ran = [event for event in tape.events if isinstance(event, Op) and event.state == 'recorded']
    named = dict(zip([leaf.at for leaf in leaves], signature(function).parameters, strict=True))
    named |= {op.out.at: f'v{k}' for k, op in enumerate(ran, 1)}
    offset = leaves[0].at
    entries = []
    for op in ran:
        names = tuple(named[t.at] for t in op.inputs if t.at >= offset)
        entries.append(Entry(op.rule.name, names, named[op.out.at], rule_of(op, offset, rules.get(op.rule.name))))
    return entries, named[result.at]


def rule_of(op: Op, offset: int, own: Callable | None) -> Callable[[float], tuple[float, ...]]:
    """The rule of an entry, as a function of dout alone; `own` is a rule of inputs, out and dout."""

    def rule(dout: Any) -> tuple[float, ...]:
        if own is not None:
            given = own(*(t.item() for t in op.inputs), op.out.item(), float(dout))
            return tuple(gradient for t, gradient in zip(op.inputs, given, strict=True) if t.at >= offset)
        pairs = op.rule.vjp(np.float64(dout), offset, *op.rule.raw(op.inputs, op.attrs), op.out)
        return tuple(float(gradient) for t, gradient in pairs if t.at >= offset)

    return rule


# ---- engines ---------------------------------------------------------------------------------------------------------

Engine = Callable[..., float]
WORDS = ('right', 'wrong rule', 'no dout', 'no sum')
STEP = 1e-4  # of a slope that is measured


Add = Callable[[float | None, float], float]


def read_back(entries: list[Entry], result: str, add: Add, hear: Callable[[float], float] = float) -> dict[str, float]:
    """The gradient of every value: `add` makes one of what has arrived and what arrives now; `hear` takes the dout."""
    gradients: dict[str, float] = {result: 1.0}
    for entry in reversed(entries):
        if entry.out in gradients:
            for name, gradient in zip(entry.inputs, entry.rule(hear(gradients[entry.out])), strict=True):
                gradients[name] = add(gradients.get(name), gradient)
    return gradients


def read_by(add: Add, hear: Callable[[float], float] = float) -> Engine:
    """An engine that reads back so."""

    def engine(function: Callable, x: float, **rules: Callable) -> float:
        """The gradient of a function of one input at x; `rules` take the place of minicell's own."""
        return read_back(*entries_of(lambda x: function(x), x, **rules), add, hear).get('x', 0.0)

    return engine


def total(before: float | None, now: float) -> float:
    """Both together."""
    return (before or 0.0) + now


engine = read_by(total)


def slope(function: Callable, x: Any) -> float:
    """How fast a function of one number grows at x: measured by running it, with no rule."""
    x = ms.Tensor(x, ms.float64)
    return ((function(x + STEP) - function(x - STEP)) / (2 * STEP)).item()


def with_rule(**rules: Callable) -> Engine:
    """The right loop, with a rule that is wrong."""
    return lambda function, x: engine(function, x, **rules)


HIDDEN: tuple[tuple[Engine, str], ...] = (
    (read_by(lambda before, now: now), 'no sum'),
    # right near 0
    (with_rule(Exp=lambda x, out, dout: (out * dout if abs(x) < 1 else -out * dout,)), 'wrong rule'),
    (engine, 'right'),
    (read_by(total, lambda dout: 1.0), 'no dout'),
    (with_rule(Sin=lambda x, out, dout: (abs(math.cos(x)) * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now if before is None else before), 'no sum'),
    # a tenth too small where the sine rises
    (with_rule(Sin=lambda x, out, dout: (min(math.cos(x), 0.9 * math.cos(x)) * dout,)), 'wrong rule'),
    (engine, 'right'),
)
