"""Initializers: the first numbers of a weight. Random ones come from np.random, so that np.random.seed repeats them.

The fan of a weight of shape (out, in, ...) is how many inputs each output has (`fan_in`: in * the rest), and how many
outputs each input has (`fan_out`: out * the rest).
"""

import math
from functools import partial

import numpy as np

from ..core.dtype import DType
from ..core.errors import ShapeError
from ..core.tensor import Tensor, wrap
from ..errors import InitializerError, ParameterError, SettingError
from ..lazy import without
from ..ops.checks import must, must_be
from ..ops.create import as_numpy, lengths


class Initializer:
    """The base: `fill(shape)` gives the numbers, as an array of any dtype.

    >>> class Ramp(Initializer):
    ...     def fill(self, shape):
    ...         return np.arange(math.prod(shape)).reshape(shape)
    >>> print(initializer(Ramp(), [3]))
    [0. 1. 2.]
    """

    def fill(self, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers for a weight of this shape."""
        into = np.zeros(shape)
        self._initialize(into)  # how MindSpore's own are written
        return into

    def _initialize(self, arr: np.ndarray) -> None:
        raise NotImplementedError(f'{type(self).__name__} needs a method fill(self, shape) that returns the numbers')

    def __repr__(self) -> str:
        settings = ', '.join(f'{name}={value!r}' for name, value in vars(self).items())
        return f'{type(self).__name__}({settings})'


class Zero(Initializer):
    """All 0."""

    fill = staticmethod(np.zeros)


class One(Initializer):
    """All 1."""

    fill = staticmethod(np.ones)


class Constant(Initializer):
    """All one number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def fill(self, shape):
        return np.full(shape, self.value)


class Normal(Initializer):
    """Normal numbers."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma, self.mean = sigma, mean

    def fill(self, shape):
        return np.random.normal(self.mean, self.sigma, shape)


class Uniform(Initializer):
    """Evenly spread over -scale .. scale."""

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def fill(self, shape):
        return np.random.uniform(-self.scale, self.scale, shape)


class TruncatedNormal(Initializer):
    """Normal numbers between a and b: what falls outside is drawn again."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        must(a < b, SettingError, f'TruncatedNormal: a is below b, but got a={a} and b={b}')
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def fill(self, shape):
        out, left = np.random.normal(self.mean, self.sigma, shape), 1000
        while (outside := (out < self.a) | (out > self.b)).any() and (left := left - 1):
            out[outside] = np.random.normal(self.mean, self.sigma, int(outside.sum()))
        return np.clip(out, self.a, self.b)


class Identity(Initializer):
    """1 on the diagonal of a matrix."""

    def fill(self, shape):
        must(len(shape) == 2, InitializerError, f'Identity fills a matrix, but the shape is {shape}')
        return np.eye(*shape)


class XavierUniform(Initializer):
    """Uniform with the standard deviation gain * sqrt(2 / (fan_in + fan_out)). Source: Glorot and Bengio, 2010."""

    def __init__(self, gain: float = 1) -> None:
        self.gain = gain

    def fill(self, shape):
        bound = self.gain * math.sqrt(6 / sum(fans(self, shape)))
        return np.random.uniform(-bound, bound, shape)


class XavierNormal(XavierUniform):
    """Normal, with the same standard deviation."""

    def fill(self, shape):
        return np.random.normal(0, self.gain * math.sqrt(2 / sum(fans(self, shape))), shape)


class HeUniform(Initializer):
    """Uniform, with the standard deviation that keeps the size of a signal through a (leaky) ReLU.

    That is sqrt(2 / (1 + negative_slope²) / fan). Source: He et al., Delving Deep into Rectifiers, arXiv:1502.01852.
    """

    def __init__(self, negative_slope: float = 0, mode: str = 'fan_in', nonlinearity: str = 'leaky_relu') -> None:
        known = mode in ('fan_in', 'fan_out') and nonlinearity in ('relu', 'leaky_relu')
        due = "mode is 'fan_in' or 'fan_out', nonlinearity 'relu' or 'leaky_relu'"
        must(known, SettingError, f'{type(self).__name__}: {due}, but got {mode!r} and {nonlinearity!r}')
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def deviation(self, shape: tuple[int, ...]) -> float:
        """The standard deviation for a weight of this shape."""
        slope = self.negative_slope if self.nonlinearity == 'leaky_relu' else 0
        return math.sqrt(2 / (1 + slope * slope) / fans(self, shape)[self.mode == 'fan_out'])

    def fill(self, shape):
        bound = math.sqrt(3) * self.deviation(shape)
        return np.random.uniform(-bound, bound, shape)


class HeNormal(HeUniform):
    """Normal, with the same standard deviation."""

    def fill(self, shape):
        return np.random.normal(0, self.deviation(shape), shape)


BY_NAME: dict[str, type[Initializer]] = {
    'zero': Zero, 'zeros': Zero, 'one': One, 'ones': One, 'normal': Normal, 'uniform': Uniform,
    'xavieruniform': XavierUniform, 'xavier_uniform': XavierUniform, 'heuniform': HeUniform, 'he_uniform': HeUniform,
    'xaviernormal': XavierNormal, 'xavier_normal': XavierNormal, 'henormal': HeNormal, 'he_normal': HeNormal,
    'identity': Identity, 'truncatednormal': TruncatedNormal,
}  # fmt: skip
__getattr__ = without(__name__, 'Orthogonal')


def fans(who: Initializer | str, shape: tuple[int, ...]) -> tuple[int, int]:
    """fan_in and fan_out of a weight of this shape."""
    who = who if isinstance(who, str) else type(who).__name__
    said = f'{who} needs a weight of two axes or more, (out, in, ...), but the shape is {shape}'
    must(len(shape) >= 2, InitializerError, f"{said}: take 'normal', 'uniform' or 'zeros' for a bias")
    rest = math.prod(shape[2:])
    return max(shape[1] * rest, 1), max(shape[0] * rest, 1)


# what an Initializer of one's own is written with on MindSpore's pages
_calculate_fan_in_and_fan_out, _assignment = partial(fans, '_calculate_fan_in_and_fan_out'), np.copyto


def initializer(init: Tensor | str | Initializer | float, shape: object = None, dtype: DType | None = None) -> Tensor:
    """A Tensor with the first numbers of a weight: Float32, unless a dtype is given.

    init: an Initializer, its name in any case ('ones', 'normal', 'xavier_uniform' ...), a number, or a Tensor, which
    is only checked for its shape. shape: an int, or a tuple or list of ints.

    Raises ValueError for an unknown name and for a shape that init cannot fill, TypeError for what is none of these.

    >>> print(initializer('ones', [1, 3]))
    [[1. 1. 1.]]
    """
    if isinstance(init, Tensor):
        due = init.shape if shape is None else lengths(shape, InitializerError, 0)
        said = f"The shape of the 'init' argument should be the same as 'shape': {init.shape} against {due}"
        must(init.shape == due, ShapeError, said)
        return init
    said = 'an initializer is a name, an Initializer, a number or a Tensor'
    must_be(init, (str, Initializer, int, float, np.number), ParameterError, said)
    if isinstance(init, str):
        hint = ' (a number alone means Constant)' if init.lower() == 'constant' else ''
        said = f'there is no initializer {init!r}{hint}: there are {", ".join(sorted(BY_NAME))}'
        must(init.lower() in BY_NAME, InitializerError, said)
        init = BY_NAME[init.lower()]()
    elif not isinstance(init, Initializer):
        init = Constant(init)
    numbers = init.fill(lengths(shape, InitializerError, 0))
    return wrap(np.asarray(numbers).astype(np.float32 if dtype is None else as_numpy(dtype, only=True)))
