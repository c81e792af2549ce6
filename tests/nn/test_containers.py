"""Rows and dicts of Cells: places, and the names of the Parameters in them."""

from collections import OrderedDict

import pytest

from minicell import Tensor, nn
from minicell.errors import CellIndexError, CellNameError, NotCalledError
from tests.messages import refused, tells


def dense(size=1):
    return nn.Dense(size, size, has_bias=False)


def names(cell):
    return [p.name for p in cell.get_parameters()]


def kinds(row):
    return [type(cell).__name__ for cell in row]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.row = nn.CellList([dense(), nn.ReLU(), dense()])
        self.seq = nn.SequentialCell(dense(), nn.ReLU(), dense())

    def construct(self, x):
        return self.seq(x)


def test_what_is_taken_out_moves_the_rest_up_names_too():
    net = Net()
    del net.row[0]
    assert kinds(net.row) == ['ReLU', 'Dense'] and list(net.row.name_cells()) == ['0', '1']
    assert names(net) == ['row.1.weight', 'seq.0.weight', 'seq.2.weight']
    del net.seq[1]
    net.seq.append(dense())
    assert names(net.seq) == ['seq.0.weight', 'seq.1.weight', 'seq.2.weight'] and net(Tensor([[1.0]])).shape == (1, 1)
    del net.row[-1:]
    assert kinds(net.row) == ['ReLU'] and not hasattr(net.row, '1')


def test_what_is_put_in_moves_the_rest_down_names_too():
    net = Net()
    net.row.insert(1, dense(2))
    assert names(net.row) == ['row.0.weight', 'row.1.weight', 'row.3.weight']
    net.row.insert(-1, nn.Tanh())
    assert kinds(net.row) == ['Dense', 'Dense', 'ReLU', 'Tanh', 'Dense'] and names(net.row)[-1] == 'row.4.weight'
    net.row[3] = dense(3)
    net.row += [dense(4)]
    assert names(net.row) == [f'row.{k}.weight' for k in (0, 1, 3, 4, 5)]
    assert net.row.append(nn.ReLU()) is None and net.row.extend([nn.ReLU()]) is net.row and len(net.row) == 8
    assert list(net.row.name_cells()) == [str(k) for k in range(8)]


def test_names_of_ones_own_stay():
    row = nn.SequentialCell(OrderedDict(first=dense(), bend=nn.ReLU()))
    row.append(dense())
    del row[0]
    assert list(row.name_cells()) == ['bend', '1'] and names(row) == ['1.weight']
    assert list(row[1:].name_cells()) == ['1'] and type(row[1:]) is nn.SequentialCell


def test_without_prefix_names_are_the_cells_own():
    assert names(nn.CellList([dense(), dense()], auto_prefix=False)) == ['weight', 'weight']
    assert names(nn.CellDict({'a': dense()}, auto_prefix=False)) == ['weight']


@pytest.mark.parametrize('row', [nn.CellList([nn.ReLU()]), nn.SequentialCell(nn.ReLU())], ids=['list', 'sequence'])
def test_places_that_are_not_there(row):
    for act in (lambda: row[1], lambda: row.__delitem__(-2), lambda: row.__setitem__(1, nn.ReLU())):
        with refused(CellIndexError, 'it holds 1', '[-1, 1)', line='for act in (lambda: row[1]'):
            act()
    for act in (lambda: row['a'], lambda: row.__delitem__('a'), lambda: row.__setitem__('a', nn.ReLU())):
        with refused(TypeError, 'an int', 'a slice', 'a str'):
            act()


def test_what_a_list_refuses():
    row = nn.CellList([nn.ReLU()])
    assert repr(row[:1]) == 'CellList(\n  (0): ReLU()\n)' and row[-1] is row[0]
    with refused(IndexError, 'insert(5', 'it holds 1', '[-1, 1]'):
        row.insert(5, nn.ReLU())
    with refused(TypeError, 'extend', 'list of Cells', 'an int'):
        row.extend(3)
    with refused(NotCalledError, 'CellList', 'call'):
        row(Tensor(1.0))
    assert not nn.CellList() and not nn.SequentialCell()


def test_set_grad_reaches_those_in_a_row_and_no_others():
    net = Net()
    assert net.requires_grad is False and net.set_grad() is net and net.requires_grad and not net.row.requires_grad
    net.row.set_grad()
    assert net.row[0].requires_grad and not net.seq[0].requires_grad
    assert net.set_grad(False).requires_grad is False and all(p.requires_grad for p in net.get_parameters())


class Branches(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kinds = nn.CellDict([('bend', nn.ReLU()), ('fc', dense())])

    def construct(self, x, kind):
        return self.kinds[kind](x)


def test_a_dict_of_cells():
    net = Branches()
    assert net(Tensor([-1.0]), 'bend').tolist() == [0] and names(net) == ['kinds.fc.weight']
    net.kinds['more'] = dense()
    net.kinds['fc'] = dense()
    assert names(net) == ['kinds.fc.weight', 'kinds.more.weight']
    other = nn.CellDict({'bend': nn.Tanh()})
    other.update(nn.CellDict({'flat': nn.Identity()}))
    tells(repr(other), 'CellDict(\n  (bend): Tanh()', '\n  (flat): Identity()\n)')
    assert list(other) == list(other.keys()) == [k for k, _ in other.items()] and kinds(other.values())[0] == 'Tanh'
    assert 'bend' in other and len(other) == 2 and type(other.pop('bend')) is nn.Tanh and 'bend' not in other
    del other['flat']
    assert len(other) == 0 and not hasattr(other, 'flat')
    net.kinds.clear()
    assert names(net) == [] and len(net.kinds) == 0


@pytest.mark.parametrize(
    ('given', 'error', 'facts'),
    [
        ({'a': 3}, TypeError, ('CellDict holds Cells', 'an int')),
        ({1: nn.ReLU()}, TypeError, ('key', 'a string', 'an int')),
        ({'': nn.ReLU()}, CellNameError, ("''", 'no key')),
        ({'a.b': nn.ReLU()}, KeyError, ("'a.b'", 'no key')),
        ({'construct': nn.ReLU()}, KeyError, ("'construct'", 'an attribute')),
        ([('a', nn.ReLU()), ('b',)], ValueError, ('pairs', ('b',))),
        (3, TypeError, ('a dict', 'pairs', 'an int')),
    ],
    ids=['no Cell', 'no string', 'no name', 'a dot', 'an attribute', 'no pair', 'no dict'],
)
def test_what_a_dict_refuses(given, error, facts):
    with refused(error, *facts):
        nn.CellDict(given)


def test_a_dict_is_not_called():
    cells = nn.CellDict({'a': nn.ReLU()})
    with refused(NotCalledError, 'CellDict', 'call'):
        cells(Tensor(1.0))
    with pytest.raises(KeyError):
        cells.pop('b')
