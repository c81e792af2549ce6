# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import complex as _complex
from builtins import int as _int
from builtins import list as _list
from builtins import tuple as _tuple
from collections.abc import Sequence
from minicell.core.tensor import Tensor
from typing import Any

from minicell.ops import abs as abs
from minicell.ops import absolute as absolute
from minicell.ops import add as add
from minicell.ops import amax as amax
from minicell.ops import amin as amin
from minicell.ops import argmax as argmax
from minicell.ops import argmin as argmin
from minicell.ops import bitwise_and as bitwise_and
from minicell.ops import bitwise_or as bitwise_or
from minicell.ops import bitwise_xor as bitwise_xor
from minicell.ops import broadcast_to as broadcast_to
from minicell.ops import clip as clip
from minicell.ops import cos as cos
from minicell.ops import cosh as cosh
from minicell.ops import divide as divide
from minicell.ops import equal as equal
from minicell.ops import exp as exp
from minicell.ops import expand_dims as expand_dims
from minicell.ops import expm1 as expm1
from minicell.ops import eye as eye
from minicell.ops import floor as floor
from minicell.ops import full_like as full_like
from minicell.ops import greater as greater
from minicell.ops import greater_equal as greater_equal
from minicell.ops import isfinite as isfinite
from minicell.ops import isinf as isinf
from minicell.ops import isnan as isnan
from minicell.ops import less as less
from minicell.ops import less_equal as less_equal
from minicell.ops import linspace as linspace
from minicell.ops import log as log
from minicell.ops import log10 as log10
from minicell.ops import log1p as log1p
from minicell.ops import log2 as log2
from minicell.ops import logical_and as logical_and
from minicell.ops import logical_not as logical_not
from minicell.ops import logical_or as logical_or
from minicell.ops import logical_xor as logical_xor
from minicell.ops import matmul as matmul
from minicell.ops import maximum as maximum
from minicell.ops import mean as mean
from minicell.ops import minimum as minimum
from minicell.ops import multiply as multiply
from minicell.ops import negative as negative
from minicell.ops import not_equal as not_equal
from minicell.ops import ones as ones
from minicell.ops import ones_like as ones_like
from minicell.ops import outer as outer
from minicell.ops import remainder as remainder
from minicell.ops import reshape as reshape
from minicell.ops import sin as sin
from minicell.ops import sinh as sinh
from minicell.ops import sqrt as sqrt
from minicell.ops import square as square
from minicell.ops import squeeze as squeeze
from minicell.ops import stack as stack
from minicell.ops import std as std
from minicell.ops import subtract as subtract
from minicell.ops import sum as sum
from minicell.ops import swapaxes as swapaxes
from minicell.ops import tan as tan
from minicell.ops import tanh as tanh
from minicell.ops import tile as tile
from minicell.ops import transpose as transpose
from minicell.ops import true_divide as true_divide
from minicell.ops import var as var
from minicell.ops import where as where
from minicell.ops import zeros as zeros
from minicell.ops import zeros_like as zeros_like
def arccos(input: Tensor) -> Tensor: ...
def arccosh(input: Tensor) -> Tensor: ...
def arcsin(input: Tensor) -> Tensor: ...
def arcsinh(input: Tensor) -> Tensor: ...
def arctan(input: Tensor) -> Tensor: ...
def arctan2(input: Tensor | _complex | _list[Any] | _tuple[Any, ...], other: Tensor | _complex | _list[Any] | _tuple[Any, ...]) -> Tensor: ...
def arctanh(input: Tensor) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], axis: _int = ...) -> Tensor: ...
def power(input: Tensor | _complex | _list[Any] | _tuple[Any, ...], exponent: Tensor | _complex | _list[Any] | _tuple[Any, ...]) -> Tensor: ...
