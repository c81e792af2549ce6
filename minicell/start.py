"""What is done as soon as minicell is imported: Tensor gets its operators, and traps are at hand. It needs NumPy."""

from . import names, ops  # noqa: F401 (ops give Tensor its operators)
from .core import dtype, trap
from .core.tensor import Tensor

from_numpy = Tensor.from_numpy
globals().update({name: getattr(dtype, of) for name, of in names.DTYPES.items()})
names.place(__package__)


def set_traps() -> None:
    """The traps are loaded by the first Cell, or when the first gradient or Tape begins: one takes this one's place."""
    from . import traps  # noqa: F401 (they join)

    trap.joined.acquire()


trap.joined.acquire = set_traps
