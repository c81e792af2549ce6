"""A loss behind a network, one step of training, learning rates that change."""

from collections.abc import Callable
from math import cos, floor, pi

from .. import ops
from ..common.parameter import Parameter
from ..composite import GradOperation
from ..core.dtype import float32
from ..core.errors import CellError, article
from ..core.grad import value_and_grad
from ..core.tensor import Tensor
from ..errors import ParameterError, SettingError
from ..ops.checks import above_0, at_least_0, must, must_be, positive_int
from .cell import Cell
from .layer.activation import NONE, cell_of
from .layer.basic import Identity
from .optim import Optimizer


class WithLossCell(Cell):
    """loss_fn(backbone(data), label).

    >>> net = nn.WithLossCell(nn.Dense(1, 1, weight_init=2, bias_init=1), nn.MSELoss())
    >>> print(net(Tensor([[1.0]]), Tensor([[0.0]])))
    9.0
    """

    def __init__(self, backbone: Cell, loss_fn: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Tensor, label: Tensor) -> Tensor:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network before the loss."""
        return self._backbone


class TrainOneStepCell(Cell):
    """Called with what `network` takes: its output (the loss), after one step of the optimizer.

    sens: the cotangent of the loss, not 0. return_grad: the gradients come second, by their Parameters' names.

    >>> net = nn.Dense(1, 1, weight_init=2, bias_init=1)
    >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    >>> print(step(Tensor([[1.0]]), Tensor([[0.0]])), step(Tensor([[1.0]]), Tensor([[0.0]])))
    9.0 3.2399998
    """

    def __init__(
        self, network: Cell, optimizer: Optimizer, sens: float | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        for given, kind in ((network, Cell), (optimizer, Optimizer)):
            got = f'but where the {kind.__name__} is due it got {article(type(given).__name__)}'
            must(isinstance(given, kind), CellError, f'TrainOneStepCell takes a Cell and an Optimizer, {got}')
        must(sens != 0, SettingError, 'TrainOneStepCell: sens is 0, so that every gradient would be 0')
        self.network, self.optimizer = network, optimizer
        self.grad_reducer = Identity()  # on several machines, it would take the mean
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)  # for the construct of a class derived from this
        self.sens, self.return_grad = 1.0 if sens is None else sens, return_grad

    def construct(self, *inputs: Tensor) -> object:

        def scaled(*inputs: Tensor) -> tuple[Tensor, Tensor]:
            loss = self.network(*inputs)
            return loss if self.sens == 1 else loss * self.sens, loss

        scaled.__name__ = type(self.network).__name__
        (_, loss), gradients = value_and_grad(scaled, None, self.weights, has_aux=True)(*inputs)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
        return loss


class ParameterUpdate(Cell):
    """Called with a value of its shape: writes it into a Parameter.

    >>> w = ms.Parameter(Tensor([1.0]), name='w')
    >>> print(nn.ParameterUpdate(w)(Tensor([2.0])), w.asnumpy())
    [2.] [2.]
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        must_be(param, Parameter, ParameterError, 'ParameterUpdate takes a Parameter')
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        ops.assign(self._param, x)
        return x


# ---- learning rates that change from epoch to epoch, as lists of one rate a step: an optimizer takes such a list -----

LearningRateSchedule = Cell  # MindSpore's base of a rate that is worked out from the number of steps so far


def _rates(name: str, rate_of: Callable, total_step: int, step_per_epoch: int, **more: int) -> list[float]:
    """rate_of(epoch) for each step, after a look at the settings."""
    positive_int(name, total_step=total_step, step_per_epoch=step_per_epoch, **more)
    return [rate_of(step // step_per_epoch) for step in range(total_step)]


def piecewise_constant_lr(milestone: list[int], learning_rates: list[float]) -> list[float]:
    """learning_rates[0] up to step milestone[0], learning_rates[1] up to milestone[1], and so on.

    >>> piecewise_constant_lr([1, 3], [0.1, 0.01])
    [0.1, 0.01, 0.01]
    """
    rising = list(milestone) == sorted(set(milestone)) and min(milestone) >= 1
    said = f'piecewise_constant_lr takes rising steps and a rate for each, but got {milestone} and {learning_rates}'
    must(rising and len(milestone) == len(learning_rates), SettingError, said)
    return [rate for a, b, rate in zip([0, *milestone], milestone, learning_rates, strict=False) for _ in range(a, b)]


def exponential_decay_lr(
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int, decay_epoch: int, is_stair=False
) -> list[float]:
    """learning_rate * decay_rate ** (epoch / decay_epoch); is_stair: only once every decay_epoch.

    >>> exponential_decay_lr(0.1, 0.5, total_step=4, step_per_epoch=2, decay_epoch=1)
    [0.1, 0.1, 0.05, 0.05]
    """
    name, stair = 'exponential_decay_lr', floor if is_stair else float
    above_0(name, learning_rate=learning_rate, decay_rate=decay_rate)
    rate_of = lambda epoch: learning_rate * decay_rate ** stair(epoch / decay_epoch)
    return _rates(name, rate_of, total_step, step_per_epoch, decay_epoch=decay_epoch)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a cosine of decay_epoch epochs (Loshchilov and Hutter, arXiv:1608.03983)."""
    name = 'cosine_decay_lr'
    above_0(name, max_lr=max_lr)
    must(0 <= min_lr < max_lr, SettingError, f"For '{name}', 'max_lr' is above 'min_lr', but got {max_lr} and {min_lr}")
    rate_of = lambda epoch: min_lr + (max_lr - min_lr) * (1 + cos(min(epoch, decay_epoch) / decay_epoch * pi)) / 2
    return _rates(name, rate_of, total_step, step_per_epoch, decay_epoch=decay_epoch)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """From 0 to learning_rate in warmup_epoch epochs, and then that."""
    above_0('warmup_lr', learning_rate=learning_rate)
    rate_of = lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch
    return _rates('warmup_lr', rate_of, total_step, step_per_epoch, warmup_epoch=warmup_epoch)


# ---- and as Cells, from the number of steps so far to the rate of this one ------------------------------------------


def _check(cell: Cell) -> None:
    name, given = type(cell).__name__, vars(cell)
    above_0(name, **{k: given[k] for k in ('learning_rate', 'decay_rate', 'power') if k in given})
    at_least_0(name, end_learning_rate=given.get('end_learning_rate', 0))
    positive_int(name, decay_steps=cell.decay_steps)


def _exponential(step: Tensor, learning_rate, decay_rate, decay_steps, is_stair: bool) -> Tensor:
    p = step.astype(float32) / decay_steps
    return learning_rate * decay_rate ** (p.floor() if is_stair else p)


def _polynomial(step: Tensor, learning_rate, end_learning_rate, decay_steps, power, again: bool) -> Tensor:
    step = step.astype(float32)
    if again:
        decay_steps = decay_steps * ops.maximum(ops.ceil(step / decay_steps), 1)
    left = 1 - ops.minimum(step / decay_steps, 1)
    return (learning_rate - end_learning_rate) * left**power + end_learning_rate


# fmt: off
BOTH = {'base': LearningRateSchedule, 'check': _check, 'learning_rate': NONE}
ExponentialDecayLR = cell_of('ExponentialDecayLR', _exponential,
    """learning_rate * decay_rate ** (step / decay_steps); is_stair: only once every decay_steps.

    >>> print(nn.ExponentialDecayLR(0.5, 0.25, decay_steps=2)(Tensor(1)))
    0.25
    """, **BOTH, decay_rate=NONE, decay_steps=NONE, is_stair=False)
PolynomialDecayLR = cell_of('PolynomialDecayLR', _polynomial,
    """From learning_rate to end_learning_rate in decay_steps: what is left of the way, to a power.

    update_decay_steps: after decay_steps, it is as if these were twice as many, and so on.

    >>> print(nn.PolynomialDecayLR(0.5, 0.25, decay_steps=4, power=0.5)(Tensor(3)))
    0.375
    """, **BOTH, end_learning_rate=NONE, decay_steps=NONE, power=NONE, update_decay_steps=False)
# fmt: on
