"""Layers: Dense, Flatten, Dropout."""

from collections.abc import Callable

from ... import ops
from ...common.initializer import HeUniform, Uniform, initializer
from ...common.parameter import Parameter
from ...core.dtype import DType, float32
from ...core.errors import DTypeError, ShapeError, users_line
from ...core.tensor import Tensor
from ...ops.checks import must_be, numbers, positive_int
from ..cell import Cell
from .activation import activation as known_activation
from .activation import cell_of


class Dense(Cell):
    """x @ weight.T + bias, with weight of shape (out_channels, in_channels).

    weight_init and bias_init: what `initializer` takes; by default both are uniform in ±1/sqrt(in_channels).
    activation: a Cell, or a name such as 'relu', for what comes after. ValueError for a weight_init of another shape.

    >>> print(nn.Dense(2, 1, weight_init=2, bias_init=1)(Tensor([[1.0, 2.0]])))
    [[7.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: object = None,
        bias_init: object = None,
        has_bias: bool = True,
        activation: str | Cell | None = None,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        positive_int('Dense', in_channels=in_channels, out_channels=out_channels)
        must_be(has_bias, bool, DTypeError, "For 'Dense', 'has_bias' is a bool")
        known = type(None), str, Callable
        must_be(activation, known, DTypeError, "For 'Dense', 'activation' is a name, a Cell or a primitive")
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        weight_init = HeUniform(5**0.5) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels), dtype), name='weight')
        bias_init = Uniform(in_channels**-0.5) if bias_init is None else bias_init
        self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name='bias') if has_bias else None
        self.activation = known_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        """x of shape (..., in_channels)."""
        out = ops.dense(x, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)

    def extend_repr(self) -> str:
        then = '' if self.activation is None else f', activation={self.activation}'
        bias = ', has_bias=True' if self.has_bias else ''
        return f'input_channels={self.in_channels}, output_channels={self.out_channels}{bias}{then}'


def _product(x1: Tensor, x2: Tensor, transpose_x1: bool, transpose_x2: bool) -> Tensor:
    turned = lambda x, asked: ops.swapaxes(x, -1, -2) if asked and x.ndim > 1 else x  # a vector has no axes to exchange
    return ops.matmul(turned(x1, transpose_x1), turned(x2, transpose_x2))


def _flattened(x: Tensor, start_dim: int, end_dim: int) -> Tensor:
    if isinstance(x, Tensor) and not -x.ndim <= start_dim < x.ndim:  # ops.flatten takes a Tensor of rank 0 or 1
        raise ShapeError(f'Flatten: there is no axis {start_dim} in a Tensor of shape {x.shape}.{users_line()}')
    return ops.flatten(x, start_dim=start_dim, end_dim=end_dim)


# fmt: off
Identity = cell_of('Identity', lambda x: x, 'Its input.')
Flatten = cell_of('Flatten', _flattened,
                  'The axes from start_dim to end_dim as one: (N, C, H, W) becomes (N, C * H * W).',
                  start_dim=1, end_dim=-1)
MatMul = cell_of('MatMul', _product,
    """x1 @ x2, the last two axes of either exchanged before, where asked.

    >>> nn.MatMul(transpose_x1=True)(ops.ones((3, 2)), ops.ones((3, 4))).shape
    (2, 4)
    """, inputs=2, transpose_x1=False, transpose_x2=False)
# fmt: on


class Dropout(Cell):
    """In training, each number is dropped with probability p and the others are divided by 1 - p; else nothing happens.

    A fresh Cell is not in training: call set_train(). 0 <= p < 1. Source: Srivastava et al., Dropout, JMLR 15, 2014.

    >>> print(nn.Dropout(p=0.5)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = float32) -> None:
        super().__init__()
        if p is None:
            numbers('must be a number in range (0, 1]', lambda p: 0 < p <= 1, float)('Dropout', keep_prob=keep_prob)
        else:
            numbers('must be a number in range [0, 1)', lambda p: 0 <= p < 1)('Dropout', p=p)
        self.p = p
        self.keep_prob = keep_prob if p is None else 1 - p

    def construct(self, x: Tensor) -> Tensor:
        return ops.dropout(x, 1 - self.keep_prob if self.p is None else self.p, self.training)

    def extend_repr(self) -> str:
        return f'keep_prob={self.keep_prob}' if self.p is None else f'p={self.p}'


class Dropout2d(Cell):
    """In training, whole channels of images (N, C, H, W) are dropped with probability p; the others grow in turn."""

    shown = 'p'

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        numbers('must be a number in range [0, 1]', lambda p: 0 <= p <= 1, float)('Dropout2d', p=p)
        self.p = p

    def construct(self, x: Tensor) -> Tensor:
        return ops.dropout2d(x, self.p, self.training)
