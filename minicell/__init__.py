"""minicell: a small eager autodiff core under MindSpore's names, made to be looked into."""

from . import dtype, nn, ops
from .check import CheckResult, check_bprop
from .dtype import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .grad import GradOperation, get_grad, grad, value_and_grad
from .parameter import Parameter, ParameterTuple
from .tensor import Tensor
from .watch import Tape

ops.grad, ops.value_and_grad, ops.GradOperation, ops.get_grad = grad, value_and_grad, GradOperation, get_grad

__version__ = '0.1.0'
