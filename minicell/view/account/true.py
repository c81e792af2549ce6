"""The true gradient beside a bprop's: what the built-in rules would have added up in its place."""

from typing import Any

import numpy as np

from ...check import Hidden, hidden
from ...core.tensor import Tensor
from ...core.watch import Call
from ...judge.verdict import TOLERANCE
from . import slopes, table
from .book import Contribution, cotangents, yours
from .row import Row
from .sums import odd, running


def beside(maker: Any, given: list[Contribution], rest: list[Contribution], rows: list[Row]) -> tuple:
    """What the built-in rules would have added up in the place of the bprops: (total, heading, rows, verdict)."""
    every = [c for c in [*given, *rest] if c.step and isinstance(c.step.event.entry, Call)]
    if not every or any(r.kind == 'hook' for r in rows):
        return None, '', [], ''
    known, shown = {id(c) for c in every}, {id(c) for c in given}
    others = [maker.at(c) for c in [*given, *rest] if id(c) not in known]
    true, beyond, made, scale = sum(others), 0.0, [], 1.0
    for c in every:
        found = hidden(maker.tape, c.step.event)
        if found.error is not None:
            maker.note(f'There is no true gradient to compare it with: {" ".join(str(found.error).split())}')
            return None, '', [], ''
        tensor = found.wanted[c.place]
        due = np.asarray(found.cotangents.get(id(tensor), np.zeros_like(tensor.array)))
        scale = max(scale, float(np.max(np.abs(due), initial=0, where=np.isfinite(due))))
        true += due[maker.index].item()
        if id(c) in shown:
            made += parts(maker, found, tensor, c)
        else:
            beyond += due[maker.index].item()
    whose = list(dict.fromkeys(r.who for r in made))
    who = f"{whose[0]}'s rule" if len(whose) == 1 and not others else 'The built-in rules'
    if others:
        who += f' in the place of the {"bprop" if len(every) == 1 else "bprops"}'
    left = len(known - shown)
    if made and left:
        made.append(Row(f'{left} other entries', product=beyond, kind='others'))
    return true, f'{who} would have added up' * bool(made), running(made), judged(maker, true, scale, not made)


def parts(maker: Any, found: Hidden, tensor: Tensor, taken: Contribution) -> list[Row]:
    """The rows of a true gradient."""
    rows = []
    for t, (_, g) in zip(found.outs, cotangents(taken.step.event), strict=True):
        if t is tensor and g is not None:
            g = maker.value(g, taken.step.event.at)[maker.index].item()
            rows.append(Row('construct returns it', factor=1.0, cotangent=g, product=g))
    kept = maker.loose
    for op, gs in found.steps:
        wanted = [k for k, t in enumerate(op.inputs) if t is tensor]
        if not wanted:
            continue
        read = maker.read(op, gs, op.at)
        for at, d in slopes.places(read, wanted):
            value = np.asarray(d)[maker.index].item()
            try:
                split = maker.split(read, at, maker.index, op.inputs, op.out, value)
            except slopes.Unknown:
                split = [Row('', product=value)]
            line = maker.line(op)
            rows += [r._replace(who=op.rule.name, **line, of=None) for r in split]
    maker.loose = kept
    return rows


def judged(maker: Any, true: float, scale: float, nothing: bool) -> str:
    """Yours beside the true one, in words."""
    whose = 'yours' if any(yours(c.step.event.entry.cell) for c in maker.bprops) else 'the bprop'
    off = maker.number - true
    if odd(true) or odd(maker.number):
        same = true == maker.number or (true != true and maker.number != maker.number)
        said = 'agrees' if same else f'is {table.single(maker.number)}, not {table.single(true)}'
    elif abs(off) <= TOLERANCE.get(str(maker.handed.tensor.dtype), 1e-4) * scale:
        said = 'agrees'
    else:
        said = f'is too {"large" if off > 0 else "small"} by {table.single(abs(off))}'
    before = f'By the built-in rules alone it would be {table.single(true)}: ' if nothing else ''
    return f'{before}{whose} {said}'
