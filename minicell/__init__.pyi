# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import int as _int
from builtins import str as _str
from minicell.core.dtype import DType
from numpy import ndarray
from typing import Any

from minicell.check import CheckResult as CheckResult
GRAPH_MODE: _int
from minicell.composite import GradOperation as GradOperation
PYNATIVE_MODE: _int
from minicell.common.parameter import Parameter as Parameter
from minicell.common.parameter import ParameterTuple as ParameterTuple
from minicell.shown import Tape as Tape
from minicell.core.tensor import Tensor as Tensor
__version__: _str
bool: DType
bool_: DType
from minicell.elsewhere import check_bprop as check_bprop
from minicell import common as common
complex128: DType
complex64: DType
double: DType
from minicell.core import dtype as dtype
from minicell.common import dtype_to_nptype as dtype_to_nptype
from minicell.common import dtype_to_pytype as dtype_to_pytype
from minicell import errors as errors
from minicell.explanation import explain as explain
float: DType
float16: DType
float32: DType
float64: DType
def from_numpy(array: ndarray[Any, Any]) -> Tensor: ...
from minicell.context import get_context as get_context
from minicell.composite import get_grad as get_grad
from minicell.common import get_seed as get_seed
from minicell.core.grad import grad as grad
half: DType
int: DType
int16: DType
int32: DType
int64: DType
int8: DType
from minicell.ops import is_tensor as is_tensor
from minicell.jacobian import jacfwd as jacfwd
from minicell.jacobian import jacrev as jacrev
from minicell.graph.jitted import jit as jit
from minicell.jacobian import jvp as jvp
from minicell.checkpoint import load_checkpoint as load_checkpoint
from minicell.checkpoint import load_param_into_net as load_param_into_net
long: DType
from minicell import nn as nn
from minicell import ops as ops
from minicell.common import pytype_to_dtype as pytype_to_dtype
from minicell.checkpoint import save_checkpoint as save_checkpoint
from minicell.context import set_context as set_context
from minicell.context import set_device as set_device
from minicell.common import set_seed as set_seed
short: DType
from minicell.ops.create import tensor as tensor
uint16: DType
uint32: DType
uint64: DType
uint8: DType
from minicell.core.grad import value_and_grad as value_and_grad
from minicell.core.grad import vjp as vjp
