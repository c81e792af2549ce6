"""The network of exercise 10b, as the lesson shows it, and the Cells of the hunt, 10d."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import Parameter, nn
from minicell.teach.source import defined

(Zoo,) = defined('10', 'Zoo', 'Scale')

WORDS = ('right', 'cut', 'mean', 'swapped')


class Right(nn.Cell):
    """w * x + b, for a batch of rows, in float64: differences need the digits."""

    named = 'wb'

    def __init__(self, w: tuple[float, ...], b: tuple[float, ...]) -> None:
        super().__init__()
        self.w = Parameter(ms.Tensor(np.array(w)), name='w')
        self.b = Parameter(ms.Tensor(np.array(b)), name='b')
        self.internal_params = [getattr(self, name) for name in self.named]

    def construct(self, x: Any) -> Any:
        """Forward."""
        return self.w * x + self.b

    def shares(self, x: Any, dout: Any) -> tuple[Any, Any]:
        """The gradients of w and of b."""
        return (x * dout).sum(0), dout.sum(0)

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """A gradient for x, and one for each Parameter in internal_params."""
        by_weight = dict(zip((self.w, self.b), self.shares(x, dout), strict=True))
        return (self.w * dout,), {p: by_weight[p] for p in self.internal_params}


class NoW(Right):
    """bprop does not answer for w."""

    named = 'b'


class NoB(Right):
    """bprop does not answer for b."""

    named = 'w'


class Mean(Right):
    """Averages over the rows."""

    def shares(self, x: Any, dout: Any) -> tuple[Any, Any]:
        """Each divided by the number of rows."""
        return (x * dout).mean(0), dout.mean(0)


class Swapped(Right):
    """Hands each Parameter the gradient of the other."""

    def shares(self, x: Any, dout: Any) -> tuple[Any, Any]:
        """In the wrong order."""
        return super().shares(x, dout)[::-1]


ONE, TWO = ((2.0, -1.0, 0.5), (0.0, 1.0, 3.0)), ((-0.7, 1.5, 3.0), (1.2, -0.4, 0.8))
HIDDEN = (
    (Mean, ONE, 'mean'),
    (Right, TWO, 'right'),
    (NoB, ONE, 'cut'),
    (Swapped, TWO, 'swapped'),
    (NoW, TWO, 'cut'),
    (Right, ONE, 'right'),
    (Swapped, ONE, 'swapped'),
    (Mean, TWO, 'mean'),
)
