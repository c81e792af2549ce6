"""The network of exercise 10b, as the lesson shows it, and the Cells of the hunt, 10d."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import Parameter, nn
from minicell.teach.about import defined
from minicell.teach.trials import variant

(Zoo,) = defined('10', 'Zoo', 'Scale')

WORDS = ('right', 'cut', 'mean', 'swapped')


class Suspect(nn.Cell):
    """w * x + b, for a batch of rows, in float64: differences need the digits. This one is right."""

    named = 'wb'  # what bprop answers for

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


NoW, NoB = variant(Suspect, named='b'), variant(Suspect, named='w')
Mean = variant(Suspect, shares=lambda self, x, dout: ((x * dout).mean(0), dout.mean(0)))
Swapped = variant(Suspect, shares=lambda self, x, dout: (dout.sum(0), (x * dout).sum(0)))

ONE, TWO = ((2.0, -1.0, 0.5), (0.0, 1.0, 3.0)), ((-0.7, 1.5, 3.0), (1.2, -0.4, 0.8))
HIDDEN = (
    (Mean, ONE, 'mean'),
    (Suspect, TWO, 'right'),
    (NoB, ONE, 'cut'),
    (Swapped, TWO, 'swapped'),
    (NoW, TWO, 'cut'),
    (Suspect, ONE, 'right'),
    (Swapped, ONE, 'swapped'),
    (Mean, TWO, 'mean'),
)
