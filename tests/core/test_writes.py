"""A value that backward needs must still be the value that was used."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, ops
from minicell.errors import IndexWriteError, LeavesTapeError, WriteAfterUseError
from tests.core.cells import Product, close, made
from tests.messages import refused


def param(*values) -> Parameter:
    return Parameter(Tensor(list(values)), 'p')


def is_refused(f, x, op: str, writer: str, used: str, written: str, weights=None):
    """The error names the op, the write, and the text of both lines; the next gradient is clean."""
    with refused(WriteAfterUseError, f'gradient of {op}', f'{writer}.') as caught:
        ms.grad(f, 0, weights)(x)
    lines = {line.split(':')[0].strip(): line for line in str(caught.value).splitlines()[1:]}
    for kind, text in (('used', used), ('written', written)):
        assert lines[kind].endswith(f': {text}') and 'test_writes.py, line ' in lines[kind]
    assert float(ms.grad(lambda x: x * x)(Tensor([3.0]))) == 6.0


def test_a_value_written_after_use_names_the_op_and_the_write():
    for p, value in ((param(2.0), Tensor([100.0])), (Parameter(2.0, 'p'), 3.0)):

        def f(a, p=p, value=value):
            o = a * p
            p.set_data(value)
            return o

        is_refused(f, ops.ones(p.shape), 'Mul', 'p.set_data', 'o = a * p', 'p.set_data(value)')


@pytest.mark.parametrize('b', [Tensor([2.0, 3.0]), param(2.0, 3.0)], ids=['Tensor', 'Parameter'])
def test_an_index_write_into_a_factor(b):
    def f(a):
        o = a * b
        b[1:] = 50.0
        return o

    weights = [b] if isinstance(b, Parameter) else None
    is_refused(f, Tensor([1.0, 1.0]), 'Mul', 'x[i] = v', 'o = a * b', 'b[1:] = 50.0', weights)


@pytest.mark.parametrize('view', [lambda b: b[:1], lambda b: b.reshape(2, 1), lambda b: b.T, lambda b: b[::-1][:1]])
def test_a_write_through_a_view(view):
    """A view shares its base's memory, and its versions, in either direction."""
    b = Tensor([2.0, 3.0])
    seen = view(b)
    for used, written in ((b, seen), (seen, b)):

        def f(a, used=used, written=written):
            o = (a * used).sum()
            written[0] = 50.0
            return o

        ones = Tensor(np.ones(used.shape, np.float32))
        is_refused(f, ones, 'Mul', 'x[i] = v', 'o = (a * used).sum()', 'written[0] = 50.0')


def test_a_write_to_what_a_bprop_reads():
    """The takeover needs what its bprop reads, and only that."""
    p = param(2.0)
    multiply = lambda self, x, y: x * y
    star = made(multiply, lambda self, *args: (args[-1] * args[1], None), name='Star')
    ignores = made(multiply, lambda self, x, y, out, dout: (dout * 3, None))

    def f(a, cell):
        o = cell(a, p)
        p.set_data(Tensor([5.0]))
        return o

    for cell in (Product(), star):
        g = lambda a, cell=cell: f(a, cell)
        name = type(cell).__name__
        is_refused(g, Tensor([1.0]), name, 'p.set_data', 'o = cell(a, p)', 'p.set_data(Tensor([5.0]))')
    assert float(ms.grad(lambda a: f(a, ignores))(Tensor([1.0]))) == 3.0


def test_a_write_inside_bprop():
    """bprop of a later Cell overwrites what an earlier op needs."""
    p, q = param(2.0), param(2.0)

    def writes(self, x, out, dout):
        p.set_data(Tensor([5.0]))
        return (dout,)

    def writes_and_asks(self, x, out, dout):
        q.set_data(Tensor([5.0]))
        return (dout * ms.grad(lambda y: y * q)(x),)

    def f(a):
        o = a * p
        return made(lambda self, x: x * 1, writes)(o)

    is_refused(f, Tensor([1.0]), 'Mul', 'p.set_data', 'o = a * p', 'p.set_data(Tensor([5.0]))')
    asks = made(lambda self, x: x * 1, writes_and_asks)
    assert float(ms.grad(asks)(Tensor([1.0]))) == 5.0, 'a gradient that starts after the write may read'


def test_at_second_order():
    p = param(2.0)

    def f(a):
        o = a * a * p
        p.set_data(Tensor([5.0]))
        return o

    with pytest.raises(WriteAfterUseError, match='Mul'):
        ms.grad(ms.grad(f))(Tensor([1.0]))

    q = param(2.0)

    def g(a):
        slope = ms.grad(lambda a: a * a * q)(a)
        q.set_data(Tensor([5.0]))
        return slope

    assert float(ms.grad(g)(Tensor([1.0]))) == 4.0, 'the inner gradient, 2aq, was computed before the write'

    def h(a):
        slope = ms.grad(lambda a: a * a * q)(a) * q
        q.set_data(Tensor([6.0]))
        return slope

    with pytest.raises(WriteAfterUseError, match='Mul'):
        ms.grad(h)(Tensor([1.0]))


def test_under_a_tape_it_is_the_same_error():
    p = param(2.0)

    def f(a):
        o = a * p
        p.set_data(Tensor([100.0]))
        return o

    with ms.Tape() as seen, refused(WriteAfterUseError, 'Mul', 'p.set_data'):
        ms.grad(f)(Tensor([1.0]))
    assert any(type(e).__name__ == 'Fail' and isinstance(e.error, WriteAfterUseError) for e in seen.events)


def test_a_write_where_no_rule_needs_the_value():
    """A sum needs neither operand; nor does a product whose other side is a constant."""
    p = param(2.0, 3.0)

    def f(a):
        o = a + p - p
        o = o.reshape(1, 2).sum() + p.sum()
        p.set_data(Tensor([9.0, 9.0]))
        return o

    da, (dp,) = ms.grad(f, 0, [p])(Tensor([1.0, 2.0]))
    assert (da.asnumpy().tolist(), dp.asnumpy().tolist()) == ([1, 1], [1, 1])


def test_a_write_before_use_and_one_between_gradients():
    p = param(2.0)

    def f(a):
        p.set_data(Tensor([3.0]))
        return a * p

    assert float(ms.grad(f)(Tensor([1.0]))) == 3.0
    for value in (5.0, 7.0):
        p.set_data(Tensor([value]))
        assert float(ms.grad(lambda a: a * p)(Tensor([1.0]))) == value


def test_a_value_that_no_cotangent_reaches_may_be_written():
    p = param(2.0)

    def f(a):
        unused = a * p
        p.set_data(Tensor([3.0]))
        return a + 0 * unused.shape[0]

    assert float(ms.grad(f)(Tensor([1.0]))) == 1.0


def test_asnumpy_is_read_only():
    for t in (Tensor([1.0, 2.0]), Tensor(1.0), Tensor([1.0]) * 2, Tensor(1.0) * 2, param(1.0)):
        array = t.asnumpy()
        with pytest.raises(ValueError, match='read-only'):
            array[...] = 5
        with pytest.raises(ValueError, match='read-only'):
            np.asarray(t)[...] = 5


def test_an_array_given_to_tensor_and_to_set_data_is_copied():
    a = np.array([1.0, 2.0])
    t = Tensor(a)
    a[0] = 9
    assert t.asnumpy().tolist() == [1, 2]
    u = Tensor(t)
    u[0] = 9
    assert t.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    'write',
    [
        lambda x, y: x.__setitem__(0, 5.0),
        lambda x, y: y.__setitem__(0, 5.0),
        lambda x, y: Tensor([0.0, 0.0]).__setitem__(0, y[0]),
    ],
    ids=['an input', 'a result', 'a recorded value into a constant'],
)
def test_an_index_write_of_what_is_differentiated_is_refused(write):
    def f(x):
        y = x * 2
        write(x, y)
        return y

    with refused(IndexWriteError, 'ops.select', line='__setitem__(0, '):
        ms.grad(f)(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError):
        ms.grad(ms.grad(f))(Tensor([1.0, 2.0]))


@pytest.mark.parametrize('leave', [np.sin, np.asarray, lambda x: np.ones(2, np.float32) * x, lambda x: np.dot(x, x)])
def test_numpy_is_refused_what_is_differentiated(leave):
    with refused(LeavesTapeError, 'NumPy', 'a gradient', 'test_writes.py, line'):
        ms.grad(lambda x: Tensor(leave(x)).sum() * x)(Tensor([1.0, 2.0]))
    assert np.shape(leave(Tensor([1.0, 2.0]))) in ((2,), ()), 'outside a gradient NumPy may have it'


def test_a_constant_may_go_to_numpy_inside_a_gradient():
    c = Tensor([1.0, 2.0])
    got = ms.grad(lambda x: (x * Tensor(np.sin(c))).sum())(Tensor([1.0, 1.0]))
    close(got, np.sin([1, 2]), rtol=1e-6)


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
def test_what_a_custom_cell_kept_may_go_to_numpy_after_the_gradient():
    """A value born inside a Cell with its own bprop is an ordinary Tensor once the gradient is done."""

    def construct(self, x):
        self.kept = x * 2
        return self.kept * 3

    net = made(construct, lambda self, x, out, dout: (dout * 6,))
    ms.grad(net)(Tensor([1.0, 2.0]))
    assert np.asarray(net.kept).tolist() == [2, 4]
    net.kept[0] = 7.0
    assert net.kept.asnumpy().tolist() == [7, 4]
    assert ops.exp(net.kept).shape == (2,)
