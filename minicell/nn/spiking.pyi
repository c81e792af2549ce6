# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import tuple as _tuple
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class IFNode(Cell):
    def __init__(self, v_threshold: _float = ..., fire: _bool = ..., surrogate_function: Cell | None = ...) -> None: ...
    def charge(self, x: Tensor, v: Tensor) -> Tensor: ...
    def construct(self, x: Tensor, v: Tensor) -> _tuple[Tensor, Tensor]: ...
    v_threshold: _float
    fire: _bool
    surrogate_function: Any
class Surrogate(Cell):
    def slope(self, x: Tensor) -> Tensor: ...
class relusigmoid(Surrogate):
    def __init__(self, a: _float = ...) -> None: ...
    a: _float
class straight_through(Surrogate):
    pass
class triangular(Surrogate):
    def __init__(self, width: _float = ...) -> None: ...
    width: _float
class true_derivative(Surrogate):
    pass
