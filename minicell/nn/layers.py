"""Layers: Dense, Flatten, Dropout."""

from collections.abc import Callable

from .. import ops
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from ..core.dtype import DType, float32
from ..core.errors import DTypeError, ShapeError, article, users_line
from ..core.tensor import Tensor
from ..errors import SettingError
from .activation import activation as known_activation
from .cell import Cell


class Dense(Cell):
    """x @ weight.T + bias, with weight of shape (out_channels, in_channels).

    weight_init and bias_init: what `initializer` takes; by default both are uniform in ±1/sqrt(in_channels).
    activation: a Cell, or a name such as 'relu', for what comes after.

    Raises ValueError for a weight_init of another shape.

    >>> from minicell import nn, Tensor
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
        if not isinstance(has_bias, bool):
            raise DTypeError(
                f"For 'Dense', 'has_bias' is a bool, but got {article(type(has_bias).__name__)}.{users_line()}"
            )
        if not (activation is None or isinstance(activation, str) or callable(activation)):
            raise DTypeError(
                f"For 'Dense', 'activation' is a name, a Cell or a primitive, but got "
                f'{article(type(activation).__name__)}.{users_line()}'
            )
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        weight_init = HeUniform(5**0.5) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels), dtype), name='weight')
        self.bias = None
        if has_bias:
            bias_init = Uniform(in_channels**-0.5) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name='bias')
        self.activation = known_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        """x of shape (..., in_channels)."""
        out = ops.dense(x, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)

    def extend_repr(self) -> str:
        """As MindSpore prints it."""
        then = '' if self.activation is None else f', activation={self.activation}'
        bias = ', has_bias=True' if self.has_bias else ''
        return f'input_channels={self.in_channels}, output_channels={self.out_channels}{bias}{then}'


def positive_int(who: str, **settings: object) -> None:
    """Raise unless each setting is an int of at least 1."""
    for name, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise DTypeError(f"For '{who}', '{name}' is an int, but got {article(type(value).__name__)}.{users_line()}")
        if value < 1:
            raise SettingError(f"For '{who}', '{name}' is at least 1, but got {value}.{users_line()}")


def probability(
    who: str, what: str, value: object, due: str, fits: Callable[[float], bool], kinds: object = (int, float)
) -> None:
    """Raise unless a setting is a number that fits."""
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise DTypeError(f"For '{who}', '{what}' is a float, but got {article(type(value).__name__)}.{users_line()}")
    if not fits(value):
        raise SettingError(f"For '{who}', the '{what}' must be a number {due}, but got {value}.{users_line()}")


class Flatten(Cell):
    """The axes from start_dim to end_dim as one: (N, C, H, W) becomes (N, C * H * W)."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        """Any shape that has the axes. Raises ValueError for one that has not."""
        if isinstance(x, Tensor) and not -x.ndim <= self.start_dim < x.ndim:
            raise ShapeError(
                f'Flatten: there is no axis {self.start_dim} in a Tensor of shape {x.shape}.{users_line()}'
            )
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """Its input."""

    def construct(self, x: Tensor) -> Tensor:
        """Anything."""
        return x


class Dropout(Cell):
    """In training, each number is dropped with probability p and the others are divided by 1 - p; else nothing happens.

    A fresh Cell is not in training: call set_train(). Raises ValueError for a p outside 0 <= p < 1.

    Source: Srivastava et al., Dropout, JMLR 15, 2014.

    >>> from minicell import nn, Tensor
    >>> print(nn.Dropout(p=0.5)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = float32) -> None:
        super().__init__()
        if p is None:
            probability('Dropout', 'keep_prob', keep_prob, 'in range (0, 1]', lambda p: 0 < p <= 1, float)
        else:
            probability('Dropout', 'p', p, 'in range [0, 1)', lambda p: 0 <= p < 1)
        self.p = p
        self.keep_prob = keep_prob if p is None else 1 - p

    def construct(self, x: Tensor) -> Tensor:
        """Floats of any shape."""
        return ops.dropout(x, 1 - self.keep_prob if self.p is None else self.p, self.training)

    def extend_repr(self) -> str:
        """As MindSpore prints it."""
        return f'keep_prob={self.keep_prob}' if self.p is None else f'p={self.p}'


class Dropout2d(Cell):
    """In training, whole channels of images (N, C, H, W) are dropped with probability p; the others grow in turn."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        probability('Dropout2d', 'p', p, 'in range [0, 1]', lambda p: 0 <= p <= 1, float)
        self.p = p

    def construct(self, x: Tensor) -> Tensor:
        """Floats of shape (N, C, H, W)."""
        return ops.dropout2d(x, self.p, self.training)

    def extend_repr(self) -> str:
        """As MindSpore prints it."""
        return f'p={self.p}'
