"""Cells that hold Cells: SequentialCell, CellList, CellDict."""

from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView

from ..core.errors import article, users_line
from ..core.tensor import Tensor
from ..errors import CellIndexError, CellNameError, NotCalledError, ParameterError, SettingError
from .cell import Cell


def _a_cell(holder: str, cell: object) -> Cell:
    if not isinstance(cell, Cell):
        raise ParameterError(f'{holder} holds Cells, but got {article(type(cell).__name__)}.{users_line()}')
    return cell


class _Row(Cell):
    """What SequentialCell and CellList have in common: Cells in a row, named by their places."""

    def append(self, cell: Cell) -> None:
        """One more at the end."""
        self._keep(str(len(self)), cell, self._prefix())

    def _keep(self, name: str, cell: object, prefix: str) -> None:
        setattr(self, name, _a_cell(type(self).__name__, cell))
        if prefix and self._auto_prefix:
            cell.update_parameters_name(f'{prefix}{name}.')

    def _prefix(self) -> str:
        """What stands before this row in the names of its Parameters, once it is part of another Cell."""
        for place, cell in self._cells.items():
            for name, p in cell.parameters_and_names():
                return p.name.removesuffix(f'{place}.{name}') if p.name.endswith(f'{place}.{name}') else ''
        return ''

    def _renumber(self, change: Callable[[list], object]) -> None:
        """Change the list of (name, Cell); those without a name of their own get the number of their new place."""
        prefix, pairs = self._prefix(), list(self._cells.items())
        for name, _ in pairs:
            delattr(self, name)
        change(pairs)
        for place, (name, cell) in enumerate(pairs):
            self._keep(str(place) if name.isdigit() else name, cell, prefix)

    def _key(self, index: object) -> str:
        if not isinstance(index, int):
            got = article(type(index).__name__)
            raise ParameterError(f'{type(self).__name__}[i]: i is an int or a slice, but got {got}.{users_line()}')
        if not -len(self) <= index < len(self):
            raise CellIndexError(
                f'{type(self).__name__}[{index}]: it holds {len(self)}, so that i is in [-{len(self)}, '
                f'{len(self)}).{users_line()}'
            )
        return list(self._cells)[index]

    def __len__(self) -> int:
        return len(self._cells)

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

        def without(pairs: list) -> None:
            pairs[:] = [(name, cell) for name, cell in pairs if name not in names]

        self._renumber(without)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def set_grad(self, requires_grad: bool = True) -> 'Cell':
        """As of any Cell, and for those inside too."""
        for cell in self:
            cell.set_grad(requires_grad)
        return super().set_grad(requires_grad)


class SequentialCell(_Row):
    """Cells one after the other: given one by one, in a list, or in an OrderedDict that names them.

    Raises TypeError for what is no Cell.

    >>> from minicell import nn
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
        """Each Cell's output is the next one's input."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Row):
    """A list of Cells that the Cell around it knows of, so that their Parameters are found. It cannot be called.

    Raises TypeError for what is no Cell.

    >>> from minicell import nn
    >>> layers = nn.CellList([nn.Dense(1, 1) for _ in range(2)])
    >>> [p.name for p in layers.get_parameters()]
    ['0.weight', '0.bias', '1.weight', '1.bias']
    """

    def __init__(self, *args: object, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self.extend(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)

    def extend(self, cells: Iterable[Cell]) -> 'CellList':
        """Several more at the end; returns the list."""
        if not isinstance(cells, Iterable):
            got = article(type(cells).__name__)
            raise ParameterError(f'CellList.extend takes a list of Cells, but got {got}.{users_line()}')
        for cell in cells:
            self.append(cell)
        return self

    __iadd__ = extend

    def insert(self, index: int, cell: Cell) -> None:
        """One more before the place `index`; those behind it get new names. Raises IndexError where there is none."""
        _a_cell('CellList', cell)
        if not -len(self) <= index <= len(self):
            raise CellIndexError(
                f'CellList.insert({index}, ...): it holds {len(self)}, so that the place is in [-{len(self)}, '
                f'{len(self)}].{users_line()}'
            )
        self._renumber(lambda pairs: pairs.insert(index, ('0', cell)))

    def construct(self, *inputs: object) -> object:
        """Say what to do instead."""
        raise NotCalledError(
            f'a CellList is a list: call its Cells, as in `for cell in self.cells_: ...`.{users_line()}'
        )


class CellDict(Cell):
    """A dict of Cells that the Cell around it knows of: given as a dict, or as pairs. It cannot be called.

    Raises TypeError for what is no Cell and for a key that is no string, KeyError for one that is empty, has a dot in
    it, or is an attribute of every Cell.

    >>> from minicell import nn
    >>> branches = nn.CellDict({'plain': nn.Identity(), 'bent': nn.ReLU()})
    >>> list(branches), branches['bent']
    (['plain', 'bent'], ReLU())
    """

    def __init__(self, *args: object, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        for cells in args:
            self.update(cells)

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise ParameterError(
                f'a key of a CellDict is a string, but got {article(type(key).__name__)}.{users_line()}'
            )
        if not key or '.' in key or hasattr(Cell, key):
            raise CellNameError(
                f'{key!r} is no key of a CellDict: it is empty, has a dot in it, or is an attribute of every '
                f'Cell.{users_line()}'
            )
        prefix = self._prefix()
        setattr(self, key, _a_cell('CellDict', cell))
        if prefix and self._auto_prefix:
            cell.update_parameters_name(f'{prefix}{key}.')

    _prefix = _Row._prefix

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def keys(self) -> KeysView:
        """The names."""
        return self._cells.keys()

    def values(self) -> ValuesView:
        """The Cells."""
        return self._cells.values()

    def items(self) -> ItemsView:
        """Names and Cells."""
        return self._cells.items()

    def pop(self, key: str) -> Cell:
        """Take a Cell out, and return it. Raises KeyError where there is none."""
        cell = self._cells[key]
        delattr(self, key)
        return cell

    def clear(self) -> None:
        """Take all of them out."""
        for key in list(self):
            del self[key]

    def update(self, cells: object) -> None:
        """More of them, from a dict, a CellDict, or pairs. A key that is there gets the new Cell."""
        if not isinstance(cells, Iterable):
            got = article(type(cells).__name__)
            raise ParameterError(f'CellDict takes a dict, or pairs of a key and a Cell, but got {got}.{users_line()}')
        for pair in cells.items() if isinstance(cells, (dict, CellDict)) else cells:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise SettingError(f'CellDict takes pairs of a key and a Cell, but got {pair!r:.60}.{users_line()}')
            self[pair[0]] = pair[1]

    def construct(self, *inputs: object) -> object:
        """Say what to do instead."""
        raise NotCalledError(f'a CellDict is a dict: call one of its Cells, as in `self.cells_[key](x)`.{users_line()}')
