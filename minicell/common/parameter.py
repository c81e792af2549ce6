"""Parameter: a Tensor that a Cell owns and an optimizer updates; ParameterTuple."""

import re
import sys
from collections.abc import Iterable
from itertools import count

import numpy as np

from .. import tracing
from ..core.dtype import int32
from ..core.errors import ShapeError, article, users_line
from ..core.tensor import Tensor, as_array
from ..errors import ParameterAttributeError, ParameterError, SettingError
from ..ops.checks import must, must_be
from ..ops.write import overwrite, writable

_number = count(2)  # as in MindSpore, whose import has made two


class Parameter(Tensor):
    """A Tensor whose value is updated in training.

    requires_grad=False: it has no gradient, and `trainable_params` leaves it out. The name, unless given, becomes that
    of the attribute which holds it. layerwise_parallel and parallel_optimizer are for several machines: no effect here.
    Raises TypeError for what is no Tensor, number, list or array, ValueError for a name that is no string.

    >>> Parameter(Tensor([1.0, 2.0]), name='w')
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ('_requires_grad', 'inited_param', 'is_init', 'layerwise_parallel', 'named', 'parallel_optimizer')
    __slots__ += ('param_name', 'sliced')

    def __init__(
        self,
        default_input: object,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ) -> None:
        said = f'a Parameter cannot be made of {article(type(default_input).__name__)}'
        must(not isinstance(default_input, bool), ShapeError, f'{said}: give a number, a Tensor, or an array')
        listed = isinstance(default_input, (tuple, complex, np.generic))
        must(not listed, ParameterError, f'{said}: write a list or a Tensor')
        super().__init__(default_input, int32 if isinstance(default_input, int) else None)
        self.name = name
        self.requires_grad = requires_grad
        for flag in (layerwise_parallel, parallel_optimizer):
            must_be(flag, bool, ParameterError, "a Parameter's layerwise_parallel and parallel_optimizer are bools")
        self.layerwise_parallel, self.parallel_optimizer = layerwise_parallel, parallel_optimizer
        self.sliced, self.is_init, self.inited_param = False, False, None

    @property
    def name(self) -> str:
        """What an optimizer, a Cell and a printed list call it."""
        return self.param_name

    @name.setter
    def name(self, name: str | None) -> None:
        self.named = bool(name)
        if not name and isinstance(name, str | None):
            name = f'Parameter#{next(_number)}'
        must_be(name, str, SettingError, 'the name of a Parameter is a string')
        self.param_name = name

    @property
    def requires_grad(self) -> bool:
        """Whether it has a gradient."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        must_be(value, bool, ParameterError, 'requires_grad of a Parameter is a bool')
        self._requires_grad = value

    def _refuse_required_grad(self, *value: object) -> None:
        """Not there: MindSpore's documents say required_grad, and mean requires_grad."""
        said = 'the name is requires_grad.'
        if value:
            said = f'write {self.name}.requires_grad = {value[0]}. (MindSpore takes this, and does nothing.)'
        raise ParameterAttributeError(f'a Parameter has no required_grad: {said}{users_line()}')

    required_grad = property(_refuse_required_grad, _refuse_required_grad)

    def value(self) -> Tensor:
        """The value as a plain Tensor of its own."""
        return Tensor(self)

    def set_data(self, data: Tensor | int | float, slice_shape: bool = False) -> 'Parameter':
        """Overwrite the value with a Tensor of the same shape, cast to this dtype; returns the Parameter.

        slice_shape: the Parameter may take the data's shape. Raises TypeError for what is no Tensor and no number, and
        for floats into integers; ValueError for another shape (MindSpore would change the Parameter's shape).
        """
        if tracing.tracer is not None:
            tracing.tracer.refuse('set_data', self.name)
        who = f'set_data of {self.name}'
        takes = f'{who} takes a Tensor, an int or a float'
        must_be(data, (Tensor, int, float), ParameterError, takes, ': write Tensor(...) around it')
        array = as_array(data)
        same = array.shape == self.array.shape
        advice = 'write set_data(..., slice_shape=True) if that is meant'
        said = f'{who}: the shape stays {self.array.shape}, but the new data has {array.shape}: {advice}'
        must(same or slice_shape, ShapeError, said)
        cut = array.dtype.kind == 'f' and self.array.dtype.kind in 'iu'
        said = f'{who}: floats would be cut to {self.dtype}; write data.astype(...) if that is meant'
        must(not cut, ParameterError, said)
        source = data if isinstance(data, Tensor) else array
        if same:
            overwrite(self, source, f'{self.name}.set_data', sys._getframe(1))
        else:
            writable(self, f'{self.name}.set_data', sys._getframe(1), source)
            self.array = array.astype(self.array.dtype)
            writable(self, f'{self.name}.set_data', sys._getframe(1), source)  # whoever used it finds this memory
        return self

    data = property(Tensor.data.fget, set_data, doc='The value as a plain Tensor of its own; what is written is set.')

    def twin(self) -> 'Parameter':
        """Another one around the same array: what construct of a takeover gets."""
        made, (own, slots) = object.__new__(type(self)), object.__getstate__(self)
        for name, value in {**(own or {}), **slots}.items():
            object.__setattr__(made, name, value)
        return made

    def clone(self, init: str | float = 'same') -> 'Parameter':
        """A Parameter of its own with the same name and value ('zeros', 'ones' or a number: with that value)."""
        filled = {'same': self.array, 'zeros': np.zeros_like(self.array), 'ones': np.ones_like(self.array)}
        if isinstance(init, str) and init not in filled:
            raise SettingError(f"clone: init is 'same', 'zeros', 'ones' or a number, but got {init!r}.{users_line()}")
        if isinstance(init, str) and init == 'same':
            self.leave('a copy')
        value = filled[init] if isinstance(init, str) else np.full_like(self.array, as_array(init))
        return Parameter(Tensor(value), self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)

    def copy(self) -> 'Parameter':
        """A Parameter of its own with the same name and value."""
        return self.clone()

    __copy__ = copy

    def __reduce__(self) -> tuple:
        self.leave('a copy')
        return Parameter, (np.array(self.array), self.param_name, self._requires_grad), (None, {'named': self.named})

    def __deepcopy__(self, memo: dict) -> 'Parameter':
        memo[id(self)] = copied = self.clone()
        return copied

    def __repr__(self) -> str:
        settings = f'shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad}'
        return f'Parameter (name={self.name}, {settings})'

    __str__ = __repr__


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters with names of their own. Raises TypeError for anything else, ValueError for a name twice.

    >>> ParameterTuple([Parameter(1.0, 'a')]).clone('copy')
    (Parameter (name=copy.a, shape=(), dtype=Float32, requires_grad=True),)
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> 'ParameterTuple':
        """A tuple, after a look at what is in it."""
        items = tuple(iterable)
        for p in items:
            must_be(p, Parameter, ParameterError, 'ParameterTuple holds Parameters')
        names = [p.name for p in {id(p): p for p in items}.values()]
        twice = sorted({n for n in names if names.count(n) > 1})
        said = f'ParameterTuple: the name {"".join(twice[:1])} stands twice; give each Parameter its own'
        must(not twice, ShapeError, said)
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: str | float = 'same') -> 'ParameterTuple':
        """Copies of all, named `prefix.old name`."""
        must_be(prefix, str, ParameterError, 'clone: prefix is a string')
        is_name = re.fullmatch(r'\w+[0-9a-zA-Z_.]*', prefix, re.ASCII)
        must(is_name, SettingError, f'clone: the prefix {prefix!r} is no name: letters, digits, _ and dots')
        copies = [p.clone(init) for p in self]
        for p in copies:
            p.name = f'{prefix}.{p.name}'
        return ParameterTuple(copies)
