"""MindSpore's Tensors and arrays: numbers as they come and go, and the same structure with other Tensors in it."""

from collections.abc import Iterator
from os.path import dirname
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import parts

HOME = dirname(mindspore.__file__)
memory = Tensor.asnumpy  # (also where a rule's own calls of it are noticed)
FLOATS = {mindspore.float16, mindspore.bfloat16, mindspore.float32, mindspore.float64}


def tensors_in(value: Any) -> list[Tensor]:
    """The Tensors in nested tuples, lists and dicts."""
    return [part for part in parts(value) if isinstance(part, Tensor)]


def filled(value: Any, given: Iterator[Any]) -> Any:
    """The same with other Tensors in their places."""
    if isinstance(value, Tensor):
        return next(given)
    if isinstance(value, dict):
        return {key: filled(part, given) for key, part in value.items()}
    return type(value)([filled(part, given) for part in value]) if type(value) in (tuple, list) else value


def is_float(t: Any) -> bool:
    """Whether it is a Tensor whose numbers have a gradient."""
    return isinstance(t, Tensor) and t.dtype in FLOATS


def numbers(t: Tensor) -> np.ndarray:
    """Its numbers, in an array of their own; those of a dtype that NumPy has not, in Float32."""
    return np.array(memory(t.float() if t.dtype == mindspore.bfloat16 else t))


def tensor(x: np.ndarray, like: Tensor, wide: bool = False) -> Tensor:
    """A new Tensor with these numbers, in the dtype of another; or in Float64."""
    return Tensor(np.array(x), mindspore.float64 if wide and is_float(like) else like.dtype)
