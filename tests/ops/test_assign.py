"""assign, assign_add, assign_sub: what fits, what is refused, and that backward notices."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import DTypeError, ShapeError
from minicell.errors import SeveredWarning, WriteAfterUseError
from tests.messages import refused, warned


def test_the_value_goes_into_the_parameters_own_memory():
    p = Parameter(Tensor([1.0, 2.0]), 'p')
    memory, value = p.array, Tensor([3, 4])
    given = ops.assign(p, value)
    assert type(given) is Tensor and given.tolist() == [3, 4] and p.array is memory
    assert p.dtype == ms.float32 and p.asnumpy().tolist() == [3, 4]
    p[0] = 9.0
    assert value.asnumpy().tolist() == [3, 4], 'the parameter shares memory with what it was given'


def test_a_number_fits_a_rank_0():
    p = Parameter(2.0, 'p')
    assert float(ops.assign(p, 5.0)) == 5 and float(ops.assign(p, 6)) == 6


def test_adding_and_subtracting():
    p = Parameter(Tensor([1.0, 2.0]), 'p')
    ops.assign_add(p, Tensor([1, 2]))
    ops.assign_sub(p, 0.5)
    assert ops.AssignAdd()(p, 1).tolist() == p.tolist() and p.asnumpy().tolist() == [2.5, 4.5]
    n = Parameter(Tensor([1], ms.int32), 'n')
    assert ops.assign_add(n, Tensor([2], ms.int32)).asnumpy().tolist() == [3]


@pytest.mark.parametrize(
    'op', [ops.assign, ops.assign_add, ops.assign_sub, ops.Assign()], ids=['=', '+', '-', 'Assign']
)
@pytest.mark.parametrize(
    ('value', 'error', 'facts'),
    [
        (Tensor([1.0]), ShapeError, ("'value' shape: (1,)", "'variable' shape: (2,)", 'Parameter p')),
        (Tensor(1.0), ShapeError, ("'value' shape: ()",)),
        (Tensor([1.0, 2.0], ms.float64), DTypeError, ('Float64', 'Float32', 'Parameter p')),
    ],
    ids=['shape', 'rank 0', 'float64'],
)
def test_what_does_not_fit(op, value, error, facts):
    p = Parameter(Tensor([1.0, 2.0]), 'p')
    with refused(error, *facts, line='op(p, value)'):
        op(p, value)
    assert p.asnumpy().tolist() == [1, 2]


def test_a_float_into_integers():
    with refused(TypeError, 'Float32', 'Parameter n'):
        ops.assign(Parameter(Tensor([1, 2]), 'n'), Tensor([1.5, 2.5]))


def test_a_number_into_a_vector_is_meant_only_when_adding():
    with refused(ValueError, 'same shape', "'variable'"):
        ops.assign(Parameter(Tensor([1.0, 2.0]), 'p'), 5.0)


@pytest.mark.parametrize('op', [ops.assign, ops.assign_add])
def test_a_write_after_use_is_caught(op):
    p = Parameter(Tensor([2.0]), 'p')

    def f(x):
        out = x * p
        op(p, Tensor([100.0]))
        return out

    with refused(WriteAfterUseError, 'Mul', f'ops.{op.__name__}(p', 'written: test_assign.py', 'op(p, Tensor'):
        ms.grad(f)(Tensor([3.0]))


def test_a_moving_average_may_be_written():
    class Averaged(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(Tensor([0.0]), requires_grad=False)

        def construct(self, x):
            ops.assign(self.mean, self.mean * 0.5 + x.mean() * 0.5)
            return x * x

    net = Averaged()
    assert ms.grad(net)(Tensor([3.0])).asnumpy().tolist() == [6]
    assert net.mean.asnumpy().tolist() == [1.5]


def test_inside_a_bprop_and_a_training_step():
    """The pattern of a counter: a write that no rule reads."""

    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = Parameter(0.0, requires_grad=False)

        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            ops.assign_add(self.calls, 1)
            return (dout * 2,)

    net = Counting()
    for _ in range(3):
        np.testing.assert_array_equal(ms.grad(net)(Tensor([1.0])).asnumpy(), [2])
    assert float(net.calls) == 3


def test_a_gradient_that_a_write_cuts_is_announced():
    p = Parameter(Tensor([0.0]), 'p')

    def f(x):
        ops.assign(p, x * 2)
        return p * x

    with warned(SeveredWarning, 'Mul', 'Parameter', 'ops.assign(p', 'stop_gradient') as said:
        g = ms.grad(f)(Tensor([3.0]))
    assert g.asnumpy().tolist() == [6]  # MindSpore's number; through the write it would be 12
    assert said.caught[0].filename == __file__


@pytest.mark.parametrize(
    'write', [lambda p, v: p.set_data(v), ops.assign_add, ops.assign_sub], ids=['set_data', '+', '-']
)
def test_by_any_write(write):
    p = Parameter(Tensor([0.0]), 'p')

    def f(x):
        write(p, x * 2)
        return p + x

    with warned(SeveredWarning, 'Add', 'Parameter'):
        ms.grad(f)(Tensor([3.0]))


def test_where_nothing_is_lost_nothing_is_said():
    p = Parameter(Tensor([1.0]), 'p')

    def read_before(x):
        out = x + p
        ops.assign(p, x * 2)
        return out

    def read_without_use(x):
        ops.assign(p, x * 2)
        p * 2
        return x * 3

    def meant(x):
        ops.assign(p, ops.stop_gradient(x * 2))
        return p * x

    def written_again(x):
        ops.assign(p, x * 2)
        ops.assign(p, Tensor([5.0]))
        return p * x

    for f, due in ((read_before, 1), (read_without_use, 3), (meant, 6), (written_again, 5)):
        assert ms.grad(f)(Tensor([3.0])).asnumpy().tolist() == [due]
