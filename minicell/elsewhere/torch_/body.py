"""A Function's forward as PyTorch's autograd sees it: `inlined` runs the body where `apply` would hide it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import torch
from torch.autograd import function
from torch.autograd.function import BackwardCFunction
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from .tensors import has_graph

HOME = function._SingleLevelFunction  # what `Function.apply` asks, however early somebody took hold of that
STEPS = {'sign', 'sgn', 'round', 'floor', 'ceil', 'trunc', 'heaviside', 'bernoulli', 'floor_divide'}
FRESH = 'empty', 'new_', 'zeros', 'ones', 'full', 'rand', 'arange', 'scalar_tensor'  # what is made of shapes alone
VALUES = 'construct takes a number out of a tensor (item), and what is made of it is not recorded'


class Context:
    """Stands for ctx where a body runs under autograd."""

    saved_tensors: tuple = ()

    def __init__(self, args: tuple) -> None:
        self.needs_input_grad = tuple(isinstance(a, torch.Tensor) and a.requires_grad for a in args)
        self.cut: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep them."""
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Their graph ends here."""
        self.cut = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Autograd sees a write by itself."""

    def set_materialize_grads(self, value: bool) -> None:
        """There is no backward to be given zeros."""


def gets_ctx(kind: Any) -> bool:
    """Whether the forward of a Function gets ctx: where there is a setup_context, that does."""
    return not function._is_setup_context_defined(kind.setup_context)


@contextmanager
def inlined(met: list | None = None, straight: bool = False) -> Iterator[None]:
    """In this thread, each Function runs its forward under autograd, and its backward is not asked; straight: but for
    one whose forward has no slope."""
    here = threading.get_ident()

    @classmethod
    def apply(cls: Any, *args: Any) -> Any:
        if threading.get_ident() != here or cls.__module__.partition('.')[0] == 'torch':
            return super(HOME, cls).apply(*args)
        ctx = Context(args)
        if met is not None:
            met.append(cls)
        if not gets_ctx(cls):
            out = cls.forward(*args)
            cls.setup_context(ctx, args, out)
        else:
            out = cls.forward(ctx, *args)
        if straight and any(map(has_graph, args)) and not any(map(has_graph, tree_leaves(out))):
            return super(HOME, cls).apply(*args)
        return tree_map(lambda t: t.detach() if any(t is each for each in ctx.cut) else t, out)

    HOME.apply = apply
    try:
        yield
    finally:
        del HOME.apply


@contextmanager
def heard(returned: list[tuple]) -> Iterator[None]:
    """What each backward returned, before the engine casts it and adds it up."""
    plain = BackwardCFunction.apply

    def apply(self: Any, *args: Any) -> Any:
        found = plain(self, *args)
        returned.append(found if isinstance(found, tuple) else (found,))
        return found

    BackwardCFunction.apply = apply
    try:
        yield
    finally:
        BackwardCFunction.apply = plain


class Watch(TorchDispatchMode):
    """Sees each operation below autograd: what it leads on from, and in which dtypes; and rounds what it makes."""

    def __init__(self, shake: Callable | None = None) -> None:
        super().__init__()
        self.shake = shake
        self.values: dict[int, int] = {}  # by memory, a bit an input: whose values it depends on
        self.slopes: dict[int, int] = {}  # from which a slope leads there
        self.chosen, self.unseen, self.eps, self.held = 0, '', 0.0, []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # (to skip a compiler, PyTorch would import it first, for two seconds)

    def starts(self, t: torch.Tensor, place: int) -> None:
        """An input."""
        self.held.append(t)
        self.values[memory(t)] = self.slopes[memory(t)] = 1 << place

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        ins, outs = ([t for t in tree_leaves(of) if isinstance(t, torch.Tensor)] for of in ((args, kwargs), out))
        op = func.overloadpacket.__name__
        values, slopes = (reduce(or_, (of.get(memory(t), 0) for t in ins), 0) for of in (self.values, self.slopes))
        if op == '_local_scalar_dense':
            self.chosen |= values
            self.unseen = self.unseen or VALUES * (ins[0].dtype.is_floating_point and values > 0)
        if op.startswith(FRESH) or op.endswith('_like'):
            values = slopes = 0
        for t in outs:
            at, goes = memory(t), (t.dtype.is_floating_point or t.is_complex()) and op.rstrip('_') not in STEPS
            self.held.append(t)
            self.values[at] = self.values.get(at, 0) | values
            self.slopes[at] = self.slopes.get(at, 0) | slopes if goes else 0
            if t.dtype.is_floating_point:
                self.eps = max(self.eps, torch.finfo(t.dtype).eps)
        if self.shake and not (op.startswith(FRESH) or op.endswith('_like')):
            self.round(func, ins, outs)
        return out

    def round(self, func: Any, ins: list, outs: list) -> None:
        """Round the numbers of new tensors; what was only chosen among the numbers of others, as max does, stays."""
        for t, returned in zip(outs, func._schema.returns, strict=False):
            if returned.alias_info is None and t.dtype.is_floating_point:
                made, *met = (each.detach().double().cpu().numpy() for each in (t, *ins) if not each.is_complex())
                if not np.isin(made, np.concatenate([[0.0], *map(np.ravel, met)])).all():
                    t.copy_(torch.from_numpy(np.asarray(self.shake(made, True))))


def memory(t: torch.Tensor) -> int:
    """Where the numbers of a tensor are."""
    return t.untyped_storage()._cdata
