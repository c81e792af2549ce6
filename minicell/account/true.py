"""The true gradient beside a bprop's: what the built-in rules would have added up in its place, and the verdict."""

from typing import Any

import numpy as np

from .. import judge
from ..core.watch import Call
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict
from ..replay.program import pulled, wide
from . import table
from .book import Handed
from .rows import Row, near, odd, running, size


def beside(maker: Any, given: list[Handed], rest: list[Handed], rows: list[Row]) -> tuple:
    """What the built-in rules would have added up in the place of the bprops: (total, heading, rows, verdict)."""
    every = [c for c in [*given, *rest] if c.step and isinstance(c.step.event.entry, Call)]
    if not every or any(r.kind == 'hook' for r in rows):
        return None, '', [], ''
    known, shown = {id(c): judge.of_turn(maker.tape, c.step)[c.place] for c in every}, {id(c) for c in given}
    verdicts = list(known.values())
    others = [maker.at(c) for c in [*given, *rest] if id(c) not in known]
    if any(v.due is None or np.isnan(v.due[maker.index]) for v in verdicts):
        return None, '', [], said(maker, verdicts, None)
    true = sum(others) + sum(v.due[maker.index].item() for v in verdicts)
    rules = all('rules' in v.by for v in verdicts)
    made = [row for c in every if id(c) in shown for row in parts(maker, c)] if rules else []
    total = sum(others) + sum(r.product for r in made)
    beyond = [v.due[maker.index].item() for c, v in known.items() if c not in shown]
    if not near(total + sum(beyond), true, 1e-6 * sum(size(r.product) for r in made)):
        made = []  # at a kink, say, where the rules are one side of it
    whose = list(dict.fromkeys(r.who for r in made))
    who = f"{whose[0]}'s rule" if len(whose) == 1 and not others else 'The built-in rules'
    if others:
        who += f' in the place of the {"bprop" if len(every) == 1 else "bprops"}'
    if made and beyond:
        made.append(Row(f'{len(beyond)} other entries', product=sum(beyond), kind='others'))
    by = 'the built-in rules alone' if rules else 'differences of construct'
    before = '' if made else f'By {by} it would be {table.say(true)}: '
    return true, f'{who} would have added up' * bool(made), running(made), before + said(maker, verdicts, true)


def parts(maker: Any, taken: Handed) -> list[Row]:
    """The rows of a true gradient: from what the bprop was given, behind every hook."""
    seen, rows = judge.takeover(maker.tape, taken.step), []
    tensor = seen.program.inputs[taken.place]
    for t, g in zip(seen.program.outs, seen.came, strict=True):
        if t is tensor and g is not None:
            g = wide(g)[maker.index].item()
            rows.append(Row('construct returns it', factor=1.0, cotangent=g, product=g))
    kept = maker.loose
    for op, gs in seen.program.trace(seen.came, seen.program.recorded)[1]:
        if not any(t is tensor for t in op.inputs):
            continue
        read = maker.read(op, gs, op.at)
        for at, (t, d) in enumerate(zip(op.inputs, pulled(*read), strict=True)):
            if t is tensor and d is not None:
                value = np.asarray(d)[maker.index].item()
                split = maker.split(read, at, value) or [Row('', product=value)]
                rows += [r._replace(who=op.rule.name, **maker.line(op), of=None) for r in split]
    maker.loose = kept
    return rows


def said(maker: Any, verdicts: list[Verdict], true: float | None) -> str:
    """The verdict on this number, in words: the gravest of those on the bprops that it came from."""
    whose = 'yours' if maker.own else 'the bprop'
    found = {of_number(v, maker.index): v for v in verdicts}
    worst = next(kind for kind in (UNKNOWN, WRONG, SURROGATE, KINK, RIGHT, NOT_ASKED) if kind in found)
    why = found[worst].why
    if worst == WRONG and true is not None:
        off = maker.number - maker.held(true)
        if odd(true) or odd(maker.number):
            return f'{whose} is {table.say(maker.number)}, not {table.say(true)}'
        return f'{whose} is too {"large" if off > 0 else "small"} by {table.say(abs(off))}'
    return {
        UNKNOWN: f'whether {whose} is right cannot be known: {why}', WRONG: f'{whose} is wrong: {why}',
        SURROGATE: f'{whose} is a surrogate: {why}', KINK: f'{whose} agrees, at a kink: {why}',
        RIGHT: f'{whose} agrees', NOT_ASKED: 'nobody asked for it',
    }[worst]  # fmt: skip


def of_number(v: Verdict, index: tuple[int, ...]) -> str:
    """The verdict on one number of a gradient, which may agree where others do not."""
    agrees = v.verdict in (WRONG, SURROGATE) and v.differs is not None and not v.differs[index]
    return RIGHT if agrees else v.verdict
