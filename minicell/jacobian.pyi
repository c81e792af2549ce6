# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import int as _int
from builtins import tuple as _tuple
from collections.abc import Callable
from collections.abc import Sequence
from minicell.core.tensor import Tensor
from typing import Any

def jacfwd(fn: Callable[..., Any], grad_position: _int | Sequence[_int] = ..., has_aux: _bool = ...) -> Callable[..., Any]: ...
def jacrev(fn: Callable[..., Any], grad_position: _int | Sequence[_int] = ..., has_aux: _bool = ...) -> Callable[..., Any]: ...
def jvp(fn: Callable[..., Any], inputs: Tensor | _tuple[Any, ...], v: Tensor | _tuple[Any, ...], has_aux: _bool = ...) -> _tuple[Any, ...]: ...
