# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from minicell.common.parameter import Parameter
from minicell.core.dtype import DType
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class Dense(Cell):
    def __init__(self, in_channels: _int, out_channels: _int, weight_init: _object = ..., bias_init: _object = ..., has_bias: _bool = ..., activation: _str | Cell | None = ..., dtype: DType = ...) -> None: ...
    def construct(self, x: Tensor) -> Tensor: ...
    def extend_repr(self) -> _str: ...
    in_channels: _int
    out_channels: _int
    has_bias: _bool
    weight: Parameter
    bias: Any
    activation: Any
class Dropout(Cell):
    def __init__(self, keep_prob: _float = ..., p: _float | None = ..., dtype: DType = ...) -> None: ...
    def construct(self, x: Tensor) -> Tensor: ...
    def extend_repr(self) -> _str: ...
    p: _float | None
    keep_prob: Any
class Dropout2d(Cell):
    def __init__(self, p: _float = ...) -> None: ...
    def construct(self, x: Tensor) -> Tensor: ...
    shown: _str
    p: _float
