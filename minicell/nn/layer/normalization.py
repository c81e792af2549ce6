"""Layers that normalize: BatchNorm1d and 2d, LayerNorm."""

from ... import ops
from ...common.initializer import initializer
from ...common.parameter import Parameter
from ...core.dtype import DType, float16, float32
from ...core.errors import DTypeError, ShapeError, users_line
from ...core.tensor import Tensor
from ...errors import SettingError
from ...ops.checks import must, must_be, only, positive_int
from ..cell import Cell


def _in(dtype: DType, x: Tensor) -> Tensor:
    return x if x.dtype is dtype else x.astype(dtype)


def _wide(x: Tensor) -> Tensor:
    """Float16 as Float32: the square of a distance may be more than it can hold."""
    return x.astype(float32) if x.dtype is float16 else x


def _over_channels(p: Tensor, x: Tensor) -> Tensor:
    return p.reshape((1, -1, *(1,) * (x.ndim - 2))) if x.ndim > 2 else p


class BatchNorm(Cell):
    """What BatchNorm1d and 2d have in common. moving = momentum * moving + (1 - momentum) * batch's, in training.

    There the batch's variance is the unbiased one, over n - 1 examples. No gradient passes through the moving ones, and
    writing them after use harms none. Source: Ioffe and Szegedy, Batch Normalization, arXiv:1502.03167.
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
        only(name, 'NCHW', data_format=data_format)
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
        said = f'{type(self).__name__} takes floats, but got {x.dtype}: write x.astype(minicell.float32)'
        must(x.array.dtype.kind == 'f', DTypeError, said)
        axes, dtype, x = (0, *range(2, x.ndim)), x.dtype, _wide(x)
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
        return _in(dtype, away * scale + _over_channels(self.beta, x))

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

    Raises ValueError for inputs of another shape. Source: Ba et al., Layer Normalization, arXiv:1607.06450.

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
        first, last = (axis % max(input_x.ndim, 1) for axis in (self.begin_norm_axis, self.begin_params_axis))
        due, got = tuple(self.normalized_shape), input_x.shape
        must(got[last:] == due, ShapeError, f'LayerNorm: the last axes are {due}, but got a Tensor of shape {got}')
        axes, x = tuple(range(first, input_x.ndim)), _wide(input_x)
        away = x - x.mean(axes, keep_dims=True)
        variance = ops.square(away).mean(axes, keep_dims=True)
        return _in(input_x.dtype, away * ops.rsqrt(variance + self.epsilon) * self.gamma + self.beta)

    def extend_repr(self) -> str:
        return (
            f'normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, '
            f'begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}'
        )
