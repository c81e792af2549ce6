"""Layers: SequentialCell, CellList, Dense, and the activations as Cells."""

from collections import OrderedDict
from collections.abc import Iterator

import numpy as np

from ..errors import ParameterError, ShapeError, article, users_line
from ..ops import matmul, relu, relu6, sigmoid, tanh
from ..parameter import Parameter
from ..tensor import Tensor
from .cell import Cell


class SequentialCell(Cell):
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
            if not isinstance(cell, Cell):
                raise ParameterError(
                    f'SequentialCell holds Cells, but got {article(type(cell).__name__)}.{users_line()}'
                )
            setattr(self, str(name), cell)

    def construct(self, input_data: Tensor) -> Tensor:
        """Each Cell's output is the next one's input."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, index: int) -> Cell:
        return list(self._cells.values())[index]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())


class Dense(Cell):
    """x @ weight.T + bias, with weight of shape (out_channels, in_channels).

    weight_init and bias_init: a Tensor of that shape or a number; by default both are uniform in ±1/sqrt(in_channels).

    Raises ValueError for a weight_init of another shape.

    >>> from minicell import nn, Tensor
    >>> print(nn.Dense(2, 1, weight_init=2, bias_init=1)(Tensor([[1.0, 2.0]])))
    [[7.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: object = None,
        bias_init: object = None,
        has_bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        bound = 1 / np.sqrt(in_channels) if in_channels else 0.0
        self.weight = Parameter(_start(weight_init, (out_channels, in_channels), bound, 'weight_init'), 'weight')
        if has_bias:
            self.bias = Parameter(_start(bias_init, (out_channels,), bound, 'bias_init'), 'bias')

    def construct(self, x: Tensor) -> Tensor:
        """x of shape (..., in_channels)."""
        out = matmul(x, self.weight.T)
        return out + self.bias if self.has_bias else out

    def extend_repr(self) -> str:
        """As MindSpore prints it."""
        return f'input_channels={self.in_channels}, output_channels={self.out_channels}, has_bias={self.has_bias}'


def _start(init: object, shape: tuple[int, ...], bound: float, name: str) -> Tensor:
    """The first value of a weight."""
    if init is None:
        return Tensor(np.random.uniform(-bound, bound, shape).astype(np.float32))
    if isinstance(init, Tensor):
        if init.shape != shape:
            raise ShapeError(f'Dense: {name} has shape {init.shape}, but {shape} is due.{users_line()}')
        return init
    if not isinstance(init, (int, float)):
        raise ParameterError(
            f'Dense: {name} is a Tensor or a number, but got {article(type(init).__name__)}.{users_line()}'
        )
    return Tensor(np.full(shape, init, np.float32))


class ReLU(Cell):
    """max(x, 0)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return relu(x)


class ReLU6(Cell):
    """x clipped to 0 .. 6."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return relu6(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x))."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return sigmoid(x)


class Tanh(Cell):
    """The hyperbolic tangent."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return tanh(x)
