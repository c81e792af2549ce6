"""Tensors and arrays: numbers as they come and go, and the same numbers in other memory."""

from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves


def has_graph(t: Any) -> bool:
    """Whether a gradient can be asked of it."""
    return isinstance(t, torch.Tensor) and t.requires_grad


def numbers(t: torch.Tensor) -> np.ndarray:
    """Its numbers, in an array of their own; those of a dtype that NumPy has not, in Float32."""
    t = t.detach().cpu().resolve_conj()
    return np.array((t.float() if t.dtype.is_floating_point and t.element_size() < 4 else t).numpy())


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors have the same numbers, NaN among them."""
    return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())


def tensor(x: np.ndarray, like: torch.Tensor, wide: bool = False) -> torch.Tensor:
    """A new tensor with these numbers, where another lives and in its dtype; or in Float64."""
    kind = torch.float64 if wide and like.dtype.is_floating_point else like.dtype
    return torch.from_numpy(np.array(x)).to(like.device, kind)


def strided(t: torch.Tensor) -> torch.Tensor:
    """The same in other memory: the first axis is the innermost one; or beside each number stands another one."""
    if t.ndim < 2:
        return torch.stack([t, t], -1)[..., 0]
    return t.transpose(0, -1).clone(memory_format=torch.contiguous_format).transpose(0, -1)


def laid(g: torch.Tensor, way: str) -> torch.Tensor:
    """A cotangent in the memory that a way asks for."""
    return strided(g) if way == 'strided' else g.flatten()[0].expand(g.shape) if way == 'expanded' else g


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in nested tuples, lists and dicts."""
    return [t for t in tree_leaves(value) if isinstance(t, torch.Tensor)]
