"""A rule of JAX: a function with `custom_vjp` or `custom_jvp`, or one that calls such a function."""

from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...check.trials import Malformed
from ...replay.harmless import Harm, Kept, untouched
from ...replay.program import Arrays
from ..rule import Answer, called, in_words, repeated
from . import steps
from .arrays import chain, is_array, is_float, named, numbers, positions, precision

WORDS = {
    'The rules give': "JAX's autodiff gives",
    'what no rule does': 'what autodiff does not',
    'rules': 'autodiff',
    'dout': 'g',
    'construct': 'f',
    'bprop': 'its rule',
    'Cell': 'function',
}


class JaxRule:
    """A rule of JAX at one point."""

    doubles, sens = True, None

    def __init__(self, rule: Any, inputs: tuple, keywords: dict) -> None:
        fixed = [inputs[k] for k in getattr(rule, 'nondiff_argnums', ())]
        self.rule, held = rule, {id(leaf) for leaf in jax.tree.leaves(fixed)}
        paths, self.spec = jax.tree_util.tree_flatten_with_path((inputs, keywords))
        self.flat = [leaf for _, leaf in paths]
        self.at = [k for k, x in enumerate(self.flat) if is_array(x) and id(x) not in held]
        self.like = [self.flat[k].dtype for k in self.at]
        self.arrays = [numbers(self.flat[k]) for k in self.at]
        self.wants = [is_float(kind) for kind in self.like]
        parameters = positions(rule, len(inputs))
        self.names = [named(paths[k][0], parameters) for k in self.at]
        kind = type(rule).__name__
        self.name = f'{kind if kind.startswith("custom_") else "autodiff"} of {getattr(rule, "__name__", kind)}'
        self.words = in_words(WORDS, {kind for kind in self.like if is_float(kind)})
        self.compiled: dict = {}
        self.kept, self.harm = None, ''
        try:
            self.kept = Kept(*(part for each in chain(rule) for part in (each, *vars(each).values())))
        except Harm as harm:
            self.harm = str(harm)

    def fun(self, *xs: Any) -> list:
        """The function, of its arrays alone."""
        flat = [*self.flat]
        for at, x in zip(self.at, xs, strict=True):
            flat[at] = x
        args, keywords = jax.tree.unflatten(self.spec, flat)
        return jax.tree.leaves(self.rule(*args, **keywords))

    def body(self, *xs: Any, straight: bool = False) -> list:
        """The same, where the bodies of custom rules stand in the place of the rules."""
        return steps.run(jax.make_jaxpr(self.fun)(*xs), xs, straight=straight)

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '', cut: Collection[int] = (),
    ) -> Answer:  # fmt: skip
        with untouched(self.kept) if self.kept else nullcontext(), precision(wide, self.like):
            kinds = [np.float64 if wide and is_float(kind) else kind for kind in self.like]
            given = [jnp.asarray(x, kind) for x, kind in zip(xs, kinds, strict=True)]
            of = self.body if body else {'jit': jax.jit(self.fun), 'vmap': jax.vmap(self.fun)}.get(way, self.fun)
            of = partial(of, straight=True) if way == 'straight' else of
            if way == 'vmap':
                given = [jnp.stack([x, x * x.dtype.type(0.5) if is_float(x.dtype) else x]) for x in given]
            if shake:
                return self.shaken(of, given, came, shake)
            first = (lambda v: v[0]) if way == 'vmap' else (lambda v: v)
            outs = self.quickly(of, given)
            floats = [numbers(first(v)) for v in outs if is_float(v.dtype)]
            found, met = Answer(floats, []), {'chosen': 0, 'eps': 0.0}
            if look:
                bits = [(1 << k, is_float(kind) << k) for k, kind in enumerate(self.like)]
                leads = steps.leads(jax.make_jaxpr(of)(*given), bits, met)
                leads = [both for both, v in zip(leads, outs, strict=True) if is_float(v.dtype)]
                found = found._replace(leads=leads, chosen=met['chosen'], eps=met['eps'])
            if came is None:
                return found
            came = came(floats) if callable(came) else came
            gs = self.cotangents(outs, [np.stack([g, -2 * g]) for g in came] if way == 'vmap' else came)
            if body and not way:
                return found._replace(grads=self.found(self.quickly(self.both, [given, gs])))
            _, back = jax.vjp(of, *given)
            if way == 'after':
                with suppress(Exception):  # what the function refuses, it does not keep
                    self.fun(*(x * x.dtype.type(0.625) if is_float(x.dtype) else x for x in given))
            ask = lambda: self.found([first(g) for g in back(gs)])
            try:
                return found._replace(grads=repeated(ask) if way == 'again' else ask())
            except Exception as error:
                raise Malformed(error) from None

    def quickly(self, of: Callable, given: list) -> list:
        """What a function returns, compiled, once for all calls; or as it is, where it cannot be."""
        key = getattr(of, '__func__', of), tuple(str(x.dtype) for x in jax.tree.leaves(given))
        if key not in self.compiled:
            self.compiled[key] = jax.jit(of)
        if self.compiled[key] is not None:
            with suppress(jax.errors.JAXTypeError):
                return self.compiled[key](*given)
            self.compiled[key] = None  # it looks at its numbers
        return of(*given)

    def both(self, xs: list, gs: list) -> list:
        """What the bodies' gradients are."""
        return [*jax.vjp(self.body, *xs)[1](gs)]

    def found(self, grads: list) -> list[np.ndarray | None]:
        """The gradients, as far as there are some."""
        return [numbers(g) if is_float(g.dtype) else None for g in grads]

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
            outs = steps.run(jax.make_jaxpr(of)(*given), given, shake)
            return Answer([numbers(v) for v in outs if is_float(v.dtype)], [])

        both = lambda xs, gs: [*jax.vjp(of, *xs)[1](gs)]
        gs = self.cotangents(self.quickly(of, given), came)
        key = getattr(of, '__func__', of), 'both', tuple(str(x.dtype) for x in given)
        if key not in self.compiled:
            self.compiled[key] = jax.make_jaxpr(both)(given, gs)
        found = steps.run(self.compiled[key], jax.tree.leaves([given, gs]), shake)
        return Answer([], self.found(found))

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
        self.names = [*of.names, *called(len(came))]
        self.name, self.kept, self.harm, self.words, self.compiled = of.name, of.kept, of.harm, of.words, {}

    def fun(self, *given: Any) -> list:
        return self.gradients(self.of.fun, *given)

    def body(self, *given: Any, straight: bool = False) -> list:
        return self.gradients(partial(self.of.body, straight=straight), *given)


rule, tensors_in = JaxRule, jax.tree.leaves
