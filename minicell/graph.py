"""Graph mode: a function is traced once a signature, kept as a small static graph, and replayed.

Tracing is looking: the first call runs as ever, with a Tape open, and the graph is made from what it kept. A replay
plays the nodes' kernels in their order and puts them on the tape as an eager call would, so that gradients need nothing
of their own. What Python did in between (an `if`, a loop, a print) is not in the graph: an `if` on a Python value is
frozen and shown, and what would silently go stale is refused, in a sentence, with the line.
"""

import builtins
import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from types import MethodType

import numpy as np

from . import tape
from .differentiate import differentiate, tensors_in
from .errors import (
    GraphArgumentError,
    GraphBpropError,
    GraphCaptureError,
    GraphPrintWarning,
    GraphTupleError,
    GraphValueError,
    GraphWriteError,
    article,
    users_line,
)
from .ir import Assign, Call, Grad, Graph, Op
from .nn.cell import Cell
from .nn.takeover import call as takeover_call
from .nn.takeover import watched_call
from .ops.make import place, place_several
from .ops.rules import Plain
from .syntax import Lines
from .tensor import Tensor, is_float, overwrite, wrap, writable
from .watch import Tape

GRAPH_MODE, PYNATIVE_MODE = 0, 1
_context = {'mode': PYNATIVE_MODE, 'device_target': 'CPU'}


def set_context(**settings: object) -> None:
    """Set `mode` to GRAPH_MODE or PYNATIVE_MODE; MindSpore's other settings are accepted and have no effect here.

    Raises ValueError for a mode that is neither.
    """
    mode = settings.get('mode', _context['mode'])
    if mode not in (GRAPH_MODE, PYNATIVE_MODE):
        raise GraphArgumentError(f'mode is GRAPH_MODE (0) or PYNATIVE_MODE (1), but got {mode!r}.{users_line()}')
    _context.update(settings)
    Cell.in_graph_mode = _call_cell if mode == GRAPH_MODE else None


def get_context(name: str) -> object:
    """A setting. Raises ValueError for one that was never set."""
    if name not in _context:
        raise GraphArgumentError(f'there is no setting {name!r}: {", ".join(_context)}.{users_line()}')
    return _context[name]


def jit(fn: Callable | None = None, **options: object) -> Callable:
    """Trace a function once a signature and replay it. MindSpore's options are accepted and have no effect.

    >>> import minicell as ms
    >>> @ms.jit
    ... def f(x):
    ...     return (x * x).sum()
    >>> print(f(ms.Tensor([1.0, 2.0])), f(ms.Tensor([3.0, 4.0])))
    5.0 25.0
    >>> print(f.graphs[0])
    graph f(x0: Float32 (2,))
      %1 = Mul(x0, x0)
      %2 = ReduceSum(%1, axis=None, keepdims=False)
      return %2
    """
    return partial(jit, **options) if fn is None else Jitted(fn)


class Jitted:
    """A function that is traced once a signature; `.graphs` are its traces, `.traced` how often Python ran it."""

    def __init__(self, fn: Callable) -> None:
        update_wrapper(self, fn)
        self.fn = fn
        self.graphs: list[Graph] = []
        self.by_signature: dict = {}
        self.traced = 0

    def __get__(self, owner: object, kind: type | None = None) -> Callable:
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: object, **kwargs: object) -> object:
        if tape.tracer is not None:  # part of a larger graph
            return self.fn(*args, **kwargs)
        key = signature((args, tuple(sorted(kwargs.items()))))
        for graph in self.by_signature.get(key, ()):
            if graph.still_holds():
                return replay(graph, _inputs(args, kwargs))
        out, graph = trace(self.fn, args, kwargs)
        self.traced += 1
        self.graphs.append(graph)
        self.by_signature.setdefault(key, []).append(graph)
        return out


def _call_cell(cell: Cell, args: tuple, kwargs: dict) -> object:
    """A Cell called in graph mode: it is traced as a function of its arguments."""
    graphs = cell.__dict__.setdefault('_graphs', Jitted(partial(Cell.__call__, cell)))
    return graphs(*args, **kwargs)


def signature(value: object) -> object:
    """What a trace depends on: shapes and dtypes of Tensors, the values of numbers, which object anything else is."""
    if isinstance(value, Tensor):
        return 'Tensor', value.shape, value.array.dtype.str
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(map(signature, value))
    if isinstance(value, dict):
        return 'dict', tuple((k, signature(v)) for k, v in value.items())
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return type(value).__name__, value
    return 'object', id(value)


def _inputs(args: tuple, kwargs: dict) -> list[Tensor]:
    return tensors_in((args, tuple(v for _, v in sorted(kwargs.items()))))


# ---- tracing -------------------------------------------------------------------------------------------------------


class Tracer:
    """What is forbidden while a function is traced, and which Python attributes it read."""

    def __init__(self, name: str, inputs: list[Tensor]) -> None:
        self.name = name
        self.inputs = {id(t) for t in inputs}
        self.reads: dict = {}
        self.window: Tape | None = None

    def follows(self, t: Tensor) -> bool:
        """Whether the value of t may be another in the next call."""
        known = set(self.inputs)
        for rule, x, y, out, _, _ in self.window.entries():
            inputs = tensors_in((x, y))
            if rule is tape.ENTER or any(id(i) in known or hasattr(i, 'requires_grad') for i in inputs):
                known.update(map(id, tensors_in(getattr(out, 'out', out))))
                known.update(map(id, inputs if rule in (tape.ENTER, tape.BEGIN, tape.END) else ()))
        return id(t) in known or hasattr(t, 'requires_grad')

    def refuse_value(self, t: Tensor, how: str) -> None:
        """Numbers of a traced Tensor do not exist in a graph."""
        if self.follows(t):
            raise GraphValueError(
                f'{how} of a Tensor inside the graph of {self.name}: a graph is traced once, and has no numbers '
                'to look '
                f'at. An `if` or a loop that depends on a value would be frozen for ever: write ops.select for a '
                f'choice, and keep {how} outside.{users_line()}'
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
        """A Python attribute that was read is part of what the trace depends on."""
        if isinstance(value, (bool, int, float, str, bytes, type(None), tuple)):
            self.reads.setdefault((id(cell), name), (cell, name, value))

    def stand_in(self, cell: Cell) -> object:
        """For a Cell with its own bprop: an object that traces that bprop when backward first calls it."""
        return GraphCell.of(cell)


def trace(function: Callable, args: tuple, kwargs: dict) -> tuple[object, Graph]:
    """Call a function, and make a graph of what it did."""
    name = _name(function)
    inputs = _inputs(args, kwargs)
    outer, printer = tape.tracer, builtins.print
    tracer = Tracer(name, inputs)
    tape.trace_with(tracer)
    try:
        if outer is None:
            Cell.__getattribute__ = _reading
            builtins.print = _printing
        with Tape() as seen, Lines() as lines:
            tracer.window = seen
            out = function(*args, **kwargs)
    finally:
        tape.trace_with(outer)
        if outer is None:
            del Cell.__getattribute__
            builtins.print = printer
    lines.check()
    graph = Graph(name, inputs)
    graph.reads, graph.branches = list(tracer.reads.values()), lines.branches()
    graph.read(seen.entries(), out)
    for t in graph.captured:
        if t.at >= tape.start:
            raise GraphCaptureError(
                f'the graph of {name} uses a differentiated Tensor that is none of its arguments: a later call would '
                f'use the old numbers. Give it as an argument.{users_line()}'
            )
    return out, graph


def _name(function: Callable) -> str:
    """How a sentence and a printed graph call what is traced."""
    owner = function.args[0] if isinstance(function, partial) else getattr(function, '__self__', None)
    if isinstance(owner, Cell):
        return type(owner).__name__ + ('.bprop' if getattr(function, '__name__', '') == 'bprop' else '')
    return getattr(function, '__name__', None) or type(function).__name__


def _reading(cell: Cell, name: str) -> object:
    """Cell.__getattribute__ while something is traced."""
    value = object.__getattribute__(cell, name)
    if not name.startswith('_') and tape.tracer is not None and name in object.__getattribute__(cell, '__dict__'):
        tape.tracer.read(cell, name, value)
    return value


def _printing(*values: object, **options: object) -> None:
    """builtins.print while something is traced."""
    tape.warn_user(
        f'print inside the graph of {tape.tracer.name}: it runs once, now, while the graph is traced, and not in later '
        f'calls.',
        GraphPrintWarning,
    )
    options.get('file', sys.stdout).write(options.get('sep', ' ').join(map(str, values)) + options.get('end', '\n'))


class GraphCell:
    """A Cell inside a graph: construct is a graph in a replay, and bprop becomes one when backward first reaches it."""

    def __init__(self, cell: Cell, body: Graph | None = None) -> None:
        self.source, self.body = cell, body
        self.outer: list[Tensor] = []  # what construct read of the graph around it, beside its inputs
        self.internal_params = cell.internal_params
        self.bprop_debug = cell.bprop_debug
        self.graphs: dict = {}

    @classmethod
    def of(cls, cell: Cell, body: Graph | None = None) -> 'GraphCell':
        """A stand-in that bears the Cell's own name, and the same one for all calls in one graph."""
        if type(cell) not in _KINDS:
            _KINDS[type(cell)] = type(type(cell).__name__, (cls,), {})
        return _KINDS[type(cell)](cell, body)

    def construct(self, *inputs: object) -> object:
        """The Cell's own graph."""
        return replay(self.body, [*tensors_in(inputs), *self.outer])

    def bprop(self, *given: object) -> tuple:
        """The Cell's bprop, traced once a signature and held to the rules of graph mode."""
        key = signature(given)
        graph = self.graphs.get(key)
        if graph is not None and graph.still_holds():
            return replay(graph, tensors_in(given))
        name = type(self.source).__name__
        function = getattr(self.source.bprop, '__func__', self.source.bprop)
        if function.__code__.co_flags & 0x04:
            raise GraphBpropError(
                f'{name}.bprop takes *args: in graph mode a bprop names its parameters, the inputs, then out and '
                f'dout.{users_line()}'
            )
        if self.internal_params:
            raise GraphBpropError(
                f'{name} has internal_params: a gradient of a Parameter from bprop is for eager mode only. Let '
                'autodiff '
                f'compute it, or leave graph mode.{users_line()}'
            )
        returned, graph = trace(self.source.bprop, given, {})
        if graph.parameters:
            raise GraphBpropError(
                f'{name}.bprop uses the Parameter {graph.parameters[0].name}: in graph mode a bprop does not support '
                f'using Parameter. Compute the gradient from its inputs, out and dout.{users_line()}'
            )
        if not isinstance(returned, tuple):
            raise GraphTupleError(
                f'{name}.bprop returned {article(type(returned).__name__)}: in graph mode the output of a bprop is a '
                f'tuple, also for one gradient: `return (dx,)`.{users_line()}'
            )
        self.graphs[key] = graph
        return returned


_KINDS: dict = {}


# ---- replaying -----------------------------------------------------------------------------------------------------


class Site:
    """What a replayed node tells the tape of its place: the line that made it when it was traced."""

    f_back = None

    def __init__(self, code: object, lasti: int) -> None:
        self.f_code, self.f_lasti = code, lasti


def replay(graph: Graph, inputs: list[Tensor]) -> object:
    """Play the graph's nodes on other inputs; they go on the tape as in an eager call."""
    values: list = [None] * graph.slots
    for slot, t in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        values[slot] = t
    for node in graph.nodes:
        made = PLAY[type(node)](node, [values[s] for s in node.inputs], values)
        for slot, t in zip(node.outs, made, strict=True):
            values[slot] = t
    return graph.result(values)


def _play_op(node: Op, args: list[Tensor], values: list) -> list[Tensor]:
    rule, site = node.rule, Site(*node.site)
    x, y = rule.raw(tuple(args), node.attributes)
    value = rule.play([t.array for t in args], node.attributes)
    at = -1 if isinstance(rule, Plain) else max([t.at for t in args], default=-1)
    if isinstance(value, tuple):
        outs = [wrap(v) for v in value]
        place_several(rule, x, y, tuple(outs), [t for t in outs if is_float(t)], at, site)
        return outs
    return [place(rule, x, y, wrap(value), at, site)]


def _play_call(node: Call, args: list[Tensor], values: list) -> list[Tensor]:
    stand_in = node.body.stand_in = node.body.stand_in or GraphCell.of(node.cell, node.body)
    count = len(args) - len(node.body.from_outer)
    inputs = node.arguments(args[:count])
    stand_in.outer = args[count:]
    if tape.start == tape.OFF and not tape.looking:
        return tensors_in(stand_in.construct(*inputs))
    call = watched_call if tape.looking else takeover_call
    return tensors_in(call(stand_in, inputs, {}, Site(*node.site)))


def _play_grad(node: Grad, args: list[Tensor], values: list) -> list[Tensor]:
    count = len(args) - len(node.body.from_outer)
    rest = args[count:]
    sens = tuple(values[s] for s in node.sens) or None
    by_place, by_weight = differentiate(
        lambda *inputs: replay(node.body, [*inputs, *rest]),
        tuple(args[:count]),
        {},
        tuple(range(count)),
        node.weights,
        sens,
    )[1:]
    return [*by_place, *by_weight]


def _play_assign(node: Assign, args: list[Tensor], values: list) -> list[Tensor]:
    site = Site(*node.site)
    if isinstance(node.how, np.ufunc):
        memory = writable(node.target, node.what, site, args[0], node.how)
        node.how(memory, args[0].array, out=memory, casting='same_kind')
    else:
        overwrite(node.target, args[0], node.what, site, node.how)
    return []


PLAY = {Op: _play_op, Call: _play_call, Grad: _play_grad, Assign: _play_assign}
