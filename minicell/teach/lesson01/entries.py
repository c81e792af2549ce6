"""The entries of a real tape, with a name for each value: what exercise 1b reads back."""

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


def entries_of(function: Callable, *inputs: float) -> tuple[list[Entry], str]:
    """The entries that a call of the function leaves, and the name of its result.

    The inputs are named as the function names them; what operations make is called v1, v2, and so on.
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
        entries.append(Entry(op.rule.name, names, named[op.out.at], rule_of(op, offset)))
    return entries, named[result.at]


def rule_of(op: Op, offset: int) -> Callable[[float], tuple[float, ...]]:
    """The rule of an entry, as a function of dout alone."""

    def rule(dout: Any) -> tuple[float, ...]:
        pairs = op.rule.vjp(np.float64(dout), offset, *op.rule.raw(op.inputs, op.attrs), op.out)
        return tuple(float(gradient) for t, gradient in pairs if t.at >= offset)

    return rule
