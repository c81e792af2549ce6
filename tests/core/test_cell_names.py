"""What a Cell keeps under a name: its Parameters, its Cells, and what may take their places."""

import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn
from tests.messages import refused


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0]), name='p')
        self.c = nn.ReLU()
        self.empty = None

    def construct(self, x):
        return self.c(x) * self.p


def test_a_cell_and_a_parameter_do_not_take_each_others_place():
    net = Net()
    for name, value, kind in (('p', nn.Tanh(), 'Parameter'), ('c', Parameter(1.0), 'Cell')):
        with refused(KeyError, f'Net.{name}', f'a {kind}', 'stays', line='setattr(net, name, value)'):
            setattr(net, name, value)
    with refused(TypeError, 'Net.c', 'another Cell', 'a function'):
        net.c = lambda x: x
    net.c, net.empty = nn.Tanh(), nn.Sigmoid()
    assert repr(net).splitlines() == ['Net(', '  (c): Tanh()', '  (empty): Sigmoid()', ')']
    net.c = None
    assert net.c is None and '(c): None' in repr(net) and len(net.cells()) == 1
    net.c = nn.ReLU()
    assert '(c): ReLU()' in repr(net)


def test_a_cell_inserted_keeps_its_names():
    net = Net()
    net.insert_child_to_cell('fc', nn.Dense(1, 1))
    net.insert_child_to_cell('later', None)
    assert list(net.parameters_dict()) == ['p', 'weight', 'bias'] and '(later): None' in repr(net)
    assert net.fc(Tensor([[1.0]])).shape == (1, 1)


def test_a_parameter_inserted_keeps_its_name_if_it_has_one():
    net = Net()
    net.insert_param_to_cell('q', Parameter(1.0))
    net.insert_param_to_cell('r', Parameter(1.0, name='mine'))
    net.insert_param_to_cell('a.b', Parameter(1.0), check_name_contain_dot=False)
    assert list(net.parameters_dict()) == ['p', 'q', 'mine', 'a.b']


@pytest.mark.parametrize(
    ('insert', 'arguments', 'error', 'facts'),
    [
        ('child', (3, nn.ReLU()), TypeError, ['a name', 'an int']),
        ('child', ('k', 3), TypeError, ['the Cell', 'an int']),
        ('child', ('construct', nn.ReLU()), KeyError, ['called construct', 'no Cell']),
        ('param', ('', Parameter(1.0)), KeyError, ["''", 'no name']),
        ('param', ('a.b', Parameter(1.0)), KeyError, ["'a.b'", 'no name']),
        ('param', ('k', Tensor(1.0)), TypeError, ['the Parameter', 'a Tensor']),
        ('param', ('c', Parameter(1.0)), KeyError, ['called c', 'no Parameter']),
    ],
    ids=['an int', 'no Cell', 'a method', 'no name', 'a dot', 'no Parameter', 'a Cell'],
)
def test_what_cannot_be_inserted(insert, arguments, error, facts):
    with refused(error, *facts, line='_to_cell'):
        getattr(Net(), f'insert_{insert}_to_cell')(*arguments)


def test_apply_begins_inside():
    net, seen = nn.SequentialCell(nn.SequentialCell(nn.ReLU()), nn.Tanh()), []
    assert net.apply(lambda cell: seen.append(type(cell).__name__)) is net
    assert seen == ['ReLU', 'SequentialCell', 'Tanh', 'SequentialCell']


def test_one_name_twice_is_found_when_asked():
    net = Net()
    net.check_names()
    net.q = Parameter(Tensor([1.0]), name='p')
    with refused(ValueError, 'Net', 'p and q', 'called p'):
        net.check_names()


def test_unnamed_ones_in_tuples_are_counted_and_train():
    net = Net()
    net.few = ParameterTuple([Parameter(1.0, name='a'), Parameter(2.0)])
    net.more = ParameterTuple([Parameter(3.0), Parameter(4.0, name='k')])
    found = ['p', 'a', 'Parameter$1', 'Parameter$2', 'k']
    assert list(net.parameters_dict()) == [p.name for p in net.trainable_params()] == found
    net.construct = lambda x: x * net.few[0] + net.few[1] * net.more[0]
    grads = ms.grad(net, None, net.trainable_params()[1:4])(Tensor(5.0))
    assert [float(g) for g in grads] == [5.0, 3.0, 2.0]
    assert [p.name for p in nn.SequentialCell(net).trainable_params()] == [f'0.{name}' for name in found]
    net.few = None
    assert list(net.parameters_dict()) == ['0.p', '0.Parameter$2', '0.k']


def test_small_things_a_cell_knows():
    assert nn.ReLU().cls_name == 'ReLU' and nn.Cell(True, {'mark': 3}).mark == 3
