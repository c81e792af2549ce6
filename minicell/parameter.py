"""Parameter: a Tensor that a Cell owns and an optimizer updates; ParameterTuple."""

import sys
from collections.abc import Iterable
from itertools import count

import numpy as np

from . import tape
from .dtype import int32
from .errors import ParameterAttributeError, ParameterError, SettingError, ShapeError, article, users_line
from .tape import sever
from .tensor import Tensor, as_array, overwrite

_number = count()


class Parameter(Tensor):
    """A Tensor whose value is updated in training.

    requires_grad=False: it has no gradient, and `trainable_params` leaves it out. The name, unless given, becomes that
    of the attribute which holds it.

    Raises TypeError for what is no Tensor, number, list or array, and where requires_grad is no bool; ValueError for a
    bool, and for a name that is no string.

    >>> Parameter(Tensor([1.0, 2.0]), name='w')
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ('named', 'param_name', 'requires_grad')

    def __init__(self, default_input: object, name: str | None = None, requires_grad: bool = True) -> None:
        if isinstance(default_input, bool):
            raise ShapeError(
                f'a Parameter cannot be made of a bool: give a number, a Tensor, or an array.{users_line()}'
            )
        if isinstance(default_input, tuple):
            raise ParameterError(f'a Parameter cannot be made of a tuple: write a list or a Tensor.{users_line()}')
        if not isinstance(requires_grad, bool):
            got = article(type(requires_grad).__name__)
            raise ParameterError(f'requires_grad of a Parameter is a bool, but got {got}.{users_line()}')
        super().__init__(default_input, int32 if isinstance(default_input, int) else None)
        self.named = name is not None
        self.name = f'Parameter#{next(_number)}' if name is None else name
        self.requires_grad = requires_grad

    @property
    def name(self) -> str:
        """What an optimizer, a Cell and a printed list call it."""
        return self.param_name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise SettingError(
                f'the name of a Parameter is a string, but got {article(type(name).__name__)}.{users_line()}'
            )
        self.param_name = name

    @property
    def required_grad(self) -> bool:
        """Not there: MindSpore's documents say required_grad, and mean requires_grad."""
        raise ParameterAttributeError(f'a Parameter has no required_grad: the name is requires_grad.{users_line()}')

    @required_grad.setter
    def required_grad(self, value: bool) -> None:
        raise ParameterAttributeError(
            f'a Parameter has no required_grad: write {self.name}.requires_grad = {value}. (MindSpore takes this, and '
            f'does nothing.){users_line()}'
        )

    def value(self) -> Tensor:
        """The value as a plain Tensor of its own."""
        return Tensor(self)

    def set_data(self, data: Tensor | int | float, slice_shape: bool = False) -> 'Parameter':
        """Overwrite the value with a Tensor of the same shape, cast to this dtype; returns the Parameter.

        Raises TypeError for what is no Tensor and no number, and for floats into integers; ValueError for another shape
        (MindSpore would change the Parameter's shape).
        """
        if tape.tracer is not None:
            tape.tracer.refuse_set_data(self)
        if not isinstance(data, Tensor) and (isinstance(data, bool) or not isinstance(data, (int, float))):
            raise ParameterError(
                f'set_data of {self.name} takes a Tensor, an int or a float, but got {article(type(data).__name__)}: '
                f'write Tensor(...) around it.{users_line()}'
            )
        array = as_array(data)
        if array.shape != self.array.shape:
            raise ShapeError(
                f'set_data of {self.name}: the shape stays {self.array.shape}, but the new data has '
                f'{array.shape}.{users_line()}'
            )
        if array.dtype.kind == 'f' and self.array.dtype.kind in 'iu':
            raise ParameterError(
                f'set_data of {self.name}: floats would be cut to {self.dtype}; write data.astype(...) if that is '
                f'meant.{users_line()}'
            )
        overwrite(self, array, f'{self.name}.set_data', sys._getframe(1))
        sever(self, data)
        return self

    def clone(self, init: str | float = 'same') -> 'Parameter':
        """A Parameter of its own with the same name and value ('zeros', 'ones' or a number: with that value)."""
        filled = {'same': self.array, 'zeros': np.zeros_like(self.array), 'ones': np.ones_like(self.array)}
        value = filled[init] if isinstance(init, str) else np.full_like(self.array, init)
        return Parameter(Tensor(value), self.name, self.requires_grad)

    def __copy__(self) -> 'Parameter':
        return self.clone()

    def __deepcopy__(self, memo: dict) -> 'Parameter':
        memo[id(self)] = copied = self.clone()
        return copied

    def __repr__(self) -> str:
        return (
            f'Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})'
        )

    __str__ = __repr__


class ParameterTuple(tuple):
    """A tuple of Parameters with names of their own. Raises TypeError for anything else, ValueError for a name twice.

    >>> ParameterTuple([Parameter(1.0, 'a')]).clone('copy')
    (Parameter (name=copy.a, shape=(), dtype=Float32, requires_grad=True),)
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> 'ParameterTuple':
        """A tuple, after a look at what is in it."""
        items = tuple(iterable)
        for p in items:
            if not isinstance(p, Parameter):
                raise ParameterError(
                    f'ParameterTuple holds Parameters, but got {article(type(p).__name__)}.{users_line()}'
                )
        names = [p.name for p in items]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ShapeError(
                f'ParameterTuple: the name {twice[0]} stands twice; give each Parameter its own.{users_line()}'
            )
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: str | float = 'same') -> 'ParameterTuple':
        """Copies of all, named `prefix.old name`."""
        copies = [p.clone(init) for p in self]
        for p in copies:
            p.name = f'{prefix}.{p.name}'
        return ParameterTuple(copies)
