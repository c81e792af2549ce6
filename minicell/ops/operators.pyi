# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from minicell.ops.primitive import Primitive

class ApplyMomentum(Primitive):
    def __init__(self, use_nesterov: _bool = ..., use_locking: _bool = ..., gradient_scale: _float = ...) -> None: ...
class Softmax(Primitive):
    def __init__(self, axis: _int = ...) -> None: ...
