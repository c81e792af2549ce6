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


HALVES = {  # what adds up many numbers, and Float16 numbers with which a sum in Float16 goes wrong
    'sum': (lambda x: x.sum(0), np.ones((5000, 2))),
    'mean': (lambda x: x.mean(0), np.full((3000, 2), 30.0)),
    'norm': (ops.norm, 300 + np.arange(300) / 300),
    'norm 1': (lambda x: ops.norm(x, 1), np.linspace(0, 1, 5000)),
    'norm 3': (lambda x: ops.norm(x, 3, 0), 300 + np.arange(300) / 300),
    'var': (lambda x: ops.var(x, ddof=1) / 2, np.linspace(0, 500, 300)),
    'std': (ops.std, np.linspace(0, 900, 300)),
    'prod': (ops.prod, np.array([300.0, 300.0, 0.001, 0.5])),
    'softmax': (lambda x: ops.softmax(x)[:3], np.ones(70_000)),
    'log_softmax': (lambda x: ops.log_softmax(x)[:3], np.ones(70_000)),
    'logsumexp': (lambda x: ops.logsumexp(x, 0), np.ones(70_000)),
    'max': (lambda x: x.max(), np.ones(70_000)),
    'amin': (ops.amin, np.ones(70_000)),
    'cross_entropy': (lambda x: ops.cross_entropy(x, Tensor([0])), np.ones((1, 70_000))),
    'a bias': (lambda b: ((b + Tensor(np.ones((5000, 2), np.float16))) * 2).astype(ms.float32), np.ones(2)),
}


@pytest.mark.parametrize('case', HALVES.values(), ids=HALVES)
def test_sums_of_float16_are_made_in_float32(case):
    f, x = case
    half, single = Tensor(x.astype(np.float16)), Tensor(x.astype(np.float16).astype(np.float32))
    for mine, due in zip(ms.value_and_grad(f)(half), ms.value_and_grad(f)(single), strict=True):
        assert mine.dtype == ms.float16 or f is HALVES['a bias'][0]
        np.testing.assert_allclose(mine.asnumpy().astype(float), due.asnumpy(), rtol=4e-3, atol=1e-7)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_sigmoid_and_its_slopes_are_right_at_both_ends(dtype):
    ends = {'float16': (0.5, 3, 8), 'float32': (0.5, 8, 15, 30, 80), 'float64': (0.5, 15, 36, 100, 300)}[dtype]
    x = np.array([0.0, *ends, *[-e for e in ends]])
    small, large = np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))), 1 / (1 + np.exp(-np.abs(x)))
    due = np.where(x < 0, small, large), small * large, -np.sign(x) * small * large * (large - small)
    f = ops.sigmoid
    for order, wanted in enumerate(due):
        found = f(Tensor(x.astype(dtype))).asnumpy().astype(float)
        np.testing.assert_allclose(
            found, wanted, rtol=8 * np.finfo(dtype).eps, atol=1e-7 * (dtype == 'float16'), err_msg=order
        )
        f = ms.grad(f)
    with np.errstate(over='raise', invalid='raise'):
        assert ops.sigmoid(Tensor(np.array([-1e4, 1e4], dtype))).tolist() == [0, 1]
        np.testing.assert_equal(ops.sigmoid(Tensor(np.array([np.nan, 1e4, np.nan], dtype))).asnumpy(), [np.nan, 1, np.nan])
