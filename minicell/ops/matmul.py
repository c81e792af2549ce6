"""Matrix products."""

from functools import partial

import numpy as np

from ..tensor import Tensor
from .make import Primitive, binary
from .shape import swapaxes


def _turned(x):
    """The last two axes exchanged, of an array or a Tensor."""
    return x.T if len(x.shape) == 2 else x.swapaxes(-1, -2)


def _dx(g, out, x, y):
    if len(y.shape) == 1:  # x @ vector: out has lost y's axis
        return g.reshape((*g.shape, 1)) * y
    if len(x.shape) == 1:  # vector @ y
        return (g.reshape((*g.shape[:-1], 1, g.shape[-1])) @ _turned(y)).reshape((*g.shape[:-1], x.shape[0]))
    return g @ _turned(y)


def _dy(g, out, x, y):
    if len(x.shape) == 1:  # vector @ y: out has lost x's axis
        return g * x if len(y.shape) == 1 else x.reshape((x.shape[0], 1)) * g.reshape((*g.shape[:-1], 1, g.shape[-1]))
    if len(y.shape) == 1:
        return (_turned(x) @ g.reshape((*g.shape, 1))).reshape((*x.shape[:-2], x.shape[-1]))
    return _turned(x) @ g


matmul = binary('MatMul', np.matmul, _dx, _dy)


def _matmul_of(transpose_a: bool, transpose_b: bool, x: Tensor, y: Tensor) -> Tensor:
    return matmul(swapaxes(x, -1, -2) if transpose_a else x, swapaxes(y, -1, -2) if transpose_b else y)


class MatMul(Primitive):
    """The matrix product of two Tensors, either of them transposed first if so set.

    >>> from minicell import Tensor, ops
    >>> print(ops.MatMul()(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False) -> None:
        turned = transpose_a or transpose_b
        self.function = partial(_matmul_of, transpose_a, transpose_b) if turned else matmul
