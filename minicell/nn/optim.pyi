# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import object as _object
from builtins import str as _str
from builtins import tuple as _tuple
from collections.abc import Callable
from collections.abc import Iterator
from minicell.common.parameter import Parameter
from minicell.common.parameter import ParameterTuple
from minicell.core.tensor import Tensor
from minicell.nn.cell import Cell
from typing import Any

class Adam(Optimizer):
    def __init__(self, params: _object, learning_rate: _object = ..., beta1: _float = ..., beta2: _float = ..., eps: _float = ..., use_locking: _bool = ..., use_nesterov: _bool = ..., weight_decay: _float = ..., loss_scale: _float = ..., use_amsgrad: _bool = ...) -> None: ...
    beta1: _float
    beta2: _float
    eps: _float
    use_nesterov: _bool
    use_amsgrad: _bool
    moment1: Any
    moment2: Any
    vhat: Any
class Momentum(Optimizer):
    def __init__(self, params: _object, learning_rate: _object, momentum: _float, weight_decay: _float = ..., loss_scale: _float = ..., use_nesterov: _bool = ...) -> None: ...
    momentum: Parameter
    use_nesterov: _bool
    moments: Any
class Optimizer(Cell):
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(self, learning_rate: _object, parameters: _object, weight_decay: _float | Cell = ..., loss_scale: _float = ...) -> None: ...
    def __setattr__(self, name: _str, value: _object) -> None: ...
    def construct(self, gradients: _tuple[Any, ...]) -> _tuple[_bool, ...]: ...
    def decay_weight(self, gradients: _tuple[Any, ...]) -> _tuple[Any, ...]: ...
    def get_lr(self) -> Tensor | _tuple[Any, ...]: ...
    def get_parameters(self, expand: _bool = ...) -> Iterator[Parameter]: ...
    def get_weight_decay(self) -> _float | Tensor | _tuple[Any, ...]: ...
    def gradients_centralization(self, gradients: _tuple[Any, ...]) -> _tuple[Any, ...]: ...
    def scale_grad(self, gradients: _tuple[Any, ...]) -> _tuple[Any, ...]: ...
    def update(self, gradients: _tuple[Any, ...], step: Callable[..., Any], decay: _bool = ...) -> _tuple[_bool, ...]: ...
    is_group: Any
    global_step: Parameter
    learning_rate: Any
    parameters: ParameterTuple
    weight_decay: _float | Cell
    loss_scale: _float
    is_group_lr: _bool
class SGD(Optimizer):
    def __init__(self, params: _object, learning_rate: _object = ..., momentum: _float = ..., dampening: _float = ..., weight_decay: _float = ..., nesterov: _bool = ..., loss_scale: _float = ...) -> None: ...
    momentum: Parameter
    dampening: _float
    nesterov: _bool
    accum: Any
