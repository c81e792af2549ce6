"""A rule of PyTorch: a `torch.autograd.Function`, a function that calls one, or a module that has one inside."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
import torch
from torch.autograd import Function
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ...check.trials import Malformed
from ...replay.harmless import Harm, untouched
from ...replay.program import Arrays
from ..rule import Answer, in_words, inner, names, repeated
from .body import Watch, gets_ctx, heard, inlined, memory
from .kept import TorchKept, settings
from .path import Path
from .remarks import WORDS, WRITES, remarks
from .second import gradients
from .tensors import has_graph, laid, numbers, same, strided, tensor, tensors_in

LEAVES = 'construct leaves what autograd records (detach, no_grad, NumPy)'


class TorchRule:
    """A rule of PyTorch at one point."""

    sens = None

    def __init__(self, rule: Any, inputs: tuple, keywords: dict, of: 'TorchRule | None' = None) -> None:
        self.function = rule if isinstance(rule, type) and issubclass(rule, Function) else None
        self.rule = rule.apply if self.function else rule
        self.flat, self.spec = tree_flatten((inputs, keywords))
        self.at = [k for k, each in enumerate(self.flat) if isinstance(each, torch.Tensor)]
        self.like: list[torch.Tensor] = [self.flat[k] for k in self.at]
        self.arrays = [numbers(t) for t in self.like]
        marked = any(t.requires_grad for t in self.like)
        self.wants = [t.dtype.is_floating_point and (t.requires_grad or not marked) for t in self.like]
        self.words, self.weights = in_words(WORDS, {t.dtype for t in self.like if t.dtype.is_floating_point}), []
        self.places: list[int] | None = None  # of the outputs that have a gradient
        self.kept, self.harm, self.second = of and of.kept, '', of is not None
        if of is None:
            try:
                self.kept = TorchKept(rule)
            except Harm as harm:
                self.harm = str(harm)
            first = (None,) if self.function and gets_ctx(rule) else ()
            self.names = names(getattr(rule, 'forward', rule), first, inputs, keywords, tensors_in)
            self.meet(rule)
        self.doubles = all(t.device.type != 'mps' for t in (*self.like, *self.weights))

    def meet(self, rule: Any) -> None:
        """Find the weights that it uses, and its name."""
        met: list[type] = []
        weights = self.kept.weights if self.kept else {}
        reached = {n: w for n, w in weights.items() if all(w is not t for t in self.like)}
        self.weights, used = [*reached.values()], set()
        xs = [*self.arrays, *map(numbers, self.weights)]
        for around in (inlined(met), nullcontext()) if self.kept and (reached or not self.function) else ():
            with suppress(Exception), self.state(), settings(False), around:
                outs = [t for t in tree_leaves(self.called(self.leaves(xs))) if has_graph(t)]
                found = torch.autograd.grad([t.sum() for t in outs], self.weights, allow_unused=True)
                used |= {n for n, g in zip(reached, found, strict=True) if g is not None}
        self.weights = [w for n, w in reached.items() if n in used]
        self.names += [n for n in reached if n in used]
        self.arrays += map(numbers, self.weights)
        self.wants += [True] * len(self.weights)
        self.name = f'autograd of {getattr(rule, "__name__", type(rule).__name__)}'
        if self.function or len({*met}) == 1:
            self.name = f'{(self.function or met[0]).__name__}.backward'

    # ---- calling it ----

    @contextmanager
    def state(self, wide: bool = False) -> Iterator[None]:
        """The state that all it can reach was in when the check began."""
        with untouched(self.kept) if self.kept else nullcontext():
            if wide and self.kept:
                self.kept.widen()
            yield

    def leaves(self, xs: Arrays, wide: bool = False, way: str = '') -> list[torch.Tensor]:
        """The inputs in new tensors, and the weights with these numbers."""
        found = [tensor(x, t, wide) for x, t in zip(xs, (*self.like, *self.weights), strict=True)]
        for k, _ in enumerate(self.like):
            found[k].requires_grad_(self.wants[k] and (k == int(way) if way.isdigit() else True))
        for w, new in zip(self.weights, found[len(self.like) :], strict=True):
            w.data = new
        return [*found[: len(self.like)], *self.weights]

    def called(self, leaves: list[torch.Tensor], way: str = '') -> Any:
        """What it returns. It gets clones, which it may write into, and which a body under autograd may change."""
        flat = [*self.flat]
        for at, leaf in zip(self.at, leaves, strict=False):
            flat[at] = leaf.clone() if leaf.requires_grad else leaf
            flat[at] = strided(flat[at]) if way == 'laid' else flat[at]
        args, keywords = tree_unflatten(flat, self.spec)
        first = [flat[at] for at in self.at if has_graph(flat[at])] if self.places is None else []
        before = [(t, t.grad_fn, t.detach().clone()) for t in first]
        out = self.rule(*args, **keywords)
        if any(t.grad_fn is fn and not same(t, old) for t, fn, old in before):
            raise Harm('construct writes into an input, and ctx.mark_dirty does not say so')
        return out

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '', cut: Collection[int] = (),
    ) -> Answer:  # fmt: skip
        watch, straight = Watch(shake) if shake or look else None, way == 'straight'
        path = Path(cut, straight) if look or cut or straight else None
        returned: list[tuple] = []
        around = inlined(straight=straight) if body else heard(returned) if came is not None else nullcontext()
        with self.state(wide), settings(wide), around, watch or nullcontext():
            leaves = self.leaves(xs, wide, way)
            for k, leaf in enumerate(leaves) if watch else ():
                watch.starts(leaf, k)
            with path or nullcontext():
                outs = self.outputs(self.called(leaves, way))
            if way == 'after':
                with suppress(Exception):  # what forward refuses, it does not keep
                    self.called([t.detach() * 0.625 if t.dtype.is_floating_point else t for t in leaves])
            found = Answer([numbers(t) for t in outs], [])
            if callable(came):
                came = came(found.outs)
            if came is not None:
                grads, notes = self.found(leaves, outs, came, body, way)
                found = found._replace(grads=grads, notes=(*notes, *remarks(self, returned, leaves)))
        if watch is None:
            return found
        leads = [(watch.values.get(memory(t), 0), watch.slopes.get(memory(t), 0)) for t in outs]
        gone = any(slopes and not has_graph(t) for t, (_, slopes) in zip(outs, leads, strict=True))
        unseen = watch.unseen or LEAVES * (gone and body)
        return found._replace(
            leads=leads, unseen=unseen, chosen=watch.chosen, eps=watch.eps, steps=path.steps if look else ()
        )

    def outputs(self, out: Any) -> list[torch.Tensor]:
        """The outputs of floats that have a gradient: those that had one the first time."""
        every = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]
        if self.places is None:
            self.places = [k for k, t in enumerate(every) if t.dtype.is_floating_point and has_graph(t)]
        return [every[k] for k in self.places]

    def found(self, leaves: list, outs: list, came: Arrays, body: bool, way: str) -> tuple[list, list[str]]:
        """The gradients of the leaves for these cotangents, and notes. Raises Malformed where backward raises."""
        given = [laid(tensor(g, t), way) for g, t in zip(came, outs, strict=True)]
        before, through = [*map(numbers, given)], [(t, g) for t, g in zip(outs, given, strict=True) if has_graph(t)]
        wanted = [k for k, t in enumerate(leaves) if t.requires_grad]

        every = self.second or (self.kept and self.kept.recomputes)  # at second order all, so that what refuses says so
        inputs = None if every else [leaves[k] for k in wanted]

        def ask() -> list[np.ndarray | None]:
            for k in wanted:
                leaves[k].grad = None
            if through:
                some, their = map(list, zip(*through, strict=True))
                torch.autograd.backward(some, their, retain_graph=way == 'again', inputs=inputs)
            return [None if t.grad is None or not t.requires_grad else numbers(t.grad) for t in leaves]

        try:
            found = repeated(ask) if way == 'again' else ask()
        except Exception as error:
            raise error if body else Malformed(error) from None
        written = any(not np.array_equal(numbers(g), a, equal_nan=True) for g, a in zip(given, before, strict=True))
        return found, [WRITES] * (written and not body)

    def ways(self) -> Iterator[tuple[str, str]]:
        """Other memory, and each input alone."""
        yield 'strided', 'for a grad_output that is not contiguous'
        yield 'expanded', 'for a grad_output that is one number, expanded'
        yield 'laid', 'for inputs that are not contiguous'
        if sum(self.wants) > 1:
            for k, name in enumerate(self.names[: len(self.like)]):
                if self.wants[k]:
                    yield str(k), f'where {name} alone needs a gradient'

    def slopes(self, came: Arrays) -> 'TorchRule':
        """What its gradients are, as a rule of the inputs and of cotangents."""
        douts = [torch.from_numpy(g.copy()).to(self.like[0].device) for g in came]
        found = inner(self, TorchRule(gradients(self), (*self.flat, *douts), {}, self), len(douts))
        found.places = [*range(sum(self.wants))]
        return found


rule = TorchRule
