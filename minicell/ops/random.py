"""Tensors of random numbers, from np.random, or from a seed of their own; a gradient never passes through them."""

import sys

import numpy as np

from ..core.dtype import DType, as_numpy, float32, int64
from ..core.errors import users_line
from ..core.primitives import apply_plain
from ..core.rules import Plain
from ..core.tensor import Tensor
from ..errors import SettingError
from .create import lengths

getframe = sys._getframe


def _generator(seed: int | None) -> object:
    return np.random if seed is None else np.random.default_rng(seed)


UNIFORM = Plain(
    'UniformReal', lambda shape, seed, low, high, dtype: _generator(seed).uniform(low, high, shape).astype(dtype)
)
NORMAL = Plain(
    'StandardNormal', lambda shape, seed, mean, dev, dtype: _generator(seed).normal(mean, dev, shape).astype(dtype)
)
INTEGERS = Plain(
    'RandInt', lambda shape, seed, low, high, dtype: np.floor(_generator(seed).uniform(low, high, shape)).astype(dtype)
)


def _of_sizes(name: str, sizes: tuple, dtype: DType | None) -> tuple[tuple[int, ...], np.dtype]:
    """randn(2, 3), randn((2, 3)), and randn() for one number."""
    shape = lengths(sizes[0] if len(sizes) == 1 else sizes) if sizes else (1,)
    wanted = float32.numpy if dtype is None else as_numpy(dtype, only=True)
    if wanted.kind != 'f' or min(shape, default=0) < 0:
        raise SettingError(
            f'{name} takes lengths of at least 0 and a float dtype, but got {shape} and {dtype}.{users_line()}'
        )
    return shape, wanted


def rand(*size: int, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers from 0 to before 1.

    >>> from minicell import ops
    >>> ops.rand(2, 3).shape
    (2, 3)
    """
    shape, wanted = _of_sizes('rand', size, dtype)
    return apply_plain(UNIFORM, (), getframe(1), shape, seed, 0, 1, wanted)


def randn(*size: int, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers around 0, as the normal distribution has them."""
    shape, wanted = _of_sizes('randn', size, dtype)
    return apply_plain(NORMAL, (), getframe(1), shape, seed, 0, 1, wanted)


def standard_normal(shape: tuple[int, ...], seed: int | None = None) -> Tensor:
    """As `randn`, of a shape."""
    return apply_plain(NORMAL, (), getframe(1), lengths(shape), seed, 0, 1, float32.numpy)


def randint(
    low: int, high: int, size: tuple[int, ...], seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Integers from low to before high, as Int64 unless a dtype is given. Raises ValueError where there are none."""
    if low >= high:
        raise SettingError(f'randint: no integer is at least {low} and below {high}.{users_line()}')
    wanted = int64.numpy if dtype is None else as_numpy(dtype, only=True)
    return apply_plain(INTEGERS, (), getframe(1), lengths(size), seed, low, high, wanted)
