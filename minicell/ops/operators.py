"""MindSpore's operator classes: `ops.ReduceSum(keep_dims=True)(x)`. Loaded by the first who asks for one."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter

from .. import ops
from ..core.errors import DTypeError
from .checks import must_be
from .primitive import Primitive, primitive

# those without settings, which are named after their op's rule
PLAIN = (
    'abs acos add asin atan bitwise_and bitwise_or bitwise_xor ceil cos cosh _div equal erf exp expm1 floor floor_div '
    'greater greater_equal identity less less_equal log log1p logical_and logical_not logical_or maximum minimum mod '
    'mul neg not_equal pow reciprocal _relu relu6 round rsqrt sigmoid sign sin sinh sqrt square sub tan tanh'
)
WITHOUT_SETTINGS = {op.rule.name: op for op in attrgetter(*PLAIN.split())(ops)}
WITHOUT_SETTINGS |= {'Flatten': ops.flatten, 'RealDiv': ops._div, 'Reshape': ops.reshape}
globals().update({name: primitive(name, op) for name, op in WITHOUT_SETTINGS.items()})


class ReduceSum(Primitive):
    """The sum over axes; keep_dims leaves them as length 1."""

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims, 'skip_mode': skip_mode}
        self.function = partial(ops.sum, keepdim=keep_dims)


def _reduction(name: str, op: Callable, word: str = 'keep_dims') -> type[Primitive]:
    def __init__(self, keep_dims: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims}
        self.function = partial(op, **{word: keep_dims})

    return primitive(name, op, init=__init__)


ReduceMean, ReduceProd = _reduction('ReduceMean', ops.mean), _reduction('ReduceProd', ops.prod)
ReduceMax, ReduceMin = _reduction('ReduceMax', ops.amax, 'keepdims'), _reduction('ReduceMin', ops.amin, 'keepdims')
ReduceAll, ReduceAny = _reduction('ReduceAll', ops.all), _reduction('ReduceAny', ops.any)


class Softmax(Primitive):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        must_be(axis, int, DTypeError, "For 'Softmax', 'axis' is an int")
        self.settings = {'axis': (axis,)}
        self.function = partial(ops.softmax, axis=axis)


class LogSoftmax(Primitive):
    """The logarithm of Softmax."""

    def __init__(self, axis: int = -1) -> None:
        self.settings = {'axis': axis}
        self.function = partial(ops.log_softmax, axis=axis)
