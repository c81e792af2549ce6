"""What an entry keeps for the way back, which Parameters it uses, and why it may leave no entry at all."""

from typing import Any

from ...traps.written import values_read
from ..model import Facts, Saved, Wire
from .tensors import is_parameter


def of_cell(facts: Facts | None) -> tuple[Saved, ...]:
    """What a bprop reads: arguments that the tape keeps for it, and what construct put aside on self."""
    if facts is None:
        return ()
    return (*(Saved(name) for name in facts.reads), *(Saved(name, False) for name in facts.kept))


def of_op(event: Any, inputs: tuple[str, ...], out: str) -> tuple[Saved, ...]:
    """The values that a built-in rule reads, by their names."""
    rule = getattr(event.rule, 'inner', event.rule)  # an op whose output has hooks is the same op
    if not hasattr(rule, 'values_read') or not hasattr(event.out, 'array'):
        return ()
    try:
        read = values_read((rule, *rule.raw(event.inputs, event.attrs), event.out, None, None))
    except (AttributeError, TypeError, IndexError):  # a rule that says nothing of what it keeps
        return ()
    named = [(t.array, n or f'input {i + 1}') for i, (t, n) in enumerate(zip(event.inputs, inputs, strict=True))]
    found = [n for array, n in (*named, (event.out.array, out or 'out')) if any(array is r for r in read)]
    return tuple(Saved(name) for name in dict.fromkeys(found))


def wires(used: list, owned: Any, custom: bool) -> tuple[Wire, ...]:
    """The Parameters among `used`, each whole, or cut where a Cell's own bprop does not answer for it."""
    out: dict[int, Wire] = {}
    owned_ids = {id(p) for p in owned or ()}
    for p in [*used, *(owned or ())]:
        if not is_parameter(p):
            continue
        if not custom:
            out[id(p)] = Wire(p.name, True, 'Parameter' if p.requires_grad else 'Parameter, requires_grad=False')
        elif id(p) in owned_ids:
            out[id(p)] = Wire(p.name, True, 'whole: in internal_params')
        else:
            out[id(p)] = Wire(p.name, False, 'cut: not in internal_params')
    return tuple(out.values())


def why_loose(event: Any, watched: bool) -> str:
    """Why a call left no entry."""
    name = event.rule.name if hasattr(event, 'rule') else type(event.cell).__name__
    if not watched:
        return 'no gradient is being taken'
    if name == 'StopGradient':
        return 'stop_gradient blocks it on purpose'
    dtype = str(getattr(event.out, 'dtype', ''))
    if dtype and 'Float' not in dtype:
        return f'{name} gives {dtype}: no gradient'
    if hasattr(event, 'rule') and type(event.rule).__name__ == 'Plain':
        return f'{name} has no derivative'
    return 'no input of it is being followed'
