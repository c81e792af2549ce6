# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import tuple as _tuple
from collections.abc import Sequence
from minicell.core.dtype import DType
from minicell.core.tensor import Tensor
from numpy import ndarray
from typing import Any

class Constant(Initializer):
    def __init__(self, value: _float) -> None: ...
    value: _float
class HeNormal(HeUniform):
    pass
class HeUniform(Initializer):
    def __init__(self, negative_slope: _float = ..., mode: _str = ..., nonlinearity: _str = ...) -> None: ...
    def deviation(self, shape: Sequence[_int]) -> _float: ...
    negative_slope: _float
    mode: _str
    nonlinearity: _str
class Identity(Initializer):
    pass
class Initializer:
    def __repr__(self) -> _str: ...
    def fill(self, shape: Sequence[_int]) -> ndarray[Any, Any]: ...
class Normal(Initializer):
    def __init__(self, sigma: _float = ..., mean: _float = ...) -> None: ...
    sigma: _float
    mean: _float
class One(Initializer):
    pass
class TruncatedNormal(Initializer):
    def __init__(self, sigma: _float = ..., mean: _float = ..., a: _float = ..., b: _float = ...) -> None: ...
    sigma: _float
    mean: _float
    a: _float
    b: _float
class Uniform(Initializer):
    def __init__(self, scale: _float = ...) -> None: ...
    scale: _float
class XavierNormal(XavierUniform):
    pass
class XavierUniform(Initializer):
    def __init__(self, gain: _float = ...) -> None: ...
    gain: _float
class Zero(Initializer):
    pass
def fans(who: Initializer | _str, shape: Sequence[_int]) -> _tuple[_int, _int]: ...
def initializer(init: Tensor | _str | Initializer | _float, shape: _object = ..., dtype: DType | None = ...) -> Tensor: ...
