"""Cells: the base class, layers, activations."""

from .cell import Cell
from .layers import Dense, ReLU, ReLU6, SequentialCell, Sigmoid, Tanh

__all__ = ['Cell', 'Dense', 'ReLU', 'ReLU6', 'SequentialCell', 'Sigmoid', 'Tanh']
