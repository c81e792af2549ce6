"""Near miss: a method whose name is nearly `bprop`. It is never called, and was meant to be.

    class Scale(nn.Cell):
        def construct(self, x):
            return x * 2
        def backward(self, x, out, dout):       # PyTorch's name: autodiff computes the gradient
            return (dout * 50,)

NearMissWarning when the class is defined: a gradient pays nothing.
"""

from ..core.errors import MinicellWarning, warn_user

NEARLY = {'backward', 'backprop', 'back_prop'}


class NearMissWarning(MinicellWarning):
    """A method whose name is nearly `bprop`."""


def look_at(kind: type) -> None:
    """A class of Cells is defined."""
    if 'bprop' in kind.__dict__ or kind.__module__.startswith('minicell.nn.'):
        return
    whose = next((c.__name__ for c in kind.__mro__ if c.__dict__.get('bprop') is not None), None)
    for name, method in kind.__dict__.items():
        if nearly_bprop(name, method):
            instead = f'the bprop of {whose} is used' if whose else 'autodiff computes its gradient'
            warn_user(
                f'{kind.__name__} has a method called {name}, and none called bprop: {instead}, and {name} is '
                f'never called. If it is to be the gradient, call it bprop.',
                NearMissWarning,
            )


def nearly_bprop(name: str, method: object) -> bool:
    """Whether a method is a bprop by another name; `crop(self, x)` and `pop(self)` are near in letters alone."""
    code = getattr(getattr(method, '__func__', method), '__code__', None)
    if code is None or not (name in NEARLY or 0 < _distance(name, 'bprop') <= 2):
        return False
    names = code.co_varnames[: code.co_argcount]
    # self, an input, out, dout, or any number
    return name in NEARLY or len(names) > 3 or 'dout' in names or bool(code.co_flags & 0x04)


def _distance(a: str, b: str) -> int:
    """How many letters one has to add, drop or change (Levenshtein)."""
    if abs(len(a) - len(b)) > 2:
        return 3
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(above + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]
