"""Which Parameters an entry uses, and why a call may leave no entry at all."""

from typing import Any

from ..core.grad import is_parameter
from ..core.rules import Plain
from . import facts
from .record import Wire
from .tensors import Tensors


def wires(used: list, owned: Any, custom: bool) -> tuple[Wire, ...]:
    """The Parameters among `used`, each whole, or cut where a Cell's own bprop does not answer for it."""
    out: dict[int, Wire] = {}
    owned_ids = {id(p) for p in owned or ()}
    for p in [*used, *(owned or ())]:
        if is_parameter(p):
            plain, owns = f'Parameter{", requires_grad=False" * (not p.requires_grad)}', id(p) in owned_ids
            how = 'whole: in internal_params' if owns else 'cut: not in internal_params'
            out[id(p)] = Wire(p.name, owns or not custom, how if custom else plain)
    return tuple(out.values())


def why_loose(event: Any, gradients: list, known: Tensors) -> str:
    """Why a call left no entry, whatever gradients are open."""
    name = event.rule.name if hasattr(event, 'rule') else type(event.cell).__name__
    if not gradients:
        return 'no gradient is being taken'
    if name == 'StopGradient':
        return 'stop_gradient blocks it on purpose'
    dtype = str(getattr(event.out, 'dtype', ''))
    if dtype and 'Float' not in dtype:
        return f'{name} gives {dtype}: no gradient'
    if isinstance(facts.under(getattr(event, 'rule', None)), Plain):
        return f'{name} has no derivative'
    asked = dict.fromkeys(n for play in gradients for t in play.gradient.inputs if (n := known.name(t)))
    return f'no entry leads to it from {" or ".join(asked) if 0 < len(asked) < 4 else "what is asked for"}'
