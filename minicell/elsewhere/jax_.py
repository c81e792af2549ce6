"""A rule of JAX: a function with `custom_vjp` or `custom_jvp`, or one that calls such a function."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..check.trials import Malformed
from ..core.tensor import wrap
from ..replay.harmless import Harm, Kept, untouched
from ..replay.program import Arrays
from . import jaxpr
from .trials import Answer

WORDS = {
    'The rules give': "JAX's autodiff gives",
    'what no rule does': 'what autodiff does not',
    'rules': 'autodiff',
    'dout': 'g',
    'construct': 'the function',
    'Construct': 'The function',
    'bprop': 'its rule',
    'Cell': 'function',
}


class JaxRule:
    """A rule of JAX at one point."""

    words, doubles = WORDS, True

    def __init__(self, rule: Any, inputs: tuple, keywords: dict) -> None:
        fixed = [inputs[k] for k in getattr(rule, 'nondiff_argnums', ())]
        self.rule, held = rule, {id(leaf) for leaf in jax.tree.leaves(fixed)}
        paths, self.spec = jax.tree_util.tree_flatten_with_path((inputs, keywords))
        self.flat = [leaf for _, leaf in paths]
        self.at = [k for k, x in enumerate(self.flat) if isinstance(x, jax.Array | np.ndarray) and id(x) not in held]
        self.like = [self.flat[k].dtype for k in self.at]
        self.arrays = [numbers(self.flat[k]) for k in self.at]
        self.wants = [is_float(kind) for kind in self.like]
        parameters = [*bound(rule)]
        self.names = [named(paths[k][0], parameters) for k in self.at]
        self.name = f'the rule of {getattr(rule, "__name__", type(rule).__name__)}'
        self.kept, self.harm = None, ''
        try:
            self.kept = Kept(*(part for each in chain(rule) for part in (each, *vars(each).values())))
        except Harm as harm:
            self.harm = str(harm)
        self.bodies: dict = {}  # what was traced: whether in Float64, and for which shapes -> a jaxpr

    def fun(self, *xs: Any) -> list:
        """The function, of its arrays alone."""
        flat = [*self.flat]
        for at, x in zip(self.at, xs, strict=True):
            flat[at] = x
        args, keywords = jax.tree.unflatten(self.spec, flat)
        return jax.tree.leaves(self.rule(*args, **keywords))

    def body(self, *xs: Any) -> list:
        """The same, where the bodies of custom rules stand in the place of the rules."""
        return jaxpr.run(jax.make_jaxpr(self.fun)(*xs), xs)

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '',
    ) -> Answer:  # fmt: skip
        with untouched(self.kept) if self.kept else nullcontext(), precision(wide, self.like):
            given = [jnp.asarray(x, np.float64 if wide and is_float(k) else k) for x, k in zip(xs, self.like, strict=True)]
            of = self.body if body else {'jit': jax.jit(self.fun), 'vmap': jax.vmap(self.fun)}.get(way, self.fun)
            if way == 'vmap':
                given = [jnp.stack([x, x * x.dtype.type(0.5) if is_float(x.dtype) else x]) for x in given]
            if shake:
                return self.shaken(of, given, came, shake)
            outs, back = (of(*given), None) if came is None else jax.vjp(of, *given)
            first = (lambda v: v[0]) if way == 'vmap' else (lambda v: v)
            floats = [numbers(first(v)) for v in outs if is_float(v.dtype)]
            found, met = Answer(floats, []), {'chosen': 0, 'eps': 0.0}
            if look:
                bits = [(1 << k, is_float(kind) << k) for k, kind in enumerate(self.like)]
                leads = jaxpr.leads(jax.make_jaxpr(self.fun)(*given), bits, met)
                leads = [both for both, v in zip(leads, outs, strict=True) if is_float(v.dtype)]
                found = found._replace(leads=leads, chosen=met['chosen'], eps=met['eps'])
            if came is None:
                return found
            if way == 'after':
                with suppress(Exception):  # what the function refuses, it does not keep
                    self.fun(*(x * x.dtype.type(0.625) if is_float(x.dtype) else x for x in given))
            came = came(floats) if callable(came) else came
            cotangents = self.cotangents(outs, [np.stack([g, -2 * g]) for g in came] if way == 'vmap' else came)
            try:
                grads = [*back(cotangents)]
            except Exception as error:
                raise error if body else Malformed(error) from None
            return found._replace(grads=[numbers(first(g)) if is_float(g.dtype) else None for g in grads])

    def cotangents(self, outs: list, came: Arrays) -> list:
        """What is given for each output: nothing for an integer."""
        each = iter(came)
        return [
            jnp.asarray(next(each), v.dtype) if is_float(v.dtype) else np.zeros(np.shape(v), jax.dtypes.float0)
            for v in outs
        ]

    def shaken(self, of: Callable, given: list, came: Any, shake: Callable) -> Answer:
        """The answer where each step's numbers are rounded, forward and on the way back."""
        if came is None:
            return Answer([numbers(v) for v in jaxpr.run(jax.make_jaxpr(of)(*given), given, shake) if is_float(v.dtype)], [])

        def both(xs: list, gs: list) -> list:
            outs, back = jax.vjp(of, *xs)
            return [g if is_float(g.dtype) else jnp.zeros(()) for g in back(self.cotangents(outs, gs))]

        gs = [jnp.asarray(g, jnp.result_type(float)) for g in came]
        found = jaxpr.run(jax.make_jaxpr(both)(given, gs), [*given, *gs], shake)
        return Answer([], [numbers(g) if wants else None for g, wants in zip(found, self.wants, strict=True)])

    def ways(self) -> Iterator[tuple[str, str]]:
        """Traced, and with a batch."""
        yield 'jit', 'under jit'
        yield 'vmap', 'under vmap'

    def slopes(self, came: Arrays) -> 'JaxRule':
        """What its gradients are, as a rule of the inputs and of cotangents."""
        many = len(self.at)

        def gradients(of: Callable, *given: Any) -> list:
            outs, back = jax.vjp(of, *given[:many])
            found = back(self.cotangents(outs, given[many:]))
            return [g for g in found if is_float(g.dtype)]

        return Slopes(self, gradients, came)


class Slopes(JaxRule):
    """The gradients of a rule, as a rule."""

    def __init__(self, of: JaxRule, gradients: Callable, came: Arrays) -> None:
        self.of, self.gradients = of, gradients
        self.like, self.arrays = [*of.like, *(g.dtype for g in came)], [*of.arrays, *came]
        self.wants = [*of.wants, *(True for _ in came)]
        self.names = [*of.names, *(['dout'] if len(came) == 1 else [f'dout[{k}]' for k, _ in enumerate(came)])]
        self.name, self.kept, self.harm = of.name, of.kept, of.harm

    def fun(self, *given: Any) -> list:
        return self.gradients(self.of.fun, *given)

    def body(self, *given: Any) -> list:
        return self.gradients(self.of.body, *given)


def precision(wide: bool, like: list) -> Any:
    """In Float64 where that is asked for, whatever the user has set; it is set in this thread, and until it is left."""
    return jax.enable_x64(True) if wide or any(kind.itemsize == 8 for kind in like) else nullcontext()


def chain(rule: Any) -> Iterator[Any]:
    """A function, and what it wraps."""
    while rule is not None:
        if hasattr(rule, '__dict__'):
            yield rule
        rule = getattr(rule, '__wrapped__', None)


def bound(rule: Any) -> list[str]:
    """The names of its parameters."""
    return [*inspect.signature(rule).parameters]


def named(path: tuple, parameters: list[str]) -> str:
    """What an array among the inputs is called: `x`, `params['w']`."""
    (first, which, *rest) = path
    name = parameters[which.idx] if first.idx == 0 and which.idx < len(parameters) else jax.tree_util.keystr((which,))
    return name + jax.tree_util.keystr(tuple(rest))


def is_float(kind: Any) -> bool:
    """Whether numbers of this dtype have a gradient."""
    return bool(jnp.issubdtype(kind, np.floating))


def numbers(x: Any) -> np.ndarray:
    """Its numbers; those of a dtype that NumPy has not, in Float32."""
    x = np.asarray(x)
    return np.array(x, np.float32) if is_float(x.dtype) and x.dtype.kind != 'f' else np.array(x)


def cotangents(sens: Any) -> Any:
    """What is given as sens, in minicell's Tensors."""
    return None if sens is None else [wrap(numbers(t)) for t in jax.tree.leaves(sens)]


def rule(of: Any, inputs: tuple, keywords: dict) -> JaxRule:
    """The rule at these inputs."""
    return JaxRule(of, inputs, keywords)
