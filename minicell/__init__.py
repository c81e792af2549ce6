"""minicell: a small eager autodiff core under MindSpore's names, made to be looked into.

The examples in its docstrings begin with `import minicell as ms` and `from minicell import Parameter, Tensor, nn, ops`.
"""

from . import names
from .lazy import later

__version__ = '0.1.0'

try:
    from . import start
except ModuleNotFoundError as missing:
    if missing.name != 'numpy':  # without it there is only the command, which says so: `minicell check`
        raise

# A name is loaded by the first who asks for it. What `start` has not loaded (Cells, and what looks, checks and traces)
# would take half of the import's time.
__getattr__, __dir__ = later(
    globals(),
    {
        'start': ' '.join(['dtype', 'from_numpy', *names.DTYPES]),
        'errors': 'errors',
        'core.dtype': 'bool_ complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint16 uint32 uint64 '
        'uint8',
        'core.grad': 'grad value_and_grad vjp',
        'core.tensor': 'Tensor',
        'ops': 'ops is_tensor',
        'ops.create': 'tensor',
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
        'context': 'GRAPH_MODE PYNATIVE_MODE get_context set_context set_device',
    },
)

# from minicell import * leaves Python's own int, float and bool alone
__all__ = [name for name in __dir__() if not name.startswith('_') and name not in ('bool', 'float', 'int')]


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext minicell` calls: it brings the magic `%%tape`."""
    from .view import magic

    magic.load(shell)
