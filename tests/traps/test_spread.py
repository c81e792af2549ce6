"""What no gradient passes is said however far on it is used: a write, a copy, a number of a hidden value, a detour."""

import copy
import pickle
from functools import cached_property

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from minicell.errors import (
    CapturedValueWarning,
    HiddenValueError,
    HiddenValueWarning,
    LeavesTapeWarning,
    NoPathWarning,
    SeveredWarning,
    SwallowedParameterWarning,
)
from tests.core.cells import LOOK, made, values
from tests.messages import refused, tells, warned

X = Tensor([1.0, 2.0, 3.0])


def weight(name='q', values=(1.0, 1.0, 1.0)):
    return Parameter(Tensor(list(values)), name)


def scaled(w):
    """x times a Parameter, with a bprop."""
    return made(lambda self, x: x * w, lambda self, x, out, dout: (dout * w,), 'Scaled')


def says(program, *kinds):
    """These warnings and no others, but for NoPathWarning where all is lost, under a Tape too; the value."""
    for look in LOOK.args[1]:
        with warned() as said, look():
            got = program()
        assert {w.category for w in said.caught} - {NoPathWarning} == set(kinds), [str(w.message) for w in said.caught]
    return values(got)


# ---- a Parameter that was overwritten -------------------------------------------------------------------------------

USES = {  # after ops.assign(q, x * x)
    'an op between': lambda q, x: (q * 1) * x,
    'tanh': lambda q, x: ops.tanh(q) * x,
    'stack': lambda q, x: ops.stack([q, q]) * x,
    'a part': lambda q, x: q[0] * x,
    'a number before it': lambda q, x: (1 - q) * x,
    'alone, among others': lambda q, x: (x * 2, q * 1)[1],
    'a Cell with a bprop': lambda q, x: scaled(q)(x),
    'an input of a Cell': lambda q, x: made(lambda self, x, y: x * y, lambda self, x, y, out, d: (d * y, d * x))(x, q),
    'another Parameter': lambda q, x: (ops.assign(OTHER, q * 2), OTHER * x)[1],
    'an inner gradient': lambda q, x: ms.grad(lambda t: (t * q).sum())(x) * x,
    'an inner weight': lambda q, x: ms.grad(lambda: (q * q * x).sum(), None, q)() * x,
    'a graph': lambda q, x: ms.jit(lambda x: q * 1 * x)(x),
}
OTHER = weight('other')


@pytest.mark.parametrize('use', USES.values(), ids=USES)
def test_whatever_is_computed_from_an_overwritten_parameter_says_so(use):
    q = weight()
    f = lambda x: (ops.assign(q, x * x), use(q, x).sum())[1]
    says(lambda: ms.grad(f)(X), SeveredWarning)
    says(lambda: ms.vjp(f, X)[1](Tensor(1.0)), SeveredWarning)
    assert q.at == -1
    assert says(lambda: ms.grad(lambda x: (x * q).sum())(X)) == [1, 4, 9], 'in the next gradient it is a constant'


LEAVES = [lambda q: q.asnumpy(), lambda q: float(q[0]), lambda q: q.value(), lambda q: q.copy(), lambda q: int(q.sum())]


@pytest.mark.parametrize('leave', LEAVES)
def test_its_numbers_are_those_of_what_is_differentiated(leave):
    q = weight()
    with warned() as said:
        ms.grad(lambda x: (ops.assign(q, x * x), (x * Tensor(leave(q))).sum())[1])(X)
    assert LeavesTapeWarning in [w.category for w in said.caught]


class Recurrent(nn.Cell):
    """Its state is a Parameter; write says how it is written."""

    def __init__(self, write):
        super().__init__()
        self.w, self.write = weight('w'), write
        self.h = Parameter(Tensor([0.0, 0.0, 0.0]), 'h', requires_grad=False)

    def construct(self, x):
        self.write(self, ops.tanh(self.w * x + self.h))
        return self.h * x


WRITES = {
    'assign': lambda net, new: ops.assign(net.h, new),
    'assign_add': lambda net, new: ops.assign_add(net.h, new),
    'set_data': lambda net, new: net.h.set_data(new),
    'an attribute': lambda net, new: setattr(net, 'h', new),
    'data': lambda net, new: setattr(net.h, 'data', new),
}


@pytest.mark.parametrize('write', WRITES.values(), ids=WRITES)
def test_however_it_is_written(write):
    net = Recurrent(write)
    says(lambda: ms.grad(lambda: (net(X), net(X))[1].sum(), None, net.w)(), SeveredWarning)
    says(lambda: ms.grad(lambda: (net.h * X).sum(), None, net.w)())


@pytest.mark.parametrize('kind', [nn.SGD, nn.Adam, nn.Momentum])
def test_an_optimizer_in_the_loss_writes_what_depends_on_it(kind):
    w = weight('w', (0.5, 0.5, 0.5))
    step = kind([w], 0.1, 0.9) if kind is nn.Momentum else kind([w], 0.1)

    def tuned(x):
        step((ms.grad(lambda: ((w * x) ** 2).sum(), None, w)(),))
        return (w * x).sum()

    with warned(SeveredWarning, 'Mul uses', f'{kind.__name__} (w)'):
        ms.grad(tuned)(X)
    says(lambda: (step((X,)), ms.grad(lambda x: (w * x).sum())(X))[1])


def test_a_moving_average_a_constant_and_what_was_stopped_say_nothing():
    q = weight()
    average = lambda x: (ops.assign(q, 0.9 * q + 0.1 * x), (x * 2).sum())[1]
    assert says(lambda: ms.grad(lambda x: average(x) + average(x))(X)) == [4, 4, 4]
    again = lambda x: (ops.assign(q, x * x), ops.assign(q, X), (q * x).sum())[2]
    assert says(lambda: ms.grad(again)(X)) == [1, 2, 3]
    before = lambda x: (ops.assign(q, x * x), q + x, ops.assign(q, X))[1].sum()
    assert says(lambda: ms.grad(before)(X), SeveredWarning) == [1, 1, 1]
    assert says(lambda: ms.grad(lambda x: (ops.assign(q, ops.stop_gradient(x)), (q * x).sum())[1])(X)) == [1, 2, 3]


@pytest.mark.parametrize('again', [lambda q, x: x, lambda q, x: X, lambda q, x: q + x], ids=['x', 'X', 'q + x'])
@pytest.mark.parametrize('write', [ops.assign, ops.assign_add, Parameter.set_data], ids=['assign', 'add', 'set'])
def test_a_use_between_two_writes_is_said(write, again):
    q = weight()
    between = lambda x: (write(q, x * x), q + x, write(q, again(q, x)))[1].sum()
    assert says(lambda: ms.grad(between)(X), SeveredWarning) == [1, 1, 1]
    assert says(lambda: ms.vjp(between, X)[1](Tensor(1.0))[0], SeveredWarning) == [1, 1, 1]
    assert says(lambda: ms.grad(lambda x: (q * x).sum())(X * 0)) == values(q)


def test_a_state_that_is_carried_through_two_calls():
    net = Recurrent(lambda self, new: None)
    net.construct = lambda x: [y := net.h + net.w * x, setattr(net, 'h', ops.tanh(y)), y][2]
    says(lambda: ms.grad(lambda: (net(X) + net(X)).sum(), None, net.w)(), SeveredWarning)


def test_an_average_that_construct_writes_is_its_own_but_no_other_cells():
    q = weight()
    net = made(lambda self, x: (q.set_data(q * 0.5 + x), x * q)[1], lambda self, x, out, dout: (dout * 2,), 'Net')
    assert says(lambda: ms.grad(lambda x: net(net(x)).sum())(X)) == [4, 4, 4]
    with warned(SeveredWarning, 'Scaled uses', 'q.set_data'):
        ms.grad(lambda x: (net(x) + scaled(q)(x)).sum())(X)


def test_a_vjp_may_be_read_while_its_constant_is_a_weight():
    w = weight('w', (2.0, 2.0, 2.0))
    back = ms.vjp(lambda x: x * w * w, X)[1]
    assert values(ms.grad(lambda x: (back(x)[0] * x).sum(), 0, w)(X)) == ([8, 16, 24], [4, 16, 36])


# ---- copies of a Parameter ------------------------------------------------------------------------------------------

COPIES = {
    'copy': lambda w: w.copy(),
    'clone': lambda w: w.clone(),
    'copy.copy': copy.copy,
    'deepcopy': copy.deepcopy,
    'pickle': lambda w: pickle.loads(pickle.dumps(w)),
    'a tuple of them': lambda w: ParameterTuple([w]).clone('a')[0],
    'Parameter(w)': lambda w: Parameter(w, 'v'),
    'data': lambda w: w.data,
}


@pytest.mark.parametrize('copied', COPIES.values(), ids=COPIES)
def test_a_copy_of_a_parameter_is_a_constant_and_that_is_said(copied):
    w, other = weight('w'), weight('other')
    says(lambda: ms.grad(lambda: (w * copied(w)).sum(), None, w)(), LeavesTapeWarning)
    says(lambda: ms.grad(lambda: (w * copied(other)).sum(), None, w)())
    says(lambda: ms.grad(lambda: (w * w.clone('ones')).sum(), None, w)())


@pytest.mark.parametrize('copied', [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_so_are_the_weights_in_a_copy_of_a_net(copied):
    net = nn.Dense(3, 1)
    says(lambda: ms.grad(lambda x: copied(net)(x.reshape(1, 3)).sum(), 0, net.weight)(X), LeavesTapeWarning)
    copied(net)(X.reshape(1, 3))


# ---- hidden values --------------------------------------------------------------------------------------------------


class Hides(nn.Cell):
    """x², which goes into a list."""

    def __init__(self):
        super().__init__()
        self.box = []

    def construct(self, x):
        self.box.append(x * x)
        return self.box[-1] * 1

    def bprop(self, x, out, dout):
        return (dout * 2 * x,)


NUMBERS = {
    'asnumpy': lambda h: Tensor(h.asnumpy()),
    'Tensor': Tensor,
    'tensor': ms.tensor,
    'data': lambda h: h.data,
    'tolist': lambda h: Tensor(h.tolist()),
    'Parameter': lambda h: Parameter(h, 'p'),
    'deepcopy': copy.deepcopy,
    'pickle': lambda h: pickle.loads(pickle.dumps(h)),
    'assign': lambda h: (ops.assign(OTHER, h), OTHER)[1],
    'assign_add': lambda h: (ops.assign_add(OTHER, h), OTHER)[1],
    'set_data': lambda h: OTHER.set_data(h),
    'a float': lambda h: float(h.sum()),
}


@LOOK
@pytest.mark.parametrize('take', NUMBERS.values(), ids=NUMBERS)
def test_a_hidden_value_refuses_to_become_a_number(take, look):
    net, before = Hides(), OTHER.asnumpy().copy()
    f = lambda x: (net(x) * take(net.box[-1])).sum()
    for ask in (lambda: ms.grad(f)(X), lambda: ms.vjp(f, X), lambda: ms.jvp(f, X, X)):
        with refused(HiddenValueError, 'construct of Hides'), look():
            ask()
    assert np.array_equal(OTHER.asnumpy(), before), 'refused before it is written'
    take(net.box[-1])  # after the gradient
    assert says(lambda: ms.grad(lambda x: (x * net.box[0]).sum())(X)) == [1, 4, 9]


def test_in_construct_numpy_may_have_it_and_in_a_bprop_it_is_said():
    net = made(lambda self, x: Tensor((x * x).asnumpy()), lambda self, x, out, dout: (dout * 2 * x,))
    assert says(lambda: ms.grad(lambda x: net(x).sum())(X)) == [2, 4, 6]
    other = Hides()
    late = made(lambda self, x: x * 1, lambda self, x, out, dout: (dout * Tensor(other.box[-1].asnumpy()),))
    with warned() as said:
        ms.grad(lambda x: (other(x) * 1 + late(x)).sum())(X)
    tells(said.caught[0].message, 'asnumpy()', 'of Hides kept')
    assert [w.category for w in said.caught] == [HiddenValueWarning]


# ---- what construct takes from outside, by a detour -----------------------------------------------------------------


class Takes(nn.Cell):
    """construct is any function of the Cell and x; z is a Tensor in a list, and w a Parameter."""

    def __init__(self, function):
        super().__init__()
        self.function, self.w, self.z = function, weight('w', (2.0, 2.0, 2.0)), []

    def construct(self, x):
        return self.function(self, x)

    def bprop(self, x, out, dout):
        return (dout,)


def written(value):
    buffer = ops.zeros((3,))
    buffer[:] = value
    return buffer


DETOURS = {  # of v, the captured value
    'a gradient': lambda v, x: ms.grad(lambda t: (t * t * v).sum())(x),
    'a gradient, after an op': lambda v, x: ms.grad(lambda t: (t * ops.exp(v)).sum())(x),
    'a gradient of a gradient': lambda v, x: ms.grad(lambda t: ms.grad(lambda u: (u * u * ops.exp(v)).sum())(t).sum())(
        x
    ),
    'a vjp': lambda v, x: ms.vjp(lambda t: (t * t * v).sum(), x)[1](Tensor(1.0))[0],
    "a vjp's sens": lambda v, x: ms.vjp(lambda t: t * t, x)[1](v)[0],
    'a jvp': lambda v, x: ms.jvp(lambda t: t * t * v, x, x)[1],
    "a jvp's tangent": lambda v, x: ms.jvp(lambda t: t * t, x, v)[1],
    'a Jacobian': lambda v, x: ms.jacrev(lambda t: t * ops.exp(v))(x).sum(0),
    'another argument': lambda v, x: ms.grad(lambda t, z: (t * t * z).sum())(x, v),
    'a write': lambda v, x: x * written(v),
    'assign': lambda v, x: (ops.assign(OTHER, v), x * OTHER)[1],
    'set_data': lambda v, x: (OTHER.set_data(v), x * OTHER)[1],
    'class weights': lambda v, x: ops.cross_entropy(x.reshape((1, 3)), Tensor([1], ms.int32), v) * x,
}


@pytest.mark.parametrize('detour', DETOURS.values(), ids=DETOURS)
def test_what_construct_takes_from_outside_is_named_whatever_the_way(detour):
    net = Takes(lambda self, x: detour(self.w, x))
    says(lambda: ms.grad(lambda x: net(x).sum(), None, net.w)(X), SwallowedParameterWarning)
    net = Takes(lambda self, x: detour(self.z[-1], x))
    says(lambda: ms.grad(lambda x: (net.z.append(x * 2), net(x).sum())[1])(X), CapturedValueWarning)
    says(lambda: ms.grad(lambda x: (net.z.append(X), net(x).sum())[1])(X))
    net = Takes(lambda self, x: detour(x * 2, x))
    says(lambda: ms.grad(lambda x: (net(x) + net(x * 0.1)).sum())(X))


ALSO_AN_INPUT = {
    'by place': (lambda net, z: net(z), lambda x: x),
    'in a list': (lambda net, z: net([z]), lambda x: x[0]),
    'in a dict': (lambda net, z: net({'a': z}), lambda x: x['a']),
    'by name': (lambda net, z: net(x=z), lambda x: x),
}


@pytest.mark.parametrize('call, part', ALSO_AN_INPUT.values(), ids=ALSO_AN_INPUT)
def test_an_input_that_construct_has_from_elsewhere_too(call, part):
    net = Takes(lambda self, x: part(x) * self.w)
    net.bprop = lambda x, out, dout: (dout if isinstance(x, Tensor) else [dout],)
    assert says(lambda: ms.grad(lambda: call(net, net.w).sum(), None, net.w)(), SwallowedParameterWarning) == [1, 1, 1]
    assert says(lambda: ms.grad(lambda x: call(net, x).sum())(X)) == [1, 1, 1]
    net.function = lambda self, x: part(x) * self.z[-1]
    says(lambda: ms.grad(lambda x: (net.z.append(x * x), call(net, net.z[-1]).sum())[1])(X), CapturedValueWarning)


def test_construct_has_the_list_that_it_was_given():
    box = [X]
    net = made(lambda self, x, box: (box.append(X), x * 2)[1], lambda self, x, box, out, dout: (dout * 2, None))
    assert says(lambda: ms.grad(lambda x: (net(x, box) + net(x, box)).sum())(X)) == [4, 4, 4]
    assert len(box) == 5  # it ran twice, under a Tape too


def test_a_value_of_an_earlier_gradient_is_a_constant():
    """What an RNN carries on has to be one; so a cached property is one, too."""

    class Carries(nn.Cell):
        state = Tensor([1.0, 1.0, 1.0])

        @cached_property
        def scale(self):
            return ops.exp(self.weight)

        def construct(self, x):
            self.state = ops.tanh(self.state * x) * 2
            return self.state * x * self.scale

    net = Carries()
    net.weight = weight('weight')
    for _ in range(3):
        before, x = net.state.asnumpy(), X.asnumpy()
        with warned() as said:
            dx = ms.grad(lambda x: net(x).sum())(X)
        t = np.tanh(before * x)
        np.testing.assert_allclose(dx.asnumpy(), np.e * (2 * t + 2 * before * x * (1 - t * t)), rtol=1e-5)
        assert not said.caught and net.state.at >= 0


TWO = made(lambda self, x: (x * 2, x * 3), lambda self, x, out, dout: (dout[0] * 2 + dout[1] * 3,), 'Two')


def average(x):
    mean = weight('mean')
    ops.assign(mean, mean * 0.9 + x * 0.1)
    return sum(TWO(x)).sum()


def inner(x):
    q = weight()
    ops.assign(q, x)
    return ms.grad(lambda t: (t * t).sum())(q).sum()


@pytest.mark.parametrize(('f', 'due', 'kinds'), [(average, 5, ()), (inner, 0, (SeveredWarning,))])
def test_a_write_beside_several_outputs_and_into_the_point_of_an_inner_gradient(f, due, kinds):
    assert says(lambda: ms.grad(f)(X), *kinds) == [due] * 3
    assert says(lambda: ms.vjp(f, X)[1](Tensor(1.0))[0], *kinds) == [due] * 3


def test_a_write_into_an_output_that_backward_does_not_read():
    out, back = ms.vjp(TWO, X)
    out[0][0] = 50.0
    assert values(back((Tensor([1.0] * 3),) * 2)[0]) == [5, 5, 5]
