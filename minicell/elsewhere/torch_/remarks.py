"""PyTorch's words, and what is to be said of the gradients that a backward returned, as it returned them."""

from collections.abc import Sequence
from typing import Any

import torch

from ..rule import LARGER

WORDS = {
    'The rules give': 'Autograd gives',
    'what no rule does': 'what autograd does not',
    'rules': 'autograd',
    'dout': 'grad_output',
    'construct': 'forward',
    'bprop': 'backward',
    'Cell': 'Function',
}
NEEDLESS = '{} computes gradients that nobody asks for, where ctx.needs_input_grad tells which are wanted.'
WRITES = 'It writes into grad_output, which belongs to the caller: whoever reads it next gets other numbers.'


def remarks(rule: Any, returned: Sequence[tuple], leaves: Sequence[torch.Tensor]) -> list[str]:
    """Notes on a Function that was called once, whose inputs are those of its forward."""
    if rule.function is None or len(returned) != 1 or len(returned[0]) != len(rule.flat):
        return []
    said = []
    for at, name, leaf in zip(rule.at, rule.names, leaves, strict=False):
        g = returned[0][at]
        if isinstance(g, torch.Tensor) and leaf.requires_grad and g.shape != leaf.shape:
            said.append(LARGER.format(rule.name, tuple(g.shape), name, tuple(leaf.shape), 'PyTorch'))
        elif isinstance(g, torch.Tensor) and leaf.dtype.is_floating_point and not leaf.requires_grad:
            said.append(NEEDLESS.format(rule.name))
    return said
