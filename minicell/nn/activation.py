"""The activations as Cells."""

from collections.abc import Callable

from .. import ops
from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from ..errors import SettingError, UnknownNameError
from .cell import Cell


def _elementwise(name: str, op: Callable, doc: str) -> type[Cell]:
    """A Cell for an op that takes no settings."""

    def construct(self, x: Tensor) -> Tensor:
        return op(x)

    def __init__(self) -> None:
        Cell.__init__(self)

    return type(name, (Cell,), {'__init__': __init__, 'construct': construct, '__doc__': doc, '__module__': __name__})


ReLU = _elementwise('ReLU', ops._relu, 'max(x, 0).')
ReLU6 = _elementwise('ReLU6', ops.relu6, 'x clipped to 0 .. 6.')
Sigmoid = _elementwise('Sigmoid', ops.sigmoid, '1 / (1 + exp(-x)).')
Tanh = _elementwise('Tanh', ops.tanh, 'The hyperbolic tangent.')
SiLU = _elementwise('SiLU', ops.silu, 'x * sigmoid(x).')
LogSigmoid = _elementwise('LogSigmoid', ops.logsigmoid, 'log(sigmoid(x)), without its underflow.')
Softsign = _elementwise('Softsign', ops.softsign, 'x / (1 + |x|).')
Mish = _elementwise('Mish', ops.mish, 'x * tanh(softplus(x)).')


class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        if not isinstance(axis, int):
            raise DTypeError(f"For 'Softmax', 'axis' is an int, but got {axis!r}.{users_line()}")
        self.axis = axis

    def construct(self, input: Tensor) -> Tensor:
        """Floats of any shape that has the axis."""
        return ops.softmax(input, self.axis)


class LogSoftmax(Cell):
    """The logarithm of Softmax."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        """Floats of any shape that has the axis."""
        return ops.log_softmax(x, self.axis)


class LeakyReLU(Cell):
    """x where x > 0, else alpha * x."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class ELU(Cell):
    """x where x > 0, else alpha * (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """x times the probability that a standard normal number is below x; approximate: by tanh, as usual."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        if not isinstance(approximate, bool):
            raise DTypeError(f"For 'GELU', 'approximate' is a bool, but got {approximate!r}.{users_line()}")
        self.approximate = approximate

    def construct(self, x: Tensor) -> Tensor:
        return ops.gelu(x, 'tanh' if self.approximate else 'none')


class Hardtanh(Cell):
    """x cut off below min_val and above max_val."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        for edge in (min_val, max_val):
            if isinstance(edge, bool) or not isinstance(edge, (int, float)):
                raise DTypeError(f"For 'Hardtanh', an edge is a number, but got {edge!r}.{users_line()}")
        if not min_val < max_val:
            raise SettingError(
                f"For 'Hardtanh', min_val is less than max_val, but got {min_val} and {max_val}.{users_line()}"
            )
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x where it is above threshold, else value.

    >>> from minicell import Tensor, nn
    >>> print(nn.Threshold(0.1, 20.0)(Tensor([0.1, 0.2])))
    [20.   0.2]
    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input: Tensor) -> Tensor:
        return ops.threshold(input, self.threshold, self.value)


# fmt: off
KINDS = (ReLU, ReLU6, Sigmoid, Tanh, SiLU, LogSigmoid, Softsign, Mish, Softmax, LogSoftmax, LeakyReLU, ELU, GELU,
         Hardtanh)
# fmt: on
BY_NAME = {kind.__name__.lower(): kind for kind in KINDS}


def activation(given: str | Cell | None) -> Cell | None:
    """What a layer was given for an activation; for a name such as 'relu', a Cell. Raises KeyError for an unknown one.

    >>> activation('relu')
    ReLU()
    """
    if isinstance(given, str) and given not in BY_NAME:
        raise UnknownNameError(
            f'there is no activation {given!r}: there are {", ".join(sorted(BY_NAME))}.{users_line()}'
        )
    return BY_NAME[given]() if isinstance(given, str) else given
