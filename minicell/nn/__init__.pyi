# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import tuple as _tuple
from collections.abc import Sequence
from minicell.core.tensor import Tensor
from minicell.nn.layer.pooling import _Pool
from typing import Any

from minicell.nn.cell import Cell as Cell
class ELU(Cell):
    def __init__(self, alpha: _float = ...) -> None: ...
class GELU(Cell):
    def __init__(self, approximate: _bool = ...) -> None: ...
class Hardtanh(Cell):
    def __init__(self, min_val: _float = ..., max_val: _float = ...) -> None: ...
class LeakyReLU(Cell):
    def __init__(self, alpha: _float = ...) -> None: ...
class LogSigmoid(Cell):
    def __init__(self) -> None: ...
class LogSoftmax(Cell):
    def __init__(self, axis: _int | Sequence[_int] | None = ...) -> None: ...
class Mish(Cell):
    def __init__(self) -> None: ...
class ReLU(Cell):
    def __init__(self) -> None: ...
class ReLU6(Cell):
    def __init__(self) -> None: ...
class Sigmoid(Cell):
    def __init__(self) -> None: ...
class SiLU(Cell):
    def __init__(self) -> None: ...
class Softmax(Cell):
    def __init__(self, axis: _int | Sequence[_int] | None = ...) -> None: ...
class Softsign(Cell):
    def __init__(self) -> None: ...
class Tanh(Cell):
    def __init__(self) -> None: ...
class Threshold(Cell):
    def __init__(self, threshold: Any, value: Tensor) -> None: ...
from minicell.nn.layer.basic import Dense as Dense
from minicell.nn.layer.basic import Dropout as Dropout
from minicell.nn.layer.basic import Dropout2d as Dropout2d
class Flatten(Cell):
    def __init__(self, start_dim: _float = ..., end_dim: _float = ...) -> None: ...
class Identity(Cell):
    def __init__(self) -> None: ...
class MatMul(Cell):
    def __init__(self, transpose_x1: _bool = ..., transpose_x2: _bool = ...) -> None: ...
from minicell.nn.layer.container import CellDict as CellDict
from minicell.nn.layer.container import CellList as CellList
from minicell.nn.layer.container import SequentialCell as SequentialCell
from minicell.nn.layer.conv import Conv2d as Conv2d
from minicell.nn.layer.normalization import BatchNorm1d as BatchNorm1d
from minicell.nn.layer.normalization import BatchNorm2d as BatchNorm2d
from minicell.nn.layer.normalization import LayerNorm as LayerNorm
class AvgPool2d(_Pool):
    def __init__(self, kernel_size: _int | _tuple[_int, ...] = ..., stride: _int | _tuple[_int, ...] = ..., pad_mode: _str = ..., padding: _int | _tuple[_int, ...] = ..., count_include_pad: _bool = ..., data_format: _str = ...) -> None: ...
class MaxPool2d(_Pool):
    def __init__(self, kernel_size: _int | _tuple[_int, ...] = ..., stride: _int | _tuple[_int, ...] = ..., pad_mode: _str = ..., padding: _int | _tuple[_int, ...] = ..., dilation: _int | _tuple[_int, ...] = ..., data_format: _str = ...) -> None: ...
class BCELoss(LossBase):
    def __init__(self, weight: Any = ..., reduction: _str = ...) -> None: ...
class BCEWithLogitsLoss(LossBase):
    def __init__(self, reduction: _str = ..., weight: Any = ..., pos_weight: Any = ...) -> None: ...
class CrossEntropyLoss(LossBase):
    def __init__(self, weight: Any = ..., ignore_index: _float = ..., reduction: _str = ..., label_smoothing: _float = ...) -> None: ...
class L1Loss(LossBase):
    def __init__(self, reduction: _str = ...) -> None: ...
from minicell.nn.loss import LossBase as LossBase
class MSELoss(LossBase):
    def __init__(self, reduction: _str = ...) -> None: ...
class NLLLoss(LossBase):
    def __init__(self, weight: Any = ..., ignore_index: _float = ..., reduction: _str = ...) -> None: ...
class SmoothL1Loss(LossBase):
    def __init__(self, beta: _float = ..., reduction: _str = ...) -> None: ...
class SoftmaxCrossEntropyWithLogits(LossBase):
    def __init__(self, sparse: _bool = ..., reduction: _str = ...) -> None: ...
from minicell.nn.optim import SGD as SGD
from minicell.nn.optim import Adam as Adam
from minicell.nn.optim import Momentum as Momentum
from minicell.nn.optim import Optimizer as Optimizer
from minicell.nn.spiking import IFNode as IFNode
from minicell.nn.spiking import Surrogate as Surrogate
from minicell.nn.spiking import relusigmoid as relusigmoid
from minicell.nn.spiking import straight_through as straight_through
from minicell.nn.spiking import triangular as triangular
from minicell.nn.spiking import true_derivative as true_derivative
class ExponentialDecayLR(Cell):
    def __init__(self, learning_rate: Any, decay_rate: Any, decay_steps: Any, is_stair: _bool = ...) -> None: ...
from minicell.nn.train import ParameterUpdate as ParameterUpdate
class PolynomialDecayLR(Cell):
    def __init__(self, learning_rate: Any, end_learning_rate: Any, decay_steps: Any, power: Any, update_decay_steps: _bool = ...) -> None: ...
from minicell.nn.train import TrainOneStepCell as TrainOneStepCell
from minicell.nn.train import WithLossCell as WithLossCell
from minicell.nn.train import cosine_decay_lr as cosine_decay_lr
from minicell.nn.train import exponential_decay_lr as exponential_decay_lr
from minicell.nn.train import piecewise_constant_lr as piecewise_constant_lr
from minicell.nn.train import warmup_lr as warmup_lr
