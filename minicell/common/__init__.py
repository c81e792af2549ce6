"""What MindSpore keeps in `mindspore.common`: initializers, the random seed."""

from ..core import dtype
from . import initializer
from .seed import get_seed, set_seed

__all__ = ['dtype', 'get_seed', 'initializer', 'set_seed']
