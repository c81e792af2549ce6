"""The losses as Cells. Each is called with what the network says and what was due."""

from collections.abc import Callable

from .. import ops
from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from ..ops.checks import must
from ..ops.loss import check_reduction, reduced
from .cell import Cell
from .layer.activation import cell_of

__path__ = []  # in MindSpore a package: names.py says what stands below it


class LossBase(Cell):
    """The base: `get_loss` reduces losses by 'mean', 'sum' or 'none'. Raises ValueError for another word."""

    def __init__(self, reduction: str = 'mean') -> None:
        super().__init__()
        check_reduction(type(self).__name__, reduction)
        self.reduction = reduction

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """The axes of x, all of them."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Tensor, weights: Tensor | float = 1.0) -> Tensor:
        """The losses times their weights, reduced."""
        return reduced(x * weights, self.reduction)


def _loss(name: str, op: Callable, doc: str, **settings: object) -> type:
    return cell_of(name, op, f'{doc}: see `ops.{op.__name__}`.', LossBase, 2, **settings)


# fmt: off
MSELoss = _loss('MSELoss', ops.mse_loss, 'The mean of (logits - labels)²', reduction='mean')
L1Loss = _loss('L1Loss', ops.l1_loss, 'The mean of |logits - labels|', reduction='mean')
SmoothL1Loss = _loss('SmoothL1Loss', ops.smooth_l1_loss, 'Square near 0, absolute beyond beta',
                     beta=1.0, reduction='none')
NLLLoss = _loss('NLLLoss', ops.nll_loss, '-log probability of the right class, from log probabilities',
                weight=None, ignore_index=-100, reduction='mean')
BCELoss = _loss('BCELoss', ops.binary_cross_entropy, '-(t log p + (1 - t) log(1 - p)) for probabilities p',
                weight=None, reduction='mean')
BCEWithLogitsLoss = _loss('BCEWithLogitsLoss', ops.binary_cross_entropy_with_logits,
                          'BCELoss of sigmoid(logits), without its overflow',
                          reduction='mean', weight=None, pos_weight=None)
# fmt: on


def _of_classes(logits: Tensor, labels: Tensor, weight, ignore_index, reduction, label_smoothing) -> Tensor:
    ops.loss.check('CrossEntropyLoss', logits, labels)
    if labels.array.dtype != ops.loss.CLASSES[0] and (labels.ndim < logits.ndim or labels.array.dtype.kind in 'iub'):
        said = f'the data type of labels of shape {labels.shape}, which are classes, should be Int32'
        advice = 'write Tensor(labels, ms.int32), or labels.astype(ms.int32)'
        raise DTypeError(f'CrossEntropyLoss: {said}, but got {labels.dtype}: {advice}.{users_line()}')
    return ops.cross_entropy(logits, labels, weight, ignore_index, reduction, label_smoothing)


def _of_rows(logits: Tensor, labels: Tensor, sparse: bool, reduction: str) -> Tensor:
    ops.loss.check('SoftmaxCrossEntropyWithLogits', logits, labels)
    due = 'Int32 classes' if sparse else f'{logits.dtype} probabilities'
    said = f'SoftmaxCrossEntropyWithLogits(sparse={sparse}) takes {due}, but got {labels.dtype}'
    must((labels.array.dtype.kind in 'iub') is sparse, DTypeError, said)
    return ops.cross_entropy(logits, labels, reduction=reduction)


# fmt: off
CrossEntropyLoss = cell_of('CrossEntropyLoss', _of_classes,
    """-log of the probability that softmax(logits) gives to the right class: see `ops.cross_entropy`.

    Raises TypeError for classes that are not Int32 (the function takes Int64 too), ValueError for shapes that misfit.

    >>> print(ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)))
    0.6931472
    """, LossBase, 2, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0)
SoftmaxCrossEntropyWithLogits = cell_of('SoftmaxCrossEntropyWithLogits', _of_rows,
    'Cross entropy of logits (N, C) with Int32 classes (sparse=True) or rows of probabilities (else); not reduced.',
    LossBase, 2, sparse=False, reduction='none')
# fmt: on
