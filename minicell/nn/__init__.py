"""Cells: the base class, layers, activations, losses, optimizers, spiking neurons."""

from .activation import (
    ELU,
    GELU,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    Threshold,
    get_activation,
)
from .cell import Cell
from .containers import CellDict, CellList, SequentialCell
from .conv import AvgPool2d, Conv2d, MaxPool2d
from .layers import Dense, Dropout, Dropout2d, Flatten, Identity
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    L1Loss,
    LossBase,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from .norm import BatchNorm1d, BatchNorm2d, LayerNorm
from .optim import SGD, Adam, Momentum, Optimizer
from .schedules import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    warmup_lr,
)
from .spiking import IFNode, LIFNode, Surrogate, relusigmoid, straight_through, triangular, true_derivative
from .train import TrainOneStepCell, WithEvalCell, WithLossCell
