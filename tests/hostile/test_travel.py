"""Values that travel: pickled, copied, kept, also in the middle of a gradient. An address never travels."""

import copy
import pickle

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import TapeError
from tests.hostile.said import (
    Ran,
    Triple,
    X,
    cell,
    kernel,
    next_gradient_is_right,
    numbers,
    quiet,
    right,
    right_or_said,
    said,
)
from tests.messages import refused

MAKE = """
import pickle, sys, warnings
warnings.simplefilter('ignore')
import minicell as ms
x, kept = ms.Tensor([1., 2., 3.]), []
def f(x):
    y = x * x
    kept.append(y)
    return y.sum()
for _ in range(30):
    loss, slope = ms.value_and_grad(f)(x)
    loss2, back = ms.vjp(f, x)
    kept += [loss, slope, loss2, back(loss)[0]]
net = ms.nn.Dense(3, 1, weight_init='ones')
class Two(ms.nn.Cell):
    def construct(self, x): return x * 2, x * 3
    def bprop(self, x, out, dout): return (dout[0] * 2 + dout[1] * 3,)
kept += Two()(x)
ms.grad(lambda x: (kept.extend(Two()(x)), x.sum())[1])(x)
ms.grad(lambda x: (kept.append(net.weight), net(x).sum())[1], 0, net.trainable_params())(x)
sys.stdout.buffer.write(pickle.dumps(kept, PROTOCOL))
"""
USE = """
import pickle, sys
import minicell as ms
kept, wrong = pickle.load(sys.stdin.buffer), []
for k, c in enumerate(kept):
    x = ms.Tensor([1., 2., 3.])
    due = (c.asnumpy() * x.asnumpy() ** 0).reshape(-1)
    try:
        for f in (lambda x: (x * c).sum(), lambda x: (ms.ops.exp(x * 0) * (x * c)).sum()):
            found = ms.grad(f)(x).asnumpy()
            if abs(found - due).max() > 1e-5:
                wrong.append(f'{k}: {found}, due {due}')
    except Exception as error:
        wrong.append(f'{k}: {error!r}')
print(len(kept), len(wrong), wrong[:3])
"""


@pytest.mark.slow
@pytest.mark.parametrize('protocol', [2, pickle.HIGHEST_PROTOCOL])
def test_a_tensor_of_one_kernel_is_a_constant_in_the_next(protocol):
    found = kernel('-c', USE, given=kernel('-c', MAKE.replace('PROTOCOL', str(protocol)))).decode()
    count, wrong, first = found.split(' ', 2)
    assert int(count) > 100
    assert wrong == '0', f'{wrong} of {count} kept Tensors spoil a gradient: {first}'


TRIPS = {
    'pickled': lambda v: pickle.loads(pickle.dumps(v)),
    'pickled by protocol 0': lambda v: pickle.loads(pickle.dumps(v, 0)),
    'pickled in a dict': lambda v: pickle.loads(pickle.dumps({'loss': [v]}))['loss'][0],
    'copied': copy.copy,
    'deep-copied': copy.deepcopy,
    'deep-copied in a list': lambda v: copy.deepcopy([v])[0],
}
trips = pytest.mark.parametrize('trip', TRIPS.values(), ids=TRIPS)


@trips
def test_a_recorded_tensor_that_travels_in_the_middle_of_a_gradient(trip):
    """What comes back is part of the gradient, or it is said that it is a constant."""
    program = lambda: ms.grad(lambda x: (trip(x * x) * x).sum())(X)
    right_or_said(program, [3, 12, 27], 'of a Tensor', 'a constant', 'gradient')


@trips
def test_what_travelled_in_one_gradient_is_a_constant_in_the_next(trip):
    kept = []
    Ran(lambda: ms.grad(lambda x: (kept.append(trip(x * 2)), (x * x).sum())[1])(X))
    if kept:
        right_or_said(lambda: ms.grad(lambda x: (x * kept[0]).sum())(X), [2, 4, 6], 'a constant')
        for _ in range(3):
            assert right(ms.grad(lambda x: (x * kept[0]).sum())(X), [2, 4, 6])


@trips
def test_a_parameter_that_travels_while_it_is_differentiated_is_another_one(trip):
    """The copy has the number, and its own gradient; the name, and that it trains, stay. (It is said: see below.)"""
    p, kept = Parameter(Tensor([2.0, 2.0, 2.0]), name='p'), []
    ran = Ran(lambda: ms.grad(lambda x: (kept.append(trip(p)), (x * p).sum())[1], 0, p)(X))
    assert right(ran.value, ([2, 2, 2], [1, 2, 3]))
    q = kept[0]
    assert (type(q), q.name, q.requires_grad) == (Parameter, 'p', True)
    assert right(ms.grad(lambda x: (x * q).sum())(X), [2, 2, 2])
    assert right(ms.grad(lambda x: (x * q * p).sum(), 0, [p, q])(X), ([4, 4, 4], ([2, 4, 6], [2, 4, 6])))
    q.set_data(Tensor([5.0, 5.0, 5.0]))
    assert right(p, [2, 2, 2]), 'a copy has memory of its own'


@trips
def test_a_parameters_copy_counts_as_a_constant_in_that_gradient(trip):
    """x * p * copy of p: for p, the copy is another Parameter, and that is said."""
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')
    said(lambda: ms.grad(lambda x: (x * p * trip(p)).sum(), 0, p)(X), 'of a Tensor', 'a constant', 'gradient')


NETS = {
    'a layer': lambda: nn.Dense(3, 1, weight_init='ones', bias_init='zeros'),
    'layers': lambda: nn.SequentialCell(nn.Dense(3, 1, weight_init='ones'), nn.ReLU()),
    'its own bprop': lambda: Weighs(),
}


class Weighs(nn.Cell):
    """Ten times dout as the gradient of its weight."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 2.0, 2.0]), name='w')
        self.internal_params = [self.w]

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout.reshape(3) * 10}


@trips
@pytest.mark.parametrize('net', NETS.values(), ids=NETS)
def test_a_cell_that_travels_while_it_is_differentiated(net, trip):
    """Its copy has Parameters of its own: the original's gradients are as if there were none."""
    net, kept = net(), []
    ask = lambda net: ms.grad(lambda x: net(x.reshape(1, 3)).sum(), 0, net.trainable_params())(X)
    alone, weights = tuple(numbers(ask(net))), net.trainable_params()
    f = lambda x: (kept.append(trip(net)), net(x.reshape(1, 3)).sum())[1]
    assert right(Ran(lambda: tuple(numbers(ms.grad(f, 0, weights)(X)))).value, alone)
    again = kept[0]
    quiet(lambda: tuple(numbers(ask(again))), alone)
    if trip is not copy.copy:  # a shallow copy shares
        assert not {id(p) for p in again.trainable_params()} & {id(p) for p in weights}
        again.trainable_params()[0].set_data(again.trainable_params()[0] * 7)
        quiet(lambda: tuple(numbers(ask(net))), alone)


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
    def bprop(self, x, out, dout):
        given = {'x': x, 'out': out, 'dout': dout}
        given[what] = trip(given[what])
        return (given['dout'] * 2 * given['out'] / given['x'],)

    slope = ms.grad(lambda x: cell(lambda self, x: x * x, bprop)(x).sum())
    if order == 1:
        quiet(lambda: slope(X), [2, 4, 6])
    else:
        right_or_said(lambda: ms.grad(lambda x: slope(x).sum())(X), [2, 2, 2], 'differentiated:', 'a constant')


@trips
def test_a_cell_copied_in_a_differentiated_function(trip):
    net = Weighs()
    program = lambda: ms.grad(lambda x: trip(net)(x).sum(), 0, net.w)(X)
    right_or_said(program, ([2, 2, 2], [10, 10, 10]), 'Parameter w', 'nothing connects')


def test_an_op_can_be_pickled_and_a_cell_that_keeps_it():
    for name in (n for n in dir(ops) if not n.startswith('_')):
        op = getattr(ops, name)
        if callable(op) and not isinstance(op, type(ops)):
            assert pickle.loads(pickle.dumps(op)) is op, name
    net, x = nn.Dense(2, 2, activation=ops.tanh), Tensor([[1.0, 2.0]])
    assert pickle.loads(pickle.dumps(net))(x).tolist() == net(x).tolist()


def looked() -> ms.Tape:
    with ms.Tape() as seen:
        ms.grad(squares)(X)
    return seen


@trips
def test_a_tape_says_that_it_cannot_be_copied(trip):
    seen = looked()
    with refused(TapeError, 'copied or pickled', 'str(tape)', keep=False):  # whose line it is depends on copy.py
        trip(seen)


@pytest.mark.parametrize('what', ['an event', 'all events', 'a jit function', 'a vjp', 'an open Tape'])
@pytest.mark.parametrize('trip', [copy.deepcopy, TRIPS['pickled']], ids=['deep-copied', 'pickled'])
def test_what_belongs_to_a_tape_travels_or_says_that_it_does_not(trip, what):
    def program():
        if what == 'an open Tape':
            with ms.Tape() as seen:
                X * 2
                return trip(seen) is not None
        seen = looked()
        things = {
            'an event': lambda: seen.events[1],
            'all events': lambda: seen.events,
            'a jit function': lambda: ms.jit(squares),
            'a vjp': lambda: ms.vjp(squares, X)[1],
        }
        return trip(things[what]()) is not None

    try:
        ran = Ran(program)
    except (pickle.PicklingError, AttributeError) as error:  # Python's own word for functions inside functions
        assert what in ('a vjp', 'a jit function') and 'local object' in str(error), f'{error!r}'
    else:
        assert ran.value or ran.says('Tape', 'str(tape)', keep=False)


def squares(x):
    return (Triple()(x) * x).sum()


@pytest.mark.parametrize('how', ['at once', 'from a generator', 'from an array of objects', 'by np.save'])
def test_numbers_that_were_saved_are_numbers(how, tmp_path):
    loss, slope = ms.value_and_grad(lambda x: (x * x).sum())(X)
    if how == 'by np.save':
        np.save(tmp_path / 'slope.npy', slope.asnumpy())
        slope = Tensor(np.load(tmp_path / 'slope.npy'))
    if how == 'from a generator':
        loss, slope = (pickle.loads(pickle.dumps(t)) for t in (loss, slope))
    if how == 'from an array of objects':
        box = np.empty(2, object)
        box[0], box[1] = loss, slope
        loss, slope = pickle.loads(pickle.dumps(box))
    assert right(ms.grad(lambda x: (x * loss + slope).sum())(X), [14, 14, 14])
    assert next_gradient_is_right()


@pytest.mark.nightly
def test_a_tensor_from_a_later_kernel_does_not_break_this_one():
    """A file may come from a kernel that has counted further than this one."""
    count = '[ms.grad(lambda x: x * x)(ms.Tensor(1.0)) for _ in range(20_000)]\nx, kept ='
    code = MAKE.replace('PROTOCOL', '4').replace('range(30)', 'range(3)').replace('x, kept =', count)
    _, wrong, first = kernel('-c', USE, given=kernel('-c', code)).decode().split(' ', 2)
    assert wrong == '0', first
