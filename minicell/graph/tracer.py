"""Tracing: what is forbidden meanwhile, and the graph that comes of it."""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from .. import tracing
from ..common.parameter import Parameter
from ..core import tape
from ..core.errors import users_line
from ..core.rules import BEGIN, END, ENTER, STEP, STEPPED, WRITE
from ..core.tensor import Tensor, map_tensors, tensors_in, wrap
from ..core.watch import Tape
from ..errors import GraphCaptureError, GraphValueError, GraphWriteError
from ..nn.cell import Cell
from ..traps.snapshot import snapshot
from .ir import Graph
from .syntax import Lines
from .world import REPLAYED, World


def inputs_of(args: tuple, kwargs: dict) -> list[Tensor]:
    """The Tensors that are inputs of a graph: a Parameter is the same one in every call."""
    found = tensors_in((args, tuple(v for _, v in sorted(kwargs.items()))))
    return [t for t in found if not isinstance(t, Parameter)]


def _own(t: Tensor) -> Tensor:
    """Another Tensor around the same memory, so that one object in two places is two inputs."""
    if isinstance(t, Parameter):
        return t
    if not isinstance(t.array, np.ndarray):
        t.array = np.array(t.array)  # NumPy hands out rank 0 as a scalar, and a write would not be seen
    return wrap(t.array, t.at)


class Tracer:
    """What is forbidden while a function is traced."""

    def __init__(self, name: str, inputs: list[Tensor], stand_in: Callable) -> None:
        self.name = name
        self.stand_in = stand_in  # for a Cell with its own bprop: what traces that bprop when backward first calls it
        self.inputs = {id(t) for t in inputs}
        self.looked: list = []
        self.window: Tape | None = None

    def follows(self, t: Tensor) -> bool:
        """Whether the value of t may be another in the next call."""
        known = set(self.inputs)
        for rule, x, y, out, _, _ in self.window.entries():
            inputs = tensors_in((x, y))
            if rule is WRITE:
                if id(out[0]) in known or isinstance(out[0], Parameter):
                    known.add(id(x))
            elif rule is ENTER or any(id(i) in known or isinstance(i, Parameter) for i in inputs):
                known.update(map(id, tensors_in(getattr(out, 'out', out))))
                known.update(map(id, inputs if rule in (ENTER, BEGIN, END) else ()))
        return id(t) in known or isinstance(t, Parameter)

    def step(self, cell: Cell, args: tuple, kwargs: dict, frame) -> object:
        """Call an optimizer as it is: in the graph it is one node, which calls it again in every replay."""
        tape.note(STEP, cell, args, kwargs, frame)
        tracing.tracer = None
        try:
            out = cell.construct(*args, **kwargs)
        finally:
            tracing.tracer = self
        tape.note(STEPPED, cell, None, out, frame)
        return out

    def refuse_value(self, t: Tensor, how: str) -> None:
        """Numbers of a traced Tensor do not exist in a graph."""
        if self.follows(t):
            raise GraphValueError(
                f'{how} of a Tensor inside the graph of {self.name}: a graph is traced once, and has no numbers to '
                f'look at. An `if` or a loop that depends on a value would be frozen for ever: write ops.select for a '
                f'choice, and keep {how} outside.{users_line()}'
            )
        self.looked.append((t, snapshot(t.array)))

    def refuse_hooks(self, cell: Cell) -> None:
        """A hook is Python, and would be called once, while the graph is traced."""
        raise GraphValueError(
            f'{type(cell).__name__} has hooks, and is called inside the graph of {self.name}: they would be called '
            f'once, while it is traced, and not in later calls. Hooks are for eager mode.{users_line()}'
        )

    def refuse_vjp(self, name: str) -> None:
        """What vjp returns is a function, which a graph cannot hold."""
        raise GraphValueError(
            f'vjp of {name} inside the graph of {self.name}: it returns a function, and a graph has no place for one. '
            f'Use ms.grad, or GradOperation(sens_param=True).{users_line()}'
        )

    def refuse_set_data(self, parameter: Tensor) -> None:
        """set_data is for outside: a graph writes by assign."""
        raise GraphWriteError(
            f'{parameter.name}.set_data inside the graph of {self.name}: the method is not supported in a graph. Write '
            f'ops.assign({parameter.name}, value).{users_line()}'
        )

    def refuse_write(self, cell: Cell, name: str) -> None:
        """An attribute written in a traced function is written once, not in each call."""
        self.refuse_written(f'{type(cell).__name__}.{name}')

    def refuse_written(self, what: str) -> None:
        """So is anything else, such as a list that grows."""
        raise GraphWriteError(
            f'{what} is written inside the graph of {self.name}: the graph is traced once, so that later calls would '
            f'not write it. Make it a Parameter and use ops.assign, or return the value and write it '
            f'outside.{users_line()}'
        )


def trace(function: Callable, args: tuple, kwargs: dict, stand_in: Callable) -> tuple[object, Graph]:
    """Call a function, and make a graph of what it did."""
    name = _name(function)
    args, kwargs = map_tensors(args, _own), map_tensors(kwargs, _own)
    inputs = inputs_of(args, kwargs)
    tracer = Tracer(name, inputs, stand_in)
    world = World(tracer, function, (args, kwargs))
    outer, put_back, debugger, profiler = tracing.tracer, tape.state(), sys.gettrace(), sys.getprofile()
    again = getattr(profiler, 'enable', None)  # cProfile, up to Python 3.11
    try:
        tracing.trace_with(tracer)
        with Tape() as seen, Lines() as lines:
            tracer.window = seen
            sys.setprofile(world.watch)
            out = function(*args, **kwargs)
    finally:  # each step is taken even when Ctrl-C comes in the one before it: none is a function of Python's
        tracing.tracer = outer
        try:
            sys.setprofile(None if again else profiler)
        finally:
            try:
                sys.settrace(debugger)
            finally:
                put_back()
    if again:
        again()
    lines.check()
    graph = Graph(name, inputs)
    graph.looked, graph.branches = tracer.looked, lines.branches()
    graph.read(seen.entries(), out)
    graph.reads = world.check()
    for t in graph.captured:
        if t.at >= tape.start:
            raise GraphCaptureError(
                f'the graph of {name} uses a differentiated Tensor that is none of its arguments: a later call would '
                f'use the old numbers. Give it as an argument.{users_line()}'
            )
    return out, graph.seal()


REPLAYED.add(trace.__code__)  # of a bprop, with a world of its own


def _name(function: Callable) -> str:
    """How a sentence and a printed graph call what is traced."""
    owner = function.args[0] if isinstance(function, partial) else getattr(function, '__self__', None)
    if isinstance(owner, Cell):
        return type(owner).__name__ + ('.bprop' if getattr(function, '__name__', '') == 'bprop' else '')
    return getattr(function, '__name__', None) or type(function).__name__
