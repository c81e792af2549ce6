"""Initializers: names, numbers, and a whole network initialised by traversal."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.common import initializer as module
from minicell.common.initializer import HeUniform, Initializer, Normal, Uniform, XavierUniform, initializer
from minicell.errors import InitializerError
from tests.messages import refused

FIRST = ['ones', 'one', 'zeros', 'zero', 'normal', 'uniform']
NAMES = [*FIRST, 'xavier_uniform', 'xavieruniform', 'he_uniform', 'heuniform']


@pytest.mark.parametrize('name', NAMES)
def test_names_in_any_case(name):
    for said in (name, name.upper(), name.title()):
        made = initializer(said, [4, 3])
        assert type(made) is Tensor and made.shape == (4, 3) and made.dtype == ms.float32
        assert np.isfinite(made.asnumpy()).all()
    assert initializer(name, (4, 3), ms.float16).dtype == ms.float16


@pytest.mark.parametrize('name', ['constant', 'truncated_normal', 'kaiming', ''])
def test_a_name_that_there_is_not(name):
    with refused(ValueError, f'no initializer {name!r}', 'he_uniform') as error:
        initializer(name, [2])
    assert isinstance(error.value, InitializerError)


def test_constants():
    assert initializer('ones', 3).asnumpy().tolist() == [1, 1, 1]
    assert initializer(2.5, ()).asnumpy() == 2.5
    assert initializer(module.Constant(2), [1, 2], ms.int32).asnumpy().tolist() == [[2, 2]]
    assert initializer('ones', [0, 2]).shape == (0, 2)
    assert float(initializer('ones', []).init_data()) == 1


@pytest.mark.parametrize(
    ('init', 'shape', 'deviation', 'bound'),
    [
        (Normal(), (300, 400), 0.01, None),
        (Normal(2.0, 5.0), (300, 400), 2.0, None),
        (Uniform(), (300, 400), 0.07 / 3**0.5, 0.07),
        (XavierUniform(), (400, 300), (2 / 700) ** 0.5, (6 / 700) ** 0.5),
        (XavierUniform(2), (400, 300), 2 * (2 / 700) ** 0.5, None),
        (HeUniform(), (400, 300), (2 / 300) ** 0.5, (6 / 300) ** 0.5),
        (HeUniform(5**0.5), (400, 300), (1 / 3 / 300) ** 0.5, (1 / 300) ** 0.5),
        (HeUniform(mode='fan_out'), (400, 300), (2 / 400) ** 0.5, None),
        (HeUniform(nonlinearity='relu'), (40, 30, 5, 5), (2 / 750) ** 0.5, None),
    ],
    ids=repr,
)
def test_how_far_random_numbers_spread(init, shape, deviation, bound):
    np.random.seed(0)
    x = initializer(init, shape).asnumpy()
    if deviation:
        assert abs(x.std() / deviation - 1) < 0.02
    if bound:
        assert np.abs(x).max() <= bound * (1 + 1e-6) and np.abs(x).max() > 0.95 * bound


@pytest.mark.parametrize('name', ['xavier_uniform', 'he_uniform'])
def test_a_bias_has_no_fan(name):
    with pytest.raises(InitializerError, match='two axes'):
        initializer(name, [3])


@pytest.mark.parametrize(
    'init', [None, True, [1.0], np.ones(2), Normal], ids=['None', 'bool', 'list', 'array', 'class']
)
def test_what_is_no_initializer(init):
    with refused(TypeError, 'a name', 'an Initializer', 'a number', 'a Tensor'):
        initializer(init, [2])


@pytest.mark.parametrize('shape', [None, 'two', [1.5], [-1], (2, None)])
def test_what_is_no_shape(shape):
    with refused(InitializerError, 'a shape', 'an int', 'a tuple'):
        initializer('ones', shape)


def test_a_tensor_is_checked_for_its_shape():
    x = Tensor([1.0, 2.0])
    assert initializer(x, [2]) is x
    with refused(ValueError, (2,), (3,)):
        initializer(x, [3])


def test_the_seed_repeats():
    made = []
    for _ in range(2):
        ms.set_seed(7)
        made.append([initializer('normal', [2, 3]).asnumpy(), nn.Dense(2, 2).weight.asnumpy()])
    np.testing.assert_array_equal(made[0][0], made[1][0])
    np.testing.assert_array_equal(made[0][1], made[1][1])
    assert ms.get_seed() == 7
    with pytest.raises(TypeError, match='seed'):
        ms.set_seed(1.5)
    with pytest.raises(ValueError, match='seed'):
        ms.set_seed(-1)


def test_parameters_take_them():
    y = Parameter(default_input=initializer('ones', [1, 2, 3], ms.float32), name='y')
    assert y.shape == (1, 2, 3) and y.asnumpy().all()
    b = Parameter(Tensor([1.0, 2.0, 3.0]), name='b')
    b.set_data(initializer('zeros', [3]))
    assert b.asnumpy().tolist() == [0, 0, 0]


def test_a_whole_cell_by_traversal():
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.Flatten(), nn.Dense(8, 2))
    for _, p in net.parameters_and_names():
        p.set_data(initializer(Normal(), p.shape, p.dtype))
    assert all(0 < np.abs(p.asnumpy()).max() < 0.1 for p in net.get_parameters())
    for cell in net.cells():
        if isinstance(cell, nn.Dense):
            cell.weight.set_data(initializer('ones', cell.weight.shape, cell.weight.dtype))
    assert net[2].weight.asnumpy().all()


class Ramp(Initializer):
    def _initialize(self, arr):
        arr[...] = np.arange(arr.size).reshape(arr.shape)


def test_one_of_ones_own_as_mindspore_writes_them():
    assert nn.Dense(2, 2, weight_init=Ramp()).weight.asnumpy().tolist() == [[0, 1], [2, 3]]
    with refused(NotImplementedError, 'a method fill'):
        initializer(Initializer(), [1])
