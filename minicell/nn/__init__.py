"""Cells: the base class, layers, activations, losses, optimizers, spiking neurons.

A module is loaded by the first who asks for one of its names: Python asks `__getattr__` of a package for what it lacks.
"""

from ..lazy import later
from ..names import CELLS, GONE
from .cell import Cell

__all__ = ['Cell', *' '.join(CELLS.values()).split()]
__getattr__, __dir__ = later(globals(), CELLS, GONE['nn'])
