"""What MindSpore keeps in `mindspore.common`: initializers, the random seed."""

import numpy as np

from ..core import dtype
from ..errors import PropertyError, SettingError
from ..lazy import later
from ..ops.checks import must, must_be

__all__ = ['dtype', 'get_seed', 'initializer', 'set_seed']
__getattr__, __dir__ = later(globals(), {'initializer': ''})
_seed: int | None = None


def set_seed(seed: int) -> None:
    """Start the random numbers of minicell, which are np.random's, from a seed.

    Raises TypeError for what is no int, ValueError for a negative one.

    >>> ms.set_seed(1)
    >>> ms.get_seed()
    1
    """
    global _seed
    must_be(seed, int, PropertyError, "The argument 'seed' must be type of int")
    must(seed >= 0, SettingError, f"The argument 'seed' must be greater or equal to 0, but got {seed}")
    np.random.seed(seed)
    _seed = seed


def get_seed() -> int | None:
    """What `set_seed` was last given, or None."""
    return _seed
