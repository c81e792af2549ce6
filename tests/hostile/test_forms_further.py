"""Families 3, 4, 9 and 10: copies, writes, forms of results, and arguments that nobody should give."""

import collections
import copy
import pickle
import re

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import GradPositionError, MinicellError, NotATensorError
from tests.hostile.said import Ran, X, right, right_or_said

ONES = Tensor([1.0, 1.0, 1.0])
INDEX, MASK = Tensor([0, 1, 2]), Tensor([True, True, True])


def net(bprop, construct=lambda x: x * x):
    """A Cell of these two functions: of x; and of x, out, dout."""
    return type('Net', (nn.Cell,), {'construct': lambda s, x: construct(x), 'bprop': lambda s, *given: bprop(*given)})()


# ---- what a bprop returns --------------------------------------------------------------------------------------------

PAIR = collections.namedtuple('PAIR', 'dx')
RIGHT = {
    'a list': lambda x, out, d: [d * 2],
    'a named tuple': lambda x, out, d: PAIR(d * 2),
    'a class of its own': lambda x, out, d: (type('T', (Tensor,), {})(d * 2),),
    'a Parameter': lambda x, out, d: (Parameter(ONES * 2, name='p'),),
    'Float64': lambda x, out, d: ((d * 2).astype(ms.float64),),
    'Float16': lambda x, out, d: ((d * 2).astype(ms.float16),),
    'Int32': lambda x, out, d: ((d * 2).astype(ms.int32),),
    'dout twice as large, in place': lambda x, out, d: (twice(d),),
}
WRONG = {  # and what is said of it
    'a dict': (lambda x, out, d: {'x': d}, 'a dict'),
    'a generator': (lambda x, out, d: (g for g in [d]), 'a generator'),
    'a map': (lambda x, out, d: map(abs, [d]), 'a map'),
    'a set': (lambda x, out, d: {d}, 'a set'),
    'a string': (lambda x, out, d: 'd', 'a str'),
    'a string in a tuple': (lambda x, out, d: ('d',), 'a str as the gradient of x'),
    'a deque': (lambda x, out, d: collections.deque([d]), 'a deque'),
    'a bool': (lambda x, out, d: True, 'a bool'),
    'NotImplemented': (lambda x, out, d: NotImplemented, 'a NotImplementedType'),
    'an error': (lambda x, out, d: ValueError('x'), 'a ValueError'),
    'an ellipsis': (lambda x, out, d: (...,), 'an ellipsis as the gradient of x'),
    'a float': (lambda x, out, d: (2.0,), 'a float as the gradient of x'),
    'a number of NumPy': (lambda x, out, d: (np.float32(2),), 'a float32 as the gradient of x'),
    'an array': (lambda x, out, d: (np.ones(3, np.float32),), 'an? ndarray as the gradient of x'),
    'a class': (lambda x, out, d: (Tensor,), 'a type as the gradient of x'),
    'a Cell': (lambda x, out, d: (nn.ReLU(),), 'a ReLU as the gradient of x'),
    'a function': (lambda x, out, d: (lambda: d,), 'a function as the gradient of x'),
    'a list in a tuple': (lambda x, out, d: ([d],), 'a list of 1 as the gradient of x'),
    'rank 0': (lambda x, out, d: (Tensor(2.0),), r'of shape \(\) for x, which has shape \(3,\)'),
    'a column': (lambda x, out, d: (d.reshape(3, 1),), r'of shape \(3, 1\) for x'),
    'no numbers': (lambda x, out, d: (d[:0],), r'of shape \(0,\) for x'),
    'Bool': (lambda x, out, d: (x > 0,), 'a Bool Tensor as the gradient of x'),
    'complex': (lambda x, out, d: (Tensor(np.array([1j, 2, 3])),), 'a Complex128 Tensor as the gradient of x'),
    'with an empty dict': (lambda x, out, d: (d, {}), '2 gradients for 1 input'),
}


def twice(d):
    d *= 2
    return d


@pytest.mark.parametrize('bprop', RIGHT.values(), ids=RIGHT)
def test_forms_of_a_result_that_are_right(bprop):
    ran = Ran(lambda: ms.grad(lambda x: (net(bprop)(x) + x).sum())(X))
    assert right(ran.value, [3, 3, 3]) and not ran.texts, ran.texts


@pytest.mark.parametrize('bprop, words', WRONG.values(), ids=WRONG)
@pytest.mark.parametrize('order', [1, 2])
def test_forms_of_a_result_that_are_wrong(bprop, words, order):
    slope = ms.grad(lambda x: net(bprop)(x).sum())
    program = slope if order == 1 else ms.grad(lambda x: slope(x).sum())
    with pytest.raises(MinicellError, match='Net.bprop returned ' + '(a gradient )?' + words) as caught:
        program(X)
    text = str(caught.value)
    assert 'its bprop: test_forms_further.py' in text and 'your line: test_forms_further.py' in text


@pytest.mark.parametrize('outside', [0.0, float('nan'), float('inf'), -float('inf')])
def test_numbers_that_are_none_are_said(outside):
    ran = Ran(lambda: ms.grad(lambda x: net(lambda x, out, d: (d * outside,))(x).sum())(X))
    assert right(ran.value, [outside] * 3)
    assert (not ran.texts) if outside == 0 else ran.texts[0].startswith('A gradient holds NaN or infinity')


# ---- writes ----------------------------------------------------------------------------------------------------------


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


WRITES = {  # what is computed, what is written then, and the gradient
    'a factor': (lambda x: x * CONSTANT, lambda: CONSTANT.__setitem__(0, 9.0), [2, 2, 2]),
    'an array that a Tensor was made of': (lambda x: x * Tensor(NUMBERS), lambda: NUMBERS.fill(9), [2, 2, 2]),
    'a Tensor of places': (lambda x: x[INDEX] * 2, lambda: INDEX.__setitem__(0, 2), [2, 2, 2]),
    'an array of places': (lambda x: x[WHERE] * 2, lambda: WHERE.__setitem__(0, 2), [2, 2, 2]),
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


@pytest.mark.parametrize('compute, write, due', WRITES.values(), ids=WRITES)
@pytest.mark.parametrize('ask', ['grad', 'vjp'])
def test_what_is_written_after_use(compute, write, due, ask, as_it_was):
    def f(x):
        y = compute(x)
        write()
        return y.sum()

    def by_vjp():
        _, back = ms.vjp(lambda x: compute(x).sum(), X)
        write()
        return back(Tensor(1.0))[0]

    ran = Ran(by_vjp if ask == 'vjp' else lambda: ms.grad(f)(X))
    assert right(ran.value, due) or ran.says('written since', 'test_forms_further.py'), ran.texts
    assert not any(re.search(r'written: (?!test_)', text) for text in ran.texts), 'the line of the write is not ours'


@pytest.mark.parametrize('which', [0, 1])
def test_one_of_two_douts_that_is_written(which):
    class Two(nn.Cell):
        def construct(self, x):
            return x * 1, x * 2

        def bprop(self, x, out, dout):
            dout[which][0] = 100.0
            return (dout[0] * 0 + dout[1] * 0 + 2,)

    def f(x):
        a, b = Two()(x)
        return (a + b + x).sum()

    right_or_said(lambda: ms.grad(f)(X), [3, 3, 3], 'Two|dout', 'writ')


# ---- copies ----------------------------------------------------------------------------------------------------------


class Weighs(nn.Cell):
    """Ten times dout as the gradient of its weight."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 2.0, 2.0]), name='w')
        self.internal_params = [self.w]

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout * 10}


TRIPS = {'copy': copy.copy, 'deepcopy': copy.deepcopy, 'pickle': lambda v: pickle.loads(pickle.dumps(v))}
trips = pytest.mark.parametrize('trip', TRIPS.values(), ids=TRIPS)


@trips
def test_a_copy_answers_for_its_own_weight(trip):
    """And internal_params of a copy are the copy's."""
    found = trip(Weighs())
    assert found.internal_params[0] is found.w
    assert right(ms.grad(found, 0, found.w)(X), ([2, 2, 2], [10, 10, 10]))


@trips
@pytest.mark.parametrize('what', ['x', 'dout', 'out'])
@pytest.mark.parametrize('order', [1, 2])
def test_copies_in_a_bprop(trip, what, order):
    def bprop(x, out, dout):
        given = {'x': x, 'out': out, 'dout': dout}
        given[what] = trip(given[what])
        return (given['dout'] * 2 * given['out'] / given['x'],)

    slope = ms.grad(lambda x: net(bprop)(x).sum())
    if order == 1:
        ran = Ran(lambda: slope(X))
        assert right(ran.value, [2, 4, 6]) and not ran.texts
    else:
        right_or_said(lambda: ms.grad(lambda x: slope(x).sum())(X), [2, 2, 2], 'differentiated', 'constant')


@trips
def test_a_cell_copied_in_a_differentiated_function(trip):
    cell = Weighs()
    program = lambda: ms.grad(lambda x: trip(cell)(x).sum(), 0, cell.w)(X)
    right_or_said(program, ([2, 2, 2], [10, 10, 10]), r'\bw\b', 'nothing connects')


# ---- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('position', [True, False, 0.0, '0', [0]], ids=repr)
def test_a_position_is_an_int(position):
    """True is no 1: `grad(net, True)` means GradOperation's get_all."""
    with pytest.raises(NotATensorError, match='grad_position is an int, a tuple of ints, or None'):
        ms.grad(lambda x, y: x * y, position)


def test_a_sens_that_is_missing_is_not_the_input():
    with pytest.raises(GradPositionError, match=r'with 0 arguments, so that there is none.*the last one is sens'):
        ops.GradOperation(sens_param=True)(lambda x: x * 2)(X)
