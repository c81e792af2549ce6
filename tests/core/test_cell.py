"""Cell: what it finds among its attributes, names, states, its printed form, and misuse."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from tests.core.cells import Cube, Product


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


def test_parameters_own_ones_first_then_childrens():
    net = Net()
    assert [p.name for p in net.get_parameters()] == NAMES
    assert [name for name, _ in net.parameters_and_names()] == NAMES
    assert [p.name for p in net.trainable_params()] == [n for n in NAMES if n != 'frozen']
    assert [p.name for p in net.untrainable_params()] == ['frozen']
    assert list(net.parameters_dict()) == NAMES
    assert net.parameters_dict()['b1.scale'] is net.b1.scale
    assert type(net.get_parameters()).__name__ == 'generator' and type(net.trainable_params()) is list


def test_own_parameters_alone():
    net = Net()
    assert [p.name for p in net.get_parameters(expand=False)] == ['w', 'frozen']
    assert [p.name for p in net.trainable_params(recurse=False)] == ['w']


def test_a_parameter_without_a_name_takes_its_attributes():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = Parameter(1.0)
            self.second = Parameter(1.0, name='given')

    assert [p.name for p in Two().get_parameters()] == ['first', 'given']


def test_a_shared_cell_is_listed_once():
    class Shares(nn.Cell):
        def __init__(self):
            super().__init__()
            self.x = nn.Dense(1, 1)
            self.y = self.x

    assert len(list(Shares().get_parameters())) == 2
    assert len(list(Shares().cells_and_names())) == 2


def test_cells():
    net = Net()
    assert list(net.name_cells()) == ['b1', 'b2'] and list(net.cells()) == [net.b1, net.b2]
    assert [n for n, _ in net.cells_and_names()] == ['', 'b1', 'b1.fc', 'b1.act', 'b2', 'b2.fc', 'b2.act']


def test_repr():
    assert repr(Net()) == (
        'Net(\n'
        '  (b1): Block(\n'
        '    (fc): Dense(input_channels=2, output_channels=3, has_bias=True)\n'
        '    (act): ReLU()\n'
        '  )\n'
        '  (b2): Block(\n'
        '    (fc): Dense(input_channels=3, output_channels=1, has_bias=True)\n'
        '    (act): ReLU()\n'
        '  )\n'
        ')'
    )
    assert repr(nn.Cell()) == 'Cell()' and repr(Cube()) == str(Cube()) == 'Cube()'


def test_extend_repr():
    class Shows(nn.Cell):
        def extend_repr(self):
            return 'rate=3'

    class Outer(Shows):
        def __init__(self):
            super().__init__()
            self.inner = Shows()

    assert repr(Shows()) == 'Shows(rate=3)'
    assert repr(Outer()) == 'Outer(\n  rate=3\n  (inner): Shows(rate=3)\n)'


def test_set_train_recurses_and_returns_self():
    net = Net()
    assert (net.training, net.phase) == (False, 'train')  # as MindSpore's
    assert net.set_train() is net
    assert all((c.training, c.phase) == (True, 'train') for _, c in net.cells_and_names())
    net.set_train(False)
    assert all((c.training, c.phase) == (False, 'predict') for _, c in net.cells_and_names())


@pytest.mark.parametrize(
    ('name', 'value', 'says'),
    [
        ('phase', 3, "the property 'phase' must be string type, but got type <class 'int'>"),
        ('bprop_debug', 1, "the property 'bprop_debug' must be bool type"),
    ],
)
def test_properties_of_the_wrong_type(name, value, says):
    with pytest.raises(TypeError, match=says):
        setattr(Cube(), name, value)


def test_a_tensor_given_to_a_parameters_name_is_set_data():
    net = Net()
    p = net.w
    net.w = Tensor([9.0])
    assert net.w is p and float(p) == 9.0
    net.w += 1
    assert net.w is p and float(p) == 10.0
    with pytest.raises(ValueError, match='the shape stays'):
        net.w = Tensor([1.0, 2.0])
    for bad in (3.0, np.ones(1), 'a'):
        with pytest.raises(TypeError, match=r'Net\.w is a Parameter: give it a Tensor'):
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
    assert [p.name for p in net.get_parameters()] == ['frozen'] and list(net.name_cells()) == ['w']


def test_an_unknown_attribute():
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
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

    with pytest.raises(AttributeError, match=r'(?s)Forgets\.__init__ .*before it has called\s+super\(\)\.__init__\(\)'):
        Forgets()


def test_construct_that_was_forgotten():
    class Forward(nn.Cell):
        def forward(self, x):
            return x

    with pytest.raises(AttributeError, match="the method 'construct' is not defined: write it in Forward"):
        Forward()(Tensor([1.0]))


@pytest.mark.parametrize('watched', [False, True])
def test_missing_and_extra_arguments_are_pythons_own_error(watched):
    for arguments in ((), (Tensor([1.0]),), (Tensor([1.0]),) * 3):
        with pytest.raises(TypeError, match=r'construct\(\) (missing|takes)'):
            if watched:
                with ms.Tape():
                    Product()(*arguments)
            else:
                Product()(*arguments)


def test_dense():
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    layer = nn.Dense(2, 3)
    w, b = layer.weight.asnumpy(), layer.bias.asnumpy()
    assert (w.shape, b.shape, w.dtype) == ((3, 2), (3,), np.float32)
    assert np.abs(w).max() <= 1 / np.sqrt(2) and np.abs(b).max() <= 1 / np.sqrt(2) and w.std() > 0
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), x @ w.T + b, rtol=1e-6)
    np.testing.assert_allclose(layer(Tensor(x[0])).asnumpy(), x[0] @ w.T + b, rtol=1e-6)
    np.testing.assert_allclose(layer(Tensor(x[None])).asnumpy(), (x @ w.T + b)[None], rtol=1e-6)
    bare = nn.Dense(2, 3, has_bias=False)
    assert [p.name for p in bare.get_parameters()] == ['weight'] and 'has_bias' not in repr(bare)
    given = Tensor(np.ones((3, 2), np.float32))
    np.testing.assert_array_equal(nn.Dense(2, 3, given, 0).weight.asnumpy(), given.asnumpy())
    with pytest.raises(ValueError, match=r'(?s)\(2, 3\) against \(3, 2\).*your line: test_cell\.py'):
        nn.Dense(2, 3, Tensor(np.ones((2, 3), np.float32)))


def test_sequential_cell():
    from collections import OrderedDict

    parts = nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1)
    x = Tensor([[1.0, 2.0]])
    due = parts[2](parts[1](parts[0](x))).asnumpy()
    named = OrderedDict(zip('abc', parts, strict=True))
    for net, names in (
        (nn.SequentialCell(*parts), '012'),
        (nn.SequentialCell(list(parts)), '012'),
        (nn.SequentialCell(named), 'abc'),
    ):
        np.testing.assert_array_equal(net(x).asnumpy(), due)
        assert (
            list(net.name_cells()) == list(names) and len(net) == 3 and net[1] is parts[1] and list(net) == list(parts)
        )
    assert [p.name for p in nn.SequentialCell(nn.Dense(1, 1)).get_parameters()] == ['0.weight', '0.bias']
    with pytest.raises(TypeError, match='SequentialCell holds Cells, but got a'):
        nn.SequentialCell(nn.ReLU(), ops.relu)


@pytest.mark.parametrize(
    ('cell', 'function'), [(nn.ReLU, ops.relu), (nn.ReLU6, ops.relu6), (nn.Sigmoid, ops.sigmoid), (nn.Tanh, ops.tanh)]
)
def test_activations_are_their_ops(cell, function):
    x = Tensor([-1.0, 0.5, 7.0])
    np.testing.assert_array_equal(cell()(x).asnumpy(), function(x).asnumpy())
    assert repr(cell()) == f'{cell.__name__}()'


def test_a_training_loop_learns():
    """Least squares by gradient descent: the loss falls to next to nothing."""
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((20, 3)).astype(np.float32))
    y = x @ Tensor([[1.0], [-2.0], [0.5]]) + 3.0
    net = nn.Dense(3, 1, 0, 0)
    params = ParameterTuple(net.trainable_params())
    step = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, params)
    first = float(step(x, y)[0])
    for _ in range(200):
        loss, grads = step(x, y)
        for p, g in zip(params, grads, strict=True):
            p.set_data(p - 0.1 * g)
    assert float(loss) < 1e-6 * first
    np.testing.assert_allclose(net.weight.asnumpy(), [[1, -2, 0.5]], atol=1e-3)


def test_a_parameter_tuple_is_found_and_trains():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ws = ms.ParameterTuple([Parameter(1.0, name='a'), Parameter(2.0), Parameter(3.0, name='c')])

        def construct(self, x):
            return x * self.ws[0] + self.ws[1] * self.ws[2]

    net = Net()
    assert [p.name for p in net.trainable_params()] == ['a', 'Parameter$1', 'c']
    grads = ms.grad(net, None, net.trainable_params())(Tensor(5.0))
    assert [float(g) for g in grads] == [5.0, 3.0, 2.0]
    outer = nn.SequentialCell(net)
    assert [p.name for p in outer.trainable_params()] == ['0.a', '0.Parameter$1', '0.c']
    net.ws = None
    assert not net.trainable_params()
