"""What a Cell keeps under a name: its Parameters, its Cells, and what may take their places."""

import pytest

from minicell import Parameter, ParameterTuple, Tensor, nn


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
        with pytest.raises(KeyError, match=rf'(?s)^Net\.{name} is a {kind}, and stays one.*your line: test_cell_names'):
            setattr(net, name, value)
    with pytest.raises(TypeError, match=r'(?s)Net\.c is a Cell: give it another Cell, or None, but got a function'):
        net.c = lambda x: x
    net.c, net.empty = nn.Tanh(), nn.Sigmoid()
    assert repr(net) == 'Net(\n  (c): Tanh()\n  (empty): Sigmoid()\n)'
    net.c = None
    assert net.c is None and '(c): None' in repr(net) and len(net.cells()) == 1
    net.c = nn.ReLU()
    assert '(c): ReLU()' in repr(net)


def test_a_cell_inserted_keeps_its_names():
    net = Net()
    net.insert_child_to_cell('fc', nn.Dense(1, 1))
    net.insert_child_to_cell('later', None)
    assert [p.name for p in net.get_parameters()] == ['p', 'weight', 'bias'] and '(later): None' in repr(net)
    assert net.fc(Tensor([[1.0]])).shape == (1, 1)


def test_a_parameter_inserted_keeps_its_name_if_it_has_one():
    net = Net()
    net.insert_param_to_cell('q', Parameter(1.0))
    net.insert_param_to_cell('r', Parameter(1.0, name='mine'))
    net.insert_param_to_cell('a.b', Parameter(1.0), check_name_contain_dot=False)
    assert list(net.parameters_dict()) == ['p', 'q', 'mine', 'a.b']


@pytest.mark.parametrize(
    ('insert', 'arguments', 'error', 'says'),
    [
        ('child', (3, nn.ReLU()), TypeError, 'takes a name and a Cell, but as the name it got an int'),
        ('child', ('k', 3), TypeError, 'as the Cell it got an int'),
        ('child', ('construct', nn.ReLU()), KeyError, 'has an attribute called construct, that is no Cell'),
        ('param', ('', Parameter(1.0)), KeyError, "'' is no name for an attribute"),
        ('param', ('a.b', Parameter(1.0)), KeyError, "'a.b' is no name"),
        ('param', ('k', Tensor(1.0)), TypeError, 'as the Parameter it got a Tensor'),
        ('param', ('c', Parameter(1.0)), KeyError, 'has an attribute called c, that is no Parameter'),
    ],
)
def test_what_cannot_be_inserted(insert, arguments, error, says):
    net = Net()
    with pytest.raises(error, match=f'(?s){says}.*your line'):
        getattr(net, f'insert_{insert}_to_cell')(*arguments)


def test_apply_begins_inside():
    net, seen = nn.SequentialCell(nn.SequentialCell(nn.ReLU()), nn.Tanh()), []
    assert net.apply(lambda cell: seen.append(type(cell).__name__)) is net
    assert seen == ['ReLU', 'SequentialCell', 'Tanh', 'SequentialCell']


def test_one_name_twice_is_found_when_asked():
    net = Net()
    net.check_names()
    net.q = Parameter(Tensor([1.0]), name='p')
    with pytest.raises(ValueError, match=r'(?s)Net: the Parameters at p and q are both called p; give each its own'):
        net.check_names()


def test_a_cell_in_two_places_is_one_child():
    net = Net()
    net.again = net.c
    assert list(net.name_cells()) == ['c'] and len(net.cells()) == 1 and type(net.cells()).__name__ == 'odict_values'
    assert [k for k, _ in net.cells_and_names(None, 'net')] == ['net', 'net.c']
    assert [k for k, _ in net.cells_and_names({net.c})] == ['']


def test_unnamed_ones_in_tuples_are_counted():
    net = Net()
    net.few = ParameterTuple([Parameter(1.0), Parameter(2.0)])
    net.more = ParameterTuple([Parameter(3.0), Parameter(4.0, name='k')])
    assert list(net.parameters_dict()) == ['p', 'Parameter$1', 'Parameter$2', 'Parameter$3', 'k']


def test_without_super_init_a_call_says_so():
    class Forgot(nn.Cell):
        def __init__(self):
            self.k = 3

        def construct(self, x):
            return x

    cell = Forgot()
    with pytest.raises(AttributeError, match=r'(?s)call super\(\).__init__\(\) first.*your line: test_cell_names'):
        cell(Tensor(1.0))


def test_small_things_a_cell_knows():
    assert nn.ReLU().cls_name == 'ReLU' and nn.Cell(True, {'mark': 3}).mark == 3
