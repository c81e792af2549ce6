"""Where MindSpore's numbers are wrong in silence, and minicell's are right or refused: seen on both, side by side."""

import copy

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import DTypeError
from minicell.errors import LabelError
from tests.messages import refused

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def second(f, x):
    """The gradient of the sum of the gradient of the sum of f."""
    return ms.grad(lambda x: ms.grad(lambda z: f(z).sum())(x).sum())(x)


def test_any_of_integers():
    """In MindSpore: True, False."""
    assert ops.any(Tensor([[1, 2], [3, 4]], ms.int32), 0).tolist() == [True, True]


def test_a_sum_of_nothing_is_0():
    """In MindSpore: a number from somewhere, 6.4e10 once."""
    assert ops.sum(ops.zeros((0, 3))).item() == 0


def test_second_derivatives_of_products_and_deviations():
    """In MindSpore: not 1 but 0.009 to 110; not 0 but 2 / n; NaN where all numbers are equal."""
    x = Tensor([[-1.1, 0.5], [0.01, 0.4]])
    assert second(lambda x: ops.prod(x, 0), x).tolist() == [[1, 1], [1, 1]]
    for spread in (ops.var, ops.std):
        np.testing.assert_allclose(second(lambda x: spread(x, 0), x).asnumpy(), 0, atol=1e-6)  # noqa: B023
    assert ms.grad(ops.var)(Tensor([1.0, 1.0])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ('f', 'due'),
    [
        (lambda x: x.sum() ** 2, 4),
        (lambda x: x.mean() ** 2, 1),
        (lambda x: (x * x.sum()).sum(), 4),  # 2 in MindSpore, 0 in the others
        (lambda x: (x.expand_dims(0) * x.expand_dims(1)).sum(), 4),
        (lambda x: x @ x, 2),
        (lambda x: (x.reshape(2, 1) @ x.reshape(1, 2)).sum(), 4),
    ],
)
def test_second_derivatives_through_sums_products_and_broadcasts(f, due):
    x = Tensor([1.0, 2.0])
    assert ms.grad(ms.grad(f))(x).tolist() == [due, due]


def test_second_derivatives_of_a_norm():
    """(1 - x_i sum(x) / |x|²) / |x|: 1 / |x| in MindSpore."""
    np.testing.assert_allclose(ms.grad(ms.grad(ops.norm))(Tensor([3.0, 4.0])).asnumpy(), [0.032, -0.024], atol=1e-6)


def test_the_gradient_of_places_counted_from_the_end():
    """In MindSpore: 0 everywhere."""
    assert ms.grad(lambda x: x[Tensor([-1])].sum())(X).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert ms.grad(lambda x: x[1, ::-1].sum())(X).tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_write_out_of_range():
    with pytest.raises(IndexError, match='out of bounds'):
        X.copy()[0, 5] = 9.5


def test_a_deep_copy_is_a_copy():
    """In MindSpore both share their memory."""
    x = Tensor([1.0, 2.0])
    copy.deepcopy(x)[0] = 9.0
    assert x.tolist() == [1, 2]


def test_a_number_that_its_dtype_does_not_hold():
    """In MindSpore 300 is 44."""
    with refused(DTypeError, 'Add: 300', 'no UInt8', line='Tensor([200], ms.uint8) + 300'):
        Tensor([200], ms.uint8) + 300
    with pytest.raises(OverflowError):
        Tensor(300, ms.uint8)


def test_a_root_of_integers_by_a_negative_power():
    """In MindSpore 2 ** -1 is 0."""
    with refused(DTypeError, 'Pow', 'Int64 and Int64', 'negative integer powers', line='Tensor([2]) ** -1', keep=False):
        Tensor([2]) ** -1


def test_the_sum_of_bools_counts_them():
    """In MindSpore ReduceSum of Bools is a Bool."""
    assert ops.ReduceSum()(Tensor([True, True])).item() == 2


def test_integers_are_not_cut():
    """In MindSpore leaky_relu(-3) is 0, and edges between integers are cut."""
    with refused(DTypeError, 'LeakyReLU', 'floats'):
        ops.leaky_relu(Tensor([-3]))
    x = Tensor([1, 5, 9])
    assert ops.clip_by_value(x, 2.5, 6.5).tolist() == ops.hardtanh(x, 2.5, 6.5).tolist() == [2.5, 5, 6.5]


def test_a_power_of_a_negative_number_by_its_exponent():
    """In MindSpore: NaN, for every x that shares the exponent."""
    x, y = Tensor([-2.0, 2.0]), Tensor(2.0)
    assert ms.grad(ops.pow, 1)(x, y).item() == pytest.approx(4 * np.log(2))


def test_a_label_behind_the_last_class():
    """In MindSpore's sparse softmax loss it costs 0."""
    with refused(LabelError, 'class 3', line='nn.SoftmaxCrossEntropyWithLogits('):
        nn.SoftmaxCrossEntropyWithLogits(sparse=True)(X, Tensor([0, 3], ms.int32))


def test_dropout2d_prints_what_it_was_given():
    """MindSpore prints 1 - p."""
    assert repr(nn.Dropout2d(0.3)) == 'Dropout2d(p=0.3)'


def test_a_largest_number_that_keeps_its_axes():
    """MindSpore forgets them."""
    assert X.max(keepdims=True).shape == (1, 1)
