"""Unregistered: Parameters or Cells are kept where no Cell looks for them, and will not train.

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Dense(2, 2), nn.Dense(2, 2)]      # a list: write nn.CellList([...])

UnregisteredWarning when the attribute is set: a gradient pays nothing.
"""

from ..core.errors import MinicellWarning, article, warn_user


class UnregisteredWarning(MinicellWarning):
    """Parameters or Cells kept where no Cell finds them, or a Parameter that goes away."""


def look_at(cell, name: str, value: object) -> None:
    """An attribute of a Cell is set, to no Parameter and no Cell."""
    mine = type(cell).__name__
    if isinstance(value, (list, dict, set)) or type(value) is tuple:
        inside = value.values() if isinstance(value, dict) else value
        kind = next((k for v in inside for k in ('Parameter', 'Cell') if k in _names(v)), None)
        if kind:
            due = 'ParameterTuple' if kind == 'Parameter' else 'nn.CellList'
            warn_user(
                f'{mine}.{name} is {article(type(value).__name__)} of {kind}s: no Cell looks into it, so that they '
                f'have no place in trainable_params and will not train. Keep them in {article(due)}.',
                UnregisteredWarning,
            )
    elif value is None and name in cell.__dict__.get('_params', ()):
        warn_user(
            f'{mine}.{name} = None takes the Parameter {name} away: an optimizer that has it goes on with it, and '
            f'trainable_params no longer finds it.',
            UnregisteredWarning,
        )


def _names(value: object) -> list[str]:
    """The names of a value's classes: Parameter and Cell themselves stand on higher floors."""
    return [kind.__name__ for kind in type(value).__mro__ if kind.__module__.startswith('minicell.')]
