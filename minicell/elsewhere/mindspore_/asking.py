"""A rule's gradients as MindSpore runs them again: in graph mode, and differentiated for the second order."""

from collections.abc import Callable
from typing import Any

import mindspore
from mindspore import Tensor, nn, ops

from .tensors import is_float


def slopes(function: Callable, inputs: list[Tensor], weights: list) -> tuple[Any, Any]:
    """The gradients of the inputs, all of floats, and of the weights."""
    ask = ops.GradOperation(get_all=bool(inputs), get_by_list=bool(weights))
    found = ask(function, weights)(*inputs) if weights else ask(function)(*inputs)
    if not weights or not inputs:
        return (found, ()) if inputs else ((), found)
    return found


def scalar(outs: list[Tensor], came: list[Tensor]) -> Tensor:
    """What has a gradient for which just these cotangents come to the outputs."""
    terms = [t * g for t, g in zip(outs, came, strict=True)]
    return sum((t.float() if t.dtype == mindspore.bfloat16 else t).sum() for t in terms)  # (that has no sum on a CPU)


class Asking(nn.Cell):
    """The gradients of a Cell for one sens, which can be compiled."""

    def __init__(self, net: nn.Cell, weights: list) -> None:
        super().__init__()
        self.net, self.weights = net, tuple(weights)
        self.grad = ops.GradOperation(get_all=True, get_by_list=bool(weights), sens_param=True)

    def construct(self, *given: Any) -> Any:
        """The inputs, and the sens."""
        if self.weights:
            return self.grad(self.net, self.weights)(*given)
        return self.grad(self.net)(*given), ()


def gradients(rule: Any) -> Callable[..., tuple]:
    """The gradients of a rule, as a function of its inputs and of cotangents."""

    def asked(*given: Tensor) -> tuple:
        many = len(rule.like)
        xs, gs = given[:many], given[many:]

        def summed(*floats: Tensor) -> Tensor:
            each = iter(floats)
            outs = rule.called([next(each) if is_float(t) else t for t in xs])
            return scalar(outs, [g.astype(t.dtype) for t, g in zip(outs, gs, strict=True)])

        found, of_weights = slopes(summed, [*filter(is_float, xs)], rule.weights)
        return (*found, *of_weights)

    return asked
