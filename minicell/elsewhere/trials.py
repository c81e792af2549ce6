"""The trials of a rule that lives elsewhere, at one point: asked by minicell's own, answered by the framework.

A `Rule` answers; `Body` stands for what minicell knows of a construct from a Tape, and `Asked` for what calls it again.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..check import CheckResult
from ..check.trials import FIRST, RANK, TIMES, Malformed, Trials
from ..core.errors import GradArgumentError, NotATensorError, users_line
from ..core.tensor import Tensor, wrap
from ..judge import decide
from ..judge.takeover import Takeover, rounds_to
from ..judge.verdict import NOT_ASKED, UNKNOWN, Verdict
from ..replay.harmless import Harm
from ..replay.program import Arrays, shaken, wide
from . import words

SHAKES, ROUNDED = 4, 16  # how often all numbers of a rule are rounded at random, and by how many times eps


class Answer(NamedTuple):
    """What a framework answers: the float outputs that have a gradient, and the gradients of the inputs."""

    outs: list[np.ndarray]
    grads: list[np.ndarray | None]
    leads: list[tuple[int, int]] = []  # for each output, a bit an input: its values lead there, and its slopes
    unseen: str = ''  # why the framework's autodiff does not see everything
    chosen: int = 0  # a bit an input: its values choose what is computed
    eps: float = 0.0  # the rounding of the coarsest dtype that took part
    notes: tuple[str, ...] = ()


class Rule(Protocol):
    """A rule at one point. Lists have an item for each array of the inputs, and then for each weight that it reaches."""

    name: str
    names: list[str]
    arrays: list[np.ndarray]
    wants: list[bool]  # which of them count
    kept: Any  # a Kept; None where that would do harm, and why
    harm: str
    words: dict[str, str]
    doubles: bool  # whether it can be called in Float64

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '',
    ) -> Answer:
        """Call it with these inputs, and ask for the gradients for these cotangents: a list, or what makes one of the
        outputs, or None. body: by the framework's own autodiff of the forward body; shake: what rounds every number;
        look: what leads where; way: one of `ways`."""

    def ways(self) -> Iterator[tuple[str, str]]:
        """Other ways of asking, in each of which the gradients are to be the same; and what it is called where they
        are not."""

    def slopes(self, count: int) -> 'Rule':
        """What its own gradients are, as a rule of the inputs and of cotangents: for the second order."""


@dataclass(eq=False)
class Elsewhere(Takeover):
    """A takeover in another framework, which has dtypes that NumPy has not."""

    coarsest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.eps = max(Takeover.eps.func(self), self.coarsest)


class Body:
    """What the framework's autodiff says of the forward body, where minicell has a Program."""

    ops, stopped = (), 0

    def __init__(self, rule: Rule, xs: Arrays, wide: bool) -> None:
        self.rule, self.wide, self.xs = rule, wide, xs
        plain = rule.answer(xs, wide=wide)
        self.made = [np.asarray(a, np.float64) for a in plain.outs]
        self.outs = [wrap(a.astype(kind_of(a))) for a in plain.outs]
        try:
            found = rule.answer(xs, self.made, wide, body=True, look=True)
            self.blind, self.chosen, self.known = found.unseen, found.chosen, found.leads
            if any(not np.allclose(a, b, 1e-6, equal_nan=True) for a, b in zip(found.outs, self.made, strict=True)):
                self.blind = 'where its gradient is taken, construct returns other numbers'
        except Exception as error:
            self.blind, self.chosen, self.known = f'where its gradient is taken, construct raises {name(error)}', 0, []
        self.sees = bool(self.known)

    def again(self, xs: Arrays, shake: Callable | None = None) -> tuple[Any, list[np.ndarray]]:
        """The body on other inputs, and the outputs."""
        return xs, self.asked(xs, None, shake).outs if self.sees else self.made

    def read(self, came: Arrays, ran: Any = None, shake: Callable | None = None, but: Any = ()) -> list[np.ndarray]:
        """The gradient of each input for these cotangents."""
        found = self.asked(self.xs if ran is None else ran, came, shake).grads if self.sees else [None] * len(self.xs)
        return [np.zeros(x.shape) if g is None else wide(g) for g, x in zip(found, self.xs, strict=True)]

    def asked(self, xs: Arrays, came: Any, shake: Callable | None) -> Answer:
        """Its answer. Raises Harm where it has none."""
        try:
            return self.rule.answer(xs, came, self.wide, body=True, shake=shake)
        except Harm:
            raise
        except Exception as error:
            raise Harm(f'called again, construct raises {name(error)}') from None

    def leads(self, place: int, came: Arrays) -> tuple[bool, bool]:
        """Whether ways lead from an input to what was asked for, and whether one has a slope all along."""
        used = [both for both, g in zip(self.known, came, strict=False) if g is not None]
        return any(v >> place & 1 for v, _ in used), any(s >> place & 1 for _, s in used)

    def only_chosen(self, place: int, came: Arrays) -> bool:
        """Whether nothing leads on from an input; or its values choose what is computed, and no slope leads on."""
        values, slopes = self.leads(place, came)
        return not slopes and (not values or bool(self.chosen >> place & 1))


class Asked:
    """Calls a rule again, where minicell calls construct and bprop. Whatever raises there, raises Harm here."""

    narrow = stops = False
    stopped = None

    def __init__(self, rule: Rule, wide: bool) -> None:
        self.rule, self.wide = rule, wide

    def program(self, xs: Arrays, look: bool = True, narrow: bool = False) -> Any:
        """The forward on these inputs, as a Body; where nobody looks, its outputs alone."""
        large = self.rule.doubles and (self.wide or not (narrow or self.narrow))
        try:
            return Body(self.rule, xs, large) if look else [*map(wide, self.rule.answer(xs, wide=large).outs)]
        except Harm:
            raise
        except Exception as error:
            if self.wide or narrow or self.narrow:
                raise Harm(f'called again, construct raises {name(error)}') from None
        found = self.program(xs, look, narrow=True)
        self.narrow = True
        return found

    def bprop(self, xs: Arrays, out: Any, outs: Arrays, came: Arrays, eps: float = 0.0) -> list:
        """The gradients that it gives; or how far they may be off where all numbers are rounded to eps."""
        large = self.rule.doubles and not self.narrow and any(x.dtype == np.float64 for x in xs)
        try:
            shakes = [shaken(ROUNDED * eps, seed) for seed in range(1, SHAKES + 1)] if eps else []
            once, *several = (self.rule.answer(xs, came, large, shake=each).grads for each in (None, *shakes))
        except Harm:
            raise
        except Exception as error:
            raise Harm(f'called again, bprop raises {name(error)}') from None
        spread = lambda k: np.sqrt(np.mean([np.square(wide(each[k]) - wide(once[k])) for each in several], 0))
        return [g if g is None or not eps else spread(k) for k, g in enumerate(once)]


class ForeignTrials(Trials):
    """The trials of one rule at one point."""

    custom = True

    def __init__(self, rule: Rule, sens: object = None) -> None:
        self.rule, self.sens, self.name = rule, sens, rule.name
        self.tensors, self.params, self.called = [wrap(np.array(a)) for a in rule.arrays], [], rule.names
        self.trials, self.douts, self.left_out, self.notes = {}, [], [], []
        self.kept, self.harm = rule.kept, rule.harm
        if rule.kept is None:
            self.left_out.append(f'to call it again, because {rule.harm}')

    def first(self) -> None:
        self.trials[FIRST] = self.trial(self.fresh(False))

    def ask(self, wrt: object) -> None:
        super().ask(wrt)
        if wrt is None:
            self.wanted = self.rule.wants

    def trial(self, tensors: list[Tensor], douts: list | None = None, wide: bool = False, way: str = '') -> Takeover:
        """What the rule answers on these inputs, for these cotangents, or for random ones."""
        if wide and not self.rule.doubles:
            raise Harm('its device has no Float64')
        xs = [np.array(t.array) for t in tensors]
        came: list[np.ndarray] = []

        def asks(outs: list[np.ndarray]) -> list[np.ndarray]:
            if not outs:
                raise Harm('no output is of floats and has a gradient')
            found = self.cotangents([wrap(a) for a in outs]) if douts is None else douts
            came[:] = [d.astype(a.dtype) for d, a in zip(found, outs, strict=True)]
            return came

        found = self.rule.answer(xs, asks, wide, way=way)
        self.notes += found.notes
        try:
            eps = self.rule.answer(xs, None, wide, body=True, look=True).eps
        except Exception:  # the body leaves what can be differentiated
            eps = found.eps
        return Elsewhere(
            self.name.partition('.')[0], self.called, xs, found.grads, came, self.rule.wants,
            tuple(map(wrap, found.outs)), None, partial(asking, self.rule, wide), coarsest=eps,
        )  # fmt: skip

    def asked_again(self) -> dict[str, list]:
        """What it answers when it is asked the same again: at once, a few times; and after another call."""
        main, found = self.trials[FIRST], {'again': [], 'after': []}
        for what in found:
            with suppress(Exception):
                for _ in range(TIMES // 4 if what == 'again' else 1):
                    found[what].append(self.rule.answer(main.inputs, main.came, False, way=what).grads)
        return found

    def rows(self) -> list[Verdict]:
        """The verdicts from all trials; where all is right, from all other ways of asking, too."""
        told = super().rows()
        if not all(row.ok for row in told if row.asked):
            return told
        first, full = self.trials[FIRST], [np.full(g.shape, 0.75, g.dtype) for g in self.trials[FIRST].came]
        for way, when in self.rule.ways():
            came = full if way == 'expanded' else first.came
            try:
                found = self.rule.answer(first.inputs, came, False, way=way)
            except Malformed as malformed:
                said = str(malformed.error).strip().partition('\n')[0]
                self.notes.append(f'It raises {name(malformed.error)} {when}: {said}')
                continue
            except Exception:  # forward refuses that
                continue
            if not all(np.allclose(a, b, 1e-2, 1e-6, equal_nan=True) for a, b in zip(found.outs, first.outs, strict=True)):
                continue
            self.notes += found.notes
            there = replace(first, yours=found.grads, came=came)
            there.asked = [of and (not way.isdigit() or k == int(way)) for k, of in enumerate(self.wanted)]
            for row in decide.verdicts(there):
                if row.verdict == 'wrong':
                    told[row.place] = row._replace(mistake=f'It is another {when}: {row.why}')
        return told

    def second(self, rows: list[Verdict]) -> list[Verdict]:
        """The rows with what is true of the rule's own derivative, where the first order is right."""
        if not all(row.ok for row in rows if row.asked):
            self.left_out.append('the second order, because the first is not right')
            return rows
        inner = ForeignTrials(self.rule.slopes(self.trials[FIRST].came))
        try:
            inner.first()
        except (Malformed, Harm) as error:
            self.left_out.append(f'the second order ({getattr(error, "error", error)})')
            return rows
        inner.ask(None)
        inner.others()
        found = super(ForeignTrials, inner).rows()
        for row in found:
            first = next((r for r in rows if r.name == row.name), next(r for r in rows if r.asked))
            if first.asked and RANK.index(row.verdict) > RANK.index(first.verdict):
                both = 'At second order' if row.ok else 'The first order is right, the second is not'
                rows[first.place] = row._replace(
                    cell=first.cell, name=first.name, place=first.place, why=f'{both}: {row.why}',
                    mistake=f'{both}. {row.mistake}' * bool(row.mistake),
                )  # fmt: skip
            elif first.asked and row.verdict == UNKNOWN:
                self.left_out.append(f'the second order of {row.name}: {row.why.rstrip(".")}')
        self.trials |= {f'second order, {label}': trial for label, trial in inner.trials.items()}
        return rows


def check(home: Any, rule: Any, inputs: tuple, keywords: dict, sens: Any, wrt: Any, order: int) -> CheckResult:
    """What `check_bprop` finds of a rule that lives elsewhere."""
    if order not in (1, 2):
        raise GradArgumentError(f'order is 1 or 2, but got {order!r}.{users_line()}')
    asked = home.rule(rule, inputs, keywords)
    if not any(a.dtype.kind == 'f' for a in asked.arrays):
        raise NotATensorError(f'check_bprop needs a float tensor among the inputs of {asked.name}.{users_line()}')
    trials = ForeignTrials(asked, home.cotangents(sens))
    try:
        trials.first()
    except Malformed as malformed:
        return CheckResult(trials.name, [], [], malformed.error)
    except Harm as harm:
        why = words.said(decide.sentence(str(harm)), asked.words)
        rows = [
            Verdict(asked.name, n, k, w, None, None, '', UNKNOWN if w else NOT_ASKED, why * w)
            for k, (n, w) in enumerate(zip(asked.names, asked.wants, strict=True))
        ]
        return CheckResult(asked.name, rows, [])
    trials.ask(wrt)
    trials.others()
    rows = trials.second(trials.rows()) if order == 2 else trials.rows()
    notes = [*trials.notes, words.said(trials.tried(), asked.words)]
    return CheckResult(asked.name, [words.row(r, asked.words) for r in rows], [*dict.fromkeys(notes)])


def asking(rule: Rule, wide: bool) -> Asked:
    """What calls a rule again. Raises Harm where it must not."""
    if rule.kept is None:
        raise Harm(rule.harm)
    return Asked(rule, wide)


def kind_of(a: np.ndarray) -> Any:
    """The coarsest dtype that holds numbers as they are: the rule may compute in it whatever it is given."""
    return next((kind for kind in (np.float16, np.float32) if rounds_to(a, kind)), a.dtype)


def name(error: Exception) -> str:
    """The name of an error's class."""
    return type(error).__name__
