"""A loss behind a network, and one step of training: MindSpore's Cells for what value_and_grad and an optimizer do."""

from ..core.errors import CellError, article, users_line
from ..core.grad import value_and_grad
from ..core.tensor import Tensor
from ..errors import SettingError
from ..ops.composite import GradOperation
from .cell import Cell
from .layers import Identity
from .optim import Optimizer


class WithLossCell(Cell):
    """loss_fn(backbone(data), label).

    >>> from minicell import nn, Tensor
    >>> net = nn.WithLossCell(nn.Dense(1, 1, weight_init=2, bias_init=1), nn.MSELoss())
    >>> print(net(Tensor([[1.0]]), Tensor([[0.0]])))
    9.0
    """

    def __init__(self, backbone: Cell, loss_fn: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network before the loss."""
        return self._backbone


class TrainOneStepCell(Cell):
    """Called with what `network` takes: its output (the loss), after one step of the optimizer.

    sens: the cotangent of the loss. return_grad: the gradients come second, by their Parameters' names.

    Raises ValueError for a sens of 0, AttributeError for what is no Cell or no optimizer.

    >>> from minicell import nn, Tensor
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
            if not isinstance(given, kind):
                got = article(type(given).__name__)
                raise CellError(
                    f'TrainOneStepCell takes a Cell and an Optimizer, but where the {kind.__name__} is due it got '
                    f'{got}.{users_line()}'
                )
        if sens == 0:
            raise SettingError(f'TrainOneStepCell: sens is 0, so that every gradient would be 0.{users_line()}')
        self.network, self.optimizer = network, optimizer
        self.grad_reducer = Identity()  # on several machines, it would take the mean
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)  # for the construct of a class derived from this
        self.sens, self.return_grad = 1.0 if sens is None else sens, return_grad

    def construct(self, *inputs: Tensor) -> object:
        """The loss, and perhaps the gradients."""

        def scaled(*inputs: Tensor) -> tuple[Tensor, Tensor]:
            loss = self.network(*inputs)
            return loss if self.sens == 1 else loss * self.sens, loss

        scaled.__name__ = type(self.network).__name__
        (_, loss), gradients = value_and_grad(scaled, None, self.weights, has_aux=True)(*inputs)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
        return loss
