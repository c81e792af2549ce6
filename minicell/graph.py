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
from .dtype import DType
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
from .errors import place as where_is
from .ir import Assign, Call, Grad, Graph, Identity, Op, snapshot
from .nn.cell import Cell
from .nn.takeover import _remake, watched_call
from .nn.takeover import call as takeover_call
from .ops.make import place, place_several
from .ops.rules import Plain
from .parameter import Parameter
from .syntax import Lines
from .tensor import Tensor, is_float, overwrite, wrap, writable
from .watch import Tape
from .where import Where

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
        if hasattr(fn, '__code__'):
            self.__code__ = fn.__code__  # for those who ask a bprop where it stands and what it takes

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
        _check_output(graph.name, out)
        self.traced += 1
        self.graphs.append(graph)
        self.by_signature.setdefault(key, []).append(graph)
        return out


def _check_output(name: str, out: object) -> None:
    """What a graph returns is filled in anew in each call; anything else would be that of the first."""
    if isinstance(out, dict):
        out = tuple(out.values())
    if isinstance(out, (tuple, list)):
        for part in out:
            _check_output(name, part)
    elif not isinstance(out, (Tensor, bool, int, float, complex, str, type(None), DType)):
        raise GraphValueError(
            f'the graph of {name} returns {article(type(out).__name__)}, and every later call would return the first '
            f"call's: a graph returns Tensors, numbers, and tuples, lists and dicts of them.{users_line()}"
        )


def _call_cell(cell: Cell, args: tuple, kwargs: dict) -> object:
    """A Cell called in graph mode: it is traced as a function of its arguments."""
    if cell.always_eager:
        return cell.construct(*args, **kwargs)
    graphs = cell.__dict__.setdefault('_graphs', Jitted(partial(Cell.__call__, cell)))
    return graphs(*args, **kwargs)


def signature(value: object) -> object:
    """What a trace depends on: shapes and dtypes of Tensors, Python's own values, which object anything else is."""
    return snapshot(value, _shape_and_dtype)


def _shape_and_dtype(t: Tensor) -> object:
    return Identity(t) if isinstance(t, Parameter) else ('Tensor', t.shape, t.array.dtype.str)


def _inputs(args: tuple, kwargs: dict) -> list[Tensor]:
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


# ---- tracing -------------------------------------------------------------------------------------------------------


class Tracer:
    """What is forbidden while a function is traced, and which Python attributes it read."""

    def __init__(self, name: str, inputs: list[Tensor]) -> None:
        self.name = name
        self.inputs = {id(t) for t in inputs}
        self.reads: dict = {}
        self.looked: list = []
        self.window: Tape | None = None

    def follows(self, t: Tensor) -> bool:
        """Whether the value of t may be another in the next call."""
        known = set(self.inputs)
        for rule, x, y, out, _, _ in self.window.entries():
            inputs = tensors_in((x, y))
            if rule is tape.WRITE:
                if id(out[0]) in known or isinstance(out[0], Parameter):
                    known.add(id(x))
            elif rule is tape.ENTER or any(id(i) in known or isinstance(i, Parameter) for i in inputs):
                known.update(map(id, tensors_in(getattr(out, 'out', out))))
                known.update(map(id, inputs if rule in (tape.ENTER, tape.BEGIN, tape.END) else ()))
        return id(t) in known or isinstance(t, Parameter)

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
        self.reads.setdefault((id(cell), name), (cell, name, snapshot(value)))

    def check_reads(self) -> None:
        """A list that grows, or anything else that was changed in place, would be changed once."""
        for cell, name, was in self.reads.values():
            if snapshot(getattr(cell, name, None)) != was:
                self.refuse_write(cell, name)

    def stand_in(self, cell: Cell) -> object:
        """For a Cell with its own bprop: an object that traces that bprop when backward first calls it."""
        return GraphCell.of(cell)


def trace(function: Callable, args: tuple, kwargs: dict) -> tuple[object, Graph]:
    """Call a function, and make a graph of what it did."""
    global _printer
    name = _name(function)
    args, kwargs = _remake(args, _own), _remake(kwargs, _own)
    inputs = _inputs(args, kwargs)
    outer, printer = tape.tracer, builtins.print
    tracer = Tracer(name, inputs)
    tape.trace_with(tracer)
    try:
        if outer is None:
            Cell.__getattribute__ = _reading
            _printer, builtins.print = printer, _printing
        with Tape() as seen, Lines() as lines:
            tracer.window = seen
            out = function(*args, **kwargs)
    finally:
        tape.trace_with(outer)
        if outer is None:
            del Cell.__getattribute__
            builtins.print = printer
    lines.check()
    tracer.check_reads()
    graph = Graph(name, inputs)
    graph.reads, graph.looked, graph.branches = list(tracer.reads.values()), tracer.looked, lines.branches()
    graph.read(seen.entries(), out)
    for t in graph.captured:
        if t.at >= tape.start:
            raise GraphCaptureError(
                f'the graph of {name} uses a differentiated Tensor that is none of its arguments: a later call would '
                f'use the old numbers. Give it as an argument.{users_line()}'
            )
    return out, graph.seal()


def _name(function: Callable) -> str:
    """How a sentence and a printed graph call what is traced."""
    owner = function.args[0] if isinstance(function, partial) else getattr(function, '__self__', None)
    if isinstance(owner, Cell):
        return type(owner).__name__ + ('.bprop' if getattr(function, '__name__', '') == 'bprop' else '')
    return getattr(function, '__name__', None) or type(function).__name__


def _reading(cell: Cell, name: str) -> object:
    """Cell.__getattribute__ while something is traced."""
    value = object.__getattribute__(cell, name)
    asked = (name[0] != '_' or name in ('_hooks', '_cells')) and tape.tracer is not None
    if asked and (name in object.__getattribute__(cell, '__dict__') or not callable(value)):
        tape.tracer.read(cell, name, value)
    return value


def _printing(*values: object, **options: object) -> None:
    """builtins.print while something is traced."""
    tape.warn_user(
        f'print inside the graph of {tape.tracer.name}: it runs once, now, while the graph is traced, and not in later '
        f'calls.',
        GraphPrintWarning,
    )
    _printer(*values, **options)


_printer = print  # what print was when tracing began


class GraphCell:
    """A Cell inside a graph: construct is a graph in a replay, and bprop becomes one when backward first reaches it."""

    def __init__(self, cell: Cell, body: Graph | None = None) -> None:
        self.source, self.body = cell, body
        self.outer: list[Tensor] = []  # what construct read of the graph around it, beside its inputs
        self.internal_params = cell.internal_params
        self.graphs = cell.__dict__.setdefault('_bprop_graphs', {})  # bprop is the same function in every graph

    @classmethod
    def of(cls, cell: Cell, body: Graph | None = None) -> 'GraphCell':
        """A stand-in that bears the Cell's own name, and the same one for all calls in one graph."""
        if type(cell) not in _KINDS:
            _KINDS[type(cell)] = type(type(cell).__name__, (cls,), {})
        return _KINDS[type(cell)](cell, body)

    @property
    def bprop_debug(self) -> bool:
        """As the Cell has it now."""
        return self.source._bprop_debug

    _bprop_debug = bprop_debug

    def construct(self, *inputs: object) -> object:
        """The Cell's own graph."""
        return replay(self.body, [*tensors_in(inputs), *self.outer])

    def bprop(self, *given: object) -> tuple:
        """The Cell's bprop, traced once a signature and held to the rules of graph mode."""
        given = _remake(given, lambda t: wrap(t.array, t.at))  # an input that is a Parameter is an input here
        key = signature(given)
        graph = self.graphs.get(key)
        if graph is not None and graph.still_holds():
            return replay(graph, tensors_in(given))
        name = type(self.source).__name__
        code = getattr(self.source.bprop, '__func__', self.source.bprop).__code__
        line = f'\n  its bprop: {where_is(code.co_filename, code.co_firstlineno)}{users_line()}'
        if code.co_flags & 0x04:
            raise GraphBpropError(
                f'{name}.bprop takes *args: in graph mode a bprop names its parameters, the inputs, then out and '
                f'dout.{line}'
            )
        if self.internal_params:
            raise GraphBpropError(
                f'{name} has internal_params: a gradient of a Parameter from bprop is for eager mode only. Let '
                f'autodiff compute it, or leave graph mode.{line}'
            )
        returned, graph = trace(self.source.bprop, given, {})
        if graph.parameters:
            raise GraphBpropError(
                f'{name}.bprop uses the Parameter {graph.parameters[0].name}: in graph mode a bprop does not support '
                f'using Parameter. Compute the gradient from its inputs, out and dout.{line}'
            )
        if not isinstance(returned, tuple):
            raise GraphTupleError(
                f'{name}.bprop returned {article(type(returned).__name__)}: in graph mode the output of a bprop is a '
                f'tuple, also for one gradient: `return (dx,)`.{line}'
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

    @property
    def f_lineno(self) -> int:
        """The line's number."""
        return Where(self.f_code, self.f_lasti).line

    @property
    def f_globals(self) -> dict:
        """The names of the module whose code this is: Python notes there which warnings it has shown."""
        file = self.f_code.co_filename
        if file not in _spaces:
            modules = [m for m in list(sys.modules.values()) if getattr(m, '__file__', None) == file]
            _spaces[file] = vars(modules[0]) if modules else {'__name__': '__main__'}
        return _spaces[file]


_spaces: dict[str, dict] = {}


def replay(graph: Graph, inputs: list[Tensor]) -> object:
    """Play the graph's nodes on other inputs; they go on the tape as in an eager call."""
    return graph.result(_played(graph, inputs))


def _played(graph: Graph, inputs: list[Tensor]) -> list:
    """All values of a replay."""
    values: list = [None] * graph.slots
    for slot, t in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        values[slot] = t
    for node in graph.nodes:
        made = PLAY[type(node)](node, [values[s] for s in node.inputs], values)
        for slot, t in zip(node.outs, made, strict=True):
            values[slot] = t
    return values


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

    def body(*inputs: Tensor) -> tuple:
        """Its outputs, and what else of its values is used outside."""
        made = _played(node.body, [*inputs, *rest])
        return node.body.result(made), *[made[s] for s in node.kept]

    body.__name__, body.replayed = node.name, True
    result, by_place, by_weight = differentiate(
        body, tuple(args[:count]), {}, tuple(range(count)), node.weights, sens, aux=True
    )
    return [*by_place, *by_weight, *result[1:]]


def _play_assign(node: Assign, args: list[Tensor], values: list) -> list[Tensor]:
    site = Site(*node.site)
    if isinstance(node.how, np.ufunc):
        memory = writable(values[node.target], node.what, site, args[0], node.how)
        node.how(memory, args[0].array, out=memory, casting='same_kind')
    else:
        overwrite(values[node.target], args[0], node.what, site, node.how)
    return []


PLAY = {Op: _play_op, Call: _play_call, Grad: _play_grad, Assign: _play_assign}
