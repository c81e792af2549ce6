"""mindspore.amp, as far as one device needs it: losses and gradients scaled by a number that stays as it is."""

from .common.parameter import Parameter
from .core.tensor import Tensor, map_tensors, tensors_in
from .ops import isfinite
from .ops.checks import numbers


class StaticLossScaler:
    """A loss too small for Float16 is multiplied before its gradient is taken; the gradients are divided afterwards.

    Raises TypeError where scale_value is no number, ValueError where it is below 1.

    >>> scaler = ms.amp.StaticLossScaler(4.0)
    >>> print(scaler.scale(Tensor(0.5)), scaler.unscale((Tensor([2.0, 8.0]),))[0])
    2.0 [0.5 2. ]
    """

    def __init__(self, scale_value: float) -> None:
        numbers('is at least 1', lambda value: value >= 1)('StaticLossScaler', scale_value=scale_value)
        self.scale_value = Parameter(Tensor(float(scale_value)), name='scale_value')

    def scale(self, inputs: object) -> object:
        """A Tensor, or each of a tuple, multiplied."""
        return map_tensors(inputs, lambda t: t * self.scale_value.astype(t.dtype))

    def unscale(self, inputs: object) -> object:
        """A Tensor, or each of a tuple, divided."""
        return map_tensors(inputs, lambda t: t / self.scale_value.astype(t.dtype))

    def adjust(self, grads_finite: Tensor) -> bool:
        """False: the number stays as it is."""
        return False


def all_finite(inputs: object) -> Tensor:
    """Whether no number of these Tensors is infinite or NaN.

    >>> print(ms.amp.all_finite((Tensor([1.0]), Tensor([float('inf')]))))
    False
    """
    return Tensor(all(bool(isfinite(t).all()) for t in tensors_in(inputs)))
