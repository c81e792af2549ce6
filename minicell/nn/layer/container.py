"""Cells that hold Cells: SequentialCell, CellList, CellDict."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, MutableMapping

from ...core.errors import users_line
from ...core.tensor import Tensor
from ...errors import CellIndexError, CellNameError, NotCalledError, ParameterError, SettingError
from ...ops.checks import must, must_be
from ..cell import Cell


class _Holder(Cell):
    """What all three have in common: Cells by name. Most are called one by one, as `instead` says."""

    instead = ''

    def __len__(self) -> int:
        return len(self._cells)

    def construct(self, *inputs: object) -> object:
        raise NotCalledError(f'a {type(self).__name__} is {self.instead}.{users_line()}')

    def _keep(self, name: str, cell: object, prefix: str) -> None:
        must_be(cell, Cell, ParameterError, f'{type(self).__name__} holds Cells')
        setattr(self, name, cell)
        if prefix and self._auto_prefix:
            cell.update_parameters_name(f'{prefix}{name}.')

    def _prefix(self) -> str:
        """What stands before these Cells in the names of their Parameters, once this one is part of another."""
        for place, cell in self._cells.items():
            for name, p in cell.parameters_and_names():
                return p.name.removesuffix(f'{place}.{name}') if p.name.endswith(f'{place}.{name}') else ''
        return ''


class _Row(_Holder):
    """What SequentialCell and CellList have in common: Cells in a row, named by their places."""

    def append(self, cell: Cell) -> None:
        """One more at the end."""
        self._keep(str(len(self)), cell, self._prefix())

    def _renumber(self, change: Callable[[list], list]) -> None:
        """Another list of (name, Cell); those without a name of their own get the number of their new place."""
        prefix, pairs = self._prefix(), list(self._cells.items())
        for name, _ in pairs:
            delattr(self, name)
        for place, (name, cell) in enumerate(change(pairs)):
            self._keep(str(place) if name.isdigit() else name, cell, prefix)

    def _key(self, index: object) -> str:
        name, n = type(self).__name__, len(self)
        must_be(index, (int, bool), ParameterError, f'{name}[i]: i is an int or a slice')
        must(-n <= index < n, CellIndexError, f'{name}[{index}]: it holds {n}, so that i is in [-{n}, {n})')
        return list(self._cells)[index]

    def __getitem__(self, index: int | slice) -> Cell:
        if isinstance(index, slice):
            return self._part(list(self._cells.items())[index])
        return self._cells[self._key(index)]

    def _part(self, pairs: list) -> 'Cell':
        """A row of its own of these."""
        return type(self)([cell for _, cell in pairs])

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._keep(self._key(index), cell, self._prefix())

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._cells)[index] if isinstance(index, slice) else [self._key(index)]
        self._renumber(lambda pairs: [pair for pair in pairs if pair[0] not in names])

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def set_grad(self, requires_grad: bool = True) -> 'Cell':
        """As of any Cell, and for those inside too."""
        for cell in self:
            cell.set_grad(requires_grad)
        return super().set_grad(requires_grad)


class SequentialCell(_Row):
    """Cells one after the other: given one by one, in a list, or in an OrderedDict of names. TypeError for no Cell.

    >>> nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=3, has_bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: object) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], (list, OrderedDict)):
            args = args[0]
        for name, cell in args.items() if isinstance(args, OrderedDict) else enumerate(args):
            self._keep(str(name), cell, '')

    def _part(self, pairs: list) -> Cell:
        return type(self)(OrderedDict(pairs))

    def construct(self, input_data: Tensor) -> Tensor:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Row):
    """A list of Cells (else TypeError) that the Cell around it knows of: their Parameters are found. It is not called.

    >>> layers = nn.CellList([nn.Dense(1, 1) for _ in range(2)])
    >>> [p.name for p in layers.get_parameters()]
    ['0.weight', '0.bias', '1.weight', '1.bias']
    """

    instead = 'a list: call its Cells, as in `for cell in self.cells_: ...`'

    def __init__(self, *args: object, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self.extend(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)

    def extend(self, cells: Iterable[Cell]) -> 'CellList':
        """Several more at the end; returns the list."""
        must_be(cells, Iterable, ParameterError, 'CellList.extend takes a list of Cells')
        for cell in cells:
            self.append(cell)
        return self

    __iadd__ = extend

    def insert(self, index: int, cell: Cell) -> None:
        """One more before the place `index`; those behind it get new names. Raises IndexError where there is none."""
        must_be(cell, Cell, ParameterError, 'CellList holds Cells')
        n = len(self)
        there = -n <= index <= n
        must(there, CellIndexError, f'CellList.insert({index}, ...): it holds {n}, so that the place is in [-{n}, {n}]')
        self._renumber(lambda pairs: [*pairs[:index], ('0', cell), *pairs[index:]])


class CellDict(_Holder, MutableMapping):
    """A dict of Cells that the Cell around it knows of: given as a dict, or as pairs. It cannot be called.

    Raises TypeError for what is no Cell, KeyError for a key that is empty, has a dot, or is an attribute of every Cell.

    >>> branches = nn.CellDict({'plain': nn.Identity(), 'bent': nn.ReLU()})
    >>> list(branches), branches['bent']
    (['plain', 'bent'], ReLU())
    """

    instead = 'a dict: call one of its Cells, as in `self.cells_[key](x)`'

    def __init__(self, *args: object, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        for cells in args:
            self.update(cells)

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        must_be(key, str, ParameterError, 'a key of a CellDict is a string')
        bad = 'it is empty, has a dot in it, or is an attribute of every Cell'
        free = key and '.' not in key and not hasattr(Cell, key)
        must(free, CellNameError, f'{key!r} is no key of a CellDict: {bad}')
        self._keep(key, cell, self._prefix())

    def __delitem__(self, key: str) -> None:
        self._cells[key]  # a KeyError, if it is not there
        delattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    __eq__, __hash__ = object.__eq__, object.__hash__  # as of any Cell, not as of a mapping

    keys = lambda self: self._cells.keys()  # (an OrderedDict's, as all three: they print what they hold)
    values = lambda self: self._cells.values()
    items = lambda self: self._cells.items()

    def pop(self, key: str) -> Cell:
        """Take a Cell out, and return it. Raises KeyError where there is none."""
        return super().pop(key)

    def update(self, cells: object) -> None:
        """More of them, from a dict, a CellDict, or pairs. A key that is there gets the new Cell."""
        must_be(cells, Iterable, ParameterError, 'CellDict takes a dict, or pairs of a key and a Cell')
        for pair in cells.items() if isinstance(cells, (dict, CellDict)) else cells:
            both = isinstance(pair, (tuple, list)) and len(pair) == 2
            must(both, SettingError, f'CellDict takes pairs of a key and a Cell, but got {pair!r:.60}')
            self[pair[0]] = pair[1]
