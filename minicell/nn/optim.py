"""Optimizers: an `Optimizer` is called with the gradients of its Parameters, and writes new values into them.

The updates run on arrays, in place: nobody differentiates a training step. A custom optimizer may as well be written
with ops and `ops.assign`, in its own `construct`.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat

import numpy as np

from .. import tracing
from ..common.parameter import Parameter, ParameterTuple
from ..core import tape
from ..core.cell import Cell as CoreCell
from ..core.errors import ShapeError, article, caller, plural, users_line
from ..core.tensor import Tensor
from ..errors import OptimizerError, ParameterError, SettingError
from ..ops.checks import NUMBER, above_0, at_least_0, must, must_be, numbers
from ..ops.write import writable
from .cell import Cell

__path__ = []  # in MindSpore a package: names.py says what stands below it


class Optimizer(Cell):
    """The base. `parameters` is a ParameterTuple; a subclass's `construct(gradients)` gets as many gradients.

    learning_rate: a number, a Tensor of rank 0, one rate a step (a list, or a Tensor of rank 1; after the last one a
    step is a RuntimeError), or a Cell from the number of steps so far to the rate; weight_decay may be such a Cell too.
    parameters: Parameters, or dicts, each with 'params' and perhaps its own 'lr' and 'weight_decay', and if the order
    matters a last one with 'order_params'. Without dicts, weight decay leaves out names with 'beta' or 'gamma' in them.
    loss_scale: what the loss was multiplied with; gradients are divided by it.

    Raises TypeError for what is no Parameter, ValueError for an empty list or a negative number.

    >>> class SignDescent(ms.nn.Optimizer):
    ...     def __init__(self, params, learning_rate=0.5):
    ...         super().__init__(learning_rate, params)
    ...     def construct(self, gradients):
    ...         rate = self.get_lr()
    ...         for p, g in zip(self.parameters, gradients):
    ...             ms.ops.assign(p, p - rate * ms.ops.sign(g))
    ...         return True
    >>> w = ms.Parameter(ms.Tensor([1.0, 1.0]), name='w')
    >>> SignDescent([w])((ms.Tensor([3.0, -0.1]),))
    True
    >>> print(w.asnumpy())
    [0.5 1.5]
    """

    def __call__(self, *args: object, **kwargs: object) -> object:
        if tracing.tracer is not None:  # it writes in place, with NumPy: a graph would gain nothing
            return tracing.tracer.step(self, args, kwargs, sys._getframe(1))
        return CoreCell.__call__(self, *args, **kwargs)

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ParameterTuple):  # the network's, and what is remembered of them: not its own to train
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def __init__(
        self, learning_rate: object, parameters: object, weight_decay: float | Cell = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        name, takes = type(self).__name__, 'takes a list of Parameters, such as net.trainable_params()'
        if not isinstance(weight_decay, Cell):
            at_least_0(name, weight_decay=weight_decay)
        above_0(name, loss_scale=loss_scale)
        listed = isinstance(parameters, Iterable) and not isinstance(parameters, (Tensor, Cell))
        must(listed, ParameterError, f'{name} {takes}, but got {article(type(parameters).__name__)}')
        groups = list(parameters)
        self.is_group = bool(groups) and all(isinstance(g, dict) for g in groups)
        if not self.is_group:
            groups = [{'params': groups}]
        found = [p for g in groups for p in g.get('params', ())]
        for p in found:
            must_be(p, Parameter, ParameterError, f'{name} {takes}')
        only = 'A Cell knows of a Parameter only where it is an attribute, not in a list'
        must(found, SettingError, f'{name} was given no Parameter: is net.trainable_params() empty? {only}')
        self.global_step = Parameter(np.zeros(1, np.int32), name='global_step')
        self.learning_rate, self._schedule = _rate(name, learning_rate)
        group_of = {id(p): g for g in groups for p in g.get('params', ())}
        self.parameters = ParameterTuple(next((g['order_params'] for g in groups if 'order_params' in g), found))
        once = len(group_of) == len(self.parameters)
        must(once, SettingError, f'{name}: each Parameter belongs into one group, and into order_params')
        groups = [group_of[id(p)] for p in self.parameters]
        self.weight_decay, self.loss_scale = weight_decay, float(loss_scale)
        # where a group does not say: without groups, a normalization's Parameters have none
        by_name = [not self.is_group and ('beta' in p.name or 'gamma' in p.name) for p in self.parameters]
        decays = [g.get('weight_decay', 0.0 if no else weight_decay) for g, no in zip(groups, by_name, strict=True)]
        self.__dict__['decays'] = tuple([d if isinstance(d, Cell) else float(d) for d in decays])
        self.is_group_lr = any('lr' in g for g in groups)
        usual = self.learning_rate, self._schedule
        self._rates = tuple(_rate(name, g['lr']) if 'lr' in g else usual for g in groups)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Its own Parameters, those it writes, and what it remembers of them."""
        held = [v if isinstance(v, ParameterTuple) else (v,) for v in vars(self).values()]
        return iter({id(p): p for kept in held for p in kept if isinstance(p, Parameter)}.values())

    def get_lr(self) -> Tensor | tuple:
        """The rate of this step (with groups: of each Parameter), and one step more is counted."""
        step = int(self.global_step.array[0])
        writable(self.global_step, 'get_lr', caller() or sys._getframe())[0] = step + 1
        if self.is_group_lr:
            return tuple(_now(rate, schedule, step) for rate, schedule in self._rates)
        return _now(self.learning_rate, self._schedule, step)

    def get_weight_decay(self) -> float | Tensor | tuple:
        """The weight decay of this step (with groups: of each Parameter)."""
        return tuple(map(self._decay, self.decays)) if self.is_group else self._decay(self.weight_decay)

    def _decay(self, decay: float | Cell) -> float | Tensor:
        return decay(Tensor(self.global_step)) if isinstance(decay, Cell) else decay

    def decay_weight(self, gradients: tuple) -> tuple:
        """The gradients, plus weight_decay * Parameter where there is one."""
        decays = map(self._decay, self.decays)
        return tuple(g if d == 0.0 else g + p * d for g, p, d in zip(gradients, self.parameters, decays, strict=True))

    def gradients_centralization(self, gradients: tuple) -> tuple:
        """The gradients: in MindSpore, those of a group that asks for it lose their mean here."""
        return gradients

    def scale_grad(self, gradients: tuple) -> tuple:
        """The gradients divided by loss_scale."""
        return gradients if self.loss_scale == 1.0 else tuple(g / self.loss_scale for g in gradients)

    def construct(self, gradients: tuple) -> tuple[bool, ...]:
        """One gradient a Parameter: minicell's own optimizers say in `_step` what becomes of each."""
        return self.update(gradients, self._step)

    _step = property(CoreCell.construct)  # of others it is construct that is due

    def update(self, gradients: tuple, step: Callable, decay: bool = True) -> tuple[bool, ...]:
        """Call step(k, array, gradient, rate) for each Parameter: it writes the array in place; rate is of rank 0.

        Raises RuntimeError for another number of gradients, ValueError for one of another shape.
        """
        params = self.parameters
        if not isinstance(gradients, (tuple, list)) or len(gradients) != len(params):
            raise self._wrong_count(gradients)
        decays = [d if isinstance(d, float) else self._decay(d).array for d in self.decays]
        rates = self.get_lr()
        rates = rates if self.is_group_lr else repeat(rates)
        what, frame = type(self).__name__, caller() or sys._getframe()
        told = tape.gradients or tape.looking  # someone may be told which Parameter was written
        for k, (p, g, rate) in enumerate(zip(params, gradients, rates)):  # noqa: B905 (one rate for all has no length)
            if not isinstance(g, Tensor) or g.array.shape != p.array.shape:
                raise self._wrong_shape(p, g)
            arrived, g = g, g.array if self.loss_scale == 1.0 else g.array / self.loss_scale
            if decay and decays[k] != 0.0:
                g = g + p.array * decays[k]
            name = f'{what} ({p.name})' if told else what
            if tape.gradients:  # what is remembered of the gradients depends on what they depend on
                held = [v[k] for v in vars(self).values() if isinstance(v, ParameterTuple) and v is not params]
                for each in held:
                    writable(each, f'{what} ({each.name})', frame, arrived, None)
                arrived = arrived, *held
            step(k, writable(p, name, frame, (arrived, rate), None), g, rate.array)
        return (True,) * len(params)

    def _wrong_count(self, gradients: object) -> Exception:
        due, several = len(self.parameters), isinstance(gradients, (tuple, list))
        got = plural(len(gradients), 'gradient') if several else f'one {type(gradients).__name__}'
        names = ', '.join(p.name for p in self.parameters[:5]) + (', ...' if due > 5 else '')
        said = f'{type(self).__name__} has {plural(due, "Parameter")} ({names}), but got {got}'
        how = 'as in ms.value_and_grad(forward, None, opt.parameters)'
        advice = f'it takes a tuple of gradients, those of opt.parameters, {how}; a single one as (gradient,)'
        return OptimizerError(f'{said}: {advice}.{users_line()}')

    def _wrong_shape(self, p: Parameter, g: object) -> Exception:
        name = type(self).__name__
        if not isinstance(g, Tensor):
            got = article(type(g).__name__)
            return OptimizerError(f'{name}: the gradient of {p.name} is {got}, no Tensor.{users_line()}')
        said = f'the gradient of {p.name} has shape {g.shape}, but {p.name} has {p.shape}'
        return ShapeError(f'{name}: {said}: are the gradients in the order of opt.parameters?{users_line()}')


def _rate(name: str, value: object) -> tuple[Parameter | Cell, np.ndarray | None]:
    """The learning rate as a Parameter that one may write, and the rates of the steps where there are several."""
    if isinstance(value, Cell):
        return value, None
    due = f"For '{name}', 'learning_rate' is a number, a Tensor, one number a step, or a Cell"
    must_be(value, (*NUMBER, Tensor, Iterable), ParameterError, due)
    must(not isinstance(value, (str, dict)), ParameterError, f'{due}, but got {article(type(value).__name__)}')
    many = isinstance(value, Iterable) and not isinstance(value, Tensor)
    if isinstance(value, Tensor):
        value.leave('a learning rate made')
    rates = np.asarray(list(value) if many else getattr(value, 'array', value)).astype(np.float32)
    fits = rates.ndim < 2 and rates.size and (rates >= 0).all()
    must(fits, SettingError, f"For '{name}', 'learning_rate' is at least 0, but got {value!r}")
    first = Parameter(Tensor(rates if rates.ndim == 0 else rates[0]), name='learning_rate')
    return first, rates if rates.ndim else None


def _now(rate: Parameter | Cell, schedule: np.ndarray | None, step: int) -> Tensor:
    if isinstance(rate, Cell):
        return rate(Tensor(np.asarray([step], np.int32))).reshape(())
    if schedule is None:
        return rate
    count = len(schedule)
    must(step < count, OptimizerError, f'there are learning rates for {count} steps, and this is one more')
    return Tensor(schedule[step])


class SGD(Optimizer):
    """p -= learning_rate * g; with momentum, g is replaced by v = momentum * v + (1 - dampening) * g, v starting at g.

    nesterov looks ahead: g + momentum * v. weight_decay adds weight_decay * p to every g.
    Source: Sutskever et al., On the importance of initialization and momentum in deep learning, 2013.

    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name='w')
    >>> ms.nn.SGD([w], learning_rate=0.5)((ms.Tensor([1.0, 1.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5 1.5]
    """

    def __init__(
        self,
        params: object,
        learning_rate: object = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        at_least_0('SGD', momentum=momentum, dampening=dampening)
        due = "'momentum' must be > 0.0 and 'dampening' must equal to 0.0"
        said = f"For 'SGD', if 'nesterov' is true, {due}, but got 'momentum' {momentum}, 'dampening' {dampening}"
        must(not nesterov or (momentum > 0 and dampening == 0), SettingError, said)
        self.momentum, self.dampening = Parameter(float(momentum), name='momentum'), float(dampening)
        self.nesterov, self.accum = nesterov, None
        if momentum:
            self.accum = self.parameters.clone('accum', init='zeros')
            self._moving = set()  # which have had their first step

    def _step(self, k: int, p: np.ndarray, g: np.ndarray, rate: np.ndarray) -> None:
        if self.accum is not None:
            if self.dampening and k in self._moving:
                g = g * (1 - self.dampening)
            self._moving.add(k)
            g = _moved(self.accum[k].array, g, self.momentum, self.nesterov)
        p -= g * rate


def _moved(v: np.ndarray, g: np.ndarray, momentum: Parameter, nesterov: bool) -> np.ndarray:
    """The moving sum v of the gradients, g in it; nesterov: where it will be one step further."""
    m = momentum.array.item()
    v *= m
    v += g
    return g + v * m if nesterov else v


class Momentum(Optimizer):
    """v = momentum * v + g, p -= learning_rate * v; use_nesterov: p -= learning_rate * (g + momentum * v)."""

    def __init__(
        self,
        params: object,
        learning_rate: object,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        at_least_0('Momentum', momentum=momentum)
        self.momentum, self.use_nesterov = Parameter(float(momentum), name='momentum'), use_nesterov
        self.moments = self.parameters.clone('moments', init='zeros')

    def _step(self, k: int, p: np.ndarray, g: np.ndarray, rate: np.ndarray) -> None:
        p -= _moved(self.moments[k].array, g, self.momentum, self.use_nesterov) * rate


class Adam(Optimizer):
    """Steps of the mean gradient over the root of its mean square: moving averages, corrected for their start at 0.

    m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g²,
    p -= learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + eps)

    use_nesterov looks ahead in m, use_amsgrad keeps the largest v. Source: Kingma and Ba, Adam, arXiv:1412.6980 (its
    section 2: where eps stands, MindSpore follows that form).

    >>> w = ms.Parameter(ms.Tensor([1.0]), name='w')
    >>> opt = ms.nn.Adam([w], learning_rate=0.5)
    >>> opt((ms.Tensor([7.0]),))
    (True,)
    >>> print(w.asnumpy().round(5))
    [0.5]
    """

    def __init__(
        self,
        params: object,
        learning_rate: object = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        numbers('lies between 0.0 and 1.0', lambda beta: 0 < beta < 1, float)('Adam', beta1=beta1, beta2=beta2)
        above_0('Adam', eps=eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.moment1 = self.parameters.clone('moment1', init='zeros')
        self.moment2 = self.parameters.clone('moment2', init='zeros')
        if use_amsgrad:
            self.vhat = self.parameters.clone('vhat', init='zeros')

    def _step(self, k: int, p: np.ndarray, g: np.ndarray, rate: np.ndarray) -> None:
        t = int(self.global_step.array[0])
        m, v, b1, b2 = self.moment1[k].array, self.moment2[k].array, self.beta1, self.beta2
        m += (g - m) * (1 - b1)
        v += (g * g - v) * (1 - b2)
        if self.use_amsgrad:
            v = np.maximum(self.vhat[k].array, v, out=self.vhat[k].array)
        below = np.sqrt(v)
        below += self.eps
        ahead = b1 * m + (1 - b1) * g if self.use_nesterov else m
        p -= ahead * (float(rate) * (1 - b2**t) ** 0.5 / (1 - b1**t)) / below
