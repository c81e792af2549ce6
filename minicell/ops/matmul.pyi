# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from minicell.ops.primitive import Primitive

class MatMul(Primitive):
    def __init__(self, transpose_a: _bool = ..., transpose_b: _bool = ...) -> None: ...
