"""When a bprop is called, and what it gets for its inputs."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from minicell.core.errors import BpropCountError, BpropTupleError
from minicell.errors import HiddenValueError, IndexWriteError
from tests.core.cells import LOOK, Spy, made, returning, same, values
from tests.messages import refused

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
A, B = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def test_bprop_gets_inputs_out_and_dout():
    cell = Spy()
    ms.grad(lambda x, y: (cell(x, y) * 3).sum(), (0, 1))(X, Y)
    ((x, y, out, dout),) = cell.got
    for got, due in ((x, X), (y, Y), (out, X - Y), (dout, ops.ones_like(X) * 3)):
        same(got, due.asnumpy())
        assert got.dtype == due.dtype


def test_construct_runs_once_and_bprop_once_and_never_forward():
    calls = []
    cell = made(
        lambda self, x: calls.append('construct') or x * 2,
        lambda self, x, out, dout: calls.append('bprop') or (dout * 2,),
    )
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
    got = []
    cell = made(lambda self, x: x * 1, lambda self, out, dout, x: got.extend([out, dout, x]) or (x,))
    same(ms.grad(lambda x: (cell(x * 5) * 3).sum())(X), [15, 15, 15])
    assert values(got) == [[5, 10, 15], [5, 10, 15], [3, 3, 3]]


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
@LOOK
def test_keywords_are_bound_by_the_signature_in_whatever_order(call, look):
    """MindSpore hands bprop (b, a) for n(y=b, x=a), and gives each the other's gradient."""
    cell = made(lambda self, x, y: x / y, lambda self, x, y, out, dout: (dout * 100 + x, dout * 1000 + y))
    with look():
        da, db = ms.grad(lambda a, b: call(cell, a, b).sum(), (0, 1))(X, Y)
    same(da, 100 + X.asnumpy())
    same(db, 1000 + Y.asnumpy())


def test_defaults_are_appended_keyword_only_ones_too():
    def bprop(self, x, scale, shift, out, dout):
        self.got = scale, shift
        return dout * scale, None, None

    cell = made(lambda self, x, scale=2.0, *, shift=1: x * scale + shift, bprop)
    same(ms.grad(cell)(X), [2, 2, 2])
    assert cell.got == (2.0, 1)
    same(ms.grad(lambda x: cell(x, shift=5, scale=7.0))(X), [7, 7, 7])
    assert cell.got == (7.0, 5)
    same(ms.grad(lambda x: cell(x, 3.0))(X), [3, 3, 3])
    assert cell.got == (3.0, 1)


@pytest.mark.parametrize('count', [1, 2, 3])
def test_star_args(count):
    def bprop(self, *args):
        assert len(args) == count + 2
        return [args[-1] * (k + 1) for k in range(count)]

    cell = made(lambda self, *parts: sum(parts[1:], parts[0]), bprop)
    got = ms.grad(cell, tuple(range(count)))(*[X] * count)
    assert values(got) == ([1, 1, 1] if count == 1 else tuple([k + 1] * 3 for k in range(count)))


@pytest.mark.parametrize(
    'value',
    [3, 2.5, None, 'text', True, (1, 2), [1], {'a': 1}, np.ones(2), ms.float32, len],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize('place', [None, 0, 'anything', X], ids=['None', '0', 'a string', 'a Tensor'])
def test_other_inputs_reach_bprop_as_they_were_and_need_a_placeholder(value, place):
    got = []
    cell = made(
        lambda self, x, other: got.append(other) or x * 2,
        lambda self, x, other, out, dout: got.append(other) or (dout * 2, place),
    )
    same(ms.grad(lambda x: cell(x, value))(X), [2, 2, 2])
    assert len(got) == 2 and got[0] is value and type(got[1]) is type(value) and repr(got[1]) == repr(value)
    assert (got[1] is value) != isinstance(value, (tuple, list, dict, np.ndarray))


@pytest.mark.parametrize('other', [Tensor([1, 2, 3]), Tensor([True, False, True])], ids=['integers', 'bools'])
def test_integer_and_bool_inputs_accept_anything_in_their_place(other):
    for place in (None, 0, X, Tensor([1, 2]), other):
        cell = made(lambda self, x, i: x * i, lambda self, x, i, out, dout, p=place: (dout * i, p))
        same(ms.grad(lambda x, c=cell: c(x, other))(X), other.asnumpy().astype(np.float32))


# Inputs that are tuples, lists or dicts of Tensors.


def given(compute, give):
    """A Cell of any inputs, whose bprop returns what a function of dout gives."""
    return made(lambda self, *inputs: compute(*inputs), lambda self, *args: give(args[-1]), name='Given')


@pytest.mark.parametrize('kind', [tuple, list])
def test_an_input_that_is_a_tuple_has_a_tuple(kind):
    """None stands for what is no Tensor, and for all of it; flat gradients are refused."""
    net = given(lambda x, t: x * t[0] * t[1][0], lambda d: (d, (d * 5, (None, d * 7))))
    got = ms.grad(lambda a, b, c: net(a, kind([b, (3, c)])), (0, 1, 2))(A, B, A)
    assert values(got) == ([1, 1], [5, 5], [7, 7])
    short = given(lambda x, t: x * t[0], lambda d: (d, kind([d * 5, None])))
    assert values(ms.grad(lambda a, b: short(a, kind([b, 3])), (0, 1))(A, B)) == ([1, 1], [5, 5])
    pair = given(lambda pair, z: pair[0] * pair[1] + z, lambda d: (kind([d * 2, d * 3]), d * 5))
    assert values(ms.grad(lambda x, y: pair((x, y), x).sum(), (0, 1))(A, B)) == ([7, 7], [3, 3])
    none = given(lambda pair: pair[0] * pair[1], lambda d: (None,))
    assert values(ms.grad(lambda a, b: none(kind([a, b])), (0, 1))(A, B)) == ([0, 0], [0, 0])
    flat = made(lambda self, pair: pair[0] * pair[1], lambda self, pair, out, dout: (dout, dout))
    with refused(BpropCountError, '2 gradients', '1 input (pair)', line='ms.grad(lambda a: flat'):
        ms.grad(lambda a: flat(kind([a, B])))(A)


def test_a_dict_has_its_gradients_in_order_and_none_is_for_all():
    def ask(give):
        net = given(lambda d: d['a'] * d['b'], give)
        return values(ms.grad(lambda a, b: net({'a': a, 'b': b, 'k': 3}), (0, 1))(A, B))

    assert ask(lambda d: ((d * 5, d * 7, None),)) == ([5, 5], [7, 7])
    assert ask(lambda d: (None,)) == ([0, 0], [0, 0])


@pytest.mark.parametrize(
    ('give', 'came'),
    [
        (lambda d: (d, (d,)), 'tuple of 1'),
        (lambda d: (d, (d, d, d)), 'tuple of 3'),
        (lambda d: (d, d), 'a bare Tensor'),
        (lambda d: (d, {}), 'a dict'),
    ],
    ids=['too short', 'too long', 'a Tensor', 'a dict'],
)
def test_another_structure_is_refused(give, came):
    net = made(lambda self, x, pair: x * pair[0] * pair[1], lambda self, x, pair, out, dout: give(dout))
    with refused(BpropTupleError, 'Mine.bprop', came, 'input pair', 'tuple of 2', 'with None', 'its bprop: '):
        ms.grad(lambda a: net(a, (B, 3)))(A)


# What construct may write.


def test_construct_may_write_into_what_it_made_itself():
    """Nothing there is recorded: the gradient is bprop's."""
    seen = []

    def construct(self, x):
        y = x * 2
        y[0] = 100.0
        z = ops.zeros(3)
        z[1:] = y
        return z

    def bprop(self, x, out, dout):
        seen.append((x.array.tolist(), out.array.tolist()))
        return (dout[1:] * 3,)

    marks = made(construct, bprop)
    assert ms.grad(marks)(A).tolist() == [3, 3] and seen == [([1, 2], [0, 100, 4])]
    assert ms.grad(ms.grad(lambda x: marks(x).sum() * x))(A).tolist() == [12, 12]
    with ms.Tape():
        assert ms.grad(marks)(A).tolist() == [3, 3]


def test_what_construct_wrote_is_still_known_to_come_from_there():
    kept = ops.zeros(2)

    def compute(x):
        kept[0] = x[0] * 2
        return x * 2

    net = given(compute, lambda d: (d,))
    with refused(HiddenValueError, 'Given', 'inside construct'):
        ms.grad(lambda x: net(x) + kept)(A)


def test_the_inputs_of_construct_stay_as_they_are():
    def compute(x):
        x[0] = 5.0
        return x * 2

    with pytest.raises(IndexWriteError):
        ms.grad(given(compute, lambda d: (d,)))(A)


def test_bprop_debug_reports_each_call_on_standard_error_and_in_a_tape(capsys):
    cell = returning(lambda x, out, dout: (dout * 2,), name='Net')
    cell.bprop_debug = True
    with ms.Tape() as tape:
        ms.grad(lambda x: cell(cell(x)))(Tensor([1.0]))
    out = capsys.readouterr()
    assert out.out == '' and out.err.count('Net.bprop(x=') == 2 and out.err.count('returned (Tensor(') == 2
    assert str(tape).count('Net.bprop(x=') == 2
