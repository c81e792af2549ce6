"""The true gradient beside a bprop's: what the built-in rules would have added up in its place, and the verdict."""

from typing import Any

import numpy as np

from .. import judge
from ..core.watch import Call
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict
from ..replay.program import pulled, wide
from . import table
from .book import Handed
from .rows import Row, folded, near, odd, running, size


def beside(maker: Any, shown: list[Handed], rest: list[Handed], rows: list[Row]) -> tuple:
    """What the built-in rules would have added up in the place of the bprops: (total, heading, rows, verdict)."""
    if not maker.bprops or any(r.kind == 'hook' for r in rows):
        return None, '', [], ''
    verdicts = [judge.of_turn(maker.tape, c.step)[c.place] for c in maker.bprops]
    dues = [np.nan if v.due is None else v.due[maker.index].item() for v in verdicts]
    if np.isnan(dues).any():
        return None, '', [], said(maker, verdicts, None)
    others = [maker.at(c) for c in (*shown, *rest) if not isinstance(c.entry, Call)]
    told = [c for c in shown if isinstance(c.entry, Call)]  # the first of the bprops
    rules, true, beyond = all('rules' in v.by for v in verdicts), sum(others) + sum(dues), dues[len(told) :]
    made = folded([row for c in told for row in parts(maker, c)]) if rules else []
    total = sum(others) + sum(r.product for r in made) + sum(beyond)
    if not near(total, true, 1e-6 * sum(size(r.product) for r in made)):
        made = []  # at a kink, say, where the rules are one side of it
    whose = {r.who for r in made if r.kind != 'others'}
    who = f"{whose.pop()}'s rule" if len(whose) == 1 and not others else 'The built-in rules'
    who += f' in the place of the bprop{"s" * (len(dues) > 1)}' * bool(others)
    if made and beyond:
        made.append(Row(f'{len(beyond)} other entries', product=sum(beyond), kind='others'))
    by = 'the built-in rules alone' if rules else 'differences of construct'
    before = '' if made else f'By {by} it would be {table.say(true)}: '
    return true, f'{who} would have added up' * bool(made), running(made), before + said(maker, verdicts, true)


def parts(maker: Any, taken: Handed) -> list[Row]:
    """The rows of a true gradient: from what the bprop was given, behind every hook."""
    seen, rows, kept = judge.takeover(maker.tape, taken.step), [], maker.loose
    tensor = seen.program.inputs[taken.place]
    for t, g in zip(seen.program.outs, seen.came, strict=True):
        if t is tensor and g is not None:
            g = wide(g)[maker.index].item()
            rows.append(Row('construct returns it', factor=1.0, cotangent=g, product=g))
    for op, gs in seen.program.trace(seen.came, seen.program.recorded)[1]:
        read = maker.read(op, gs, op.at) if any(t is tensor for t in op.inputs) else None
        for at, (t, d) in enumerate(zip(op.inputs, pulled(*read), strict=True) if read else ()):
            if t is tensor and d is not None:
                value = np.asarray(d)[maker.index].item()
                split = maker.split(read, at, value) or [Row('', product=value)]
                rows += [r._replace(who=op.rule.name, **maker.book.line(op)) for r in split]
    maker.loose = kept
    return rows


def said(maker: Any, verdicts: list[Verdict], true: float | None) -> str:
    """The verdict on this number, in words: the gravest of those on the bprops that it came from."""
    whose, found = 'yours' if maker.own else 'the bprop', {of_number(v, maker.index): v for v in verdicts}
    worst = next(kind for kind in (UNKNOWN, WRONG, SURROGATE, KINK, RIGHT, NOT_ASKED) if kind in found)
    if worst == WRONG and true is not None:
        off = maker.number - maker.held(true)
        if odd(true) or odd(maker.number):
            return f'{whose} is {table.say(maker.number)}, not {table.say(true)}'
        return f'{whose} is too {"large" if off > 0 else "small"} by {table.say(abs(off))}'
    return {
        UNKNOWN: f'whether {whose} is right cannot be known: {{}}', WRONG: f'{whose} is wrong: {{}}',
        SURROGATE: f'{whose} is a surrogate: {{}}', KINK: f'{whose} agrees, at a kink: {{}}',
        RIGHT: f'{whose} agrees', NOT_ASKED: 'nobody asked for it',
    }[worst].format(found[worst].why)  # fmt: skip


def of_number(v: Verdict, index: tuple[int, ...]) -> str:
    """The verdict on one number of a gradient, which may agree where others do not."""
    agrees = v.verdict in (WRONG, SURROGATE) and v.differs is not None and not v.differs[index]
    return RIGHT if agrees else v.verdict
