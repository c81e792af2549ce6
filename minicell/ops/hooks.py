"""Ops that change nothing forward and call a function on the way back, and `Tensor.register_hook`."""

import weakref
from collections.abc import Callable

from .. import tracing
from ..core import tape
from ..core.errors import article, plural, users_line
from ..core.grad import is_parameter, paused
from ..core.primitives import getframe, operand, place_several
from ..core.rules import Leaf, Marker, Parts, Rule
from ..core.tape import place
from ..core.tensor import Tensor, lend, tensors_in, wrap
from ..core.trap import Trap, join, joined, writes
from ..errors import GraphValueError, HookError
from ..heard import heard
from .checks import must, must_be
from .create import zeros_like
from .primitive import Primitive


class HookHandle:
    """What registering a hook returns; `remove()` takes the hook away."""

    def __init__(self, called: Callable, *of: list) -> None:
        self.called, self._of = called, of

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        for hooks in self._of:
            hooks[:] = [each for each in hooks if each is not self]


def _after_hooks(how: str) -> Callable:
    """One of a rule's ways to read its entry, once the hooks have seen the cotangent."""

    def read(self, g, *more):
        changed, out = through(self.hooks, lend(g), more[-1]), more[-1]
        rule = joined.check_entry(self.entry, out.at) if writes else self.inner  # a hook may have written
        return getattr(rule, how)(changed if isinstance(g, Tensor) else changed.array, *more)

    return read


class HookedRule:
    """The rule of an entry whose output has hooks: they see the gradient first. The rest is the rule's own."""

    def __init__(self, entry: tuple) -> None:
        self.entry, self.inner, self.hooks = entry, entry[0], []

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    vjp, vjp_arrays, vjp_tensors = map(_after_hooks, ('vjp', 'vjp_arrays', 'vjp_tensors'))


of_leaves: dict = {}  # id -> (weak reference, hooks) of Tensors that no recorded op made: inputs and Parameters


def register_hook(self: Tensor, hook: Callable) -> HookHandle:
    """Call hook(gradient) when this Tensor's gradient is known; what it returns, unless None, takes its place.

    >>> def f(x):
    ...     y = x * 3
    ...     y.register_hook(lambda g: g * 10)
    ...     return y * y
    >>> print(ms.grad(f)(ms.Tensor(1.0)))
    180.0
    """
    must_be(hook, Callable, HookError, 'register_hook takes a function')
    said = 'register_hook inside a graph: a hook is Python, and for eager mode'
    must(tracing.tracer is None, GraphValueError, said)
    of = []
    for entries, k in entries_of(self):
        rule, *rest = entries[k]
        if type(rule) not in (Leaf, Marker):  # (a weight of the outermost gradient has no entry of its own)
            if not isinstance(rule, HookedRule):
                rule = HookedRule(entries[k])
                entries[k] = rule, *rest
            of.append(rule.hooks)
    if not of:
        refuse_unless_called(self)
        key = id(self)
        if key not in of_leaves:
            of_leaves[key] = weakref.ref(self, lambda _: of_leaves.pop(key, None)), []
            join(trap)
        of.append(of_leaves[key][1])
    handle = HookHandle(hook, *of)
    for hooks in of:
        hooks.append(handle)
    return handle


def entries_of(tensor: Tensor) -> list[tuple[list, int]]:
    """Where its entry stands: on the tape, and in each gradient with entries of its own that has yet to read it."""
    places = [(tape.entries, tensor.at - tape.first_address)] if tape.recorded_from < tensor.at < tape.NOWHERE else []
    for g in {*tape.gradients, *paused}:
        if g.has_run and g.offset <= tensor.at < g.offset + g.end - g.begin:
            places.append((g.entries, tensor.at - g.offset + g.begin))
    return [*{(id(e), k): (e, k) for e, k in places if k < len(e)}.values()]


def refuse_unless_called(tensor: Tensor) -> None:
    """Raise where no gradient will come to a Tensor: a constant, or what a construct with a bprop made."""
    asked = [s for g in tape.gradients for s in (*g.leaves, *g.sources, *tensors_in(g.inputs))]
    if tape.recorded_from != tape.NOWHERE and not any(tensor is s for s in asked) and not is_parameter(tensor):
        what = 'hidden inside a construct that has a bprop' if tensor.at >= tape.NOWHERE else 'a constant'
        said = f'register_hook: no gradient comes to this Tensor, which is {what}, so that nobody would call the hook'
        raise HookError(f'{said}. Call it on a Tensor that is differentiated.{users_line()}')


Tensor.register_hook = register_hook


class Hooks(Trap):
    """Joins when the first hook of a leaf is registered."""

    def arrived(self, gradient: object, gradients: list[Tensor]) -> list[Tensor]:
        """The gradients of a function's inputs and Parameters, as the hooks of these leave them."""
        changed = []
        for g, *owners in zip(gradients, gradient.leaves, gradient.sources, strict=True):
            for key in dict.fromkeys(map(id, owners)):
                if key in of_leaves:
                    g = through(of_leaves[key][1], g, of_leaves[key][0]())
            changed.append(g)
        return changed


trap = Hooks()


def through(hooks: list, g: Tensor, owner: object = None) -> Tensor:
    """A gradient of `owner`, as each hook leaves it. Raises TypeError for what is no gradient of its shape."""
    for handle in list(hooks):
        changed = heard(handle.called, (g,), owner, 'tensor', (g,), lambda changed, g=g: like(changed, g, 'a hook'))
        g = g if changed is None else changed
    return g


def like(changed: object, g: Tensor, who: str, exact: bool = False) -> Tensor:
    """What a hook returned in the place of g, in its dtype, or an error that says what is wrong with it."""
    given = isinstance(changed, Tensor)
    if not given or changed.shape != g.shape or changed.array.dtype.kind not in 'fiu':
        got = f'a Tensor of {changed.dtype} and shape {changed.shape}' if given else article(type(changed).__name__)
        raise HookError(f'{who} returned {got}: return a real gradient of shape {g.shape}, or None.{users_line()}')
    if changed.dtype != g.dtype:
        must(not exact, HookError, f'{who} returned a {changed.dtype} gradient, but a {g.dtype} one is due')
        return changed.astype(g.dtype)
    return changed if changed is g or changed.at >= tape.recorded_from else wrap(changed.array.copy())


def settled(changed: object, gradients: tuple, who: str, alone: bool = False) -> tuple:
    """What a hook of several gradients, or of one alone, returned in their place: one for each that has arrived."""
    changed, due = changed if isinstance(changed, tuple) and not alone else (changed,), len(gradients)
    said = f'{who} returned {plural(len(changed), "gradient")}, but {due} {"is" if due == 1 else "are"} due'
    must(len(changed) == due, HookError, said)
    pairs = zip(changed, gradients, strict=True)
    return tuple(g if d is g or g is None else like(d, g, who, not alone) for d, g in pairs)


class Passing(Rule):
    """The rule of an entry that only calls hooks, in `passed`: read without them, it is the identity."""

    def attributes(self, y):
        return (y,)

    def vjp(self, g, offset, x, y, out):
        given = [g.of.get(k) for k in range(len(x))] if isinstance(g, Parts) else [g]
        passed = self.passed(tuple(None if d is None else lend(d) for d in given), offset, x, y)
        traced = any(isinstance(d, Tensor) for d in given)  # else numbers come back, as they came
        return [(t, d if traced or d is None else d.array) for t, d in zip(x, passed, strict=True)]


class _Hook(Passing):
    """The identity for some Tensors (a tuple); y is a function that may return other gradients, and whether it gets the
    only one alone or all in a tuple."""

    def passed(self, arrived, offset, x, y):
        function, alone = y
        arrived = tuple(zeros_like(t) if d is None else d for d, t in zip(arrived, x, strict=True))
        settle = lambda changed: settled(changed, arrived, f'{self.name}: the function', alone)
        given, owner = arrived if alone else (arrived,), x if len(x) > 1 else x[0]
        return heard(function, given, owner, 'op', arrived, settle) or arrived

    def attributes(self, y):
        return y


def _identity(name: str, hook: Callable, alone: bool) -> Callable:
    """The identity for Tensors whose gradients (one alone, or a tuple) are what the hook makes of them."""
    must_be(hook, Callable, HookError, f'{name} takes a function')
    rule = _Hook(name, (lambda x, *y: x) if alone else None)  # (what has a kernel has a place in a graph)

    def through(*inputs: Tensor) -> object:
        inputs, frame = tuple(operand(rule, x) for x in inputs), getframe(1)
        at, outs = max([x.at for x in inputs], default=-1), tuple(wrap(x.array) for x in inputs)
        if len(inputs) == 1:
            return place(rule, inputs, (hook, alone), *outs, at, frame)
        place_several(rule, inputs, (hook, alone), outs, list(outs), at, frame)
        return outs

    return through


class InsertGradientOf(Primitive):
    """The identity, whose gradient is what `f` makes of it (None: unchanged). TypeError where that is no gradient.

    >>> clip = ms.ops.InsertGradientOf(lambda g: ms.ops.minimum(g, 1.0))
    >>> print(ms.grad(lambda x: clip(x) * 5)(ms.Tensor(3.0)))
    1.0
    """

    def __init__(self, f: Callable) -> None:
        self.settings = {'f': f, 'side_effect_backprop': True, 'side_effect_backprop_mem': True}
        self.function = _identity(self.name, f, True)


class HookBackward(Primitive):
    """As InsertGradientOf, for one Tensor or several: f gets their gradients in a tuple. cell_id has no effect here."""

    def __init__(self, hook_fn: Callable, cell_id: str = '') -> None:
        self.settings = {'cell_id': cell_id}
        self.function = _identity(self.name, hook_fn, False)
