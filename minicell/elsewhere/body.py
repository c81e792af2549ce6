"""What the judge asks of a rule that lives elsewhere: `Body` stands for a Program, `Asked` for what calls it again."""

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor, wrap
from ..judge.takeover import rounds_to
from ..replay.harmless import Harm
from ..replay.program import Arrays, shaken, wide
from .rule import Answer, Rule

SHAKES, ROUNDED = 4, 16  # how often all numbers of a rule are rounded at random, and by how many times eps


class Step(NamedTuple):
    """A step of a body, where minicell has an op."""

    where: Any  # in the user's code
    out: Tensor  # stands for what it makes


class Body:
    """What the framework's autodiff says of the forward body, where minicell has a Program."""

    ops, stopped, selects = (), 0, 0

    def __init__(self, rule: Rule, xs: Arrays, came: Arrays, large: bool) -> None:
        self.rule, self.wide, self.xs, self.eps = rule, large, xs, 0.0
        self.found: dict = {}  # what was read here, by the cotangents, which are kept, too
        plain = rule.answer(xs, wide=large)
        self.made = [np.asarray(a, np.float64) for a in plain.outs]
        kinds = [*map(kind_of, plain.outs)]
        if any(kind != a.dtype for kind, a in zip(kinds, plain.outs, strict=True)):
            shake = shaken(1e-6, 1)
            with suppress(Exception):  # where the inputs have few digits, so may the outputs
                beside = rule.answer([shake(wide(x), True) for x in xs], wide=large)
                kinds = [np.result_type(kind, kind_of(b)) for kind, b in zip(kinds, beside.outs, strict=True)]
        if [g.shape for g in came] != [a.shape for a in plain.outs]:  # of inputs that have other axes
            came = [*map(np.ones_like, plain.outs)]
        self.outs = [wrap(a.astype(kind)) for a, kind in zip(plain.outs, kinds, strict=True)]
        try:
            found = rule.answer(xs, came, large, body=True, look=True)
            self.blind, self.chosen, self.known, self.eps = found.unseen, found.chosen, found.leads, found.eps
            self.ops = [Step(where, wrap(np.zeros(0))) for where in found.steps]
            self.found[id(came)] = came, self.due(found.grads)
            if any(not np.allclose(a, b, 1e-6, equal_nan=True) for a, b in zip(found.outs, self.made, strict=True)):
                self.blind = 'where its gradient is taken, construct returns other numbers'
        except Exception as error:
            self.blind = f'where its gradient is taken, construct raises {type(error).__name__}'
            self.chosen, self.known = 0, []
        self.sees = bool(self.known)

    def due(self, grads: list) -> list[np.ndarray]:
        """Gradients as numbers: None stands for zero."""
        return [np.zeros(x.shape) if g is None else wide(g) for g, x in zip(grads, self.xs, strict=True)]

    def again(self, xs: Arrays, shake: Callable | None = None) -> tuple[Any, list[np.ndarray]]:
        """The body on other inputs, and the outputs."""
        here = not self.sees or (shake is None and self.stands_at(xs))
        return xs, self.made if here else self.asked(xs, None, shake).outs

    def straight(self, came: Arrays) -> list[np.ndarray]:
        """What the gradients are where steps without a slope have the slope 1; none if all have a slope."""
        found = self.due(self.asked(self.xs, came, None, way='straight').grads)
        return [] if all(map(np.array_equal, found, self.read(came))) else found

    def stands_at(self, xs: Arrays) -> bool:
        """Whether these are its inputs."""
        return all(a is b or np.array_equal(a, b) for a, b in zip(xs, self.xs, strict=True))

    def read(self, came: Arrays, ran: Any = None, shake: Callable | None = None, but: Any = ()) -> list[np.ndarray]:
        """The gradient of each input for these cotangents; but: ids of what steps make, where nothing passes."""
        cut = {k for k, step in enumerate(self.ops) if id(step.out) in but} if but else ()
        xs = self.xs if ran is None else ran
        once = shake is None and not cut and len(xs) > 0 and self.stands_at(xs)
        if once and id(came) in self.found:
            return self.found[id(came)][1]
        asked = self.sees and len(xs) > 0
        found = self.due(self.asked(xs, came, shake, cut).grads if asked else [None] * len(self.xs))
        if once:
            self.found[id(came)] = came, found
        return found

    def asked(self, xs: Arrays, came: Any, shake: Callable | None, cut: Collection[int] = (), way: str = '') -> Answer:
        """Its answer. Raises Harm where it has none."""
        try:
            return self.rule.answer(xs, came, self.wide, body=True, shake=shake, way=way, cut=cut)
        except Harm:
            raise
        except Exception as error:
            raise Harm(f'called again, construct raises {type(error).__name__}') from None

    def leads(self, place: int, came: Arrays) -> tuple[bool, bool]:
        """Whether ways lead from an input to what was asked for, and whether one has a slope all along."""
        used = [both for both, g in zip(self.known, came, strict=False) if g is not None]
        return any(v >> place & 1 for v, _ in used), any(s >> place & 1 for _, s in used)


class Asked:
    """Calls a rule again, where minicell calls construct and bprop. Whatever raises there, raises Harm here; and where
    a call would do harm, it is not made."""

    narrow = stops = False
    stopped = None

    def __init__(self, rule: Rule, wide: bool, bodies: dict[bool, Body], came: Arrays) -> None:
        if rule.kept is None:
            raise Harm(rule.harm)
        self.rule, self.wide, self.came = rule, wide, came
        self.bodies = bodies  # the last one in each precision

    def program(self, xs: Arrays, look: bool = True, narrow: bool = False) -> Any:
        """The forward on these inputs, as a Body; where nobody looks, its outputs alone."""
        large = self.rule.doubles and (self.wide or not (narrow or self.narrow))
        try:
            here = large in self.bodies and self.bodies[large].stands_at(xs)
            if not look:
                return self.bodies[large].made if here else [*map(wide, self.rule.answer(xs, wide=large).outs)]
            if not here:
                self.bodies[large] = Body(self.rule, xs, self.came, large)
            return self.bodies[large]
        except Harm:
            raise
        except Exception as error:
            if self.wide or narrow or self.narrow:
                raise Harm(f'called again, construct raises {type(error).__name__}') from None
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
            raise Harm(f'called again, bprop raises {type(error).__name__}') from None
        spread = lambda k: np.sqrt(np.mean([np.square(wide(each[k]) - wide(once[k])) for each in several], 0))
        return [g if g is None or not eps else spread(k) for k, g in enumerate(once)]


def kind_of(a: np.ndarray) -> Any:
    """The coarsest dtype that holds numbers as they are: the rule may compute in it whatever it is given."""
    with np.errstate(all='ignore'):  # (a number may be too large for one)
        return next((kind for kind in (np.float16, np.float32) if rounds_to(a, kind)), a.dtype)
