"""By the numbers alone: small ones, ones that cancel, and what no rule sees (index writes, NumPy, assign)."""

import math
from ctypes import c_float

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, ops
from minicell.judge.takeover import Takeover
from minicell.replay.again import Again
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, hold, judged, members, read, told, words

pytestmark = JUDGE
X, FAR = Tensor([0.3, 1.2]), Tensor([1.2, 1.5])
IMAGE, HALF = Tensor(np.ones((256, 256), np.float32)), Tensor(np.full((20, 20), 0.5, np.float16))
SMALL = """
sign of mean | x=IMAGE | x.mean() | ops.zeros_like(x) + dout / x.size | ops.zeros_like(x) - dout / x.size
zero of mean | x=IMAGE | x.mean() | ops.zeros_like(x) + dout / x.size | ops.zeros_like(x)
triple in half | x=HALF | x.mean() | ops.zeros_like(x) + dout / x.size | ops.zeros_like(x) + 3 * dout / x.size
squares in half | x=HALF | (x * x).mean() | 2 * x * dout / x.size | x * dout / x.size
scale of gradients | x=X | x * 5.8e-5 | dout * 5.8e-5 | dout * 0
weight decay | x=X | 1e-5 * (x * x).sum() | 2e-5 * x * dout | ops.zeros_like(x)
below a millionth | x=X | x * x * 1e-7 | 2e-7 * x * dout | -5e-7 * x * dout
nine for one | x=X | x * 1e-7 | 1e-7 * dout | 9e-7 * dout
far exponential | x=FAR | ops.exp(-20 * x) | -20 * out * dout | -10 * out * dout
variance | x=X | ((x - x.mean()) ** 2).mean() * 1e-6 | 2e-6 * (x - x.mean()) * dout / 2 | 2e-6 * (x - x.mean()) * dout
temperature | x=X | ops.tanh(x / 1e6) | (1 - out * out) / 1e6 * dout | (1 - out * out) / 1e3 * dout
"""


@members(SMALL, globals())
def test_a_small_gradient_is_judged_like_a_large_one(row):
    hold(*row, due=[np.full((256, 256), 0.5 / 65536)] if row[-1] is IMAGE else None)


@pytest.mark.parametrize(('k', 'at'), [([1e5, 1.0], 1), ([1e6, 1e-3, 1.0], 1), ([2e5, 3e9, 1.0, 1e-4], 3)])
def test_a_small_number_beside_large_ones_is_judged_by_itself(k, at):
    def flipped(at):
        sign = lambda x: Tensor(np.where(np.arange(x.size) == at, -1, 1).astype(x.asnumpy().dtype))
        return lambda s, x, k, out, dout: (2 * x * k * dout * sign(x), x * x * dout)

    xs = Tensor(np.ones(len(k), np.float32)), Tensor(k)
    for bprop, due in ((flipped(-1), 'right'), (flipped(at), 'wrong')):
        assert judged(lambda s, x, k: x * x * k, bprop, *xs) == [due, 'right']
        assert checked(lambda s, x, k: x * x * k, bprop, *xs) == [due, 'right']


@pytest.mark.parametrize(('factor', 'due'), [(1, 'right'), (-1, 'wrong'), (2, 'wrong'), (0, 'wrong')])
def test_a_small_gradient_of_a_parameter(factor, due):
    w = Parameter(Tensor([2.0, -3.0]), name='w')
    bprop = lambda s, x, out, dout: ((ops.ones_like(x) * dout,), {w: factor * 1e-6 * w * dout})
    cell = made(lambda s, x: x.sum() + 5e-7 * (w * w).sum(), bprop)
    cell.w, cell.internal_params = w, [w]
    by_x, by_w = told(read(cell, X, weights=[w]))
    assert (by_x.verdict, by_w.verdict, by_w.name, by_w.place) == ('right', due, 'w', 1)
    np.testing.assert_allclose(by_w.due, [2e-6, -3e-6], rtol=1e-5)
    assert [r.verdict for r in ms.check_bprop(cell, X).rows] == ['right', due]


SPREAD = lambda x: ops.sqrt(((x - x.mean()) ** 2).mean())
SEVEN = Tensor([0.3, -1.2, 2.5, 0.9, -0.4, 1.7, 0.1])
CANCELLING = """
in NumPy | x=SEVEN | array(x.asnumpy() - x.asnumpy().mean(), x) | dout - dout.mean() | dout - 0.9 * dout.mean()
x less mean | x=SEVEN | x - x.mean() | dout - dout.mean() | dout - 0.9 * dout.mean()
softmax | x=SEVEN | ops.softmax(x) | out * (dout - (dout * out).sum()) | out * (1 - out) * dout
normalised | x=SEVEN | (x - x.mean()) / SPREAD(x) | (dout - dout.mean() - out * (dout * out).mean()) / SPREAD(x) |
 (dout - out * (dout * out).mean()) / SPREAD(x)
"""


@members(CANCELLING, globals())
@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
def test_rounding_in_terms_that_cancel_is_no_mistake(row, dtype):
    """With the same dout everywhere, 0 is due."""
    construct, right, wrong, x = row
    x = Tensor(x.asnumpy().astype(dtype))
    for bprop, due in ((right, ['right']), (wrong, ['wrong'])):
        assert words(read(lambda x, b=bprop: (made(construct, b)(x) * 0.1).sum(), x)) == due
        assert judged(construct, bprop, x) == checked(construct, bprop, x) == due


LONG, GRID = Tensor([0.5, -1.5, 2.0, 0.7]), Tensor([[0.5, -1.5, 2.0], [0.7, 0.2, -0.4]])
A = np.array([[2.0, 1.0], [0.0, 3.0]])


def array(found, like) -> Tensor:
    """A Tensor of what NumPy gave, in the dtype of another."""
    return Tensor(np.asarray(found).astype(like.asnumpy().dtype))


def written(y, *pairs):
    """y, with what is written into it."""
    for at, value in pairs:
        y[at] = value
    return y


def added_up(y):
    """Each number reads what was written before it."""
    for k in range(1, y.size):
        y[k] = y[k - 1] + y[k]
    return y


FIRST, LATER = (slice(None), 0), slice(1, None)
behind = lambda d: ops.stack([d[k:].sum() for k in range(d.size)])
softmax = lambda x: array((e := np.exp(x.asnumpy())) / e.sum(), x)
maths = lambda x: Tensor([math.exp(v) * v for v in x.asnumpy().tolist()], x.dtype)
column = lambda d: ops.concat((d[:, :2] * 0, d[:, :1]), 1)
later = lambda x: Tensor([[0.0, 1.0, 1.0]] * 2, x.dtype)
WRITES = """
cut | x=X | written(x * 3, (0, 0.0)) | 3 * dout * Tensor([0.0, 1.0], x.dtype) | 3 * dout
filled | x=X | written(ops.zeros((2,), x.dtype), (0, x[0] ** 2), (1, x[0] + x[1])) |
 ops.stack([2 * x[0] * dout[0] + dout[1], dout[1]]) | ops.stack([2 * x[0] * dout[0], dout[1]])
rolled | x=LONG | written(ops.zeros_like(x), (LATER, x[:-1]), (0, x[-1])) | ops.concat((dout[1:], dout[:1])) |
 ops.concat((dout[-1:], dout[:-1]))
added up | x=LONG | added_up(x * 1) | behind(dout) | ops.cumsum(dout, 0)
periodic | x=GRID | written(x * x, (FIRST, x[:, -1])) | 2 * x * dout * later(x) + column(dout) | 2 * x * dout * later(x)
by a mask | x=LONG | written(ops.exp(x), (ops.exp(x) > 2, 2.0)) | dout * out * (out < 2).astype(x.dtype) | dout * out
"""
LEFT = """
sine | x=X | array(np.sin(x.asnumpy()), x) | ops.cos(x) * dout | -ops.cos(x) * dout
sine in part | x=X | x * array(np.sin(x.asnumpy()), x) | (ops.sin(x) + x * ops.cos(x)) * dout | ops.sin(x) * dout
sine added | x=X | x * x + array(np.sin(x.asnumpy()), x) | dout * (2 * x + ops.cos(x)) | dout * 2 * x
solved | x=X | array(np.linalg.solve(A, x.asnumpy()), x) | array(np.linalg.solve(A.T, dout.asnumpy()), x) |
 array(np.linalg.solve(A, dout.asnumpy()), x)
one float | x=X | x * float(x.sum()) | dout * x.sum() + (dout * x).sum() | dout * x.sum()
listed | x=X | Tensor([x[0] ** 2, x[0] + x[1]], x.dtype) | ops.stack([2 * x[0] * dout[0] + dout[1], dout[1]]) |
 ops.stack([2 * x[0] * dout[0], dout[1]])
by item | x=LONG | x / ops.norm(x).item() | (dout - out * (out * dout).sum()) / ops.norm(x) | dout / ops.norm(x)
maths | x=X | maths(x) | ops.exp(x) * (1 + x) * dout | ops.exp(x) * dout
softmax in part | x=LONG | softmax(x) + x * x | (p := softmax(x)) * (dout - (dout * p).sum()) + 2 * x * dout |
 softmax(x) * dout + 2 * x * dout
cumulative | x=LONG | array(np.cumsum(x.asnumpy() ** 2), x) | 2 * x * behind(dout) | 2 * x * dout
a constant | x=LONG | x * array(np.arange(x.size) + 1, x) | dout * array(np.arange(x.size) + 1, x) | dout
"""


@members(WRITES + LEFT[1:], globals())
def test_what_no_rule_sees_in_construct(row):
    hold(*row)


@pytest.mark.parametrize('where', [lambda x: x > 0, lambda x: x * x > 1], ids=['threshold', 'band'])
def test_a_spike_that_is_written_is_neither_wrong_nor_right(where):
    construct = lambda s, x: written(ops.zeros_like(x), (where(x), 1.0))
    assert judged(construct, lambda s, x, out, dout: (dout / (1 + x * x),), LONG)[0] in ('surrogate', 'unknown')
    assert judged(construct, lambda s, x, out, dout: (dout * 0,), LONG) == ['right']


@members(LEFT, globals())
def test_explain_shows_what_differences_know(row):
    construct, right, _, x = row
    assert words(ms.explain(made(construct, right), x)) == ['right']


blend = lambda b, y: ops.assign(b, 0.9 * b + y)


@pytest.mark.parametrize('how', [ops.assign, lambda b, y: b.set_data(y), lambda b, y: ops.assign(b, b * 0 + y), blend])
def test_a_buffer_between_input_and_output(how):
    for factor, due in ((1, ['right']), (0, ['wrong'])):
        b = Parameter(Tensor([0.0, 0.0]), name='b', requires_grad=False)
        construct = lambda s, x: (how(s.b, x * x), s.b * 3 + x)[1]
        cell = made(construct, lambda s, x, out, dout, k=factor: (dout * (6 * x * k + 1),))
        cell.b = b
        tape, before = read(cell, X), b.asnumpy().tolist()
        assert words(tape) == [r.verdict for r in ms.check_bprop(cell, X).rows] == due
        assert b.asnumpy().tolist() == before and b.dtype == ms.float32


twice = lambda x: x * 2
GRAPHS = """
factor | x=X | x * x | ms.jit(twice)(x) * dout
all of it | x=X | x * x | ms.jit(lambda a, b: 2 * a * b)(x, dout)
at the end | x=X | x * x | ms.jit(lambda a: a + a)(x * dout)
"""


@members(GRAPHS, globals())
def test_jvp_through_a_bprop_that_calls_a_graph(row):
    construct, bprop, x = row
    with ms.Tape() as tape:
        ms.jvp(made(construct, bprop), x, Tensor([1.0, 1.0]))
    assert {v.verdict for v in tape.verdicts() if v.asked} == {'right'}
    assert 'agrees' in str(tape.why('dx', 0))
    assert judged(construct, bprop, x) == checked(construct, bprop, x) == ['right']


SATURATED = """
sigmoid | x=FAR | ops.sigmoid(x) | dout * out * (1 - out)
sigmoid, minus one | x=FAR | ops.softplus(-x) | dout * (ops.sigmoid(x) - 1)
softplus | x=FAR | ops.softplus(x) | dout * (1 - ops.exp(-out))
beyond digits | x=BEYOND | ops.sigmoid(x) | dout * out * (1 - out)
exp | x=FAR | ops.exp(x) - 1 | dout * (out + 1)
asin | x=EDGE | ops.asin(x) | dout / ops.sqrt(1 - x * x)
acosh | x=ABOVE | ops.acosh(x) | dout / ops.sqrt(x * x - 1)
"""
FAR, EDGE, ABOVE, BEYOND = Tensor([-20.0, 0.5, 20.0]), Tensor([0.5, 0.999]), Tensor([1.001, 2.0]), Tensor([0.5, 40.0])


@pytest.mark.parametrize('dtype', [ms.float32, ms.float64])
@members(SATURATED, globals())
def test_what_a_difference_of_nearly_equal_numbers_loses_is_no_mistake(row, dtype):
    construct, bprop, x = row
    x = x.astype(dtype)
    assert judged(construct, bprop, x) == checked(construct, bprop, x) == ['right']
    more = lambda *all: (1.01 * bprop(*all)[0],)
    assert judged(construct, more, x) == checked(construct, more, x) == ['wrong']


MANY = Tensor(np.random.default_rng(0).standard_normal(400), ms.float64)
M = MANY.asnumpy().reshape(20, 20)


def by_loops(a):
    out = np.zeros((20, 20), np.float32)
    for k, row in enumerate(a.reshape(20, 20)):
        out[k] = row @ M[::-1]
    return Tensor(out)


AMONG = """
differences | x=MANY | Tensor(np.diff(x.asnumpy(), prepend=0.0).astype(np.float32)) |
 lambda a, g: g - np.append(g[1:], 0)
end in half | x=MANY | Tensor(np.sin(x.asnumpy()).astype(np.float16)) | lambda a, g: g * np.cos(a)
inside | x=MANY | Tensor(np.tanh(x.asnumpy().astype(np.float32)).astype(np.float64)) |
 lambda a, g: g * (1 - np.tanh(a) ** 2)
by its type | x=MANY | Tensor(np.cumsum(x.asnumpy()), ms.float32) | lambda a, g: np.cumsum(g[::-1])[::-1]
letter | x=MANY | Tensor(np.asarray(np.cumsum(x.asnumpy()), 'f')) | lambda a, g: np.cumsum(g[::-1])[::-1]
by loops | x=MANY | by_loops(x.asnumpy()) | lambda a, g: (g @ M[::-1].T).ravel()
"""


@pytest.mark.parametrize('dtype', [ms.float16, ms.float32])
@members(AMONG, globals(), also=(-1,))
def test_one_wrong_number_among_many_is_found_in_what_numpy_rounds(row, dtype):
    construct, back, x = row
    x = x.astype(dtype)
    for at, factor in ((0, 1), (399, 0), (0, -1), (200, 1.1), (7, 0.5)):

        def bprop(s, x, out, dout, at=at, factor=factor):
            g = back(x.asnumpy().astype(np.float64), dout.asnumpy().astype(np.float64)).copy()
            g[at] *= factor
            return (Tensor(g).astype(x.dtype),)

        due = ['right' if factor == 1 else 'wrong']
        assert judged(construct, bprop, x) == checked(construct, bprop, x) == due


def test_what_is_lost_in_the_rounding_of_construct_is_not_called_right():
    """A dtype that no name tells stays Float32 when construct is called again."""
    construct = lambda s, x: Tensor(np.array((c_float * 400)(*np.cumsum(x.asnumpy()))))
    for factor, due in ((1, ['unknown']), (1.00001, ['unknown']), (1.1, ['wrong'])):
        k = Tensor(np.where(np.arange(400) == 7, factor, 1))
        bprop = lambda s, x, out, dout, k=k: (behind(dout) * k.astype(x.dtype),)
        assert judged(construct, bprop, MANY.astype(ms.float32)) == due


KIND = 'float32'
TOLD = """
text | x=X | Tensor(np.sin(x.asnumpy()).astype('float32'))
name | x=X | Tensor(np.array(np.sin(x.asnumpy()), KIND))
inner function | x=X | (lambda a: Tensor(a, ms.float32))(np.sin(x.asnumpy()))
word | x=X | Tensor(np.sin(x.asnumpy()).astype(dtype='single'))
order | x=X | Tensor(np.sin(x.asnumpy()).astype('=f4'))
"""


@members(TOLD, globals())
def test_what_construct_names_is_put_back(row):
    """While it is called in Float64, the names of Float32 say that."""
    construct, x = row
    cell = made(construct, lambda s, x, out, dout: (ops.cos(x) * dout,))
    kind, named = cell(x).dtype, (np, ms, KIND, construct.__code__)
    assert ms.check_bprop(cell, x).ok
    assert all(a is b for a, b in zip(named, (np, ms, KIND, construct.__code__), strict=True))
    assert cell(x).dtype == kind == ms.float32


FACTORS = {'d': 2.0, 'e': 2.1, 'f': 2.2, 'f4': 1.9, 'f8': 2.0}


@pytest.mark.parametrize('key', FACTORS)
def test_a_key_that_is_also_the_name_of_a_dtype_finds_what_is_its_own(key):
    construct = eval(f"lambda s, x: Tensor(np.sin(x.asnumpy()) * FACTORS['{key}'])", globals())
    for factor, due in ((FACTORS[key], 'right'), (2.05, 'wrong')):
        assert judged(construct, lambda s, x, out, dout, k=factor: (k * ops.cos(x) * dout,), X) == [due]


def test_a_constant_that_float16_rounds_is_no_mistake_where_terms_cancel():
    """In Float64 the same bprop multiplies with another root than the ops on the Tape did."""
    soft = lambda x: ops.softmax(x / 3**0.5)
    x = Tensor(np.random.default_rng(0).standard_normal((90, 3)), ms.float16)
    for factor, due in ((1, 'right'), (1.1, 'wrong')):
        bprop = lambda s, x, out, dout, k=factor: (
            k * (p := soft(x)) * (dout - (dout * p).sum(-1, keepdims=True)) / 3**0.5,
        )
        assert judged(lambda s, x: soft(x), bprop, x) == checked(lambda s, x: soft(x), bprop, x) == [due]


def test_where_nothing_came_in_nothing_is_lost():
    takeover = Takeover('Mine', ['x'], [MANY.asnumpy()], [None], [None], [True], MANY, None, lambda: None)
    assert takeover.lost(1e-7, np.zeros(MANY.shape), 0).sum() == 0


def test_a_wrong_bprop_is_called_again_no_more_than_needed(monkeypatch):
    """Once for each further trial, once for twice the dout, and in Float64; what check_bprop has asked is known."""
    calls, bprop = [], Again.bprop
    monkeypatch.setattr(Again, 'bprop', lambda *given: calls.append(given) or bprop(*given))
    assert checked(lambda s, x: x * x, lambda s, x, out, dout: (3 * x * dout,), X) == ['wrong']
    assert len(calls) == 3
