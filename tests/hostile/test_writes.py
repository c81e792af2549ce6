"""Writes that a bprop or another path would see: the value of then counts, or the write is named."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import Ran, Triple, X, cell, first, quiet, right, right_or_said, said

ONES = Tensor([1.0, 1.0, 1.0])
INDEX, MASK = Tensor([0, 1, 2]), Tensor([True, True, True])


def twice(bprop) -> nn.Cell:
    """x * 2, with this bprop of the Cell, x, out and dout."""
    return cell(lambda self, x: x * 2, bprop)


def own(bprop, w) -> nn.Cell:
    """x * w, of a Cell that answers for its own w."""
    return cell(lambda self, x: x * self.w, bprop, w=w, internal_params=[w])


def two() -> Parameter:
    return Parameter(Tensor([2.0, 2.0, 2.0]), name='w')


# ---- a bprop reads what was written since ----------------------------------------------------------------------------

READS = {
    'self.w, one of internal_params': lambda w: own(lambda s, x, out, dout: ((dout * s.w,), {s.w: dout * x}), w),
    'self.w by another name': lambda w: own(
        lambda s, x, out, dout: ((dout * s.internal_params[0],), {s.w: dout * x}), w
    ),
    'self.w behind a method': lambda w: own(
        lambda s, x, out, dout: ((dout * next(s.get_parameters()),), {s.w: dout * x}), w
    ),
    'a Parameter from outside': lambda w: twice(lambda s, x, out, dout: (dout * w,)),
    'a helper that reads a Parameter': lambda w: twice(lambda s, x, out, dout: (scaled(dout, w),)),
    'a Cell called in bprop': lambda w: twice(lambda s, x, out, dout: (Inner(w)(dout),)),
    'a gradient taken in bprop': lambda w: twice(lambda s, x, out, dout: (ms.grad(lambda y: (y * w * dout).sum())(x),)),
}


def scaled(t, w):
    return t * w


class Inner(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def construct(self, x):
        return x * self.w


WRITES = {  # and what they are called
    'w.set_data': lambda w: w.set_data(Tensor([100.0] * 3)),
    'ops.assign(w': lambda w: ops.assign(w, Tensor([100.0] * 3)),
    'ops.assign_add(w': lambda w: ops.assign_add(w, Tensor([98.0] * 3)),
    'x[i] = v': lambda w: w.__setitem__(slice(None), 100.0),
    'SGD (w)': lambda w: nn.SGD([w], 1.0)((Tensor([-98.0] * 3),)),
}


@pytest.mark.filterwarnings('ignore::minicell.errors.SwallowedParameterWarning')
@pytest.mark.parametrize('by, write', WRITES.items(), ids=WRITES)
@pytest.mark.parametrize('reads', READS.values(), ids=READS)
def test_a_bprop_that_reads_a_parameter_written_since(reads, by, write):
    w = two()
    net = reads(w)
    program = lambda: ms.grad(lambda x: first(net(x), write(w)).sum())(ONES)
    facts = 'gradient of Net', 'written since', by, 'written: test_writes.py'
    said(program, *facts, keep=reads is READS['a Parameter from outside'])  # it is the same sentence for all


@pytest.mark.parametrize('reads', list(READS.values())[:3], ids=list(READS)[:3])
def test_a_write_between_vjp_and_its_reading(reads):
    w = two()
    net = reads(w)
    _, back = ms.vjp(lambda x: net(x).sum(), ONES)
    w.set_data(Tensor([100.0] * 3))
    said(lambda: back(Tensor(1.0)), 'gradient of Net', 'written since', 'by w.set_data')


def test_a_write_to_a_parameter_that_no_bprop_reads_is_no_error():
    """A moving average may be updated; so may a weight whose Cell does not need it in backward."""
    w, mean = two(), Parameter(Tensor([0.0]), name='mean', requires_grad=False)
    net = own(lambda s, x, out, dout: ((dout * 2,), {s.w: dout * x}), w)
    assert right(ms.grad(lambda x: first(net(x), mean.set_data(mean + 1)).sum())(ONES), [2, 2, 2])


@pytest.mark.parametrize('keep', ['array', 'tensor'])
def test_a_bprop_that_reads_a_tensor_of_the_cell_written_since(keep):
    factor = Tensor([2.0, 2.0, 2.0])
    net = twice(lambda s, x, out, dout: (dout * factor,))
    view = factor[:] if keep == 'array' else factor
    program = lambda: ms.grad(lambda x: first(net(x), view.__setitem__(0, 100.0)).sum())(ONES)
    said(program, 'gradient of Net', 'written since')


# ---- writing into what is dout's -------------------------------------------------------------------------------------

VIEWS = {
    'dout itself': lambda d: d,
    'reshape': lambda d: d.reshape((3,)),
    'a slice': lambda d: d[:2],
    'all of it': lambda d: d[...],
    'T': lambda d: d.T,
    'expand_dims': lambda d: ops.expand_dims(d, 0)[0],
    'squeeze': lambda d: ops.squeeze(d.reshape(1, 3)),
    'flatten': lambda d: d.flatten(),
    'chunk': lambda d: ops.chunk(d, 3)[0],
    'split': lambda d: ops.split(d, 1)[0],
    'transpose': lambda d: ops.transpose(d.reshape(1, 3), (1, 0))[0],
    'a view of a view': lambda d: d.reshape(1, 3)[0][:2],
    'broadcast_to': lambda d: ops.broadcast_to(d, (3,)),
    'iterating': lambda d: next(iter(d.reshape(1, 3))),
    'unbind': lambda d: ops.unbind(d.reshape(1, 3))[0],
    'identity': lambda d: ops.identity(d),
    'astype': lambda d: d.astype(ms.float32),
}
PATHS = {
    'x beside the Cell': (lambda net, x: net(x) + x, [1, 1, 1]),
    'a sum after it': (lambda net, x: (net(x) + x * 1) * 1, [1, 1, 1]),
    'two Cells': (lambda net, x: net(x) + Triple()(x), [3, 3, 3]),
    'x - the Cell': (lambda net, x: x - net(x), [1, 1, 1]),
}


@pytest.mark.parametrize('path', PATHS.values(), ids=PATHS)
@pytest.mark.parametrize('view', VIEWS.values(), ids=VIEWS)
def test_a_bprop_that_writes_into_a_view_of_dout(view, path):
    """The Cell returns zeros, so that only the other path counts."""

    def bprop(s, x, out, dout):
        view(dout)[0] = 9.0
        return (x * 0,)

    both, due = path
    right_or_said(lambda: ms.grad(lambda x: both(twice(bprop), x))(X), due, 'x[i] = v', 'that others use', keep=False)


@pytest.mark.parametrize('view', VIEWS.values(), ids=VIEWS)
def test_a_write_into_sens_through_a_view_of_dout(view):
    """The user's own sens is as it was."""
    sens = Tensor([1.0, 1.0, 1.0])

    def bprop(s, x, out, dout):
        view(dout)[0] = 9.0
        return (x * 0,)

    ran = Ran(lambda: ms.grad(twice(bprop), sens_param=True)(X, sens))
    assert sens.tolist() == [1, 1, 1] and (not ran.error or ran.says('x[i] = v', 'that others use', keep=False)), (
        ran.texts
    )


@pytest.mark.parametrize('order', [1, 2])
def test_a_write_into_dout_of_a_cell_that_is_called_twice(order):
    def bprop(s, x, out, dout):
        dout[0] = 9.0
        return (dout * 0,)

    net = twice(bprop)
    f = lambda x: (net(x) + net(x) + x * x).sum()
    if order == 1:
        quiet(lambda: ms.grad(f)(X), [2, 4, 6])
    else:
        quiet(lambda: ms.grad(lambda x: ms.grad(f)(x).sum())(X), [2, 2, 2])


@pytest.mark.parametrize('which', [0, 1])
def test_one_of_two_douts_that_is_written(which):
    def bprop(self, x, out, dout):
        dout[which][0] = 100.0
        return (dout[0] * 0 + dout[1] * 0 + 2,)

    net = cell(lambda self, x: (x * 1, x * 2), bprop, 'Two')
    quiet(lambda: ms.grad(lambda x: (sum(net(x)) + x).sum())(X), [3, 3, 3])


# ---- writes into the caller's own ------------------------------------------------------------------------------------

OWN = {
    'x': lambda x, out, dout: x,
    'a view of x': lambda x, out, dout: x.reshape((3,)),
    'out': lambda x, out, dout: out,
    'a view of out': lambda x, out, dout: out[:2],
}


@pytest.mark.parametrize('which', OWN.values(), ids=OWN)
def test_a_bprop_that_writes_into_its_inputs_does_not_change_the_callers(which):
    x = Tensor([1.0, 2.0, 3.0])

    def bprop(s, x, out, dout):
        which(x, out, dout)[0] = 9.0
        return (dout * 2,)

    def program():
        value, slope = ms.value_and_grad(twice(bprop))(x)
        return value, slope, x

    right_or_said(program, ([2, 4, 6], [2, 2, 2], [1, 2, 3]), 'Net.bprop writes', 'others use')


@pytest.mark.parametrize('which', OWN.values(), ids=OWN)
def test_a_bprop_that_writes_into_its_inputs_does_not_change_other_paths(which):
    """x * x needs x as it was, and the second Cell needs the first one's output as it was."""

    def bprop(s, x, out, dout):
        which(x, out, dout)[0] = 9.0
        return (dout * 2,)

    def f(x):
        y = x * 1
        z = twice(bprop)(y)
        return (y * y + z * z).sum()

    right_or_said(lambda: ms.grad(f)(X), [10, 20, 30], 'Net.bprop writes', 'others use')


@pytest.mark.parametrize('kind', [ms.int16, ms.int32, ms.int64], ids=str)
def test_a_gradient_in_small_integers_is_not_wrapped(kind):
    """What fits into the integers comes back as it was. (300 in Int8 wraps where the user writes it, as in NumPy.)"""

    net = cell(lambda self, x: x * 300, lambda self, x, out, dout: ((dout * 300).astype(kind),))
    quiet(lambda: ms.grad(net)(X), [300, 300, 300])


# ---- what a gradient read --------------------------------------------------------------------------------------------


def by_asnumpy(t):
    a = t.asnumpy()
    a.flags.writeable = True
    a *= 9


def by_asarray(t):
    np.asarray(t).flags.writeable = True


@pytest.mark.parametrize('write', [by_asnumpy, by_asarray], ids=lambda f: f.__name__)
def test_the_array_of_a_tensor_stays_read_only(write):
    x = Tensor([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match='cannot set WRITEABLE'):
        write(x)
    assert right(x, [1, 2, 3])


@pytest.mark.parametrize('dtype', [ms.float16, ms.float64, ms.int8, ms.uint64, ms.bool_, ms.complex64], ids=str)
@pytest.mark.parametrize('shape', [(), (0, 3), (2, 3)], ids=str)
def test_the_array_of_a_tensor_has_its_dtype_and_shape_and_memory(dtype, shape):
    x = Tensor(np.ones(shape), dtype)
    found = x.asnumpy()
    assert found.dtype == dtype.numpy and found.shape == shape and np.array_equal(found, x.array)
    assert np.shares_memory(found, x.array) or not x.size
    column = Tensor(np.arange(6.0).reshape(2, 3)).T
    assert np.array_equal(column.asnumpy(), np.arange(6.0).reshape(2, 3).T)


P = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')
LAYER = nn.SequentialCell(nn.Dense(3, 1, weight_init='ones', has_bias=False))
CONSTANT, WHERE = Tensor([2.0, 2.0, 2.0]), np.array([0, 1, 2])
NUMBERS, PLACES = np.full(3, 2.0, np.float32), [0, 1, 2]


def load(layer):
    new = {n: Parameter(p * 9, name=n) for n, p in layer.parameters_dict().items()}
    ms.load_param_into_net(layer, new)


USED = {  # what is computed, what is written then, and the gradient
    'a factor': (lambda x: x * CONSTANT, lambda: CONSTANT.__setitem__(0, 9.0), [2, 2, 2]),
    'the array inside': (lambda x: x * Tensor(NUMBERS), lambda: NUMBERS.fill(9), [2, 2, 2]),
    'a Tensor index': (lambda x: x[INDEX] * 2, lambda: INDEX.__setitem__(0, 2), [2, 2, 2]),
    'an array index': (lambda x: x[WHERE] * 2, lambda: WHERE.__setitem__(0, 2), [2, 2, 2]),
    'a list of places': (lambda x: x[PLACES] * 2, lambda: PLACES.__setitem__(0, 2), [2, 2, 2]),
    'a mask': (lambda x: ops.select(MASK, x * 2, x), lambda: MASK.__setitem__(0, False), [2, 2, 2]),
    'a Parameter by an optimizer': (lambda x: x * P, lambda: nn.SGD([P], 1.0)((ONES,)), [2, 2, 2]),
    'a layer by a file': (lambda x: LAYER(x.reshape(1, 3)), lambda: load(LAYER), [1, 1, 1]),
}


@pytest.fixture
def as_it_was():
    yield
    CONSTANT[:], INDEX[:], MASK[:] = 2.0, Tensor([0, 1, 2]), True
    P.set_data(Tensor([2.0] * 3))
    LAYER[0].weight.set_data(ops.ones((1, 3), ms.float32))
    NUMBERS[:], WHERE[:], PLACES[:] = 2, [0, 1, 2], [0, 1, 2]


@pytest.mark.parametrize('compute, write, due', USED.values(), ids=USED)
@pytest.mark.parametrize('ask', ['grad', 'vjp'])
def test_what_is_written_after_use(compute, write, due, ask, as_it_was):
    by = {
        'grad': lambda: ms.grad(lambda x: first(compute(x), write()).sum())(X),
        'vjp': lambda: first(ms.vjp(lambda x: compute(x).sum(), X)[1], write())(Tensor(1.0))[0],
    }
    ran = Ran(by[ask])
    assert right(ran.value, due) or ran.says('written since', 'test_writes.py'), ran.texts
    assert not any(re.search(r'written: (?!test_)', text) for text in ran.texts), 'the line of the write is not ours'
