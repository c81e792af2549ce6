"""Hooks: functions called before and after a Cell, forward and on the way back.

A backward hook needs to know when the gradient arrives at the Cell and when it leaves it. So the Cell's outputs, and
then its inputs, each pass through one entry on the tape that changes nothing and calls the hooks when it is read back.
"""

from collections.abc import Callable

import numpy as np

from .. import tape
from ..errors import HookError, article, plural
from ..ops.create import zeros_like
from ..ops.make import place_several
from ..ops.rules import Rule
from ..tape import OFF
from ..tensor import Tensor, is_float, tensors_in, wrap
from .takeover import _remake, watched_call
from .takeover import call as takeover_call

KINDS = ('forward_pre', 'forward', 'backward_pre', 'backward')


class HookHandle:
    """What a register method returns; `remove()` takes the hook away."""

    def __init__(self, hooks: list, hook: Callable) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


def register(cell, kind: str, hook: Callable) -> HookHandle:
    """Add a hook of one of KINDS. Raises TypeError for what cannot be called."""
    if not callable(hook):
        raise HookError(
            f'a {kind} hook of {type(cell).__name__} must be callable, but got {article(type(hook).__name__)}.'
        )
    if cell._hooks is None:
        cell.__dict__['_hooks'] = {k: [] for k in KINDS}
    cell._hooks[kind].append(hook)
    return HookHandle(cell._hooks[kind], hook)


def call(cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell that has hooks."""
    if tape.tracer is not None and any(cell._hooks.values()):
        tape.tracer.refuse_hooks(cell)
    hooks = cell._hooks
    for hook in list(hooks['forward_pre']):
        changed = hook(cell, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    passage = Passage(cell) if hooks['backward'] or hooks['backward_pre'] else None
    if passage:
        args = passage.enter(args, frame)
    if tape.looking:
        out = watched_call(cell, args, kwargs, frame)
    elif cell.bprop is None or tape.start == OFF:
        out = cell.construct(*args, **kwargs)
    else:
        out = takeover_call(cell, args, kwargs, frame)
    for hook in list(hooks['forward']):
        changed = hook(cell, args, out)
        out = out if changed is None else changed
    return passage.leave(out, frame) if passage else out


class Passage:
    """One call of a Cell with backward hooks: it keeps the gradient that arrived until the one that leaves is known."""

    def __init__(self, cell) -> None:
        self.cell = cell
        self.inputs: list = []
        self.arrived: tuple = ()

    def enter(self, args: tuple, frame) -> tuple:
        """The arguments, with an entry before them that calls the backward hooks."""
        self.inputs = tensors_in(args)
        return self._through(ENTRANCE, args, frame)

    def leave(self, out: object, frame) -> object:
        """The outputs, with an entry behind them that notes what arrives and calls the pre hooks."""
        return self._through(EXIT, out, frame)

    def _through(self, rule: Rule, value: object, frame) -> object:
        again = _remake(value, lambda t: wrap(t.array))
        before, after = tensors_in(value), tensors_in(again)
        pairs = [(b, a) for b, a in zip(before, after, strict=True) if is_float(b)]
        at = max([b.at for b, _ in pairs], default=-1)
        place_several(rule, tuple(b for b, _ in pairs), self, again, [a for _, a in pairs], at, frame)
        return again

    def call_hooks(self, kind: str, gradients: tuple, *more: tuple) -> tuple:
        """The gradients, as each hook leaves them."""
        for hook in list(self.cell._hooks[kind]):
            changed = hook(self.cell, gradients, *more)
            if changed is None:
                continue
            changed = changed if isinstance(changed, tuple) else (changed,)
            if len(changed) != len(gradients):
                raise HookError(
                    f'a {kind} hook of {type(self.cell).__name__} returned {plural(len(changed), "gradient")}, '
                    f'but {len(gradients)} are due, one for each.'
                )
            gradients = changed
        return gradients


class Exit(Rule):
    """Behind the outputs of a Cell with backward hooks."""

    def __init__(self) -> None:
        super().__init__('HookOut', None)

    def vjp(self, g, mark, x, y, out):
        floats = [t for t in tensors_in(out.out) if is_float(t)]
        flat = all(isinstance(d, np.ndarray | np.generic) for d in g.of.values())
        arrived = tuple(_tensor(g.of.get(k), t) for k, t in enumerate(floats))
        y.arrived = y.call_hooks('backward_pre', arrived)
        if not any(t.at >= mark for t in y.inputs):  # no gradient leaves: the backward hooks hear of it here
            y.call_hooks('backward', tuple(None for _ in y.inputs), y.arrived)
        return [(t, d.array if flat else d) for t, d in zip(x, y.arrived, strict=True)]

    def attributes(self, y):
        return ()

    def tensors(self, x, y):
        return x


class Entrance(Exit):
    """Before the inputs of a Cell with backward hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.name = 'HookIn'

    def vjp(self, g, mark, x, y, out):
        flat = all(isinstance(d, np.ndarray | np.generic) for d in g.of.values())
        arrived = iter(range(len(x)))
        given = []
        for t in y.inputs:
            d = g.of.get(next(arrived)) if is_float(t) else None
            given.append(_tensor(d, t) if t.at >= mark else None)
        gone = y.call_hooks('backward', tuple(given), y.arrived)
        return [
            (t, d if d is None or not flat else d.array) for t, d in zip(y.inputs, gone, strict=True) if t.at >= mark
        ]


def _tensor(g: object, like: Tensor) -> Tensor:
    if g is None:
        return zeros_like(like)
    return g if isinstance(g, Tensor) else wrap(g)


EXIT, ENTRANCE = Exit(), Entrance()
