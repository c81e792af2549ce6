# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import tuple as _tuple
from collections.abc import Sequence
from minicell.common.parameter import Parameter
from minicell.core.dtype import DType
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class Conv2d(Cell):
    def __init__(self, in_channels: _int, out_channels: _int, kernel_size: _int | _tuple[_int, _int], stride: _int | _tuple[_int, _int] = ..., pad_mode: _str = ..., padding: _int | Sequence[_int] = ..., dilation: _int | _tuple[_int, _int] = ..., group: _int = ..., has_bias: _bool = ..., weight_init: _object = ..., bias_init: _object = ..., data_format: _str = ..., dtype: DType = ...) -> None: ...
    def construct(self, x: Tensor) -> Tensor: ...
    def extend_repr(self) -> _str: ...
    shown: _str
    in_channels: _int
    out_channels: _int
    group: _int
    has_bias: _bool
    kernel_size: Any
    stride: Any
    dilation: Any
    pad_mode: _str
    padding: _int | Sequence[_int]
    data_format: _str
    weight_init: Any
    weight: Parameter
    bias_init: Any
    bias: Any
