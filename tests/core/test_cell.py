"""Cell: what it finds among its attributes, names, states, its printed form, and misuse."""

from collections import OrderedDict

import numpy as np
import pytest

from minicell import Parameter, Tensor, nn, ops
from minicell.errors import ShapeError
from tests.core.cells import LOOK, Cube, Product, same
from tests.messages import refused, tells


class Block(nn.Cell):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Dense(i, o)
        self.act = nn.ReLU()
        self.scale = Parameter(Tensor([1.0]), name='scale')

    def construct(self, x):
        return self.act(self.fc(x)) * self.scale


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.b1 = Block(2, 3)
        self.b2 = Block(3, 1)
        self.w = Parameter(Tensor([5.0]), name='w')
        self.frozen = Parameter(Tensor([6.0]), name='frozen', requires_grad=False)

    def construct(self, x):
        return self.b2(self.b1(x)) * self.w


NAMES = ['w', 'frozen', 'b1.scale', 'b1.fc.weight', 'b1.fc.bias', 'b2.scale', 'b2.fc.weight', 'b2.fc.bias']


def names(parameters) -> list[str]:
    return [p.name for p in parameters]


def test_parameters_own_ones_first_then_childrens():
    net = Net()
    assert names(net.get_parameters()) == NAMES
    assert [name for name, _ in net.parameters_and_names()] == NAMES
    assert names(net.trainable_params()) == [n for n in NAMES if n != 'frozen']
    assert names(net.untrainable_params()) == ['frozen']
    assert list(net.parameters_dict()) == NAMES
    assert net.parameters_dict()['b1.scale'] is net.b1.scale
    assert type(net.get_parameters()).__name__ == 'generator' and type(net.trainable_params()) is list


def test_own_parameters_alone():
    net = Net()
    assert names(net.get_parameters(expand=False)) == ['w', 'frozen']
    assert names(net.trainable_params(recurse=False)) == ['w']


def test_a_parameter_without_a_name_takes_its_attributes():
    net = Net()
    net.first, net.second = Parameter(1.0), Parameter(1.0, name='given')
    assert names(net.get_parameters(expand=False)) == ['w', 'frozen', 'first', 'given']


def test_a_shared_cell_is_listed_once():
    net = nn.Cell()
    net.x = net.y = nn.Dense(1, 1)
    assert len(list(net.get_parameters())) == 2
    assert len(list(net.cells_and_names())) == 2 and len(net.cells()) == 1
    assert list(net.name_cells()) == ['x'] and type(net.cells()).__name__ == 'odict_values'
    assert [k for k, _ in net.cells_and_names(None, 'net')] == ['net', 'net.x']
    assert [k for k, _ in net.cells_and_names({net.x})] == ['']


def test_cells():
    net = Net()
    assert list(net.name_cells()) == ['b1', 'b2'] and list(net.cells()) == [net.b1, net.b2]
    assert [n for n, _ in net.cells_and_names()] == ['', 'b1', 'b1.fc', 'b1.act', 'b2', 'b2.fc', 'b2.act']


def test_repr():
    text = tells(repr(Net()), '(b1): Block(\n    (fc)', 'output_channels=3, has_bias', '(act): ReLU()')
    assert [len(line) - len(line.lstrip()) for line in text.splitlines()] == [0, 2, 4, 4, 2, 2, 4, 4, 2, 0]
    assert repr(nn.Cell()) == 'Cell()' and repr(Cube()) == str(Cube()) == 'Cube()'


def test_extend_repr():
    class Shows(nn.Cell):
        def extend_repr(self):
            return 'rate=3'

    outer = Shows()
    outer.inner = Shows()
    assert repr(outer.inner) == 'Shows(rate=3)'
    assert repr(outer).splitlines() == ['Shows(', '  rate=3', '  (inner): Shows(rate=3)', ')']


def test_set_train_recurses_and_returns_self():
    net = Net()
    assert (net.training, net.phase) == (False, 'train')  # as MindSpore's
    assert net.set_train() is net
    assert all((c.training, c.phase) == (True, 'train') for _, c in net.cells_and_names())
    net.set_train(False)
    assert all((c.training, c.phase) == (False, 'predict') for _, c in net.cells_and_names())


@pytest.mark.parametrize(('name', 'value', 'facts'), [('phase', 3, ['string', int]), ('bprop_debug', 1, ['bool'])])
def test_properties_of_the_wrong_type(name, value, facts):
    with refused(TypeError, f"'{name}'", *facts):
        setattr(Cube(), name, value)


def test_a_tensor_given_to_a_parameters_name_is_set_data():
    net = Net()
    p = net.w
    net.w = Tensor([9.0])
    assert net.w is p and float(p) == 9.0
    net.w += 1
    assert net.w is p and float(p) == 10.0
    with refused(ShapeError, 'w', '(1,)', '(2,)', 'shape stays'):
        net.w = Tensor([1.0, 2.0])
    for bad in (3.0, np.ones(1), 'a'):
        with refused(TypeError, 'Net.w', 'a Parameter', 'a Tensor'):
            net.w = bad
    net.w = Parameter(Tensor([1.0, 2.0]), name='w')
    assert net.w is not p and net.w.shape == (2,)


def test_attributes_can_be_deleted_and_then_change_their_kind():
    net = Net()
    del net.b1
    net.b1 = 5
    assert [n for n, _ in net.cells_and_names()][1:] == ['b2', 'b2.fc', 'b2.act']
    del net.b2
    assert len(net.cells()) == 0
    del net.w
    net.w = nn.ReLU()
    assert names(net.get_parameters()) == ['frozen'] and list(net.name_cells()) == ['w']


def test_an_unknown_attribute():
    with refused(AttributeError, "'Net'", "'nothing'"):
        Net().nothing  # noqa: B018
    assert not hasattr(Net(), 'nothing') and getattr(Net(), 'nothing', 3) == 3


@pytest.mark.parametrize(
    'keep',
    [lambda: Parameter(Tensor([1.0])), lambda: nn.ReLU(), lambda: ops.Sigmoid()],
    ids=['Parameter', 'Cell', 'op'],
)
def test_super_init_that_was_forgotten(keep):
    class Forgets(nn.Cell):
        def __init__(self):
            self.kept = keep()

    with refused(AttributeError, 'Forgets.__init__ ', 'before', 'super().__init__()'):
        Forgets()


def test_without_super_init_a_call_says_so():
    class Forgot(nn.Cell):
        def __init__(self):
            self.k = 3

        def construct(self, x):
            return x

    cell = Forgot()
    with refused(AttributeError, 'super().__init__() first', line='cell(Tensor(1.0))'):
        cell(Tensor(1.0))


def test_construct_that_was_forgotten():
    class Forward(nn.Cell):
        def forward(self, x):
            return x

    with refused(AttributeError, "'construct'", 'not defined', 'in Forward'):
        Forward()(Tensor([1.0]))


@LOOK
@pytest.mark.parametrize('count', [0, 1, 3])
def test_missing_and_extra_arguments_are_pythons_own_error(look, count):
    with pytest.raises(TypeError, match=r'construct\(\) (missing|takes)'), look():
        Product()(*[Tensor([1.0])] * count)


def test_sequential_cell():
    parts = nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1)
    x = Tensor([[1.0, 2.0]])
    due = parts[2](parts[1](parts[0](x))).asnumpy()
    named = OrderedDict(zip('abc', parts, strict=True))
    for net, keys in (
        (nn.SequentialCell(*parts), '012'),
        (nn.SequentialCell(list(parts)), '012'),
        (nn.SequentialCell(named), 'abc'),
    ):
        same(net(x), due)
        assert list(net.name_cells()) == list(keys)
        assert len(net) == 3 and net[1] is parts[1] and list(net) == list(parts)
    assert names(nn.SequentialCell(nn.Dense(1, 1)).get_parameters()) == ['0.weight', '0.bias']
    with refused(TypeError, 'SequentialCell holds Cells', 'got a'):
        nn.SequentialCell(nn.ReLU(), ops.relu)
