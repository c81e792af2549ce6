"""jvp and jacfwd through a bprop: one that is linear in dout is called so, though its terms cancel; no other is."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import NotLinearWarning
from tests.core.cells import made
from tests.messages import warned


def by_bprop(construct, bprop):
    return made(lambda self, x: construct(x), lambda self, x, out, dout: (bprop(x, out, dout),))


mean_of = lambda x: x - x.mean()
deviation = lambda x: ops.sqrt((mean_of(x) ** 2).mean() + 1e-5)
of_softmax = lambda x, out, d: out * (d - (d * out).sum())

centre = by_bprop(mean_of, lambda x, out, d: d - d.mean())
softmax = by_bprop(ops.softmax, of_softmax)
log_softmax = by_bprop(ops.log_softmax, lambda x, out, d: d - ops.exp(out) * d.sum())
layer_norm = by_bprop(
    lambda x: mean_of(x) / deviation(x), lambda x, out, d: (mean_of(d) - out * (d * out).mean()) / deviation(x)
)
unit = by_bprop(lambda x: x / ops.norm(x), lambda x, out, d: (d - out * (d * out).sum()) / ops.norm(x))
simplex = by_bprop(lambda x: x - (x.sum() - 1) / x.size, lambda x, out, d: d - d.sum() / x.size)
first = by_bprop(lambda x: x - x[0], lambda x, out, d: d - d.sum() * Tensor(np.eye(1, x.size)[0]).astype(d.dtype))
both = made(lambda self, d: (d, d * 2), lambda self, d, out, dout: (dout[0] + 2 * dout[1],))
of_both = by_bprop(ops.softmax, lambda x, out, d: of_softmax(x, out, sum(both(d)) / 3))  # a Cell in the bprop
LINEAR = {
    'a Cell of two outputs in it': lambda x: of_both(x).sum(),
    'less the mean': centre,
    'softmax': softmax,
    'its logarithm': log_softmax,
    'layer norm': layer_norm,
    'a unit vector': unit,
    'onto a simplex': simplex,
    'less the first': first,
    'four times softmax': lambda x: softmax(softmax(softmax(softmax(x)))),
    'several outputs': lambda x: (softmax(x), 3 * centre(x), layer_norm(x).sum()),
    'a sum that is always 1': lambda x: softmax(x).sum(),
    'a sum that is always 0': lambda x: layer_norm(x).sum(),
    'a norm that is always 1': lambda x: ops.norm(unit(x)),
    'zeros of large numbers': lambda x: centre(centre(x * 1000).sum() * x),
    'a difference of equals': lambda x: softmax(x + 2) - softmax(x),
    'a gradient of cross entropy': ms.grad(lambda x: -log_softmax(x)[0]),
    'a gradient of entropy': ms.grad(lambda x: (softmax(x) * log_softmax(x)).sum()),
    'a gradient that is always 0': ms.grad(lambda x: softmax(x).sum()),
}


@pytest.mark.parametrize('n', [1, 3, 5, 10])
@pytest.mark.parametrize('dtype', [ms.float16, ms.float32, ms.float64], ids=str)
@pytest.mark.parametrize('f', LINEAR.values(), ids=LINEAR)
def test_of_a_linear_bprop_nothing_is_said_though_its_terms_cancel(f, dtype, n):
    x, v = (Tensor(np.random.default_rng(n + k).standard_normal(n)).astype(dtype) for k in (0, 50))
    with warned() as said:
        ms.jacfwd(f)(x), ms.jvp(f, x, v)
    assert NotLinearWarning not in [w.category for w in said.caught]


clip = lambda most: lambda d: ops.clip_by_value(d, Tensor(-most), Tensor(most))
NOT_LINEAR = {
    'times its size': lambda d: d * ops.abs(d),
    'its size': ops.abs,
    'positive ones': ops.relu,
    'cut at a half': clip(0.5),
    'cut at 1': clip(1.0),
    'cut at 5': clip(5.0),
    'squashed': ops.tanh,
    'its signs': ops.sign,
    'to a norm of 1': lambda d: d / ops.norm(d),
    'times its size, by the norm': lambda d: d * ops.abs(d) / ops.norm(d),
    'the largest alone': lambda d: d * (d == d.max()),
    'a constant': lambda d: d * 0 + Tensor([3.0, 1.0, 2.0]),
    'and a constant': lambda d: d + Tensor([3.0, 1.0, 2.0]),
}


@pytest.mark.parametrize('place', ['alone', 'before', 'behind'])
@pytest.mark.parametrize('rule', NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_a_bprop_that_is_not_linear_is_named_where_terms_cancel_too(rule, place):
    f = {
        'alone': by_bprop(lambda x: x * 1, lambda x, out, d: rule(d)),
        'before': by_bprop(ops.softmax, lambda x, out, d: of_softmax(x, out, rule(d))),
        'behind': by_bprop(ops.softmax, lambda x, out, d: rule(30 * of_softmax(x, out, d))),
    }[place]
    with warned() as said:
        ms.jacfwd(f)(Tensor([0.3, -0.2, 0.5]))
    assert NotLinearWarning in [w.category for w in said.caught]


cut = clip(0.5)


class Cuts(ops.Primitive):
    def kernel(self, x):
        return x * 2

    def rule(self, g, out, x):
        return (np.clip(g, -0.5, 0.5) if isinstance(g, np.ndarray) else cut(g),)


def by_hook(x, on=None):
    y = x * 1 if on is None else x
    y.register_hook(cut)
    return y * 2


def by_hook_of_a_cell(x):
    net = nn.ReLU()
    net.register_backward_hook(lambda cell, gave, got: (cut(gave[0]),))
    return net(x)


CALLED_BACK = {
    'a bprop': (by_bprop(lambda x: x * 1, lambda x, out, d: cut(d)), 'the bprop of'),
    'a hook': (by_hook, 'a hook'),
    'a hook of the input': (lambda x: by_hook(x, on=x), 'a hook'),
    'InsertGradientOf': (lambda x: ops.InsertGradientOf(cut)(x) * 2, 'a hook'),
    'HookBackward': (lambda x: ops.HookBackward(lambda g: (cut(g[0]),))(x) * 2, 'a hook'),
    'a hook of a Cell': (by_hook_of_a_cell, 'a hook'),
    'a Primitive': (lambda x: Cuts()(x), 'rule of Cuts'),
}
ONES, slope = Tensor([1.0, 1.0, 1.0]), lambda f, x: ms.jvp(f, x, Tensor([1.0, 1.0, 1.0]))[1]


def under_a_tape(f):
    with ms.Tape():
        slope(f, ONES)


ASKED = {
    'alone': lambda f: slope(f, ONES),
    'in a gradient': lambda f: ms.grad(lambda x: (slope(f, x) * x).sum())(ONES),
    'in a construct': lambda f: ms.grad(by_bprop(lambda x: slope(f, x) * x, lambda x, out, d: d))(ONES),
    'in another jvp': lambda f: slope(lambda x: slope(f, x) * x, ONES),
    'under a Tape': under_a_tape,
}


@pytest.mark.parametrize('f, named', CALLED_BACK.values(), ids=CALLED_BACK)
@pytest.mark.parametrize('ask', ASKED.values(), ids=ASKED)
def test_what_is_called_back_and_is_not_linear_is_named_wherever_jvp_stands(ask, f, named):
    with warned(NotLinearWarning, named, 'not linear'):
        ask(f)


@pytest.mark.parametrize('ask', ASKED.values(), ids=ASKED)
def test_a_linear_hook_is_none(ask):
    with warned() as said:
        ask(lambda x: ops.InsertGradientOf(lambda g: g * 3)(softmax(x) + x))
    assert NotLinearWarning not in [w.category for w in said.caught]
