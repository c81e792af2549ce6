# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import complex as _complex
from builtins import int as _int
from builtins import list as _list
from builtins import str as _str
from builtins import tuple as _tuple
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class LossBase(Cell):
    def __init__(self, reduction: _str = ...) -> None: ...
    def get_axis(self, x: Tensor) -> _tuple[_int, ...]: ...
    def get_loss(self, x: Tensor, weights: Tensor | _complex | _list[Any] | _tuple[Any, ...] = ...) -> Tensor: ...
    reduction: _str
