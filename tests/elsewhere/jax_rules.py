"""Right and wrong rules of JAX, as rows: the classics, the examples of its documentation, public mistakes."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


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


X, Y, B = drawn(6, 4), drawn(6, 4, seed=1), drawn(4, seed=2)
POS, SQUARE = jnp.abs(X) + 0.5, drawn(4, 4, seed=3)
ROWS = jnp.asarray([0, 2, 2, 1, 0])
NONE = np.zeros(5, jax.dtypes.float0)  # the gradient of five integers
soft = lambda x: jax.nn.softmax(x, -1)
sums = partial(jnp.sum, axis=-1, keepdims=True)

# name: (forward, the right backward, inputs, {a mistake: (its backward, a word of the sentence that names it)})
TABLE = {
    'square': (lambda x: x * x, lambda g, x: 2 * g * x, (X,), {
        'half of it': (lambda g, x: g * x, '0.5 times'),
        'g is missing': (lambda g, x: 2 * x, 'g is missing'),
        'opposite sign': (lambda g, x: -2 * g * x, 'opposite'),
        'abs of g': (lambda g, x: 2 * jnp.abs(g) * x, 'g'),
        'clipped': (lambda g, x: jnp.clip(2 * g * x, -1, 1), 'g'),
        'None': (lambda g, x: None, '0 everywhere'),
        'NaN': (lambda g, x: g * x * jnp.nan, 'NaN'),
        'it asks g for its sign': (lambda g, x: 2 * g * x if g.sum() > 0 else g * (x + x), 'under jit'),
        'through NumPy': (lambda g, x: jnp.asarray(2 * np.asarray(g) * np.asarray(x)), 'under jit'),
        'another shape': (lambda g, x: (2 * g * x)[0], ''),
        'two gradients': (lambda g, x: (g, g), ''),
    }),
    'product': (lambda x, y: x * y, lambda g, x, y: (g * y, g * x), (X, Y), {
        'swapped': (lambda g, x, y: (g * x, g * y), 'gradient of'),
        'None for y': (lambda g, x, y: (g * y, None), '0 everywhere'),
        'both the same': (lambda g, x, y: (g * y, g * y), 'gradient of'),
    }),
    'sine': (jnp.sin, lambda g, x: g * jnp.cos(x), (X,), {
        'sine again': (lambda g, x: g * jnp.sin(x), 'in the place of'),
        'the sign': (lambda g, x: -g * jnp.cos(x), 'opposite'),
    }),
    'exp': (jnp.exp, lambda g, x: g * jnp.exp(x), (X,), {'its slope is missing': (lambda g, x: g, 'missing')}),
    'log': (jnp.log, lambda g, x: g / x, (POS,), {'x instead of 1 / x': (lambda g, x: g * x, 'x')}),
    'log(1 + exp(x))': (lambda x: jnp.log(1 + jnp.exp(x)), lambda g, x: g * (1 - 1 / (1 + jnp.exp(x))), (X,), {
        'one minus is missing': (lambda g, x: g / (1 + jnp.exp(x)), ''),
        'g is missing': (lambda g, x: 1 - 1 / (1 + jnp.exp(x)), ''),
    }),
    'tanh': (jnp.tanh, lambda g, x: g * (1 - jnp.tanh(x) ** 2), (X,), {
        'the square is missing': (lambda g, x: g * (1 - jnp.tanh(x)), 'out'),
    }),
    'relu': (lambda x: jnp.maximum(x, 0), lambda g, x: g * (x > 0), (X,), {
        'no mask': (lambda g, x: g, 'where 0 is due'),
        'the other half': (lambda g, x: g * (x < 0), ''),
    }),
    'matmul': (lambda x, y: x @ y, lambda g, x, y: (g @ y.T, x.T @ g), (SQUARE, SQUARE + 1), {
        'y not transposed': (lambda g, x, y: (g @ y, x.T @ g), 'g @ y'),
        'transposed as a whole': (lambda g, x, y: ((g @ y.T).T, x.T @ g), 'transposed'),
    }),
    'broadcast': (lambda x, b: x * b, lambda g, x, b: (g * b, (g * x).sum(0)), (X, B), {
        'a sum is forgotten': (lambda g, x, b: (g * b, g * x), ''),
        'a mean': (lambda g, x, b: (g * b, (g * x).mean(0)), 'times'),
    }),
    'mean': (jnp.mean, lambda g, x: jnp.full_like(x, g / x.size), (X,), {
        'not divided': (lambda g, x: jnp.full_like(x, g), '24 times'),
    }),
    'softmax': (soft, lambda g, x: soft(x) * (g - sums(g * soft(x))), (X,), {
        'the diagonal alone': (lambda g, x: g * soft(x) * (1 - soft(x)), ''),
        'no sum': (lambda g, x: g * soft(x), ''),
    }),
    'norm': (lambda x: jnp.sqrt(jnp.sum(x * x)), lambda g, x: g * x / jnp.sqrt(jnp.sum(x * x)), (X,), {
        'not divided': (lambda g, x: g * x, 'multiple'),
    }),
    'rows by index': (
        lambda x, i: x[i], lambda g, x, i: (jnp.zeros_like(x).at[i].add(g), NONE), (X, ROWS), {
            'written, not added': (lambda g, x, i: (jnp.zeros_like(x).at[i].set(g), None), ''),
        },
    ),
    'a dict of weights': (
        lambda p, x: x @ p['w'] + p['b'], lambda g, p, x: ({'w': x.T @ g, 'b': g.sum(0)}, g @ p['w'].T),
        ({'w': SQUARE, 'b': B}, X), {
            'b has the mean': (lambda g, p, x: ({'w': x.T @ g, 'b': g.mean(0)}, g @ p['w'].T), 'times'),
            'w is zero': (lambda g, p, x: ({'w': 0 * p['w'], 'b': g.sum(0)}, g @ p['w'].T), '0 everywhere'),
        },
    ),
    'two outputs': (
        lambda x: (x * x, jnp.sin(x)), lambda g, x: 2 * g[0] * x + g[1] * jnp.cos(x), (X,), {
            'the second is forgotten': (lambda g, x: 2 * g[0] * x, ''),
        },
    ),
    'a loop without reverse mode': (
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))[1],
        lambda g, x: 4 * g * x**3, (X,), {'one turn less': (lambda g, x: 3 * g * x**2, '')},
    ),
    'a loop': (
        lambda x: lax.fori_loop(0, 3, lambda k, c: c * x, x), lambda g, x: 4 * g * x**3, (X,), {
            'half of it': (lambda g, x: 2 * g * x**3, '0.5 times'),
        },
    ),
}  # fmt: skip

RIGHT = {name: (made(forward, backward), inputs) for name, (forward, backward, inputs, _) in TABLE.items()}
WRONG = {
    f'{name}, {mistake}': (made(forward, backward), inputs, word)
    for name, (forward, _, inputs, mistakes) in TABLE.items()
    for mistake, (backward, word) in mistakes.items()
}


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
hold = jax.custom_vjp(lambda x: x * x)
hold.defvjp(lambda x: (x * x, lax.stop_gradient(2 * x)), lambda d, g: (g * d,))

RIGHT |= {
    'nondiff_argnums': (applied, (jnp.sin, X)),
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
SURROGATE = {'a step': (made(lambda x: (x > 0).astype(x.dtype), lambda g, x: g), (X,))}
