"""Ops that change nothing forward and call a function on the way back, and `Tensor.register_hook`."""

import sys
import weakref
from collections.abc import Callable

from .. import tracing
from ..core import doors, tape
from ..core.errors import article, plural, users_line
from ..core.primitives import operand, place_several
from ..core.rules import Rule, leaf
from ..core.tape import place
from ..core.tensor import Tensor, tensors_in, wrap
from ..errors import GraphValueError, HookError
from .create import zeros_like
from .primitive import Primitive


class HookHandle:
    """What registering a hook returns; `remove()` takes the hook away."""

    def __init__(self, hooks: list, hook: object) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class Hooked(Rule):
    """The rule of an entry whose output has hooks: they see the gradient first."""

    def __init__(self, inner: Rule) -> None:
        super().__init__(inner.name, inner.kernel)
        self.inner = inner
        self.hooks: list = []

    # Each method is what Rule says of it.

    def vjp_arrays(self, g, cts, mark, x, y, out):
        self.inner.vjp_arrays(self._changed(g), cts, mark, x, y, out)

    def vjp_tensors(self, g, cts, mark, x, y, out):
        self.inner.vjp_tensors(self._changed(g), cts, mark, x, y, out)

    def vjp(self, g, mark, x, y, out):
        return self.inner.vjp(self._changed(g), mark, x, y, out)

    def _changed(self, g: object) -> object:
        return through(self.hooks, g) if isinstance(g, Tensor) else through(self.hooks, wrap(g)).array

    def title(self, entry):
        return self.inner.title((self.inner, *entry[1:]))

    def attributes(self, y):
        return self.inner.attributes(y)

    def tensors(self, x, y):
        return self.inner.tensors(x, y)

    def values_read(self, entry):
        return self.inner.values_read((self.inner, *entry[1:]))


arguments: frozenset = frozenset()  # ids of the other Tensors that differentiated functions were called with
_of_leaves: dict = {}  # id -> (weak reference, hooks) of Tensors that no recorded op made: inputs and Parameters


def register_hook(self: Tensor, hook: Callable) -> HookHandle:
    """Call hook(gradient) when the gradient of this Tensor is known; what it returns, unless None, takes its place.

    Raises TypeError for what cannot be called.

    >>> import minicell as ms
    >>> def f(x):
    ...     y = x * 3
    ...     y.register_hook(lambda g: g * 10)
    ...     return y * y
    >>> print(ms.grad(f)(ms.Tensor(1.0)))
    180.0
    """
    if not callable(hook):
        raise HookError(f'register_hook takes a function, but got {article(type(hook).__name__)}.{users_line()}')
    if tracing.tracer is not None:
        raise GraphValueError(f'register_hook inside a graph: a hook is Python, and for eager mode.{users_line()}')
    k = self.at - tape.first
    if tape.start <= self.at < tape.NOWHERE and tape.entries[k][0] is not leaf:
        rule, *rest = tape.entries[k]
        if not isinstance(rule, Hooked):
            rule = Hooked(rule)
            tape.entries[k] = rule, *rest
        hooks = rule.hooks
    else:
        key = id(self)
        if key not in _of_leaves:
            _of_leaves[key] = weakref.ref(self, lambda _: _of_leaves.pop(key, None)), []
            if of_leaves not in doors.arrived:
                doors.arrived.append(of_leaves)
        hooks = _of_leaves[key][1]
    hooks.append(hook)
    return HookHandle(hooks, hook)


Tensor.register_hook = register_hook


def of_leaves(gradient: object, gradients: list[Tensor]) -> list[Tensor]:
    """The gradients of a function's inputs and Parameters, as the hooks of these leave them."""
    changed = []
    for g, *owners in zip(gradients, gradient.leaves, gradient.sources, strict=True):
        for key in dict.fromkeys(map(id, owners)):
            g = through(_of_leaves[key][1], g) if key in _of_leaves else g
        changed.append(g)
    return changed


def opening(gradient: object) -> None:
    """A gradient begins: note what its function is called with besides the inputs that are differentiated."""
    global arguments
    gradient.arguments_before = arguments
    if not gradient.played and 0 < len(gradient.positions) < len(gradient.inputs):
        arguments = arguments.union(map(id, tensors_in(gradient.inputs)))


def closing(gradient: object) -> None:
    """Its function has returned, or it is over."""
    global arguments
    arguments = getattr(gradient, 'arguments_before', arguments)  # (an interrupt may have come before)


def hang_in() -> None:
    """Some Cell has a backward hook: from now on, `arguments` is kept."""
    if opening not in doors.opening:
        doors.opening.append(opening)
        doors.played.append(closing)
        doors.closing.append(closing)


def through(hooks: list, g: Tensor) -> Tensor:
    """A gradient, as each hook leaves it. Raises TypeError for what is no gradient of its shape."""
    for hook in list(hooks):
        changed = hook(g)
        g = g if changed is None else like(changed, g, 'a hook')
    return g


def like(changed: object, g: Tensor, who: str) -> Tensor:
    """What a hook returned in the place of g, in its dtype, or an error that says what is wrong with it."""
    if not isinstance(changed, Tensor) or changed.shape != g.shape:
        got = f'a Tensor of shape {changed.shape}' if isinstance(changed, Tensor) else article(type(changed).__name__)
        raise HookError(f'{who} returned {got}, but a gradient of shape {g.shape} is due, or None.{users_line()}')
    return changed if changed.dtype == g.dtype else changed.astype(g.dtype)


class _Hook(Rule):
    """The identity; `y` is called with the gradient (a Tensor), and may return another."""

    def vjp(self, g, mark, x, y, out):
        arrived = g if isinstance(g, Tensor) else wrap(g)
        changed = y(arrived)
        if changed is None:
            return ((x, g),)
        changed = like(changed, arrived, f'{self.name}: the function')
        return ((x, changed if isinstance(g, Tensor) else changed.array),)

    def attributes(self, y):
        return ()


class _Hooks(Rule):
    """The same for several Tensors: `y` is called with a tuple of gradients."""

    def vjp(self, g, mark, x, y, out):
        traced = any(isinstance(d, Tensor) for d in g.of.values())
        arrived = [g.of.get(k) for k in range(len(x))]
        arrived = tuple(
            zeros_like(t) if d is None else d if isinstance(d, Tensor) else wrap(d)
            for d, t in zip(arrived, x, strict=True)
        )
        changed = y(arrived)
        changed = arrived if changed is None else changed if isinstance(changed, tuple) else (changed,)
        if len(changed) != len(x):
            raise HookError(f'{self.name}: the function returned {plural(len(changed), "gradient")} for {len(x)}.')
        gave = [like(d, t, f'{self.name}: the function') for d, t in zip(changed, arrived, strict=True)]
        return [(t, d if traced else d.array) for t, d in zip(x, gave, strict=True)]

    def attributes(self, y):
        return ()

    def tensors(self, x, y):
        return x


class InsertGradientOf(Primitive):
    """An op that is the identity, and whose gradient is what `f` makes of it (None: unchanged).

    Raises TypeError where f cannot be called, or returns no gradient of the same shape.

    >>> import minicell as ms
    >>> clip = ms.ops.InsertGradientOf(lambda g: ms.ops.minimum(g, 1.0))
    >>> print(ms.grad(lambda x: clip(x) * 5)(ms.Tensor(3.0)))
    1.0
    """

    def __init__(self, f: Callable) -> None:
        if not callable(f):
            raise HookError(f'{self.name} takes a function, but got {article(type(f).__name__)}.{users_line()}')
        self.settings = {'f': f, 'side_effect_backprop': True, 'side_effect_backprop_mem': True}
        rule = _Hook(self.name, None)

        def through(x: Tensor) -> Tensor:
            x = operand(rule, x)
            return place(rule, x, f, wrap(x.array), x.at, sys._getframe(1))

        self.function = through


class HookBackward(Primitive):
    """As InsertGradientOf, for one Tensor or several: f gets their gradients in a tuple, and may return one.

    cell_id: accepted, and has no effect here.
    """

    def __init__(self, hook_fn: Callable, cell_id: str = '') -> None:
        if not callable(hook_fn):
            raise HookError(f'{self.name} takes a function, but got {article(type(hook_fn).__name__)}.{users_line()}')
        self.settings = {'cell_id': cell_id}
        rule, rules = _Hook(self.name, None), _Hooks(self.name, None)

        def call(g: Tensor) -> object:
            changed = hook_fn((g,))
            return changed[0] if isinstance(changed, tuple) and len(changed) == 1 else changed

        def through(*inputs: Tensor) -> object:
            inputs, frame = tuple(operand(rule, x) for x in inputs), sys._getframe(1)
            at = max([x.at for x in inputs], default=-1)
            if len(inputs) == 1:
                return place(rule, inputs[0], call, wrap(inputs[0].array), at, frame)
            outs = tuple(wrap(x.array) for x in inputs)
            place_several(rules, inputs, hook_fn, outs, list(outs), at, frame)
            return outs

        self.function = through
