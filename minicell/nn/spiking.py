"""Spiking neurons, and the surrogates that take over the backward of their step.

A neuron spikes where its membrane is above threshold: a step, whose derivative is 0 wherever it has one. A surrogate is
a Cell whose forward is the step and whose bprop is the slope of something smoother. Its settings are above 0.

Source: Neftci, Mostafa and Zenke, Surrogate Gradient Learning in Spiking Neural Networks, arXiv:1901.09948.
The names of the surrogates are written as `relusigmoid` is in MindSpore's document.
"""

from .. import ops
from ..core.tensor import Tensor
from ..ops.checks import above_0
from .cell import Cell


class Surrogate(Cell):
    """A step at 0, as 0.0 and 1.0: `slope(x)` says what stands in for its derivative.

    >>> class Window(Surrogate):
    ...     def slope(self, x):
    ...         return (ms.ops.abs(x) < 0.5).astype(x.dtype)
    >>> print(ms.grad(Window())(ms.Tensor([-1.0, 0.1])))
    [0. 1.]
    """

    def construct(self, x: Tensor) -> Tensor:
        """1 where x > 0, else 0, in x's dtype."""
        return ops.greater(x, 0).astype(x.dtype)

    def bprop(self, x, out, dout):
        return (dout * self.slope(x),)

    def slope(self, x: Tensor) -> Tensor:
        """The stand-in for the derivative at x; every surrogate writes its own."""
        raise NotImplementedError(f'{type(self).__name__} needs a method slope(self, x)')


class relusigmoid(Surrogate):
    """The derivative of sigmoid(a x): the larger a, the closer to the step, and the fewer x it reaches.

    a = 5 is that of MindSpore's document.

    >>> print(ms.grad(relusigmoid())(ms.Tensor([0.0])))
    [1.25]
    """

    def __init__(self, a: float = 5.0) -> None:
        super().__init__()
        above_0('relusigmoid', a=a)
        self.a = float(a)

    def slope(self, x):
        s = ops.sigmoid(x * self.a)
        return (1 - s) * s * self.a

    def extend_repr(self):
        return f'a={self.a:g}'


class triangular(Surrogate):
    """A triangle of area 1 from -width to width: max(0, 1 - |x| / width) / width."""

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        above_0('triangular', width=width)
        self.width = float(width)

    def slope(self, x):
        return ops.relu(1 - ops.abs(x) / self.width) / self.width

    def extend_repr(self):
        return f'width={self.width:g}'


class straight_through(Surrogate):
    """1: as if the step were the identity. Source: Bengio, Léonard and Courville, 2013, arXiv:1308.3432."""

    def slope(self, x):
        return ops.ones_like(x)


class true_derivative(Surrogate):
    """0 everywhere: what the step's derivative is, with which no neuron learns."""

    def slope(self, x):
        return ops.zeros_like(x)


class IFNode(Cell):
    """Integrate and fire: v = v + x; a spike where v > v_threshold, which is then taken off v (a soft reset).

    Called with the input current x and the membrane v; returns (spike, v), both of x's shape. fire=False: nothing
    spikes, and (v, v) comes back: a readout. Without a surrogate_function each IFNode has a relusigmoid of its own.

    >>> spike, v = IFNode()(ms.Tensor([0.5, 1.5]), ms.Tensor([0.0, 0.0]))
    >>> print(spike, v)
    [0. 1.] [0.5 0.5]
    """

    def __init__(self, v_threshold: float = 1.0, fire: bool = True, surrogate_function: Cell | None = None) -> None:
        super().__init__()
        above_0('IFNode', v_threshold=v_threshold)
        self.v_threshold = float(v_threshold)
        self.fire = fire
        self.surrogate_function = relusigmoid() if surrogate_function is None else surrogate_function

    def charge(self, x: Tensor, v: Tensor) -> Tensor:
        """The membrane after an input; a leaky neuron, say, writes its own."""
        return v + x

    def construct(self, x: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        v = self.charge(x, v)
        if not self.fire:
            return v, v
        spike = self.surrogate_function(v - self.v_threshold) * self.v_threshold
        return spike, v - spike

    def extend_repr(self):
        return f'v_threshold={self.v_threshold:g}, fire={self.fire}'
