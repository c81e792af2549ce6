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
    ('make', 'facts'),
    [
        (lambda: nn.Conv2d(1, 1, 3, pad_mode='pad', padding=-1), ("'padding'", 'at least 0')),
        (lambda: nn.MaxPool2d(2, padding=1), ("'MaxPool2d'", "'padding'", 'zero')),
        (lambda: ops.Conv2D(1, 3, pad=1), ("'Conv2D'", "'padding'", 'zero')),
        (lambda: ops.Conv2D(1, 3, pad_mode='x'), ("'pad_mode'", "'same'", "'valid'", "'pad'")),
        (lambda: ops.avg_pool2d(ops.ones((1, 1, 4, 4)), 2, 2, 0, True), ("'avg_pool2d'", 'no ceil_mode')),
        (lambda: ops.max_pool2d(ops.ones((1, 1, 4, 4)), 2, ceil_mode=True), ("'max_pool2d'", 'no ceil_mode')),
        (lambda: nn.Flatten()(ops.ones((3,))), ('Flatten', 'no axis 1', (3,))),
        (lambda: nn.Hardtanh(2, -2), ('min_val', 'max_val')),
    ],
)
def test_settings_that_cannot_be_meant(make, facts):
    with refused(ValueError, *facts, line='(lambda: '):
        make()


@pytest.mark.parametrize(
    ('make', 'due'),
    [
        (lambda: nn.Softmax(axis='a'), 'an int'),
        (lambda: nn.Hardtanh(-1.0, 'a'), 'a number'),
        (lambda: ops.hardtanh(ops.ones((1,)), 'a'), 'a number'),
        (lambda: nn.GELU(approximate='tanh'), 'a bool'),
        (lambda: nn.Dropout2d(1), 'a float'),
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
