"""JAX's arrays and NumPy's, what arrays among the inputs are called, and in which precision JAX computes."""

import inspect
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def precision(wide: bool, like: list) -> Any:
    """In Float64 where that is asked for, whatever the user has set; it is set in this thread, and until it is left."""
    return jax.enable_x64(True) if wide or any(kind.itemsize == 8 for kind in like) else nullcontext()


def chain(rule: Any) -> Iterator[Any]:
    """A function, and what it wraps."""
    while rule is not None:
        if hasattr(rule, '__dict__'):
            yield rule
        rule = getattr(rule, '__wrapped__', None)


def positions(rule: Any, many: int) -> list[str]:
    """What so many arguments by position are called."""
    found: list[str] = []
    for p in inspect.signature(rule).parameters.values():
        rest = range(many - len(found)) if p.kind is p.VAR_POSITIONAL else ()
        found += [f'{p.name}[{k}]' for k in rest] if p.kind is p.VAR_POSITIONAL else [p.name]
    return found


def named(path: tuple, parameters: list[str]) -> str:
    """What an array among the inputs is called: `x`, `params['w']`."""
    (first, which, *rest) = path
    name = parameters[which.idx] if first.idx == 0 and which.idx < len(parameters) else jax.tree_util.keystr((which,))
    return name + jax.tree_util.keystr(tuple(rest))


def is_array(x: Any) -> bool:
    """Whether it holds numbers; a key of a generator holds none."""
    return isinstance(x, jax.Array | np.ndarray) and not jnp.issubdtype(x.dtype, jax.dtypes.extended)


def is_float(kind: Any) -> bool:
    """Whether numbers of this dtype have a gradient."""
    return bool(jnp.issubdtype(kind, np.floating))


def numbers(x: Any) -> np.ndarray:
    """Its numbers; those of a dtype that NumPy has not, in Float32."""
    x = np.asarray(x)
    return np.array(x, np.float32) if is_float(x.dtype) and x.dtype.kind != 'f' else np.array(x)
