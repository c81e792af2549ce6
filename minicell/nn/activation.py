"""The activations as Cells."""

from .. import ops
from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from ..errors import SettingError, UnknownNameError
from .cell import Cell


class ReLU(Cell):
    """max(x, 0)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.relu(x)


class ReLU6(Cell):
    """x clipped to 0 .. 6."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.relu6(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x))."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.sigmoid(x)


class Tanh(Cell):
    """The hyperbolic tangent."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.tanh(x)


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
        """Elementwise."""
        return ops.leaky_relu(x, self.alpha)


class ELU(Cell):
    """x where x > 0, else alpha * (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """x times the probability that a standard normal number is below x; approximate: by tanh, as usual."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        if not isinstance(approximate, bool):
            raise DTypeError(f"For 'GELU', 'approximate' is a bool, but got {approximate!r}.{users_line()}")
        self.approximate = approximate

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.gelu(x, 'tanh' if self.approximate else 'none')


class SiLU(Cell):
    """x * sigmoid(x)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.silu(x)


class Softplus(Cell):
    """log(1 + exp(x))."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.softplus(x)


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
        """Elementwise."""
        return ops.hardtanh(x, self.min_val, self.max_val)


class LogSigmoid(Cell):
    """log(sigmoid(x)), without its underflow."""

    def construct(self, input_x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.logsigmoid(input_x)


class Softsign(Cell):
    """x / (1 + |x|)."""

    def construct(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return ops.softsign(x)


class Mish(Cell):
    """x * tanh(softplus(x))."""

    def construct(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return ops.mish(input)


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
        """Elementwise."""
        return ops.threshold(input, self.threshold, self.value)


KINDS = (
    ReLU,
    ReLU6,
    Sigmoid,
    Tanh,
    Softmax,
    LogSoftmax,
    LeakyReLU,
    ELU,
    GELU,
    SiLU,
    Softplus,
    Hardtanh,
    LogSigmoid,
    Softsign,
    Mish,
)
BY_NAME = {kind.__name__.lower(): kind for kind in KINDS}


def get_activation(name: str | None) -> Cell | None:
    """The activation of a name, such as 'relu'; None for None. Raises KeyError for a name that there is not.

    >>> get_activation('relu')
    ReLU()
    """
    if name is None:
        return None
    kind = BY_NAME.get(name)
    if kind is None:
        raise UnknownNameError(
            f'there is no activation {name!r}: there are {", ".join(sorted(BY_NAME))}.{users_line()}'
        )
    return kind()
