"""Tensors of random numbers, from np.random, or from a seed of their own; a gradient never passes through them."""

import sys

import numpy as np

from ..core.dtype import DType, float32
from ..core.errors import users_line
from ..core.primitives import apply_plain
from ..core.rules import Plain
from ..core.tensor import Tensor
from ..errors import SettingError
from .create import lengths
from .dtypes import as_numpy


def _normal(shape: tuple[int, ...], seed: int | None, dtype: np.dtype) -> np.ndarray:
    return (np.random if seed is None else np.random.default_rng(seed)).normal(0, 1, shape).astype(dtype)


NORMAL = Plain('StandardNormal', _normal)


def randn(*size: int, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers around 0, as the normal distribution has them: randn(2, 3), randn((2, 3)), and randn() for one number.

    >>> from minicell import ops
    >>> ops.randn(2, 3).shape
    (2, 3)
    """
    shape = lengths(size[0] if len(size) == 1 else size) if size else (1,)
    wanted = float32.numpy if dtype is None else as_numpy(dtype, only=True)
    if wanted.kind != 'f' or min(shape, default=0) < 0:
        raise SettingError(
            f'randn takes lengths of at least 0 and a float dtype, but got {shape} and {dtype}.{users_line()}'
        )
    return apply_plain(NORMAL, (), sys._getframe(1), shape, seed, wanted)
