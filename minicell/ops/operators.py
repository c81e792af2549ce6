"""MindSpore's operator classes: `ops.ReduceSum(keep_dims=True)(x)`. Loaded by the first who asks for one."""

import re
from functools import partial
from inspect import Parameter, Signature

from .. import ops
from ..core.errors import DTypeError
from ..names import OPS
from .checks import must_be
from .primitive import Primitive, primitive

# the op of a class without settings, where that is not the class's name in small letters
OP = dict(
    ACos='acos', AddN='addn', DType='dtype', Div='_div', FloorMod='mod', RealDiv='_div', ReLU='_relu', ReLU6='relu6'
)
# class -> its op, its setting, what that is by default, the op's own word for it, and settings without effect
SET = {
    'Concat': ('concat', 'axis', 0), 'Gather': ('gather', 'batch_dims', 0), 'LogSoftmax': ('log_softmax', 'axis', -1),
    'OneHot': ('one_hot', 'axis', -1), 'ReduceAll': ('all', 'keep_dims', False),
    'ReduceAny': ('any', 'keep_dims', False), 'ReduceMax': ('amax', 'keep_dims', False, 'keepdims'),
    'ReduceMean': ('mean', 'keep_dims', False), 'ReduceMin': ('amin', 'keep_dims', False, 'keepdims'),
    'ReduceProd': ('prod', 'keep_dims', False), 'ReduceSum': ('sum', 'keep_dims', False, 'keepdim', 'skip_mode'),
    'Squeeze': ('squeeze', 'axis', ()), 'Stack': ('stack', 'axis', 0),
}  # fmt: skip


def _set(name: str, op: str, word: str, usual: object, own: str = '', *idle: str) -> type[Primitive]:
    """A class whose operators have one setting, which they hand to the op."""
    function, settings = getattr(ops, op), {word: usual, **dict.fromkeys(idle, False)}
    signature = Signature([SELF, *[Parameter(k, SELF.kind, default=v) for k, v in settings.items()]])

    def __init__(self, *args: object, **kwargs: object) -> None:
        given = settings | signature.bind(self, *args, **kwargs).arguments
        self.settings = {k: given[k] for k in settings}
        self.function = partial(function, **{own or word: given[word]})

    __init__.__signature__ = signature
    return primitive(name, function, init=__init__)


SELF = Parameter('self', Parameter.POSITIONAL_OR_KEYWORD)
globals().update({name: _set(name, *row) for name, row in SET.items()})


class Softmax(Primitive):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        must_be(axis, int, DTypeError, "For 'Softmax', 'axis' is an int")
        self.settings = {'axis': (axis,)}
        self.function = partial(ops.softmax, axis=axis)


class ApplyMomentum(Primitive):
    """A step of `nn.Momentum` for one Parameter: its `accumulation`, the moving sum of gradients, is a Parameter too.

    >>> w, v = ms.Parameter(Tensor([1.0]), name='w'), ms.Parameter(Tensor([0.0]), name='v')
    >>> print(ops.ApplyMomentum()(w, v, 0.5, Tensor([1.0]), 0.9), v.asnumpy())
    [0.5] [1.]
    """

    def __init__(self, use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0) -> None:
        given = {'use_nesterov': use_nesterov, 'use_locking': use_locking, 'gradient_scale': gradient_scale}
        self.settings = given | {'side_effect_mem': True}

        def step(variable, accumulation, learning_rate, gradient, momentum):
            g = gradient / gradient_scale
            moved = ops.assign(accumulation, accumulation * momentum + g)
            return ops.assign(variable, variable - (moved * momentum + g if use_nesterov else moved) * learning_rate)

        self.function = step


_rest = [name for name in OPS['operators'].split() if name not in globals()]
WITHOUT_SETTINGS = {name: OP.get(name) or re.sub('(?<!^)(?=[A-Z])', '_', name).lower() for name in _rest}
globals().update({name: primitive(name, getattr(ops, op)) for name, op in WITHOUT_SETTINGS.items()})
