# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import int as _int
from builtins import object as _object
from builtins import tuple as _tuple
from collections.abc import Callable
from collections.abc import Sequence
from minicell.common.parameter import Parameter
from minicell.core.tensor import Tensor
from typing import Any
from typing import Literal
from typing import ParamSpec
from typing import TypeVar
from typing import overload
P = ParamSpec('P')
R = TypeVar('R')

@overload
def grad(fn: Callable[P, Any], grad_position: _int = ..., weights: None = ..., has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, Tensor]: ...
@overload
def grad(fn: Callable[P, Any], grad_position: _tuple[_int, ...], weights: None = ..., has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[Tensor, ...]]: ...
@overload
def grad(fn: Callable[P, Any], grad_position: None, weights: Parameter, has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, Tensor]: ...
@overload
def grad(fn: Callable[P, Any], grad_position: None, weights: Sequence[Parameter], has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[Tensor, ...]]: ...
@overload
def grad(fn: Callable[..., Any], grad_position: _int | Sequence[_int] | None = ..., weights: _object = ..., has_aux: _bool = ..., return_ids: _bool = ..., sens_param: _bool = ...) -> Callable[..., Any]: ...
@overload
def value_and_grad(fn: Callable[P, R], grad_position: _int = ..., weights: None = ..., has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[R, Tensor]]: ...
@overload
def value_and_grad(fn: Callable[P, R], grad_position: _tuple[_int, ...], weights: None = ..., has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[R, _tuple[Tensor, ...]]]: ...
@overload
def value_and_grad(fn: Callable[P, R], grad_position: None, weights: Parameter, has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[R, Tensor]]: ...
@overload
def value_and_grad(fn: Callable[P, R], grad_position: None, weights: Sequence[Parameter], has_aux: Literal[False] = ..., return_ids: Literal[False] = ..., sens_param: Literal[False] = ...) -> Callable[P, _tuple[R, _tuple[Tensor, ...]]]: ...
@overload
def value_and_grad(fn: Callable[..., Any], grad_position: _int | Sequence[_int] | None = ..., weights: _object = ..., has_aux: _bool = ..., return_ids: _bool = ..., sens_param: _bool = ...) -> Callable[..., Any]: ...
@overload
def vjp(fn: Callable[..., R], *inputs: Tensor, weights: None = ..., has_aux: Literal[False] = ...) -> _tuple[R, Callable[..., _tuple[Tensor, ...]]]: ...
@overload
def vjp(fn: Callable[..., Any], *inputs: Tensor, weights: _object = ..., has_aux: _bool = ...) -> _tuple[Any, ...]: ...
