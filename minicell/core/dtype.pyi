# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import str as _str
from numpy import dtype
from typing import Any

class DType:
    def __init__(self, name: _str) -> None: ...
    def __reduce__(self) -> _str: ...
    def __repr__(self) -> _str: ...
    def __str__(self) -> _str: ...
    name: _str
    numpy: dtype[Any]
    title: _str
int8: DType
int16: DType
int32: DType
int64: DType
uint8: DType
uint16: DType
uint32: DType
uint64: DType
float16: DType
float32: DType
float64: DType
complex64: DType
complex128: DType
bool_: DType
