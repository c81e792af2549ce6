"""A rule of MindSpore: a Cell with a bprop, or a Cell or a function that calls one."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
from mindspore import Tensor, nn
from mindspore.graph.api import _pynative_executor

from ...check.trials import Malformed
from ...replay.harmless import Harm, untouched
from ...replay.program import Arrays
from ..rule import TIMES, Answer, in_words, inner, names
from .asking import Asking, gradients, scalar, slopes
from .kept import MindSporeKept, settings
from .leads import Leads
from .ops import Watch, heard, inlined
from .remarks import SWALLOWED, malformed, remarks
from .tensors import filled, is_float, numbers, tensor, tensors_in


class MindSporeRule:
    """A rule of MindSpore at one point."""

    doubles, sens = True, None

    def __init__(self, rule: Any, inputs: tuple, keywords: dict, of: 'MindSporeRule | None' = None) -> None:
        self.rule, self.given = rule, (inputs, keywords)
        self.custom = isinstance(rule, nn.Cell) and rule.has_bprop
        self.like = tensors_in(self.given)
        self.arrays = [numbers(t) for t in self.like]
        self.wants = [*map(is_float, self.like)]
        self.words = in_words({}, {str(t.dtype).lower() for t in self.like if is_float(t)})
        self.weights: list = []
        self.notes: list[str] = []
        self.fixed: dict = {}  # what is random, as it was the first time
        self.kept, self.harm = of and of.kept, ''
        if of is None:
            try:
                self.kept = MindSporeKept(rule)
            except Harm as harm:
                self.harm = str(harm)
            self.names = names(getattr(rule, 'construct', rule), (), inputs, keywords, tensors_in)
            self.meet()

    def meet(self) -> None:
        """Find the weights that it uses, and its name."""
        met: list[type] = []
        reached = self.kept.weights if self.kept else {}
        self.weights, used = [*reached.values()], 0
        with suppress(Exception):
            found = self.answer([*self.arrays, *map(numbers, self.weights)], None, False, True, look=True, met=met)
            for values, _ in found.leads:
                used |= values
        used = {n: w for k, (n, w) in enumerate(reached.items(), len(self.like)) if used >> k & 1}
        if self.custom:
            own = [id(p) for p in getattr(self.rule, 'internal_params', None) or ()]
            self.notes += [SWALLOWED.format(n) for n, w in used.items() if id(w) not in own]
            used = {n: w for n, w in reached.items() if id(w) in own}
        self.weights = [*used.values()]
        self.names += used
        self.arrays += map(numbers, self.weights)
        self.wants += [True] * len(self.weights)
        kind = type(self.rule) if self.custom else met[0] if len({*met}) == 1 else None
        plain = getattr(self.rule, '__name__', type(self.rule).__name__)
        self.name = f'{kind.__name__}.bprop' if kind else f'autodiff of {plain}'

    # ---- calling it ----

    @contextmanager
    def state(self, wide: bool = False) -> Iterator[None]:
        """The state that all it can reach was in when the check began."""
        with untouched(self.kept) if self.kept else nullcontext():
            if wide and self.kept:
                self.kept.widen()
            yield

    def called(self, tensors: list[Tensor]) -> list[Tensor]:
        """The outputs of floats that it returns for these inputs."""
        args, keywords = filled(self.given, iter(tensors))
        return [*filter(is_float, tensors_in(self.rule(*args, **keywords)))]

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '', cut: Collection[int] = (), met: list | None = None,
    ) -> Answer:  # fmt: skip
        if way == 'graph':
            return self.in_graph_mode(xs, came)
        watch, returned = Watch(self.fixed, wide, body, shake), []
        around = inlined(met, way == 'straight') if body else heard(returned, 1 + TIMES if way == 'again' else 1)
        found, leads = Answer([], [], notes=self.notes), None

        def asked(*floats: Tensor) -> Tensor:
            nonlocal came, found, leads
            each = iter(floats)
            every = [next(each) if is_float(t) else t for t in inputs]
            leads = Leads([*every, *self.weights]) if look or cut else None
            with leads.taking() if leads else nullcontext():
                outs = self.called(every)
            if way == 'after':
                with suppress(Exception):  # what construct refuses, it does not keep
                    self.called([t * 0.625 if is_float(t) else t for t in every])
            found = found._replace(outs=[*map(numbers, outs)], leads=[leads.of(t) for t in outs] if leads else ())
            found = found._replace(steps=leads.steps(watch.steps, cut) if leads else ())
            came, watch.forward = came(found.outs) if callable(came) else came, False
            if came is None:
                return Tensor(0.0)
            return scalar(outs, [tensor(g, t) for g, t in zip(came, outs, strict=True)])

        with settings(), self.state(wide), around, watch:
            inputs = [tensor(x, t, wide) for x, t in zip(xs, self.like, strict=False)]
            for w, x in zip(self.weights, xs[len(inputs) :], strict=True):
                w.assign_value(tensor(x, w, wide))
            floats = [*filter(is_float, inputs)]
            try:
                if came is None and not look:
                    asked(*floats)
                    return found
                grads, of_weights = slopes(asked, floats, self.weights)
                each = iter([*map(numbers, grads)])
                grads = [next(each) if is_float(t) else None for t in inputs]
                grads += map(numbers, of_weights)
            except Exception as error:
                with suppress(Exception):  # what ops raise later is heard now, and not by what the user calls next
                    _pynative_executor.sync()
                if body or watch.forward or isinstance(error, Harm):
                    raise
                raise Malformed(malformed(error, returned)) from None
        found = found._replace(grads=grads, notes=[*self.notes, *remarks(self, returned)])
        if leads is None:
            return found
        return found._replace(unseen=leads.unseen, chosen=leads.chosen, eps=leads.eps)

    def ways(self) -> Iterator[tuple[str, str]]:
        """In graph mode, where it can be compiled as it is called."""
        args, keywords = self.given
        if isinstance(self.rule, nn.Cell) and not keywords and all(isinstance(t, Tensor) for t in args):
            yield 'graph', 'in graph mode'

    def in_graph_mode(self, xs: Arrays, came: Arrays) -> Answer:
        """What it answers there; where it cannot be compiled, what it answers in PyNative mode, and a note."""
        plain = self.answer(xs, came, wide=False)
        try:
            with self.state(), settings(graph=True):
                inputs = [tensor(x, t) for x, t in zip(xs, self.like, strict=False)]
                outs = tensors_in(self.rule(*inputs))
                sens = [tensor(g, t) for g, t in zip(came, outs, strict=True)]
                sens = tuple(sens) if len(sens) > 1 else sens[0]
                grads, of_weights = Asking(self.rule, self.weights)(*inputs, sens)
                every = [*grads, *of_weights]
                grads = [numbers(g) if isinstance(g, Tensor) else None for g in every]
                return Answer([*map(numbers, outs)], grads)
        except Harm:
            raise
        except Exception as error:
            said = str(error).strip().partition('\n')[0]
            return plain._replace(notes=[f'In graph mode, {type(error).__name__} is raised: {said}'])

    def slopes(self, came: Arrays) -> 'MindSporeRule':
        """What its gradients are, as a rule of the inputs and of cotangents."""
        douts = [Tensor(np.array(g)) for g in came]
        return inner(self, MindSporeRule(gradients(self), (*self.like, *douts), {}, self), len(douts))


rule = MindSporeRule
