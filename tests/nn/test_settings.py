"""Layers set up with what does not fit, or with another dtype: as MindSpore's."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import DTypeError
from tests.messages import refused, tells


def test_layers_of_another_dtype_and_what_comes_out_of_norms():
    half = ms.float16
    for layer in (
        nn.Dense(2, 1, dtype=half),
        nn.Conv2d(1, 1, 1, has_bias=True, dtype=half),
        nn.LayerNorm((2,), dtype=half),
    ):
        assert {p.dtype for p in layer.get_parameters()} == {half}
    x = Tensor([[1.0, 2.0], [3.0, 5.0]], half)
    for layer in (nn.BatchNorm1d(2), nn.BatchNorm1d(2).set_train(), nn.LayerNorm((2,))):
        assert layer(x).dtype == half
    assert nn.BatchNorm1d(2)(ops.ones((3, 2, 4))).shape == (3, 2, 4)
    with refused(DTypeError, 'BatchNorm1d takes floats', 'Int64'):
        nn.BatchNorm1d(2)(Tensor([[1, 2]]))
    with refused(DTypeError, 'Conv2D', 'one dtype'):
        nn.Conv2d(1, 1, 1)(Tensor(np.ones((1, 1, 2, 2), np.float16)))
    with refused(DTypeError, 'Conv2D', 'floats', 'Int64'):
        ops.conv2d(Tensor(np.ones((1, 1, 2, 2), int)), Tensor(np.ones((1, 1, 1, 1), int)))


def test_norms_print_as_mindspores_do_to_its_missing_sign():
    tells(repr(nn.LayerNorm([3])), 'LayerNorm(normalized_shape=[3]', 'begin_norm_axis=-1', 'begin_params_axis=-1')
    tells(repr(nn.LayerNorm((3,))), 'gammaParameter (name=gamma')


@pytest.mark.parametrize(
    ('make', 'due'),
    [
        (lambda: nn.Softmax(axis='a'), 'an int'),
        (lambda: nn.Hardtanh(-1.0, 'a'), 'a number'),
        (lambda: ops.hardtanh(ops.ones((1,)), 'a'), 'a number'),
        (lambda: nn.GELU(approximate='tanh'), 'a bool'),
        (lambda: nn.Dropout2d(1), 'a float'),
        (lambda: nn.Dropout(p='0.5'), 'a float'),
        (lambda: nn.Dropout2d(p=None), 'a float'),
        (lambda: nn.Conv2d(1, 1, 'three'), 'an int'),
        (lambda: nn.Conv2d(1, 1, 3.0), 'an int'),
        (lambda: nn.Conv2d('1', 1, 3), 'an int'),
        (lambda: nn.MaxPool2d(2.0), 'an int'),
    ],
)
def test_settings_of_another_kind(make, due):
    with refused(DTypeError, due, 'but got', line='(lambda: '):
        make()


def test_threshold_is_the_one_of_the_document():
    """MindSpore's document writes it as a Cell of one's own, with ops.gt, ops.fill and ops.select."""
    layer = nn.Threshold(0.1, 20)
    assert layer(Tensor([0.1, 0.5])).tolist() == [20, 0.5] and layer(Tensor([1, 5])).dtype == ms.int64
    assert ms.grad(layer)(Tensor([0.1, 0.5])).tolist() == [0, 1]
