"""Definitions: a bprop by another name, and Parameters or Cells that no Cell finds: said where they are written.

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Dense(2, 2), nn.Dense(2, 2)]      # a list: write nn.CellList([...])
        def construct(self, x): ...
        def backward(self, x, out, dout):       # PyTorch's name: autodiff computes the gradient
            return (dout * 50,)

NearMissWarning when the class is defined, UnregisteredWarning when the attribute is set: a gradient pays nothing.
"""

from ..core.errors import article
from ..core.trap import Trap
from ..errors import NearMissWarning, UnregisteredWarning

NEARLY = {'backward', 'backprop', 'back_prop'}


def nearly_bprop(name: str, method: object) -> bool:
    """Whether a method is a bprop by another name; `crop(self, x)` and `pop(self)` are near in letters alone."""
    code = getattr(getattr(method, '__func__', method), '__code__', None)
    from difflib import get_close_matches  # needed only once a class of Cells is defined

    if code is None or name == 'bprop' or not (name in NEARLY or get_close_matches(name, ['bprop'])):
        return False
    names = code.co_varnames[: code.co_argcount]
    # self, an input, out, dout, or any number
    return name in NEARLY or len(names) > 3 or 'dout' in names or bool(code.co_flags & 0x04)


def _names(value: object) -> list[str]:
    """The names of a value's classes: Parameter and Cell themselves stand on higher floors."""
    return [kind.__name__ for kind in type(value).__mro__ if str(kind.__module__).startswith('minicell.')]


class Definitions(Trap):
    """Tells of them where they are written."""

    def defined(self, kind: type) -> None:
        if 'bprop' in kind.__dict__ or kind.__module__.startswith('minicell.nn.'):
            return
        whose = next((c.__name__ for c in kind.__mro__ if c.__dict__.get('bprop') is not None), None)
        for name, method in kind.__dict__.items():
            if nearly_bprop(name, method):
                instead = f'the bprop of {whose} is used' if whose else 'autodiff computes its gradient'
                NearMissWarning.warn(
                    f'{kind.__name__} has a method called {name}, and none called bprop: {instead}, and {name} is '
                    f'never called. If it is to be the gradient, call it bprop.',
                )

    def attribute(self, cell, name: str, value: object) -> None:
        mine = type(cell).__name__
        if isinstance(value, (list, dict, set)) or type(value) is tuple:
            inside = value.values() if isinstance(value, dict) else value
            kind = next((k for v in inside for k in ('Parameter', 'Cell') if k in _names(v)), None)
            if kind:
                due = 'ParameterTuple' if kind == 'Parameter' else 'nn.CellList'
                UnregisteredWarning.warn(
                    f'{mine}.{name} is {article(type(value).__name__)} of {kind}s: no Cell looks into it, so that they '
                    f'have no place in trainable_params and will not train. Keep them in {article(due)}.',
                )
        elif value is None and name in cell.__dict__.get('_params', ()):
            UnregisteredWarning.warn(
                f'{mine}.{name} = None takes the Parameter {name} away: an optimizer that has it goes on with it, and '
                f'trainable_params no longer finds it.',
            )


trap = Definitions()
