"""The seed of all random numbers: weights, dropout."""

import numpy as np

from ..core.errors import article, users_line
from ..errors import PropertyError, SettingError

_seed: int | None = None


def set_seed(seed: int) -> None:
    """Start the random numbers of minicell, which are np.random's, from a seed.

    Raises TypeError for what is no int, ValueError for a negative one.

    >>> import minicell as ms
    >>> ms.set_seed(1)
    >>> ms.get_seed()
    1
    """
    global _seed
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise PropertyError(
            f"The argument 'seed' must be type of int, but got {article(type(seed).__name__)}.{users_line()}"
        )
    if seed < 0:
        raise SettingError(f"The argument 'seed' must be greater or equal to 0, but got {seed}.{users_line()}")
    np.random.seed(seed)
    _seed = seed


def get_seed() -> int | None:
    """What `set_seed` was last given, or None."""
    return _seed
