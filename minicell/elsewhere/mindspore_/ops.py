"""The ops of a rule, as MindSpore runs them in PyNative mode: fixed where they are random, and rounded."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np
from mindspore import MsDispatchMode, Tensor, nn

from ...core.errors import Where
from ...traps.bytecode import of_library
from .tensors import HOME, is_float, memory, numbers, tensors_in

DROPS = 'Dropout', 'FuncDropout'  # what each does to its input is the same factor
DRAWS = 'Standard', 'Uniform', 'Random', 'Rand', 'Normal', 'Bernoulli', 'Multinomial', 'Poisson', 'TruncatedNormal'
HOOKS = 'HookBackward', 'InsertGradientOf'
NARROW, FLOAT64 = (42, 43), 44  # how Cast is told of Float16, Float32 and Float64


class Watch(MsDispatchMode):
    """Sees each op. What is random, and what stop_gradient stops, stays what it was the first time."""

    def __init__(self, fixed: dict, wide: bool, body: bool, shake: Callable | None = None) -> None:
        self.fixed, self.wide, self.body, self.shake = fixed, wide, body, shake
        self.forward, self.drawn, self.steps = True, 0, []

    def __ms_dispatch__(self, func: Any, args: tuple, kwargs: dict | None = None) -> Any:
        ins = tensors_in(args)
        if self.body and func.name in HOOKS:
            return ins[0]
        if self.wide and func.name == 'Cast' and args[1] in NARROW:
            args = args[0], FLOAT64
        call = lambda: func(*args, **(kwargs or {}))
        out = self.constant(func.name, call, ins) if func.name.startswith((*DROPS, *DRAWS, 'StopGradient')) else call()
        if self.forward and self.body:
            self.step(func.name, ins)
        if self.shake and ins:
            self.round(ins, tensors_in(out))
        return out

    def constant(self, name: str, call: Callable, ins: list[Tensor]) -> Any:
        """What such an op made in this place the first time."""
        self.drawn += 1
        key = self.drawn, name, *((t.shape, str(t.dtype)) for t in ins)
        if key not in self.fixed:
            out = call()
            some = [numbers(t) for t in tensors_in(out)]
            if name.startswith(DROPS):
                x = numbers(ins[0])
                with np.errstate(all='ignore'):
                    some[0] = np.where(x != 0, some[0] / x, 0.0).astype(x.dtype)
            self.fixed[key] = out, some
        out, some = self.fixed[key]
        again = [Tensor(a, t.dtype) for a, t in zip(some, tensors_in(out), strict=True)]
        if name.startswith(DROPS):
            again[0] = ins[0] * again[0]
        return tuple(again) if isinstance(out, tuple) else again[0]

    def step(self, name: str, ins: list[Tensor]) -> None:
        """Keep where an op stands in the user's code, and the nodes that its node will lead on to."""
        nodes = [t._grad_node for t in ins if t._grad_node is not None]
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(HOME):
            frame = frame.f_back
        if nodes:
            self.steps.append((name, nodes, Where(frame.f_code, frame.f_lasti)))

    def round(self, ins: list[Tensor], outs: list[Tensor]) -> None:
        """Round the numbers of new Tensors; what was only chosen among the numbers of others, as max does, stays."""
        for t in filter(is_float, outs):
            array, *met = map(memory, (t, *ins))
            if any(np.shares_memory(array, each) for each in met):
                continue  # a view
            if not np.isin(array, np.concatenate([[0.0], *map(np.ravel, met)])).all():
                np.copyto(array, self.shake(array.astype(np.float64), True), casting='same_kind')


@contextmanager
def instead(of: Callable, body: bool) -> Iterator[None]:
    """In this thread, each Cell with a bprop is called by `of`. Hooks are none of the rule: they are not called."""
    plain, hooks, here = nn.Cell._call_custom_bprop, {}, get_ident()

    def call(cell: nn.Cell, *args: Any, **kwargs: Any) -> Any:
        return (plain if get_ident() != here or of_library(type(cell)) else of)(cell, *args, **kwargs)

    def without(kept: property) -> property:
        return property(lambda cell: {} if get_ident() == here and (body or cell.has_bprop) else kept.fget(cell))

    nn.Cell._call_custom_bprop = call
    for name in ('_backward_hook', '_backward_pre_hook'):
        hooks[name] = vars(nn.Cell)[name]
        setattr(nn.Cell, name, without(hooks[name]))
    try:
        yield
    finally:
        nn.Cell._call_custom_bprop = plain
        for name, kept in hooks.items():
            setattr(nn.Cell, name, kept)


def inlined(met: list | None = None, straight: bool = False) -> Any:
    """The body of each Cell takes the place of its bprop; straight: but where the body has no slope."""
    plain = nn.Cell._call_custom_bprop

    def run(cell: nn.Cell, *args: Any, **kwargs: Any) -> Any:
        if met is not None:
            met.append(type(cell))
        out = cell.construct(*args, **kwargs)
        nodes = [t._grad_node for t in tensors_in(out)]
        return plain(cell, *args, **kwargs) if straight and not any(nodes) else out

    return instead(run, body=True)


@contextmanager
def heard(returned: list[tuple], times: int = 1) -> Iterator[None]:
    """What each bprop returned: (Cell, arguments, result), before MindSpore takes it apart; asked so many times."""
    plain, own = nn.Cell._call_custom_bprop, {}

    def run(cell: nn.Cell, *args: Any, **kwargs: Any) -> Any:
        rule = own.setdefault(id(cell), (cell, cell.bprop))[1]

        def bprop(*given: Any) -> Any:
            for _ in range(times):
                found = rule(*given)
            returned.append((cell, given, found))
            return found

        vars(cell)['bprop'] = bprop
        return plain(cell, *args, **kwargs)

    try:
        with instead(run, body=False):
            yield
    finally:
        for cell, _ in own.values():
            vars(cell).pop('bprop', None)
