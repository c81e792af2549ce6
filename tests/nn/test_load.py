"""load_param_into_net: what is written, what is left, what is refused."""

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import LoadError
from tests.messages import refused


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.Dense(1, 1, 5.0, 6.0)


def given(value, name='weight', dtype=ms.float32):
    return {name: Parameter(Tensor([[value]], dtype), name=name)}


def test_what_has_the_same_name_is_written():
    old, new = nn.Dense(1, 1, 2.0, 3.0), nn.Dense(1, 1, 0.0, 0.0)
    values = old.parameters_dict()
    assert ms.load_param_into_net(new, values) == ([], [])
    old.weight.set_data(Tensor([[9.0]]))
    assert new.weight.tolist() == [[2]] and new.bias.tolist() == [3]
    assert ms.load_param_into_net(new, {**given(7.0), 'zz': old.bias}) == (['bias'], ['zz'])
    assert new.weight.tolist() == [[7]]


def test_a_prefix_before_all_is_passed_over():
    net, outer = nn.Dense(1, 1, 2.0, 3.0), Outer()
    assert ms.load_param_into_net(net, outer.parameters_dict()) == ([], ['net.weight', 'net.bias'])
    assert net.weight.tolist() == [[5]] and net.bias.tolist() == [6]
    assert ms.load_param_into_net(outer, nn.Dense(1, 1).parameters_dict())[0] == ['net.weight', 'net.bias']
    assert ms.load_param_into_net(net, outer.parameters_dict(), strict_load=True)[0] == ['weight', 'bias']


def test_floats_are_cast_unless_strict():
    net = nn.Dense(1, 1, 2.0, 3.0)
    ms.load_param_into_net(net, given(8.0, dtype=ms.float64))
    assert net.weight.dtype == ms.float32 and net.weight.tolist() == [[8]]
    for values, strict, found in (
        (given(8.0, dtype=ms.float64), True, 'Float64'),
        (given(8, dtype=ms.int64), False, 'Int64'),
    ):
        with refused(LoadError, 'weight', 'Float32 (1, 1)', found, line='ms.load_param_into_net('):
            ms.load_param_into_net(net, values, strict)
    with refused(RuntimeError, 'Float32 (2,)'):
        ms.load_param_into_net(net, {'weight': Parameter(Tensor([1.0, 2.0]))})


@pytest.mark.parametrize(
    ('arguments', 'got'),
    [
        ((3, {}), 'an int'),
        ((nn.ReLU(), [1]), 'a list'),
        ((nn.ReLU(), {'w': Tensor(1.0)}), 'a Tensor'),
        ((nn.ReLU(), {3: None}), 'an int'),
        ((nn.ReLU(), {}, 3), 'an int'),
    ],
    ids=['no Cell', 'no dict', 'no Parameter', 'no name', 'no bool'],
)
def test_what_it_refuses(arguments, got):
    with refused(TypeError, 'load_param_into_net', f'got {got}', line='ms.load_param_into_net('):
        ms.load_param_into_net(*arguments)
