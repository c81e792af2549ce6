"""Hooks: functions called before and after a Cell, forward and on the way back.

A backward hook needs to know when the gradient arrives at the Cell and when it leaves it. So the Cell's outputs, and
then its inputs, each pass through one entry on the tape that changes nothing and calls the hooks when it is read back.
"""

import weakref
from collections.abc import Callable

import numpy as np

from .. import tracing
from ..core import tape
from ..core.cell import Cell, takes_over
from ..core.cell import call as call_cell
from ..core.errors import article
from ..core.grad import bind_by_place
from ..core.primitives import place_several
from ..core.rules import Rule
from ..core.tape import NOWHERE
from ..core.tensor import Tensor, is_float, lend, map_tensors, tensors_in, wrap
from ..errors import DrawnAgainWarning, HookError
from ..heard import heard
from ..ops.checks import must, must_be
from ..ops.create import zeros_like
from ..ops.hooks import HookHandle, Passing, settled

KINDS = ('forward_pre', 'forward', 'backward_pre', 'backward')


def register(cell, kind: str, called: Callable, prepend=False, with_kwargs=False, always=False) -> HookHandle:
    """Add a hook of one of KINDS, before the others with `prepend`. Raises TypeError for what cannot be called.

    with_kwargs: it gets (and a pre hook returns) the keyword arguments too.
    """
    must_be(called, Callable, HookError, f'a {kind} hook of {type(cell).__name__} must be callable')
    if cell._hooks is None:
        cell.__dict__.update(_hooks={k: [] for k in KINDS}, _around=call)
    hooks = cell._hooks[kind]
    hook = HookHandle(called, hooks)
    hook.with_kwargs, hook.always = with_kwargs, always
    hooks.insert(0 if prepend else len(hooks), hook)
    return hook


def call(cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell that has hooks."""
    if tracing.tracer is not None and any(cell._hooks.values()):
        tracing.tracer.refuse('hooks', type(cell).__name__)
    hooks = cell._hooks
    for hook in list(hooks['forward_pre']):
        args, kwargs = _before(cell, hook, args, kwargs)
    passage = None
    if hooks['backward'] or hooks['backward_pre']:
        args, kwargs = bind_by_place(cell, args, kwargs) if kwargs else (args, kwargs)
        passage = Passage(cell, tensors_in((args, kwargs)))
        args, kwargs = passage.through(ENTRANCE, (args, kwargs), frame)
    try:
        out = plainly(cell, args, kwargs, frame)
    except Exception:
        for hook in list(hooks['forward']):
            if hook.always:
                _after(cell, hook, args, kwargs, None)
        raise
    for hook in list(hooks['forward']):
        changed = _after(cell, hook, args, kwargs, out)
        out = out if changed is None else changed
    return passage.through(EXIT, out, frame) if passage else out


def plainly(cell: Cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell as Cell.__call__ does one that has nothing around it."""
    if tape.looking or takes_over(cell):
        return call_cell(cell, args, kwargs, frame)
    return cell.construct(*args, **kwargs)


def _before(cell, hook: HookHandle, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments, as a pre hook leaves them."""
    if not hook.with_kwargs:
        changed = hook.called(cell, args)
        return args if changed is None else changed if isinstance(changed, tuple) else (changed,), kwargs
    changed = hook.called(cell, args, kwargs)
    if changed is None:
        return args, kwargs
    both = isinstance(changed, tuple) and [type(part) for part in changed] == [tuple, dict]
    due = 'returns None, or a tuple and a dict: the new (args, kwargs)'
    said = f'a forward_pre hook of {type(cell).__name__} with with_kwargs {due}'
    must(both, HookError, f'{said}, but got {article(type(changed).__name__)}')
    return changed


def _after(cell, hook: HookHandle, args: tuple, kwargs: dict, out: object) -> object:
    return hook.called(cell, args, kwargs, out) if hook.with_kwargs else hook.called(cell, args, out)


class Passage:
    """One call of a Cell with backward hooks: it keeps the gradient that arrived until the one that leaves is known."""

    def __init__(self, cell, inputs: list[Tensor]) -> None:
        self.cell, self.inputs = cell, inputs
        running = [g for g in tape.gradients if not g.has_run and 0 < len(g.positions) < len(g.inputs)]
        # ids of what differentiated functions were called with besides the inputs that are differentiated
        self.given = {id(t) for g in running for t in tensors_in(g.inputs)}
        self.arrived: tuple = ()

    def through(self, rule: Rule, value: object, frame) -> object:
        """The inputs or outputs, with an entry between that calls the hooks."""
        again = map_tensors(value, lambda t: wrap(t.array))
        before, after = tensors_in(value), tensors_in(again)
        pairs = [(b, a) for b, a in zip(before, after, strict=True) if is_float(b)]
        at = max([b.at for b, _ in pairs], default=-1)
        place_several(rule, tuple(b for b, _ in pairs), self, again, [a for _, a in pairs], at, frame)
        return again

    def call_hooks(self, kind: str, gradients: tuple, *more: tuple) -> tuple:
        """The gradients, as each hook leaves them."""
        who = f'a {kind} hook of {type(self.cell).__name__}'
        settle = lambda changed: settled(changed, gradients, who)
        for hook in list(self.cell._hooks[kind]):
            changed = heard(hook.called, (self.cell, gradients, *more), self.cell, kind, gradients, settle)
            gradients = gradients if changed is None else changed
        return gradients


class Exit(Passing):
    """Behind the outputs of a Cell with backward hooks: it notes what arrives, and calls the pre hooks."""

    def passed(self, arrived, offset, x, y):
        y.arrived = y.call_hooks('backward_pre', arrived)
        if not any(offset <= t.at < NOWHERE for t in y.inputs):  # no gradient leaves: call the backward hooks here
            y.call_hooks('backward', tuple(None for _ in y.inputs), y.arrived)
        return y.arrived


class Entrance(Exit):
    """Before the inputs of a Cell with backward hooks, which it calls."""

    def passed(self, arrived, offset, x, y):
        arrived, given = iter(arrived), []
        for t in y.inputs:
            d = next(arrived) if is_float(t) else None
            known = offset <= t.at < NOWHERE or id(t) in y.given
            given.append((lend(zeros_like(t)) if d is None else d) if known else None)
        gone = y.call_hooks('backward', tuple(given), y.arrived)
        return [d for t, d in zip(y.inputs, gone, strict=True) if is_float(t)]


EXIT, ENTRANCE = Exit('HookOut', None), Entrance('HookIn', None)


# Cell under set_grad -> the inputs of its last call: in MindSpore, a gradient behind it takes that call over
calls: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def noted(cell: Cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell under set_grad (2 µs more). Where a gradient calls it once more, it may draw other random numbers."""
    gradient, before = tape.gradients[-1] if tape.gradients else None, None
    if gradient is None:
        calls[cell] = list(map(weakref.ref, tensors_in(args)))
    elif gradient.function is cell and (called := calls.pop(cell, None)) is not None:
        same = [id(r()) for r in called] == list(map(id, tensors_in(gradient.inputs)))
        before = np.random.get_state()[2:] if same else None
    out = plainly(cell, args, kwargs, frame)
    if before is not None and before != np.random.get_state()[2:]:
        said = 'was called before, and is called again for its gradient: this draws other random numbers, so that the'
        ask = 'MindSpore, after set_grad(), differentiates the call before. For both of one call ask ms.value_and_grad'
        DrawnAgainWarning.warn(f'{type(cell).__name__} {said} gradient is of another output. {ask}.')
    return out
