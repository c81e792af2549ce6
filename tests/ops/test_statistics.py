"""Where products, norms and clipping have a zero, a kink or a setting that does not fit."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from minicell.core.errors import ShapeError
from minicell.errors import SettingError
from tests.messages import refused


@pytest.mark.parametrize('values', [[2.0, 0.0, 5.0, 3.0], [0.0, 0.0, 7.0], [0.0], [4.0, 3.0]])
def test_a_product_with_zeros_to_second_order(values):
    x = np.array(values)
    others = [np.prod(np.delete(x, i)) for i in range(len(x))]
    np.testing.assert_array_equal(ms.grad(ops.prod)(Tensor(x)).asnumpy(), others)
    bend = ms.grad(lambda x: ms.grad(ops.prod)(x).sum())(Tensor(x)).asnumpy()
    due = [sum(np.prod(np.delete(x, [i, j])) for j in range(len(x)) if j != i) for i in range(len(x))]
    np.testing.assert_array_equal(bend, due)


@pytest.mark.parametrize('axis', [2, -3, (0, 0), (0, 5)], ids=str)
def test_an_axis_that_is_not_there(axis):
    with refused(ShapeError, 'prod', f'axis {axis}', 'not there', 'twice'):
        ops.prod(Tensor([[1.0]]), axis)


def test_a_norm_at_zero_has_the_gradient_0():
    value, g = ms.value_and_grad(lambda x: ops.norm(x, dim=-1).sum())(Tensor([[0.0, 0.0], [3.0, 4.0]]))
    assert float(value) == 5
    np.testing.assert_allclose(g.asnumpy(), [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_settings_that_do_not_fit():
    for ord, x in ((3, Tensor([[1.0]])), ('nuc', Tensor([[1.0]])), ('x', Tensor([1.0]))):
        with refused(SettingError, 'ord', "'fro'", 'one axis', f'got {ord!r}'):
            ops.norm(x, ord)
    with refused(SettingError, 'clip_by_value', 'bounds'):
        ops.clip_by_value(Tensor([1.0]))
    with refused(SettingError, 'clamp', 'bounds'):
        ops.clamp(Tensor([1.0]))
    with refused(TypeError, 'LpNorm', 'a Tensor', 'a float'):
        ops.norm(2.0)


def test_norms_of_integers_and_of_numbers_that_are_not_0():
    assert ops.norm(Tensor([3, 4])).item() == 5 and ops.norm(Tensor([3, 4])).dtype == ms.float32
    assert ops.norm(Tensor([3.0, 0.0, 4.0]), 0).item() == 2
    assert ops.norm(Tensor([[3.0], [4.0]]), 'fro', (0, 1), True).tolist() == [[5]]
    assert ops.norm(Tensor([3.0, 4.0]), dtype=ms.float64).dtype == ms.float64


def test_clipping_on_one_side():
    x = Tensor([-2.0, 0.5, 2.0])
    assert ops.clip_by_value(x, clip_value_max=1.0).asnumpy().tolist() == [-2, 0.5, 1]
    assert x.clip(0.0).asnumpy().tolist() == ops.clamp(x, min=0.0).tolist() == [0, 0.5, 2]
    edges = Tensor([-1.0, 1.0])
    assert ms.grad(lambda x: ops.clamp(x, -1.0, 1.0).sum())(edges).tolist() == [1, 1]
    assert ms.grad(lambda x: ops.clip_by_value(x, -1.0, 1.0).sum())(edges).tolist() == [0.5, 0.5]
    assert ms.grad(lambda x: ops.clip_by_value(x, -1.0, 1.0).sum())(x).asnumpy().tolist() == [0, 1, 0]
