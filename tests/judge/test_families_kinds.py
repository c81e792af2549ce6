"""check_bprop of whole kinds of Cells: constants, containers, Parameters, state, hooks, randomness, second order."""

import random
from functools import reduce
from itertools import count

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.tensor import map_tensors
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, hold, judged, read, rows, slopes, words

pytestmark = JUDGE
X, H, C = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([5.0, -6.0])
FOUR = Tensor(np.random.default_rng(1).standard_normal((4, 2)).astype(np.float32))
IMAGE = Tensor(np.random.default_rng(2).standard_normal((1, 1, 4, 4)).astype(np.float32))
FLOATS = {'M': Tensor([[2.0, 1.0, 0.5], [0.0, 3.0, -1.0]]), 'W': Tensor([[0.06, -0.03], [0.09, 0.03]])}
FLOATS['EDGE'] = Tensor([[[[-2.5]]]])
DOUBLES = {name: t.astype(ms.float64) for name, t in FLOATS.items()}


settled = lambda u, w: reduce(lambda x, _: ops.tanh(x @ w + u), range(12), 0 * u)
implicit = lambda out, d, w, n: (s := 1 - out * out) * reduce(lambda g, _: d + (s * g) @ w.T, range(n), d)
CONSTANTS = """
matrix | x=FOUR | x @ M | dout @ M.T | dout @ M.T * 2
by matmul | x=FOUR | ops.matmul(x, M) | ops.matmul(dout, M.T) | ops.matmul(dout, ops.abs(M).T)
in bprop alone | x=FOUR | ops.stack([2 * x[:, 0], x[:, 0] + 3 * x[:, 1], 0.5 * x[:, 0] - x[:, 1]], 1) | dout @ M.T |
 dout @ M.T * 0.5
filter | x=IMAGE | ops.conv2d(x, EDGE) | ops.conv2d(dout, EDGE) | ops.conv2d(dout, ops.abs(EDGE))
fixed point | u=FOUR | settled(u, W) | implicit(out, dout, W, 12) | implicit(out, dout, W, 0)
"""
TWINS = [rows(CONSTANTS, globals() | names) for names in (FLOATS, DOUBLES)]


@pytest.mark.parametrize('name', TWINS[0])
def test_constant_matrices_and_filters_in_float32(name):
    row, twin = (rows_[name] for rows_ in TWINS)
    hold(*row, due=slopes(made(twin[0]), row[3:]))


HELD = {  # (construct, its gradients, the inputs)
    'tuple': (lambda s, x, t: x * t[0] + t[1], lambda d, x, t: (d * t[0], (d * x, d)), (X, (H, C))),
    'dict': (lambda s, x, t: x * t['h'], lambda d, x, t: (d * t['h'], (d * x,)), (X, {'h': H})),
    'list alone': (lambda s, t: t[0] * t[1] + t[2], lambda d, t: ([d * t[1], d * t[0], d],), ([X, H, C],)),
    'nested': (lambda s, t: t[0][0] * t[0][1] + t[1], lambda d, t: (((d * t[0][1], d * t[0][0]), d),), (((X, H), C),)),
    'dict alone': (lambda s, t: t['a'] * t['b'], lambda d, t: ((d * t['b'], d * t['a']),), ({'a': X, 'b': H},)),
}


@pytest.mark.parametrize('name', HELD)
def test_tensors_in_tuples_lists_and_dicts_are_judged(name):
    construct, slope, xs = HELD[name]
    many = len(ms.core.tensor.tensors_in(xs))
    for k in range(-1, many):

        def bprop(s, *given, k=k):
            number = count()
            return map_tensors(slope(given[-1], *given[:-2]), lambda g: g * 7 if next(number) == k else g)

        assert checked(construct, bprop, *xs) == ['wrong' if j == k else 'right' for j in range(many)]
        found = ms.check_bprop(made(construct, bprop), *xs).rows
        assert [r.place for r in found] == list(range(many)) and len({r.name for r in found}) == many


def remembered(f):
    """A checkpoint: bprop runs again what it was given, and answers for x alone."""
    cell = made(lambda s, x: f(x), lambda s, x, out, dout: ms.vjp(f, x)[1](dout))
    cell.f = f
    return cell


@pytest.mark.parametrize('inside', [nn.Dense(2, 2), nn.SequentialCell(nn.Tanh(), nn.Dense(2, 2, has_bias=False))])
def test_a_swallowed_parameter_is_named(inside):
    cell = remembered(inside)
    result = ms.check_bprop(cell, FOUR)
    assert not result.ok and all(p.name in repr(result) for p in cell.trainable_params())
    assert ms.check_bprop(cell, FOUR, wrt='x').ok
    for p in cell.get_parameters():
        p.requires_grad = False
    assert ms.check_bprop(cell, FOUR).ok


P = Parameter(Tensor([0.5, 0.5]), name='v', requires_grad=False)
STATES = {  # what is remembered at first, and what a call makes of it
    'self': (lambda: Tensor([0.5, 0.5]), lambda s, x: setattr(s, 'v', 0.9 * s.v + x * x)),
    'list': (lambda: [Tensor([1.0, 1.0])], lambda s, x: s.v.append(s.v[-1] + x * x)),
    'Parameter': (lambda: P, lambda s, x: ops.assign(s.v, x * x)),
    'counter': (lambda: Tensor([0.5, 0.5]), lambda s, x: vars(s).update(calls=s.calls + 1, v=x * x)),
}


@pytest.mark.parametrize('name', STATES)
def test_a_cell_with_state_is_judged_and_left_as_it_was(name):
    first, after = STATES[name]
    state = lambda c: (c.calls, [(t.dtype, t.asnumpy().tolist()) for t in ms.core.tensor.tensors_in(c.v)])
    for factor, due in ((4, ['right']), (3, ['wrong'])):
        bprop = lambda s, x, out, dout, k=factor: (k * x * dout,)
        cell = made(lambda s, x: (after(s, x), (s.v[-1] if name == 'list' else s.v) * 2)[1], bprop)
        cell.calls, cell.v = 7, first()
        tape, before = read(cell, X), state(cell)
        for _ in range(2):
            result = ms.check_bprop(cell, X)
            assert [r.verdict for r in result.rows] == words(tape) == due and 'random' not in repr(result)
            assert state(cell) == before
        assert cell(X).dtype == ms.float32


ASIDE = {
    'backward': ('register_backward_hook', lambda c, gi, go: tuple(ops.clip_by_value(g, -0.1, 0.1) for g in gi)),
    'turned': ('register_backward_hook', lambda c, gi, go: tuple(-g for g in gi)),
    'backward pre': ('register_backward_pre_hook', lambda c, go: tuple(g * 3 for g in go)),
    'forward pre': ('register_forward_pre_hook', lambda c, i: (i[0] * 3,)),
    'shifted': ('register_forward_pre_hook', lambda c, i: (i[0] + 1,)),
    'forward': ('register_forward_hook', lambda c, i, o: o * 3),
}


@pytest.mark.parametrize('name', ASIDE)
def test_a_hook_of_the_cell_is_not_its_bprop(name):
    how, hook = ASIDE[name]
    for factor, due in ((2, ['right']), (1, ['wrong'])):
        cell = made(lambda s, x: x * x, lambda s, x, out, dout, k=factor: (k * x * dout,))
        getattr(cell, how)(hook)
        result = ms.check_bprop(cell, X)
        assert [r.verdict for r in result.rows] == words(read(cell, X)) == due, repr(result)
        assert 'last call' not in repr(result) and 'NumPy' not in repr(result)


DRAWS = {
    'ops': lambda x: (ops.randn(*x.shape) > 0).astype(x.dtype) * 2,
    'NumPy': lambda x: Tensor(np.random.rand(*x.shape)).astype(x.dtype),
    'Python': lambda x: ops.zeros_like(x) + random.random(),
}
TWELVE = Tensor(np.linspace(0.5, 2, 12).astype(np.float32))


@pytest.mark.parametrize('draw', DRAWS.values(), ids=DRAWS)
def test_a_random_construct_is_judged_with_the_numbers_that_it_drew(draw):
    for other, due in ((lambda x, k: k, 'right'), (lambda x, k: 2 * k, 'wrong'), (lambda x, k: draw(x), 'wrong')):
        cell = made(lambda s, x: (x * (k := draw(x)), k), lambda s, x, o, d, f=other: (d[0] * f(x, o[1]),))
        result = ms.check_bprop(cell, TWELVE)
        assert result.ok is (due == 'right'), repr(result)
        assert 'not linear' not in repr(result) and 'last call' not in repr(result)
        assert words(read(lambda x, c=cell: c(x)[0].sum(), TWELVE)) == [due]


def test_a_new_mask_and_a_random_bprop_have_their_own_reason():
    shaken = made(lambda s, x: x * x, lambda s, x, out, dout: (2 * x * dout * float(1 + np.random.rand()),))
    for cell in (shaken, remembered(lambda x: ops.dropout(x * 3, 0.5))):
        text = repr(ms.check_bprop(cell, TWELVE))
        assert '✗' in text and 'twice' in text and 'last call' not in text and 'not linear' not in text, text
    noise = made(
        lambda s, x: (x > 0).astype(x.dtype), lambda s, x, out, dout: (dout * ops.randn(*x.shape).astype(x.dtype),)
    )
    assert 'last call' not in repr(result := ms.check_bprop(noise, TWELVE)) and not result.ok
    assert ms.check_bprop(remembered(lambda x: ops.tanh(x * 3) * x), TWELVE).ok


@pytest.mark.parametrize('off', [[0, -1], [177], [150, 151], []], ids=['ends', 'one number', 'middle', 'none'])
def test_every_one_of_many_numbers_is_tried(off):
    def bprop(s, x, out, dout):
        d = np.convolve(dout.asnumpy(), [3.0, 2.0, 1.0], 'same')
        d[off] *= 5.0
        return (Tensor(d.astype(x.asnumpy().dtype)),)

    construct = lambda s, x: Tensor(np.convolve(x.asnumpy(), [1.0, 2.0, 3.0], 'same').astype(x.asnumpy().dtype))
    signal = Tensor(np.random.default_rng(0).standard_normal(300).astype(np.float32))
    assert judged(construct, bprop, signal) == checked(construct, bprop, signal) == ['wrong' if off else 'right']


def test_keywords_are_those_of_construct():
    cell = made(lambda s, x, k=1.0, y=None: x * k * y, lambda s, x, k, y, out, dout: (dout * k * y, None, dout * k * x))
    assert ms.check_bprop(cell, X, k=3.0, y=H).ok and ms.check_bprop(cell, X, y=H, k=3.0).ok
    half = made(lambda s, x, *, y: x * y * y, lambda s, x, y, out, dout: (dout * y * y, dout * x * y))
    assert [r.verdict for r in ms.check_bprop(half, X, y=H).rows] == ['right', 'wrong']
    assert ms.check_bprop(half, X, y=H, wrt='x').ok


ORDERS = {  # a bprop of x³ that is right itself, and whether its own derivative is
    'ops': (lambda x: 3 * x * x, True),
    'another way': (lambda x: ops.exp(2 * ops.log(x)) * 3, True),
    'numbers': (lambda x: Tensor(3 * x.asnumpy() ** 2), False),
    'stopped': (lambda x: 3 * x * ops.stop_gradient(x), False),
    'floats': (lambda x: 3 * ops.stack([x[0] * float(x[0]), x[1] * float(x[1])]), False),
}


@pytest.mark.parametrize('name', ORDERS)
def test_a_second_order(name):
    slope, due = ORDERS[name]
    cell = made(lambda s, x: x * x * x, lambda s, x, out, dout: (slope(x) * dout,))
    assert ms.check_bprop(cell, X).ok and ms.check_bprop(cell, X, order=2).ok is due


KEPT = {  # what a bprop reads from self, and what is due for it
    'NumPy': lambda s, x: vars(s).update(k=Tensor(x.asnumpy())) or Tensor(2 * x.asnumpy()) * Tensor(x.asnumpy()) / 2,
    'average': lambda s, x: vars(s).update(k=0.1 * ops.stop_gradient(x)) or 2 * x * s.k,
}


@pytest.mark.parametrize('name', KEPT)
def test_what_a_bprop_keeps_on_self_is_the_mistake_that_is_named(name):
    result = ms.check_bprop(made(KEPT[name], lambda s, x, out, dout: (2 * s.k * dout,)), X)
    assert 'A call of the Cell in between changes it' in repr(result), repr(result)


def test_labels_stay_labels_while_the_mistake_is_sought():
    cost = lambda s, z, t: -(ops.log_softmax(z) * t).sum()
    bprop = lambda s, z, t, out, dout: ((t - ops.softmax(z)) * dout, -ops.log_softmax(z) * dout)
    (z, t) = ms.check_bprop(made(cost, bprop), FOUR, Tensor(np.eye(2, dtype=np.float32)[[0, 1, 1, 0]])).rows
    assert 'opposite sign' in z.mistake and t.ok
