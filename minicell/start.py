"""What is done as soon as minicell is imported: ops give Tensor its operators, and traps are at hand. It needs NumPy."""

from . import errors, names, ops
from .core import dtype, trap
from .core.tensor import Tensor

from_numpy = Tensor.from_numpy
globals().update({name: getattr(dtype, of) for name, of in names.DTYPES.items()})
names.place(__package__)


def set_traps() -> None:
    """The traps are loaded by the first Cell, or when the first gradient or Tape begins: one takes this one's place."""
    from . import traps

    trap.joined.acquire()


trap.joined.acquire = set_traps
