"""The gradients of a rule, as a function of its inputs and of cotangents: what the second order differentiates."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_unflatten

from .tensors import has_graph


def gradients(rule: Any) -> Callable[..., tuple]:
    """That function. Where the rule is inlined, what it returns are autograd's own gradients of the bodies."""

    def asked(*given: Any) -> tuple:
        xs, gs = given[: len(rule.flat)], given[len(rule.flat) :]
        args, keywords = tree_unflatten(xs, rule.spec)
        outs = rule.outputs(rule.rule(*args, **keywords))
        every = [*(xs[k] for k in rule.at), *rule.weights]
        wanted = [t for t, wants in zip(every, rule.wants, strict=True) if wants]
        pairs = [(t, g.to(t.dtype)) for t, g in zip(outs, gs, strict=True) if has_graph(t)]
        if not pairs:
            return tuple(map(torch.zeros_like, wanted))
        some, their = zip(*pairs, strict=True)
        return torch.autograd.grad(some, wanted, their, create_graph=True, allow_unused=True, materialize_grads=True)

    return asked
