"""The activations as Cells."""

import sys
from collections.abc import Callable
from inspect import Parameter, Signature

from ... import ops
from ...core.errors import DTypeError
from ...core.tensor import Tensor
from ...errors import SettingError, UnknownNameError
from ...ops.checks import NUMBER, must, must_be
from ..cell import Cell

NONE = Parameter.empty  # of a setting that has no default
KINDS_OF_SETTINGS = {bool: 'a bool', int: 'an int', float: 'a number'}


def cell_of(
    name: str, op: Callable, doc: str, base: type[Cell] = Cell, inputs: int = 1, check=None, **settings: object
) -> type:
    """A Cell for an op of one input or two: what it is made with are the op's settings, given with their defaults.

    A setting whose default is a bool, an int or a float has to be of that kind: TypeError where it is not. Or
    `check(cell)` looks at the settings, once the Cell has them.
    """
    places = [Parameter(k, Parameter.POSITIONAL_OR_KEYWORD, default=v) for k, v in settings.items()]
    signature = Signature([Parameter('self', Parameter.POSITIONAL_ONLY), *places])

    def __init__(self, *args: object, **kwargs: object) -> None:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        base.__init__(self, **{k: given.arguments[k] for k in settings if k == 'reduction'})
        for k, usual in settings.items():
            value, kind = given.arguments[k], type(usual)
            if check is None and kind in KINDS_OF_SETTINGS:
                said = f"For '{name}', '{k}' is {KINDS_OF_SETTINGS[kind]}"
                must_be(value, NUMBER if kind is float else kind, DTypeError, said)
            setattr(self, k, value)
        if check is not None:
            check(self)

    def alone(self, x: Tensor) -> Tensor:
        return op(x, *[getattr(self, k) for k in settings]) if settings else op(x)

    def compared(self, logits: Tensor, labels: Tensor) -> Tensor:
        return op(logits, labels, **{k: getattr(self, k) for k in settings})

    __init__.__signature__ = signature
    construct = alone if inputs == 1 else compared
    made = {'__init__': __init__, 'construct': construct, '__doc__': doc}
    return type(name, (base,), made | {'__module__': sys._getframe(1).f_globals['__name__']})


# fmt: off
ReLU = cell_of('ReLU', ops._relu, 'max(x, 0).')
ReLU6 = cell_of('ReLU6', ops.relu6, 'x clipped to 0 .. 6.')
Sigmoid = cell_of('Sigmoid', ops.sigmoid, '1 / (1 + exp(-x)).')
Tanh = cell_of('Tanh', ops.tanh, 'The hyperbolic tangent.')
SiLU = cell_of('SiLU', ops.silu, 'x * sigmoid(x).')
LogSigmoid = cell_of('LogSigmoid', ops.logsigmoid, 'log(sigmoid(x)), without its underflow.')
Softsign = cell_of('Softsign', ops.softsign, 'x / (1 + |x|).')
Mish = cell_of('Mish', ops.mish, 'x * tanh(softplus(x)).')
Softmax = cell_of('Softmax', ops.softmax, 'exp(x) / sum(exp(x)) along an axis.', axis=-1)
LogSoftmax = cell_of('LogSoftmax', ops.log_softmax, 'The logarithm of Softmax.', axis=-1)
LeakyReLU = cell_of('LeakyReLU', ops.leaky_relu, 'x where x > 0, else alpha * x.', alpha=0.2)
ELU = cell_of('ELU', ops.elu, 'x where x > 0, else alpha * (exp(x) - 1).', alpha=1.0)
Threshold = cell_of('Threshold', ops.threshold, 'x where it is above threshold, else value.',
                    threshold=NONE, value=NONE)
GELU = cell_of('GELU', lambda x, approximate: ops.gelu(x, 'tanh' if approximate else 'none'),
               'x times the probability that a standard normal number is below x; approximate: by tanh, as usual.',
               approximate=True)
# fmt: on


class Hardtanh(cell_of('Hardtanh', ops.hardtanh, '', min_val=-1.0, max_val=1.0)):
    """x cut off below min_val and above max_val."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__(min_val, max_val)
        said = f"For 'Hardtanh', min_val is less than max_val, but got {min_val} and {max_val}"
        must(min_val < max_val, SettingError, said)


KINDS = (
    ReLU, ReLU6, Sigmoid, Tanh, SiLU, LogSigmoid, Softsign, Mish, Softmax, LogSoftmax, LeakyReLU, ELU, GELU, Hardtanh,
)  # fmt: skip
BY_NAME = {kind.__name__.lower(): kind for kind in KINDS}


def activation(given: str | Cell | None) -> Cell | None:
    """What a layer was given for an activation; for a name such as 'relu', a Cell. KeyError for an unknown one."""
    known = not isinstance(given, str) or given in BY_NAME
    must(known, UnknownNameError, f'there is no activation {given!r}: there are {", ".join(sorted(BY_NAME))}')
    return BY_NAME[given]() if isinstance(given, str) else given
