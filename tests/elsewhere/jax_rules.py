"""Right and wrong rules of JAX, as rows: the classics, the examples of its documentation, public mistakes."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.elsewhere import classics


def made(forward, backward):
    """A function with custom_vjp; backward: of what came in, and of the inputs."""
    fun = jax.custom_vjp(lambda *xs: forward(*xs))
    several = lambda found: found if isinstance(found, tuple) else (found,)
    fun.defvjp(lambda *xs: (forward(*xs), xs), lambda xs, g: several(backward(g, *xs)))
    return fun


def pushed(forward, rule):
    """A function with custom_jvp; rule: of the inputs, and of their tangents."""
    fun = jax.custom_jvp(forward)
    fun.defjvp(lambda xs, ts: (forward(*xs), rule(*xs, *ts)))
    return fun


def drawn(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


X, Y, B, SQUARE = drawn(6, 4), drawn(6, 4, seed=1), drawn(4, seed=2), drawn(4, 4, seed=3)
ROWS, NONE = jnp.asarray([0, 2, 2, 1, 0]), np.zeros(5, jax.dtypes.float0)  # the gradient of five integers
RIGHT, WRONG = classics.rows(jnp, made, jnp.asarray)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def applied(f, x):  # the documentation's `app`
    return f(x)


applied.defvjp(lambda f, x: (f(x), x), lambda f, x, g: (jnp.cos(x) * g,))


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def clips(low, high, x):  # and its `clip_gradient`, which is no gradient on purpose
    return x


clips.defvjp(lambda low, high, x: (x, None), lambda low, high, _, g: (jnp.clip(g, low, high),))

sin, half_sin = RIGHT['sine'][0], made(jnp.sin, lambda g, x: g * jnp.cos(x) / 2)
scans = lambda f: lambda x: lax.scan(lambda c, row: (f(c) + row, c), x[0], x)[1]
kept = []
keeps = jax.custom_vjp(lambda x: x * x)
keeps.defvjp(lambda x: (kept.append(x) or x * x, None), lambda _, g: (2 * g * kept[-1],))
weighs = lambda p, x: x @ p['w'] + p['b']
turns = lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]
repeats, both = lambda x: lax.fori_loop(0, 3, lambda k, c: c * x, x), lambda x: (x * x, jnp.sin(x))
square = lambda x: x * x
hold = jax.custom_vjp(lambda x: x * x)
hold.defvjp(lambda x: (x * x, lax.stop_gradient(2 * x)), lambda d, g: (g * d,))

RIGHT |= {
    'rows by index': (made(lambda x, i: x[i], lambda g, x, i: (jnp.zeros_like(x).at[i].add(g), NONE)), (X, ROWS)),
    'weights': (
        made(weighs, lambda g, p, x: ({'w': x.T @ g, 'b': g.sum(0)}, g @ p['w'].T)),
        ({'w': SQUARE, 'b': B}, X),
    ),
    'two outputs': (made(both, lambda g, x: 2 * g[0] * x + g[1] * jnp.cos(x)), (X,)),
    'a loop without reverse mode': (made(turns, lambda g, x: 4 * g * x**3), (X,)),
    'a loop': (made(repeats, lambda g, x: 4 * g * x**3), (X,)),
    'nondiff_argnums': (applied, (jnp.sin, X)),
    'a key': (lambda key, x: sin(x) * jax.random.uniform(key, x.shape), (jax.random.key(0), X)),
    'jitted': (jax.jit(sin), (X,)),
    'in a vmap': (jax.vmap(sin), (X,)),
    'in a scan': (scans(sin), (X,)),
    'in a function': (lambda x: 3 * sin(x)[::2], (X,)),
    'no rule': (lambda x: jnp.sin(x) * x, (X,)),
    "JAX's own rule": (jax.nn.relu, (X,)),
    'tangents': (pushed(lambda x, y: x * y, lambda x, y, s, t: s * y + x * t), (X, Y)),
    'bfloat16': (sin, (X.astype(jnp.bfloat16),)),
    'Float16': (sin, (X.astype(jnp.float16),)),
    'a number': (sin, (X[0, 0],)),
    'empty': (sin, (X[:0],)),
    'beside a huge constant': (made(lambda x: x * x + 1e5, lambda g, x: 2 * g * x), (X,)),
    'tiny inputs': (RIGHT['square'][0], (X * 1e-8,)),
    'second order, square': (RIGHT['square'][0], (X,)),
    'second order, exp': (RIGHT['exp'][0], (X,)),
}
WRONG |= {
    'rows by index, written': (
        made(lambda x, i: x[i], lambda g, x, i: (jnp.zeros_like(x).at[i].set(g), NONE)),
        (X, ROWS),
        '',
    ),
    'weights, b has the mean': (
        made(weighs, lambda g, p, x: ({'w': x.T @ g, 'b': g.mean(0)}, g @ p['w'].T)),
        ({'w': SQUARE, 'b': B}, X),
        '0.1667 times',
    ),
    'two outputs, one is forgotten': (made(both, lambda g, x: 2 * g[0] * x), (X,), ''),
    'a loop without reverse mode, one turn less': (made(turns, lambda g, x: 3 * g * x**2), (X,), ''),
    'a loop, half of it': (made(repeats, lambda g, x: 2 * g * x**3), (X,), '0.5 times'),
    'it asks g for its sign': (made(square, lambda g, x: 2 * g * x if g.sum() > 0 else g * (x + x)), (X,), 'under jit'),
    'through NumPy': (made(square, lambda g, x: jnp.asarray(2 * np.asarray(g) * np.asarray(x))), (X,), 'under jit'),
    'another shape': (made(square, lambda g, x: (2 * g * x)[0]), (X,), ''),
    'two gradients': (made(square, lambda g, x: (g, g)), (X,), ''),
    'a forgotten sum': (made(lambda x, b: x * b, lambda g, x, b: (g * b, g * x)), (X, B), ''),
    'clips what comes': (clips, (-0.5, 0.5, X), 'g'),
    'jitted, half': (jax.jit(half_sin), (X,), '0.5 times'),
    'in a vmap, half': (jax.vmap(half_sin), (X,), '0.5 times'),
    'in a scan, half': (scans(half_sin), (X,), ''),
    'kept outside': (keeps, (X,), ''),
    'tangents, one is forgotten': (pushed(lambda x, y: x * y, lambda x, y, s, t: s * y), (X, Y), '0 everywhere'),
    'tangents, swapped': (pushed(lambda x, y: x * y, lambda x, y, s, t: s * x + y * t), (X, Y), 'gradient of'),
    'tangents that are not linear': (pushed(jnp.sin, lambda x, t: jnp.abs(t) * jnp.cos(x)), (X,), ''),
    'second order, stopped': (hold, (X,), 'second is not'),
}
UNKNOWN: dict = {}
SURROGATE = {'a step': (made(lambda x: (x > 0).astype(x.dtype), lambda g, x: g), (X,))}
