"""minicell: a small eager autodiff core under MindSpore's names, made to be looked into."""

from . import common, dtype, errors, nn, ops
from .check import CheckResult, check_bprop
from .common import get_seed, set_seed
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
from .grad import GradOperation, get_grad, grad, jvp, value_and_grad, vjp
from .graph import GRAPH_MODE, PYNATIVE_MODE, get_context, jit, set_context
from .parameter import Parameter, ParameterTuple
from .tensor import Tensor
from .watch import Tape

for _ask in (grad, value_and_grad, GradOperation, get_grad, vjp, jvp):
    setattr(ops, _ask.__name__, _ask)  # MindSpore has them there too

__version__ = '0.1.0'
