"""The steps of a JAX function, as JAX writes them down: run with the bodies of custom rules in the rules' place."""

from collections.abc import Callable, Sequence
from os.path import dirname
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

HOME = dirname(jax.__file__)
STEPS = {'sign', 'floor', 'ceil', 'round', 'stop_gradient'}
CHOOSES = {'cond', 'while'}


def body(eqn: Any) -> Any:
    """What stands in a step: what is jitted, and the body of a custom rule that is not JAX's own; or None."""
    if eqn.primitive.name in ('custom_vjp_call', 'custom_jvp_call', 'custom_vjp_call_jaxpr'):
        inner = eqn.params.get('call_jaxpr') or eqn.params['fun_jaxpr']
        return None if HOME in str(inner.jaxpr.debug_info.func_src_info) else inner
    return eqn.params.get('jaxpr' if 'jaxpr' in eqn.params else 'call_jaxpr') if called(eqn) else None


def called(eqn: Any) -> bool:
    """Whether a step only calls what stands in it."""
    return eqn.primitive.name in ('jit', 'pjit', 'closed_call', 'core_call', 'checkpoint', 'remat', 'remat2')


def opened(inner: Any) -> tuple[Jaxpr, Sequence]:
    """A jaxpr and its constants."""
    return (inner.jaxpr, inner.consts) if isinstance(inner, ClosedJaxpr) else (inner, ())


def run(inner: Any, args: Sequence, shake: Callable | None = None, straight: bool = False) -> list:
    """Run it, step by step; shake: what rounds the numbers that a step makes; straight: steps have the slope 1."""
    jaxpr, consts = opened(inner)
    env = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))
    read = lambda v: v.val if isinstance(v, Literal) else env[v]
    for eqn in jaxpr.eqns:
        ins = [*map(read, eqn.invars)]
        deeper = body(eqn)
        if straight and deeper is not None and not called(eqn) and not sloped(deeper):
            deeper = None  # the rule itself says what slope it has
        if deeper is not None:
            outs = run(deeper, ins, shake, straight)
        else:
            params = eqn.primitive.get_bind_params({name: inlined(value) for name, value in eqn.params.items()})
            functions, params = params if isinstance(params, tuple) else ((), params)  # (the first until JAX 0.9)
            outs = eqn.primitive.bind(*functions, *ins, **params)
            outs = outs if eqn.primitive.multiple_results else [outs]
            outs = [rounded(v, ins, shake) for v in outs] if shake else outs
            if straight and eqn.primitive.name in STEPS and eqn.primitive.name != 'stop_gradient':
                outs = [ins[0] - lax.stop_gradient(ins[0]) + lax.stop_gradient(v) for v in outs]
        env.update(zip(eqn.outvars, outs, strict=True))
    return [*map(read, jaxpr.outvars)]


def sloped(inner: Any) -> bool:
    """Whether a slope leads through it."""
    given = [(1, int(jax.numpy.issubdtype(a.dtype, np.inexact))) for a in inner.in_avals]
    return any(slopes for _, slopes in leads(inner, given, {'chosen': 0, 'eps': 0.0}))


def rounded(v: Any, ins: Sequence, shake: Callable) -> Any:
    """Numbers rounded at random; what was only chosen among those of others, as max does, stays."""
    if not np.issubdtype(v.dtype, np.floating) or not ins:
        return v
    made, *met = (np.asarray(each, np.float64) for each in (v, *ins) if not np.iscomplexobj(each))
    if np.isin(made, np.concatenate([[0.0], *map(np.ravel, met)])).all():
        return v
    return jax.numpy.asarray(np.asarray(shake(made, True)), v.dtype)


def inlined(value: Any) -> Any:
    """A parameter of a step, as the body of a loop is, without the custom rules in it."""
    if isinstance(value, tuple):
        return tuple(map(inlined, value))
    if not isinstance(value, ClosedJaxpr) or not custom(value):
        return value
    like = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in value.in_avals]
    return jax.make_jaxpr(lambda *args: run(value, args))(*like)


def custom(inner: Any) -> bool:
    """Whether a rule that is not JAX's own stands somewhere in it."""
    found = [v for eqn in opened(inner)[0].eqns for v in (body(eqn), *eqn.params.values())]
    rules = any(body(eqn) is not None and not called(eqn) for eqn in opened(inner)[0].eqns)
    return rules or any(custom(v) for v in found if isinstance(v, ClosedJaxpr | Jaxpr))


def leads(inner: Any, given: Sequence[tuple[int, int]], met: dict) -> list[tuple[int, int]]:
    """For each output, by the bits of the inputs: whose values lead there, and whose slopes; met: what chooses, and the
    coarsest rounding."""
    jaxpr, _ = opened(inner)
    env = dict(zip(jaxpr.invars, given, strict=True)) | dict.fromkeys(jaxpr.constvars, (0, 0))
    read = lambda v: (0, 0) if isinstance(v, Literal) else env[v]
    for eqn in jaxpr.eqns:
        ins = [*map(read, eqn.invars)]
        values = slopes = 0
        for v, s in ins:
            values, slopes = values | v, slopes | s
        deeper = body(eqn)
        outs = leads(deeper, ins, met) if deeper is not None else [(values, slopes)] * len(eqn.outvars)
        met['chosen'] |= ins[0][0] * (eqn.primitive.name in CHOOSES)
        for v, (value, slope) in zip(eqn.outvars, outs, strict=True):
            inexact = jax.numpy.issubdtype(v.aval.dtype, np.inexact)  # a slope leads through complex numbers, too
            env[v] = value, slope * (inexact and eqn.primitive.name not in STEPS)
            if inexact:
                met['eps'] = max(met['eps'], float(jax.numpy.finfo(v.aval.dtype).eps))
    return [*map(read, jaxpr.outvars)]
