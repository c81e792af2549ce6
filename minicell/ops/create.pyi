# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from minicell.core.dtype import DType
from minicell.core.tensor import Tensor
from minicell.ops.primitive import Primitive
from typing import Any

class Dropout(Primitive):
    def __init__(self, keep_prob: _float = ..., Seed0: _int = ..., Seed1: _int = ...) -> None: ...
    keep_prob: _float
class Dropout2D(Primitive):
    def __init__(self, keep_prob: _float = ...) -> None: ...
    keep_prob: _float
def tensor(input_data: _object = ..., dtype: DType | None = ...) -> Tensor: ...
