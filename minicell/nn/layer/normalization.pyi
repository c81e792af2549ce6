# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from collections.abc import Sequence
from minicell.common.parameter import Parameter
from minicell.core.dtype import DType
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class BatchNorm(Cell):
    def __init__(self, num_features: _int, eps: _float = ..., momentum: _float = ..., affine: _bool = ..., gamma_init: _object = ..., beta_init: _object = ..., moving_mean_init: _object = ..., moving_var_init: _object = ..., use_batch_statistics: _bool | None = ..., data_format: _str = ..., dtype: DType = ...) -> None: ...
    def construct(self, x: Tensor) -> Tensor: ...
    shown: _str
    num_features: _int
    eps: _float
    momentum: _float
    use_batch_statistics: _bool | None
    moving_mean: Parameter
    moving_variance: Parameter
    gamma: Parameter
    beta: Parameter
class BatchNorm1d(BatchNorm):
    pass
class BatchNorm2d(BatchNorm):
    pass
class LayerNorm(Cell):
    def __init__(self, normalized_shape: Sequence[_int], begin_norm_axis: _int = ..., begin_params_axis: _int = ..., gamma_init: _object = ..., beta_init: _object = ..., epsilon: _float = ..., dtype: DType = ...) -> None: ...
    def construct(self, input_x: Tensor) -> Tensor: ...
    def extend_repr(self) -> _str: ...
    normalized_shape: Sequence[_int]
    epsilon: _float
    begin_norm_axis: _int
    begin_params_axis: _int
    gamma: Parameter
    beta: Parameter
