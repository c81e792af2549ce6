# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import int as _int
from builtins import str as _str
from builtins import tuple as _tuple
from collections.abc import Sequence
from minicell.ops.primitive import Primitive
from typing import Any

class Conv2D(Primitive):
    def __init__(self, out_channel: _int, kernel_size: _int | _tuple[_int, _int], mode: _int = ..., pad_mode: _str = ..., pad: _int | Sequence[_int] = ..., stride: _int | _tuple[_int, _int] = ..., dilation: _int | _tuple[_int, _int] = ..., group: _int = ...) -> None: ...
    out_channel: _int
    kernel_size: _int | _tuple[_int, _int]
