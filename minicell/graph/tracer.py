"""Tracing: what is forbidden meanwhile, what of Python the trace depends on, and the graph that comes of it."""

import builtins
from collections.abc import Callable
from functools import partial

import numpy as np

from .. import tracing
from ..common.parameter import Parameter
from ..core import tape
from ..core.errors import users_line, warn_user
from ..core.rules import BEGIN, END, ENTER, STEP, STEPPED, WRITE
from ..core.tensor import Tensor, map_tensors, tensors_in, wrap
from ..core.watch import Tape
from ..errors import GraphCaptureError, GraphPrintWarning, GraphValueError, GraphWriteError
from ..nn.cell import Cell
from ..traps.snapshot import now, snapshot
from .ir import Graph
from .syntax import PLAIN, Lines


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
    """What is forbidden while a function is traced, and which Python attributes it read."""

    def __init__(self, name: str, inputs: list[Tensor], stand_in: Callable) -> None:
        self.name = name
        self.stand_in = stand_in  # for a Cell with its own bprop: what traces that bprop when backward first calls it
        self.inputs = {id(t) for t in inputs}
        self.reads: dict = {}
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
        tracing.trace_with(None)
        try:
            out = cell.construct(*args, **kwargs)
        finally:
            tracing.trace_with(self)
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
        raise GraphWriteError(
            f'{type(cell).__name__}.{name} is written inside the graph of {self.name}: the graph is traced once, so '
            f'that later calls would not write it. Make it a Parameter and use ops.assign, or return the '
            f'value.{users_line()}'
        )

    def read(self, cell: Cell, name: str, value: object) -> None:
        """What was read of a Cell is part of what the trace depends on."""
        if (id(cell), name) not in self.reads:
            self.reads[id(cell), name] = cell, name, snapshot(value)

    def check_reads(self) -> None:
        """A list that grows, or anything else that was changed in place, would be changed once."""
        for cell, name, was in self.reads.values():
            if snapshot(getattr(cell, name, None)) != was:
                self.refuse_write(cell, name)


def trace(function: Callable, args: tuple, kwargs: dict, stand_in: Callable) -> tuple[object, Graph]:
    """Call a function, and make a graph of what it did."""
    global _printer
    name = _name(function)
    args, kwargs = map_tensors(args, _own), map_tensors(kwargs, _own)
    inputs = inputs_of(args, kwargs)
    outer, printer = tracing.tracer, builtins.print
    tracer = Tracer(name, inputs, stand_in)
    closure = [(c, 'cell_contents', c.cell_contents) for c in _closure(function) if _is_plain(c)]
    tracing.trace_with(tracer)
    try:
        if outer is None:
            Cell.__getattribute__ = _reading
            _printer, builtins.print = printer, _printing
        with Tape() as seen, Lines() as lines:
            tracer.window = seen
            out = function(*args, **kwargs)
    finally:
        tracing.trace_with(outer)
        if outer is None:
            del Cell.__getattribute__
            builtins.print = printer
    lines.check()
    tracer.check_reads()
    graph = Graph(name, inputs)
    # a name that stands for another value now was written by what was traced, such as a counter
    names = [(h, n, was) for h, n, was in (*closure, *lines.globals.values()) if now(h, n) is was]
    graph.reads, graph.looked, graph.branches = (
        [*tracer.reads.values(), *[(h, n, snapshot(was)) for h, n, was in names]],
        tracer.looked,
        lines.branches(),
    )
    graph.read(seen.entries(), out)
    for t in graph.captured:
        if t.at >= tape.start:
            raise GraphCaptureError(
                f'the graph of {name} uses a differentiated Tensor that is none of its arguments: a later call would '
                f'use the old numbers. Give it as an argument.{users_line()}'
            )
    return out, graph.seal()


def _closure(function: Callable) -> tuple:
    """The cells of what a function has from the function around it."""
    function = getattr(function, 'func', function)  # a partial
    return getattr(getattr(function, '__func__', function), '__closure__', None) or ()


def _is_plain(cell: object) -> bool:
    try:
        return isinstance(cell.cell_contents, PLAIN)
    except ValueError:  # not given yet
        return False


def _name(function: Callable) -> str:
    """How a sentence and a printed graph call what is traced."""
    owner = function.args[0] if isinstance(function, partial) else getattr(function, '__self__', None)
    if isinstance(owner, Cell):
        return type(owner).__name__ + ('.bprop' if getattr(function, '__name__', '') == 'bprop' else '')
    return getattr(function, '__name__', None) or type(function).__name__


def _reading(cell: Cell, name: str) -> object:
    """Cell.__getattribute__ while something is traced."""
    value = object.__getattribute__(cell, name)
    asked = (name[0] != '_' or name in ('_around', '_hooks', '_cells')) and tracing.tracer is not None
    if asked and (name in object.__getattribute__(cell, '__dict__') or not callable(value)):
        tracing.tracer.read(cell, name, value)
    return value


def _printing(*values: object, **options: object) -> None:
    """builtins.print while something is traced."""
    warn_user(
        f'print inside the graph of {tracing.tracer.name}: it runs once, now, while the graph is traced, and not in '
        f'later calls.',
        GraphPrintWarning,
    )
    _printer(*values, **options)


_printer = print  # what print was when tracing began
