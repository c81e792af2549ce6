"""What a bprop gets, when it is called, and what it may return."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.core.cells import Spy, returning

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])


def values(t):
    return t.asnumpy().tolist()


def same(t, due):
    np.testing.assert_array_equal(t.asnumpy(), due)


def test_bprop_gets_inputs_out_and_dout():
    cell = Spy()
    ms.grad(lambda x, y: (cell(x, y) * 3).sum(), (0, 1))(X, Y)
    ((x, y, out, dout),) = cell.got
    for got, due in ((x, X), (y, Y), (out, X - Y), (dout, ops.ones_like(X) * 3)):
        same(got, due.asnumpy())
        assert got.dtype == due.dtype


def test_construct_runs_once_and_bprop_once_and_never_forward():
    calls = []

    class Counts(nn.Cell):
        def construct(self, x):
            calls.append('construct')
            return x * 2

        def bprop(self, x, out, dout):
            calls.append('bprop')
            return (dout * 2,)

    cell = Counts()
    cell(X)
    assert calls == ['construct']
    ms.grad(cell)(X)
    assert calls == ['construct', 'construct', 'bprop']
    calls.clear()
    ms.grad(lambda x: cell(x) + cell(x))(X)
    assert calls == ['construct', 'construct', 'bprop', 'bprop']


@pytest.mark.parametrize(
    'function',
    [
        lambda cell, x: (cell(X), x * 2)[1],
        lambda cell, x: (cell(x), x * 2)[1],
        lambda cell, x: cell(ops.stop_gradient(x)) + x * 2,
    ],
    ids=['constant inputs', 'its output is not used', 'its input is stopped'],
)
def test_bprop_is_not_called_where_no_gradient_passes(function):
    def never(*args):
        raise AssertionError('bprop was called')

    cell = returning(never)
    same(ms.grad(lambda x: function(cell, x))(X), [2, 2, 2])


def test_names_do_not_matter_positions_do():
    class Named(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, out, dout, x):
            self.got = out, dout, x
            return (x,)

    cell = Named()
    same(ms.grad(lambda x: (cell(x * 5) * 3).sum())(X), [15, 15, 15])
    assert [values(t) for t in cell.got] == [[5, 10, 15], [5, 10, 15], [3, 3, 3]]


class Divides(nn.Cell):
    def construct(self, x, y):
        return x / y

    def bprop(self, x, y, out, dout):
        return dout * 100 + x, dout * 1000 + y


@pytest.mark.parametrize(
    'call',
    [
        lambda n, a, b: n(a, b),
        lambda n, a, b: n(a, y=b),
        lambda n, a, b: n(x=a, y=b),
        lambda n, a, b: n(y=b, x=a),
    ],
    ids=['a, b', 'a, y=b', 'x=a, y=b', 'y=b, x=a'],
)
@pytest.mark.parametrize('watched', [False, True])
def test_keywords_are_bound_by_constructs_signature(call, watched):
    cell = Divides()
    f = ms.grad(lambda a, b: call(cell, a, b).sum(), (0, 1))
    if watched:
        with ms.Tape():
            da, db = f(X, Y)
    else:
        da, db = f(X, Y)
    same(da, 100 + X.asnumpy())
    same(db, 1000 + Y.asnumpy())


def test_defaults_are_appended_keyword_only_ones_too():
    class Defaults(nn.Cell):
        def construct(self, x, scale=2.0, *, shift=1):
            return x * scale + shift

        def bprop(self, x, scale, shift, out, dout):
            self.got = scale, shift
            return dout * scale, None, None

    cell = Defaults()
    same(ms.grad(cell)(X), [2, 2, 2])
    assert cell.got == (2.0, 1)
    same(ms.grad(lambda x: cell(x, shift=5, scale=7.0))(X), [7, 7, 7])
    assert cell.got == (7.0, 5)
    same(ms.grad(lambda x: cell(x, 3.0))(X), [3, 3, 3])
    assert cell.got == (3.0, 1)


def test_star_args():
    class Sums(nn.Cell):
        def construct(self, *parts):
            return sum(parts[1:], parts[0])

        def bprop(self, *args):
            assert len(args) == self.count + 2
            return [args[-1] * (k + 1) for k in range(self.count)]

    cell = Sums()
    for cell.count in (1, 2, 3):
        got = ms.grad(cell, tuple(range(cell.count)))(*[X] * cell.count)
        got = got if isinstance(got, tuple) else (got,)
        for k, g in enumerate(got):
            same(g, [k + 1] * 3)


@pytest.mark.parametrize('value', [3, 2.5, None, 'text', True, (1, 2), [1], {'a': 1}, np.ones(2), ms.float32, len])
@pytest.mark.parametrize('place', [None, 0, 'anything', X], ids=['None', '0', 'a string', 'a Tensor'])
def test_other_inputs_reach_bprop_unchanged_and_need_a_placeholder(value, place):
    class Takes(nn.Cell):
        def construct(self, x, other):
            self.forward = other
            return x * 2

        def bprop(self, x, other, out, dout):
            self.got = other
            return dout * 2, place

    cell = Takes()
    same(ms.grad(lambda x: cell(x, value))(X), [2, 2, 2])
    assert cell.got is value and cell.forward is value


def test_integer_and_bool_inputs_accept_anything_in_their_place():
    class Takes(nn.Cell):
        def construct(self, x, i):
            return x * i

        def bprop(self, x, i, out, dout):
            return dout * i, self.place

    for other in (Tensor([1, 2, 3]), Tensor([True, False, True])):
        for place in (None, 0, X, Tensor([1, 2]), other):
            cell = Takes()
            cell.place = place
            same(ms.grad(lambda x, c=cell, o=other: c(x, o))(X), other.asnumpy().astype(np.float32))


def test_a_tuple_of_tensors_as_an_input():
    class Takes(nn.Cell):
        def construct(self, pair, z):
            return pair[0] * pair[1] + z

        def bprop(self, pair, z, out, dout):
            return self.answer(pair, dout)

    def run(answer):
        cell = Takes()
        cell.answer = answer
        return ms.grad(lambda x, y: cell((x, y), x).sum(), (0, 1))(X, Y)

    for answer in (lambda p, d: ((d * 2, d * 3), d * 5), lambda p, d: ([d * 2, d * 3], d * 5)):
        dx, dy = run(answer)
        assert (values(dx), values(dy)) == ([7] * 3, [3] * 3)
    dx, dy = run(lambda p, d: (None, d))
    assert (values(dx), values(dy)) == ([1] * 3, [0] * 3)
    with pytest.raises(RuntimeError, match='returned a bare Tensor for its input pair, which is a tuple of 2'):
        run(lambda p, d: (d, d))
    with pytest.raises(RuntimeError, match='returned a tuple of 1 for its input pair'):
        run(lambda p, d: ((d,), d))
