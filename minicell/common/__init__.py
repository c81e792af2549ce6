"""What MindSpore keeps in `mindspore.common`: initializers, the random seed."""

from .initializer import Initializer, initializer
from .seed import get_seed, set_seed

__all__ = ['Initializer', 'get_seed', 'initializer', 'set_seed']
