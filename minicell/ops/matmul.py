"""Matrix products."""

import numpy as np

from ..core.dtype import FLOAT16
from ..core.errors import DTypeError, ShapeError, users_line
from ..core.primitives import binary, check_tensor, getframe, on_both
from ..core.rules import Many, Rule
from ..core.tape import place
from ..core.tensor import Tensor, wrap
from .primitive import Primitive, add_up
from .shape import swapaxes


def of_one_dtype(rule: Rule, x: object, y: object, floats: bool = False) -> tuple[Tensor, Tensor]:
    """Both operands of an op that takes two Tensors of the same dtype. Raises TypeError for others."""
    frame = getframe(2)
    x, y = check_tensor(rule, x, frame), check_tensor(rule, y, frame)
    if x.array.dtype != y.array.dtype:
        got = f'{x.dtype} and {y.dtype}: write y.astype(x.dtype)'
        raise DTypeError(f'{rule.name} takes Tensors of one dtype, but got {got}.{users_line(frame)}')
    return x, y


def _dx(g, out, x, y):
    if y.ndim == 1:  # x @ vector: out has lost y's axis
        return g.reshape((*g.shape, 1)) * y
    if x.ndim == 1:  # vector @ y
        return _by_turned(g.reshape((*g.shape[:-1], 1, g.shape[-1])), y).reshape((*g.shape[:-1], x.shape[0]))
    return _by_turned(g, y)


def _dy(g, out, x, y):
    if x.ndim == 1:  # vector @ y: out has lost x's axis
        return g * x if y.ndim == 1 else x.reshape((x.shape[0], 1)) * g.reshape((*g.shape[:-1], 1, g.shape[-1]))
    if y.ndim == 1:
        return _turned_by(x, g.reshape((*g.shape, 1))).reshape((*x.shape[:-2], x.shape[-1]))
    return _turned_by(x, g)


# The way back of a product is two products with one side turned (its last two axes exchanged). These are ops of their
# own, and each other's way back: BLAS turns while it reads, so that there is no Transpose to play, record and undo.
# fmt: off
matmul = binary('MatMul', np.matmul, _dx, _dy, convert=of_one_dtype)
by_turned = binary('MatMul', lambda x, y: x @ (y.T if y.ndim == 2 else y.swapaxes(-1, -2)),
                   lambda g, out, x, y: g @ y, lambda g, out, x, y: _turned_by(g, x), convert=of_one_dtype)
turned_by = binary('MatMul', lambda x, y: (x.T if x.ndim == 2 else x.swapaxes(-1, -2)) @ y,
                   lambda g, out, x, y: _by_turned(y, g), lambda g, out, x, y: x @ g, convert=of_one_dtype)
# fmt: on
_by_turned, _turned_by = on_both(by_turned, two=True), on_both(turned_by, two=True)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices. Raises ValueError for other Tensors."""
    if getattr(input, 'ndim', 2) != 2 or getattr(mat2, 'ndim', 2) != 2:
        raise ShapeError(f'mm takes two matrices, but got {input.shape} and {mat2.shape}.{users_line(getframe(1))}')
    return matmul(input, mat2, 2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every number of the one times every number of the other.

    >>> print(ops.outer(Tensor([1, 2]), Tensor([3, 4])))
    [[3 4]
     [6 8]]
    """
    return input.reshape(-1, 1) * vec2


# ---- x @ w.T + b in one, as a layer has it --------------------------------------------------------------------------


def _dense(x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
    out = x @ w.T
    if b is not None:
        out += b
    return out


def _rows(x):
    """All axes but the last as one."""
    return x if len(x.shape) == 2 else x.reshape((-1, x.shape[-1]))


_over_rows = on_both(lambda g: g.sum((0,)), lambda g: add_up(g, 0))


class _Dense(Many):
    """With `vjp_arrays` written out, because the weights of a network get their gradients here."""

    def vjp_arrays(self, g, cts, offset, x, y, out):
        t, w, *b = x
        v, i, j = t.array, t.at - offset, w.at - offset
        if i >= 0:
            c, d = cts[i], g @ w.array
            cts[i] = d if c is None else c + d
        if len(g.shape) != 2:
            g, v = _rows(g), _rows(v)
        if j >= 0:
            c, d = cts[j], g.T @ v
            cts[j] = d if c is None else c + d
        if b and (k := b[0].at - offset) >= 0:
            c, d = cts[k], add_up(g, 0) if g.dtype is FLOAT16 else np.add.reduce(g, 0)
            cts[k] = d if c is None else c + d


# fmt: off
DENSE = _Dense('Dense', _dense, (lambda g, out, x, w, b=None: g @ w,
                                 lambda g, out, x, w, b=None: _turned_by(_rows(g), _rows(x)),
                                 lambda g, out, x, w, b=None: _over_rows(_rows(g))))
# fmt: on


def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: (..., in), (out, in) and (out,) give (..., out). Others: TypeError, ValueError.

    >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), Tensor([0.5])))
    [[11.5]]
    """
    frame = getframe(1)
    x, w, b = input, weight, bias
    same = isinstance(x, Tensor) and x.array.dtype is w.array.dtype and (b is None or b.array.dtype is w.array.dtype)
    if not same:
        x, w = of_one_dtype(DENSE, x, w)
        if b is not None:
            w, b = of_one_dtype(DENSE, w, b)
    shape, due = x.array.shape, w.array.shape
    if not shape or len(due) != 2 or shape[-1] != due[1]:
        said = 'a weight of shape (out, in) goes with an input of shape (..., in)'
        raise ShapeError(f'Dense: {said}, but got {due} and {shape}.{users_line(frame)}')
    if b is None:
        return place(DENSE, (x, w), (), wrap(_dense(x.array, w.array)), max(x.at, w.at), frame)
    if b.array.shape != due[:1]:
        raise ShapeError(f'Dense: a bias of shape {due[:1]} is due, but got {b.shape}.{users_line(frame)}')
    return place(DENSE, (x, w, b), (), wrap(_dense(x.array, w.array, b.array)), max(x.at, w.at, b.at), frame)


class MatMul(Primitive):
    """The matrix product of two Tensors, either of them transposed first if so set.

    >>> print(ops.MatMul()(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False) -> None:
        self.settings = {'transpose_a': transpose_a, 'transpose_b': transpose_b}

        def turned(x: Tensor, y: Tensor) -> Tensor:
            return matmul(swapaxes(x, -1, -2) if transpose_a else x, swapaxes(y, -1, -2) if transpose_b else y)

        self.function = turned if transpose_a or transpose_b else matmul
