"""A Cell of MindSpore's on minicell: its own code, with minicell's names where it has MindSpore's.

Each function that it reaches is made again from the same code, so that what is shown are the lines of its file. What
holds numbers is taken over by value: Tensors, Parameters, inner Cells. `Taken.of` says what stands for an object.
"""

import inspect
from collections.abc import Callable
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.ops import Primitive

import minicell

from ...core.errors import MinicellError, users_line
from ...replay.harmless import names
from .tensors import numbers

MODULES = {'mindspore': minicell, 'mindspore.nn': minicell.nn, 'mindspore.ops': minicell.ops, 'mindspore.numpy': np}
OWN = {*vars(nn.Cell())}  # the attributes that each Cell has


def foreign(value: Any) -> bool:
    """Whether it is MindSpore's own."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, '__module__', None)
    return str(module).partition('.')[0] == 'mindspore' or 'mindspore' in type(value).__module__.split('.')


class Taken:
    """What stands for each object; the same for the same."""

    def __init__(self) -> None:
        self.done: dict[int, tuple[Any, Any]] = {}  # by id: the object, which is kept, and what stands for it
        self.later: list[Callable] = []

    def of(self, value: Any) -> Any:
        """What stands for an object. Raises MinicellError for what minicell has not."""
        if id(value) not in self.done:
            self.done[id(value)] = value, self.made(value)
        return self.done[id(value)][1]

    def made(self, value: Any) -> Any:
        """The same, once for each object."""
        if isinstance(value, Parameter):
            like = minicell.Tensor(numbers(value))
            return minicell.Parameter(like, name=value.name, requires_grad=value.requires_grad)
        if isinstance(value, Tensor):
            return minicell.Tensor(numbers(value))
        if isinstance(value, list | tuple):
            return type(value)(map(self.of, value)) if type(value) in (list, tuple) else value
        if isinstance(value, dict):
            return {key: self.of(part) for key, part in value.items()}
        if isinstance(value, nn.Cell):
            return self.by_call(value) if foreign(type(value)) else self.cell(value)
        if isinstance(value, Primitive):
            return self.by_call(value)
        if isinstance(value, MethodType):
            return getattr(self.of(value.__self__), value.__name__)
        if foreign(value):
            return self.by_name(value)
        if isinstance(value, FunctionType):
            return self.function(value)
        return self.kind(value) if isinstance(value, type) and issubclass(value, nn.Cell) else value

    def by_name(self, value: Any) -> Any:
        """What has the same name."""
        if isinstance(value, ModuleType):
            return MODULES.get(value.__name__, minicell.ops if '.ops' in value.__name__ else minicell)
        name = getattr(value, '__name__', None) or str(value).lower()  # (a dtype is called Float32)
        for home in (minicell.nn if '.nn.' in str(value.__module__) else minicell.ops, minicell):
            if hasattr(home, name):
                return getattr(home, name)
        raise MinicellError(f'minicell has no {name}, so that this cannot be explained.{users_line()}')

    def by_call(self, value: Any) -> Any:
        """A Cell or an op of MindSpore's own: minicell's, with the same settings, Parameters and inner Cells."""
        kind = self.by_name(type(value))
        if isinstance(value, nn.CellList | nn.SequentialCell):
            return kind([self.of(part) for part in value])
        settings = inspect.signature(kind).parameters.keys() & vars(value).keys()
        new = kind(**{name: self.of(vars(value)[name]) for name in settings})
        for name, part in self.inside(value).items():
            setattr(new, name, part)
        return new.set_train(value.training) if isinstance(value, nn.Cell) else new

    def inside(self, value: Any) -> dict:
        """The Parameters and Cells inside."""
        held = {**value._params, **value._cells} if isinstance(value, nn.Cell) else {}
        return {name: self.of(part) for name, part in held.items()}

    def cell(self, value: nn.Cell) -> Any:
        """A Cell of the user's: by its class, and by what it holds."""
        kind = self.of(type(value))
        new = kind.__new__(kind)
        self.done[id(value)] = value, new  # (which may lead back to it)
        minicell.nn.Cell.__init__(new)
        held = {name: part for name, part in vars(value).items() if name not in OWN}
        for name, part in {**self.inside(value), **{name: self.of(part) for name, part in held.items()}}.items():
            setattr(new, name, part)
        return new.set_train(value.training)

    def kind(self, value: type) -> type:
        """A class of the user's."""
        held = {}
        for name, part in vars(value).items():
            wrapped = isinstance(part, staticmethod | classmethod)
            if name not in ('__dict__', '__weakref__'):
                held[name] = type(part)(self.of(part.__func__)) if wrapped else self.of(part)
        return type(value.__name__, tuple(map(self.of, value.__bases__)), held)

    def function(self, value: FunctionType) -> FunctionType:
        """A function of the user's; what it reads outside may lead back to it, and is taken over later."""
        space: dict = {'__builtins__': __builtins__, '__name__': value.__module__}
        cells = tuple(CellType() for _ in value.__closure__ or ())
        new = FunctionType(value.__code__, space, value.__name__, None, cells)

        def fill() -> None:
            new.__defaults__, new.__kwdefaults__ = self.of(value.__defaults__), self.of(value.__kwdefaults__)
            for cell, old in zip(cells, value.__closure__ or (), strict=True):
                cell.cell_contents = self.of(old.cell_contents)
            outside = names(value.__code__).keys() & value.__globals__.keys()
            space.update({name: self.of(value.__globals__[name]) for name in outside})

        new.__qualname__ = value.__qualname__
        self.later.append(fill)
        return new


def taken(fn: Any, args: tuple) -> tuple[Any, list]:
    """A Cell or a function of MindSpore's, and what it is called with, on minicell."""
    all_of = Taken()
    found = all_of.of(fn), [*map(all_of.of, args)]
    while all_of.later:
        all_of.later.pop()()
    return found
