"""Cells: the base class, layers, activations, losses, optimizers, spiking neurons.

A module is loaded by the first who asks for one of its names: Python asks `__getattr__` of a package for what it lacks.
"""

from ..lazy import later
from .cell import Cell

FROM = {
    'activation': 'ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish ReLU ReLU6 Sigmoid SiLU Softmax Softsign '
    'Tanh Threshold',
    'containers': 'CellDict CellList SequentialCell',
    'conv': 'AvgPool2d Conv2d MaxPool2d',
    'layers': 'Dense Dropout Dropout2d Flatten Identity',
    'loss': 'BCELoss BCEWithLogitsLoss CrossEntropyLoss L1Loss LossBase MSELoss NLLLoss SmoothL1Loss '
    'SoftmaxCrossEntropyWithLogits',
    'norm': 'BatchNorm1d BatchNorm2d LayerNorm',
    'optim': 'SGD Adam Momentum Optimizer',
    'schedules': 'cosine_decay_lr exponential_decay_lr piecewise_constant_lr warmup_lr',
    'spiking': 'IFNode Surrogate relusigmoid straight_through triangular true_derivative',
    'train': 'TrainOneStepCell WithLossCell',
}
__all__ = ['Cell', *' '.join(FROM.values()).split()]
GONE = 'LIFNode Softplus WithEvalCell get_activation inverse_decay_lr natural_exp_decay_lr'
__getattr__, __dir__ = later(globals(), FROM, GONE)
