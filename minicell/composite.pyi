# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import object as _object
from builtins import tuple as _tuple
from collections.abc import Callable
from minicell.core.tensor import Tensor
from typing import Any

class GradOperation:
    def __call__(self, fn: Callable[..., Any], weights: _object = ...) -> Callable[..., Any]: ...
    def __init__(self, get_all: _bool = ..., get_by_list: _bool = ..., sens_param: _bool = ...) -> None: ...
    get_all: _bool
    get_by_list: _bool
    sens_param: _bool
def get_grad(gradients: _tuple[Any, ...], identifier: _object) -> Tensor: ...
