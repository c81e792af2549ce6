"""Ops whose kernel keeps something for the way back: the softmax of a loss, the columns of a convolution."""

from collections.abc import Callable

from ..core.primitives import misfit
from ..core.rules import Many
from ..core.tape import place
from ..core.tensor import Tensor, wrap


class Saving(Many):
    """Any number of Tensors in, one out; `keeping(*attributes, *arrays)` gives the output and what to keep.

    Formulas are `dx(g, out, *attributes, kept, *inputs)`. What was kept are bare numbers that know nothing of their
    derivatives, so that a formula which runs on Tensors finds None there, and computes it again.
    """

    def __init__(self, name: str, keeping: Callable, vjps: tuple) -> None:
        super().__init__(name, lambda *inputs: keeping(*inputs)[0], vjps)
        self.keeping = keeping

    def vjp(self, g, mark, x, y, out):
        return super().vjp(g, mark, x, (*y[:-1], None) if type(g) is Tensor else y, out)

    def raw(self, inputs, attributes):
        return inputs, (*attributes, None)

    def attributes(self, y):
        return y[:-1]


def apply_saving(rule: Saving, inputs: tuple, attributes: tuple, frame) -> Tensor:
    """Play such a rule forward, called at `frame`."""
    try:
        value, kept = rule.keeping(*attributes, *[t.array for t in inputs])
    except ValueError as error:
        raise misfit(rule, inputs, error, frame) from None
    return place(rule, inputs, (*attributes, kept), wrap(value), max([t.at for t in inputs]), frame)
