"""The losses as Cells. Each is called with what the network says and what was due."""

import numpy as np

from .. import ops
from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from ..ops.loss import check_reduction
from .cell import Cell

__path__ = []  # in MindSpore a package: names.py says what stands below it


class LossBase(Cell):
    """The base: `get_loss` reduces losses by 'mean', 'sum' or 'none'. Raises ValueError for another word."""

    def __init__(self, reduction: str = 'mean') -> None:
        super().__init__()
        check_reduction(type(self).__name__, reduction)
        self.reduction = reduction

    def get_loss(self, x: Tensor, weights: Tensor | float = 1.0) -> Tensor:
        """The losses times their weights, reduced."""
        x = x * weights
        return x.mean() if self.reduction == 'mean' else x.sum() if self.reduction == 'sum' else x


class MSELoss(LossBase):
    """The mean of (logits - labels)².

    >>> from minicell import nn, Tensor
    >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])))
    2.5
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """The mean of |logits - labels|."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """Square near 0, absolute beyond beta: see `ops.smooth_l1_loss`."""

    def __init__(self, beta: float = 1.0, reduction: str = 'none') -> None:
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class CrossEntropyLoss(LossBase):
    """-log of the probability that softmax(logits) gives to the right class: see `ops.cross_entropy`.

    Raises TypeError for classes that are not Int32 (the function takes Int64 as well), ValueError for shapes that do
    not fit.

    >>> import minicell as ms
    >>> print(ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)))
    0.6931472
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = 'mean',
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Logits (N, C), and Int32 classes (N,) or probabilities (N, C)."""
        ops.loss.check_tensors('CrossEntropyLoss', logits, labels)
        if labels.ndim < logits.ndim and labels.array.dtype.kind == 'f':
            raise DTypeError(
                f'CrossEntropyLoss: labels of shape {labels.shape} are classes, and should be Int32, but got '
                f'{labels.dtype}: write labels.astype(ms.int32).{users_line()}'
            )
        if isinstance(labels, Tensor) and labels.array.dtype.kind in 'iub' and labels.array.dtype != np.int32:
            raise DTypeError(
                f'CrossEntropyLoss: the data type of labels should be Int32, but got {labels.dtype}: write '
                f'Tensor(labels, ms.int32), or labels.astype(ms.int32).{users_line()}'
            )
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits (N, C) with Int32 classes (sparse=True) or rows of probabilities; not reduced."""

    def __init__(self, sparse: bool = False, reduction: str = 'none') -> None:
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """As the settings say. Raises TypeError for integers without sparse, and for floats with it."""
        ops.loss.check_tensors('SoftmaxCrossEntropyWithLogits', logits, labels)
        if (labels.array.dtype.kind in 'iub') is not self.sparse:
            due = 'Int32 classes' if self.sparse else f'{logits.dtype} probabilities'
            raise DTypeError(
                f'SoftmaxCrossEntropyWithLogits(sparse={self.sparse}) takes {due}, but got '
                f'{labels.dtype}.{users_line()}'
            )
        return ops.cross_entropy(logits, labels, reduction=self.reduction)


class NLLLoss(LossBase):
    """-log probability of the right class, from log probabilities: see `ops.nll_loss`."""

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean') -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Log probabilities (N, C), and Int32 or Int64 classes (N,)."""
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(LossBase):
    """-(t log p + (1 - t) log(1 - p)) for probabilities p: see `ops.binary_cross_entropy`."""

    def __init__(self, weight: Tensor | None = None, reduction: str = 'mean') -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """BCELoss of sigmoid(logits), without its overflow."""

    def __init__(self, reduction: str = 'mean', weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)
