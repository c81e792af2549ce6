"""minicell: a small eager autodiff core under MindSpore's names, made to be looked into.

The examples in its docstrings begin with `import minicell as ms` and `from minicell import Parameter, Tensor, nn, ops`.
"""

from . import errors, names, ops
from .core import dtype
from .core import trap as _trap
from .core.dtype import (
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
from .core.grad import grad, value_and_grad, vjp
from .core.tensor import Tensor
from .lazy import later
from .ops.create import tensor

from_numpy, is_tensor = Tensor.from_numpy, ops.is_tensor
globals().update({name: getattr(dtype, of) for name, of in names.DTYPES.items()})

for _ask in (grad, value_and_grad, vjp):
    setattr(ops, _ask.__name__, _ask)  # MindSpore has them there too

__version__ = '0.1.0'
names.place(__name__)


def _set_traps() -> None:
    """The traps are loaded by the first Cell, or when the first gradient or Tape begins: one takes this one's place."""
    from . import traps

    _trap.joined.acquire()


_trap.joined.acquire = _set_traps

# The Cells, and what looks, checks and traces, are loaded by the first who asks for them: half of the import's time.
__getattr__, __dir__ = later(
    globals(),
    {
        'numpy': '',
        'nn': 'nn',
        'common': 'common dtype_to_nptype dtype_to_pytype get_seed pytype_to_dtype set_seed',
        'common.parameter': 'Parameter ParameterTuple',
        'shown': 'Tape',
        'composite': 'GradOperation get_grad',
        'jacobian': 'jacfwd jacrev jvp',
        'check': 'CheckResult',
        'elsewhere': 'check_bprop',
        'explanation': 'explain',
        'graph.jitted': 'jit',
        'checkpoint': 'load_checkpoint load_param_into_net save_checkpoint',
        'amp': '',
        'graph.context': 'GRAPH_MODE PYNATIVE_MODE get_context set_context set_device',
    },
)

# from minicell import * leaves Python's own int, float and bool alone
__all__ = [name for name in __dir__() if not name.startswith('_') and name not in ('bool', 'float', 'int')]


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext minicell` calls: it brings the magic `%%tape`."""
    from .view import magic

    magic.load(shell)
