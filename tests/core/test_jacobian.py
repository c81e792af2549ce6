"""Whole Jacobians, row by row and column by column."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.core.cells import same, values
from tests.messages import refused

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
pytestmark = pytest.mark.parametrize('jacobian', [ms.jacrev, ms.jacfwd])


def pair(x, y):
    return x * y, x.sum()


def test_outputs_stand_outside_and_positions_inside(jacobian):
    assert values(jacobian(lambda x: x * x)(X)) == [[2, 0], [0, 4]]
    assert values(jacobian(pair)(X, Y)) == ([[3, 0], [0, 4]], [1, 1])
    assert values(jacobian(pair, (0, 1))(X, Y)) == (([[3, 0], [0, 4]], [[1, 0], [0, 2]]), ([1, 1], [0, 0]))
    assert values(jacobian(pair, 1)(X, Y)) == ([[1, 0], [0, 2]], [0, 0])


def test_its_shape_is_the_outputs_then_the_inputs(jacobian):
    x = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    found = jacobian(lambda x: x.sum(0) * 2)(x)
    assert found.shape == (3, 2, 3) and found.dtype == ms.float32
    same(found, 2 * np.stack([np.eye(3)] * 2, 1))


def test_has_aux(jacobian):
    slope, further = jacobian(lambda x: (x * x, x + 1), has_aux=True)(X)
    assert values(slope) == [[2, 0], [0, 4]] and values(further) == [2, 3]
    for out in (lambda x: x, lambda x: (x.sum(),)):
        with refused(ValueError, 'has_aux=True', '<lambda> returned one'):
            jacobian(out, has_aux=True)(X)


def test_of_a_gradient_it_is_the_hessian(jacobian):
    assert values(jacobian(ms.grad(lambda x: (x * x * x).sum()))(X)) == [[6, 0], [0, 12]]


def test_what_it_refuses(jacobian):
    name = jacobian.__name__
    with refused(ValueError, name, 'grad_position is 1', '1 argument', line='jacobian(ops.sin, 1)(X)'):
        jacobian(ops.sin, 1)(X)
    with refused(ValueError, 'grad_position', 'from 0', -1):
        jacobian(ops.sin, -1)(X)
    with refused(TypeError, 'nothing to differentiate', 'argument 0', 'a float', 'not a Tensor'):
        jacobian(ops.sin)(3.0)
    with refused(TypeError, 'argument 0', 'Int64 Tensor'):
        jacobian(ops.sin)(Tensor([1]))
    with refused(TypeError, name, 'a function', 'got an int'):
        jacobian(3)
