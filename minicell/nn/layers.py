"""Layers: Dense, Flatten, Dropout, and normalization: BatchNorm1d and 2d, LayerNorm."""

from collections.abc import Callable

from .. import ops
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from ..core.dtype import DType, float32
from ..core.errors import DTypeError, ShapeError, users_line
from ..core.tensor import Tensor
from ..errors import SettingError
from ..ops.checks import must, must_be, number, only_nchw, positive_int
from .activation import activation as known_activation
from .cell import Cell


class Dense(Cell):
    """x @ weight.T + bias, with weight of shape (out_channels, in_channels).

    weight_init and bias_init: what `initializer` takes; by default both are uniform in ±1/sqrt(in_channels).
    activation: a Cell, or a name such as 'relu', for what comes after.

    Raises ValueError for a weight_init of another shape.

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


class Flatten(Cell):
    """The axes from start_dim to end_dim as one: (N, C, H, W) becomes (N, C * H * W)."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        """Any shape that has the axes. Raises ValueError for one that has not."""
        if isinstance(x, Tensor) and not -x.ndim <= (axis := self.start_dim) < x.ndim:
            raise ShapeError(f'Flatten: there is no axis {axis} in a Tensor of shape {x.shape}.{users_line()}')
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

    >>> print(nn.Dropout(p=0.5)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = float32) -> None:
        super().__init__()
        if p is None:
            number('Dropout', 'keep_prob', keep_prob, 'must be a number in range (0, 1]', lambda p: 0 < p <= 1, float)
        else:
            number('Dropout', 'p', p, 'must be a number in range [0, 1)', lambda p: 0 <= p < 1)
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

    shown = 'p'

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        number('Dropout2d', 'p', p, 'must be a number in range [0, 1]', lambda p: 0 <= p <= 1, float)
        self.p = p

    def construct(self, x: Tensor) -> Tensor:
        """Floats of shape (N, C, H, W)."""
        return ops.dropout2d(x, self.p, self.training)


# ---- normalization -------------------------------------------------------------------------------------------------


def _in(dtype: DType, x: Tensor) -> Tensor:
    return x if x.dtype is dtype else x.astype(dtype)


def _over_channels(p: Tensor, x: Tensor) -> Tensor:
    return p.reshape((1, -1, *(1,) * (x.ndim - 2))) if x.ndim > 2 else p


class BatchNorm(Cell):
    """Batch normalization: gamma * (x - mean) / sqrt(var + eps) + beta, each channel for itself.

    In training mean and var are the batch's, and the moving ones go towards them:
    moving = momentum * moving + (1 - momentum) * batch's; there the batch's variance is the unbiased one, over n - 1
    examples. Else they are the moving ones. No gradient passes through the moving statistics, and writing them after
    use harms none.

    Source: Ioffe and Szegedy, Batch Normalization, arXiv:1502.03167.
    """

    ranks: tuple[int, ...]
    shown = 'num_features eps momentum gamma beta moving_mean moving_variance'

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: object = 'ones',
        beta_init: object = 'zeros',
        moving_mean_init: object = 'zeros',
        moving_var_init: object = 'ones',
        use_batch_statistics: bool | None = None,
        data_format: str = 'NCHW',
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        positive_int(name, num_features=num_features)
        only_nchw(name, data_format)
        must(0 <= momentum <= 1, SettingError, f"For '{name}', the 'momentum' lies in [0, 1], but got {momentum}")
        known, given = use_batch_statistics in (None, True, False), repr(use_batch_statistics)
        must(known, SettingError, f"For '{name}', 'use_batch_statistics' is a bool or None, but got {given}")
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.use_batch_statistics = use_batch_statistics
        mean, variance = (initializer(init, num_features, dtype) for init in (moving_mean_init, moving_var_init))
        self.moving_mean = Parameter(mean, 'mean', requires_grad=False)  # inside another Cell: its place's name
        self.moving_variance = Parameter(variance, 'variance', requires_grad=False)
        self.gamma = Parameter(initializer(gamma_init, num_features, dtype), requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_features, dtype), requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        """Floats of shape (N, C) or (N, C, L) for BatchNorm1d, (N, C, H, W) for BatchNorm2d."""
        if x.ndim not in self.ranks or x.shape[1] != self.num_features:
            name, due = type(self).__name__, ', '.join(['N', str(self.num_features), 'H', 'W'][: self.ranks[0]])
            raise ShapeError(f'{name} takes a Tensor of shape ({due}), but got {x.shape}.{users_line()}')
        if x.array.dtype.kind != 'f':
            due = 'write x.astype(minicell.float32)'
            raise DTypeError(f'{type(self).__name__} takes floats, but got {x.dtype}: {due}.{users_line()}')
        axes = (0, *range(2, x.ndim))
        by_batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if by_batch:
            mean = x.mean(axes, keep_dims=True)
            away = x - mean
            variance = ops.square(away).mean(axes, keep_dims=True)
            self._move(self.moving_mean, mean)
            count = x.size // self.num_features
            self._move(self.moving_variance, variance, count / max(count - 1, 1))
        else:
            away = x - _over_channels(self.moving_mean, x)
            variance = _over_channels(self.moving_variance, x)
        scale = _over_channels(self.gamma, x) * ops.rsqrt(variance + self.eps)
        return _in(x.dtype, away * scale + _over_channels(self.beta, x))

    def _move(self, moving: Parameter, new: Tensor, scale: float = 1.0) -> None:
        new = moving * self.momentum + ops.stop_gradient(new).reshape(moving.shape) * (scale * (1 - self.momentum))
        ops.assign(moving, new if new.dtype is moving.dtype else new.astype(moving.dtype))


class BatchNorm1d(BatchNorm):
    """Batch normalization of (N, C), each channel over the examples: gamma * (x - mean) / sqrt(var + eps) + beta.

    In training, mean and var are the batch's, and moving_mean and moving_variance go towards them; else they are those.

    >>> norm = ms.nn.BatchNorm1d(1).set_train()
    >>> print(norm(ms.Tensor([[1.0], [3.0]])).asnumpy().round(3).tolist(), norm.moving_mean.asnumpy())
    [[-1.0], [1.0]] [0.2]
    """

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """Batch normalization of images (N, C, H, W), each channel over examples and pixels; else as BatchNorm1d."""

    ranks = (4,)


class LayerNorm(Cell):
    """gamma * (x - mean) / sqrt(var + epsilon) + beta over the axes from begin_norm_axis on, each example for itself.

    Raises TypeError where normalized_shape is no tuple or list, ValueError for inputs of another shape.

    Source: Ba et al., Layer Normalization, arXiv:1607.06450.

    >>> print(nn.LayerNorm((2,))(Tensor([[1.0, 3.0]])))
    [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: object = 'ones',
        beta_init: object = 'zeros',
        epsilon: float = 1e-7,
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        said = "For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int]"
        must_be(normalized_shape, (tuple, list), DTypeError, said)
        self.normalized_shape, self.epsilon = normalized_shape, epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype))
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype))

    def construct(self, input_x: Tensor) -> Tensor:
        """Floats whose last axes are normalized_shape."""
        first = self.begin_norm_axis % max(input_x.ndim, 1)
        if input_x.shape[self.begin_params_axis % max(input_x.ndim, 1) :] != tuple(self.normalized_shape):
            due, got = self.normalized_shape, input_x.shape
            raise ShapeError(f'LayerNorm: the last axes are {due}, but got a Tensor of shape {got}.{users_line()}')
        axes = tuple(range(first, input_x.ndim))
        away = input_x - input_x.mean(axes, keep_dims=True)
        variance = ops.square(away).mean(axes, keep_dims=True)
        return _in(input_x.dtype, away * ops.rsqrt(variance + self.epsilon) * self.gamma + self.beta)

    def extend_repr(self) -> str:
        """As MindSpore prints it."""
        return (
            f'normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, '
            f'begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}'
        )
