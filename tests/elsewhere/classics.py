"""Right rules and their classic mistakes, written once for every framework that has NumPy's names."""

from collections.abc import Callable
from typing import Any

import numpy as np


def rows(m: Any, made: Callable, array: Callable) -> tuple[dict, dict]:
    """Right and wrong rows. m: the framework's functions; made: a rule of a forward and of a backward, which gets what
    came in and the inputs; array: its array of NumPy's."""
    drawn = lambda *shape, seed=0: array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
    X, Y, B, W, S, T = (drawn(*n, seed=k) for k, n in enumerate(((6, 4), (6, 4), (4,), (4, 5), (4, 4), (4, 4))))
    HOT, POS, C = array(np.eye(4, dtype=np.float32)[[0, 2, 1, 2, 3, 0]]), m.abs(Y) + 0.5, drawn(5, seed=9)
    sig, like = lambda x: 1 / (1 + m.exp(-x)), lambda g, x: g * m.ones_like(x)
    total, mean = lambda x: x.sum(-1)[..., None], lambda x: x.mean(-1)[..., None]
    soft = lambda x: m.exp(x) / total(m.exp(x))
    dev = lambda x: m.sqrt(mean((x - mean(x)) ** 2) + 1e-5)
    normed = lambda x: (x - mean(x)) / dev(x)
    # name: (forward, its right backward, inputs, {a mistake: (its backward, a word of the sentence that names it)})
    table = {
        'square': (lambda x: x * x, lambda g, x: 2 * g * x, (X,), {
            'half of it': (lambda g, x: g * x, '0.5 times'),
            'what came is missing': (lambda g, x: 2 * x, 'is missing'),
            'opposite sign': (lambda g, x: -2 * g * x, 'opposite'),
            'abs of what came': (lambda g, x: 2 * m.abs(g) * x, 'opposite sign where'),
            'clipped': (lambda g, x: (2 * g * x).clip(-1, 1), 'not linear'),
            'NaN': (lambda g, x: g * x * float('nan'), 'NaN'),
            'None': (lambda g, x: None, ''),
        }),
        'product': (lambda x, y: x * y, lambda g, x, y: (g * y, g * x), (X, Y), {
            'swapped': (lambda g, x, y: (g * x, g * y), 'gradient of'),
            'None for y': (lambda g, x, y: (g * y, None), ''),
            'both the same': (lambda g, x, y: (g * y, g * y), 'gradient of'),
            'the values': (lambda g, x, y: (y, x), 'ones'),
        }),
        'exp': (m.exp, lambda g, x: g * m.exp(x), (X,), {
            'its slope is missing': (lambda g, x: g, 'missing'),
            'x instead of out': (lambda g, x: g * x, 'in the place of'),
        }),
        'log': (m.log, lambda g, x: g / x, (POS,), {'x instead of 1 / x': (lambda g, x: g * x, 'once too often')}),
        'sine': (m.sin, lambda g, x: g * m.cos(x), (X,), {
            'sine again': (lambda g, x: g * m.sin(x), 'in the place of'),
            'what came is missing': (lambda g, x: m.cos(x), 'ones'),
        }),
        'sigmoid': (sig, lambda g, x: g * sig(x) * (1 - sig(x)), (X,), {
            '1 − out is missing': (lambda g, x: g * sig(x), '(1 − '),
            'of x instead of out': (lambda g, x: g * x * (1 - x), ''),
            'twice': (lambda g, x: g * sig(x) ** 2 * (1 - sig(x)), 'once too often'),
        }),
        'tanh': (m.tanh, lambda g, x: g * (1 - m.tanh(x) ** 2), (X,), {
            'the square is missing': (lambda g, x: g * (1 - m.tanh(x)), '(1 + out)'),
            'the sign inside': (lambda g, x: g * (1 + m.tanh(x) ** 2), ''),
        }),
        'log(1 + exp(x))': (lambda x: m.log(1 + m.exp(x)), lambda g, x: g * (1 - 1 / (1 + m.exp(x))), (X,), {
            'one minus is missing': (lambda g, x: g / (1 + m.exp(x)), ''),
        }),
        'swish': (lambda x: x * sig(x), lambda g, x: g * (sig(x) + x * sig(x) * (1 - sig(x))), (X,), {
            'one path': (lambda g, x: g * sig(x), ''),
        }),
        'relu': (lambda x: x.clip(min=0), lambda g, x: g * (x > 0), (X,), {
            'no mask': (lambda g, x: g, 'where 0 is due'),
            'the other half': (lambda g, x: g * (x < 0), ''),
            'the mask of what came': (lambda g, x: g * (g > 0), 'differ in sign'),
        }),
        'abs': (m.abs, lambda g, x: g * m.sign(x), (X,), {'no sign': (lambda g, x: g, 'negative')}),
        'linear': (lambda x, w, b: x @ w + b, lambda g, x, w, b: (g @ w.T, x.T @ g, g.sum(0)), (X, W, C), {
            'a mean for b': (lambda g, x, w, b: (g @ w.T, x.T @ g, g.mean(0)), '0.1667 times'),
            'averaged over the batch': (lambda g, x, w, b: (g @ w.T, x.T @ g / len(x), g.sum(0)), '0.1667 times'),
            'one row for b': (lambda g, x, w, b: (g @ w.T, x.T @ g, g[0]), 'row 0'),
            'b has none': (lambda g, x, w, b: (g @ w.T, x.T @ g, None), ''),
        }),
        'matmul': (lambda x, y: x @ y, lambda g, x, y: (g @ y.T, x.T @ g), (S, T), {
            'y not transposed': (lambda g, x, y: (g @ y, x.T @ g), '@ '),
            'x not transposed': (lambda g, x, y: (g @ y.T, x @ g), ' @'),
            'transposed as a whole': (lambda g, x, y: ((g @ y.T).T, x.T @ g), 'transposed'),
        }),
        'mean': (lambda x: x.mean(), lambda g, x: like(g / 24, x), (X,), {
            'not divided': (lambda g, x: like(g, x), '24 times'),
            'by the rows alone': (lambda g, x: like(g / 6, x), '4 times'),
        }),
        'softmax': (soft, lambda g, x: soft(x) * (g - total(g * soft(x))), (X,), {
            'the diagonal alone': (lambda g, x: g * soft(x) * (1 - soft(x)), '(1 − out)'),
            'no sum': (lambda g, x: g * soft(x), 'out'),
            'summed over the batch': (lambda g, x: soft(x) * (g - (g * soft(x)).sum(0)), ''),
        }),
        'cross entropy': (
            lambda x: -(m.log(soft(x)) * HOT).sum(-1).mean(), lambda g, x: g * (soft(x) - HOT) / 6, (X,), {
                'a sum instead of the mean': (lambda g, x: g * (soft(x) - HOT), '6 times'),
                'the label is not subtracted': (lambda g, x: g * soft(x) / 6, ''),
                'the sign': (lambda g, x: g * (HOT - soft(x)) / 6, 'opposite'),
            },
        ),
        'layer norm': (normed, lambda g, x: (g - mean(g) - normed(x) * mean(g * normed(x))) / dev(x), (X,), {
            'statistics as constants': (lambda g, x: g / dev(x), ''),
            'the mean alone': (lambda g, x: (g - mean(g)) / dev(x), ''),
        }),
        'broadcast': (lambda x, b: x * b, lambda g, x, b: (g * b, (g * x).sum(0)), (X, B), {
            'a mean': (lambda g, x, b: (g * b, (g * x).mean(0)), '0.1667 times'),
            'the last row': (lambda g, x, b: (g * b, (g * x)[-1]), 'row -1'),
        }),
    }  # fmt: skip
    right = {name: (made(forward, backward), inputs) for name, (forward, backward, inputs, _) in table.items()}
    wrong = {
        f'{name}, {mistake}': (made(forward, backward), inputs, word)
        for name, (forward, _, inputs, mistakes) in table.items()
        for mistake, (backward, word) in mistakes.items()
    }
    return right, wrong
