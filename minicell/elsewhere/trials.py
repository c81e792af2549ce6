"""The trials of a rule that lives elsewhere, at one point: minicell's own ask it, and the framework answers."""

from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from ..check import CheckResult
from ..check.trials import FIRST, Malformed, Trials
from ..core.errors import GradArgumentError, NotATensorError, users_line
from ..core.tensor import Tensor, wrap
from ..ink.numbers import largest
from ..judge import decide
from ..judge.takeover import Takeover
from ..judge.verdict import UNKNOWN, WRONG, Verdict
from ..replay.harmless import Harm
from . import words
from .body import Asked, Body
from .rule import Rule, same

CUT = 'What bprop returns does not lead back to {}, as where a value is detached, or kept from construct.'


class Elsewhere(Takeover):
    """A takeover in another framework, which has dtypes that NumPy has not, and perhaps functions of few digits."""

    @cached_property
    def eps(self) -> float:
        with suppress(Exception):  # the body leaves what can be differentiated
            return max(super().eps, self.again.program(self.inputs, narrow=True).eps)
        return super().eps

    def rooms(self, place: int, times: int) -> np.ndarray:
        """With what the body's own gradient is off by in its own dtypes, as where its tanh has few digits."""
        own, room = self.exact[place], super().rooms(place, times)
        with suppress(Harm):
            own = self.again.program(self.inputs, narrow=True).read(self.came)[place]
        return room + 2 * np.nan_to_num(np.abs(own - self.exact[place]), posinf=0.0)


class ForeignTrials(Trials):
    """The trials of one rule at one point."""

    custom = True

    def __init__(self, rule: Rule) -> None:
        self.rule, self.name, self.called = rule, rule.name, rule.names
        self.sens = None if rule.sens is None else [*map(wrap, rule.sens)]
        self.tensors, self.params = [wrap(np.array(a)) for a in rule.arrays], []
        self.trials, self.douts, self.notes = {}, [], []
        self.bodies: dict[bool, Body] = {}  # by whether all is in Float64
        self.kept, self.harm = rule.kept, rule.harm
        self.left_out = [f'to call it again, because {rule.harm}'] if rule.kept is None else []

    def first(self) -> None:
        """With the inputs as they are. Raises Malformed, Harm where it cannot be judged, and what the rule raises."""
        self.trials[FIRST] = self.trial(self.fresh(False))

    def ask(self, wrt: object) -> None:
        super().ask(wrt)
        if wrt is None:
            self.wanted = self.rule.wants

    def trial(self, tensors: list[Tensor], douts: list | None = None, wide: bool = False) -> Takeover:
        """What the rule answers on these inputs, for these cotangents, or for random ones."""
        if wide and not self.rule.doubles:
            raise Harm('its device has no Float64')
        xs, came = [np.array(t.array) for t in tensors], []

        def asks(outs: list[np.ndarray]) -> list[np.ndarray]:
            if not outs:
                raise Harm('no output is of floats and has a gradient')
            found = self.cotangents([wrap(a) for a in outs]) if douts is None else douts
            if [d.shape for d in found] != [a.shape for a in outs]:
                shapes = ', '.join(str(a.shape) for a in outs)
                raise GradArgumentError(f'sens has to have the shapes of the outputs: {shapes}.{users_line()}')
            came[:] = [d.astype(a.dtype) for d, a in zip(found, outs, strict=True)]
            return came

        found = self.rule.answer(xs, asks, wide)
        self.notes += found.notes
        return Elsewhere(
            self.name.partition('.')[0], self.called, xs, found.grads, came, self.rule.wants,
            tuple(map(wrap, found.outs)), None, partial(Asked, self.rule, wide, self.bodies, came),
        )  # fmt: skip

    def asked_again(self) -> dict[str, list]:
        """What it answers when it is asked the same again: at once, a few times; and after another call."""
        main, found = self.trials[FIRST], {'again': [], 'after': []}
        for what in found if self.kept is not None else ():
            with suppress(Exception):
                found[what].append(self.rule.answer(main.inputs, main.came, False, way=what).grads)
        return found

    def rows(self) -> list[Verdict]:
        """The verdicts from all trials; where all is right, from all other ways of asking, too."""
        told = super().rows()
        if self.kept is not None and all(row.ok for row in told if row.asked):
            for way, when in self.rule.ways():
                self.asked_in(way, when, told)
        return told

    def asked_in(self, way: str, when: str, told: list[Verdict]) -> None:
        """One of the other ways: what is wrong there takes the place of what is told."""
        first, several = self.trials[FIRST], way == 'expanded'
        came = [np.full(g.shape, 0.75, g.dtype) for g in first.came] if several else first.came
        try:
            found = self.rule.answer(first.inputs, came, False, way=way)
        except Malformed as malformed:
            said = str(malformed.error).strip().partition('\n')[0]
            self.notes.append(f'It raises {type(malformed.error).__name__} {when}: {said}')
            return
        except Exception:  # forward refuses that
            return
        if all(np.allclose(a, b, 1e-2, 1e-6, equal_nan=True) for a, b in zip(found.outs, first.outs, strict=True)):
            self.notes += found.notes
            asked = [of and (not way.isdigit() or k == int(way)) for k, of in enumerate(self.wanted)]
            pairs = [*zip(asked, found.grads, first.yours, strict=True)]
            if came is first.came and all(same(a, b) for of, a, b in pairs if of):
                return
            there = replace(first, yours=found.grads, came=came, asked=asked, thorough=False)
            rounded = lambda v: v.off is not None and v.off <= 64 * there.eps * largest(v.due)  # as where terms cancel
            for row in (v for v in decide.verdicts(there) if v.verdict == WRONG and not rounded(v)):
                told[row.place] = row._replace(mistake=f'It is another {when}: {row.why}')

    def second(self, rows: list[Verdict]) -> list[Verdict]:
        """The rows with what is true of the rule's own derivative, where the first order is right."""
        if not all(row.ok for row in rows if row.asked):
            self.left_out.append('the second order, because the first is not right')
            return rows
        inner = ForeignTrials(self.rule.slopes(self.trials[FIRST].came))
        try:
            inner.first()
        except (Malformed, Harm) as error:
            self.left_out.append(f'the second order ({str(getattr(error, "error", error)).rstrip(".")})')
            return rows
        inner.ask(None)
        inner.others()
        for row in super(ForeignTrials, inner).rows():
            if row.verdict == WRONG and row.yours is None:
                row = row._replace(mistake=CUT.format(row.name))
            first = next((r for r in rows if r.name == row.name), next(r for r in rows if r.asked))
            self.deeper(rows, first, row)
        self.trials |= {f'second order, {label}': trial for label, trial in inner.trials.items()}
        return rows


def check(rule: Rule, wrt: object, order: int) -> CheckResult:
    """What `check_bprop` finds of a rule that lives elsewhere."""
    if order not in (1, 2):
        raise GradArgumentError(f'order is 1 or 2, but got {order!r}.{users_line()}')
    if not any(a.dtype.kind == 'f' for a in rule.arrays):
        raise NotATensorError(f'check_bprop needs a float tensor among the inputs of {rule.name}.{users_line()}')
    trials = ForeignTrials(rule)
    try:
        trials.first()
    except Malformed as malformed:
        return CheckResult(rule.name, [], [], malformed.error)
    except Harm as harm:
        why = decide.sentence(str(harm))
        given = zip(rule.names, rule.wants, strict=True)
        rows = [Verdict(rule.name, n, k, w, None, None, '', UNKNOWN, why) for k, (n, w) in enumerate(given)]
        return CheckResult(rule.name, [words.row(row, rule.words) for row in rows], [])
    trials.ask(wrt)
    trials.others()
    rows = trials.second(trials.rows()) if order == 2 else trials.rows()
    notes = [*dict.fromkeys(trials.notes), words.said(trials.tried(), rule.words)]
    return CheckResult(rule.name, [words.row(row, rule.words) for row in rows], notes)
