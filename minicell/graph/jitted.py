"""Graph mode: a function is traced once a signature, kept as a small static graph, and replayed.

Tracing is looking: the first call runs as ever, with a Tape open, and the graph is made from what it kept. A replay
plays the nodes' kernels in their order and puts them on the tape as an eager call would, so that gradients need nothing
of their own, and makes anew what the function itself made and writes or returns. What Python did in between is not in
the graph: an `if` on its values is frozen and shown, and what would silently go stale is traced anew, or refused.
"""

from collections.abc import Callable
from functools import partial, update_wrapper
from types import FunctionType, MethodType
from weakref import WeakValueDictionary

from .. import tracing
from ..common.parameter import Parameter
from ..core import tape
from ..core.cell import Cell as CoreCell
from ..core.cell import addresses_by_class, call, takes_over
from ..core.differentiate import differentiate
from ..core.dtype import DType
from ..core.errors import Where, article, plural, users_line, where_is
from ..core.primitives import place_several
from ..core.rules import Plain
from ..core.tape import place
from ..core.tensor import Tensor, is_float, map_tensors, tensors_in, wrap
from ..core.trap import joined
from ..errors import GraphArgumentError, GraphBpropError, GraphTupleError, GraphValueError
from ..nn.cell import Cell
from ..ops.checks import must, must_be
from ..ops.write import overwrite, write_index
from ..traps.bypassed import trap as bypassed
from ..traps.snapshot import Cache, Identity, snapshot
from .ir import Assign, Call, Grad, Graph, Op, Step, filled
from .tracer import anew, inputs_of, trace

OPTIONS = {'capture_mode': ('ast', 'bytecode', 'trace'), 'jit_level': ('O0', 'O1'), 'dynamic': (0, 1)}


def jit(
    function: Callable | None = None,
    *,
    capture_mode: str = 'ast',
    jit_level: str = 'O0',
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = '',
    **options: object,
) -> Callable:
    """Trace a function once a signature and replay it. MindSpore's options are accepted and have no effect.

    `f.graphs` are its newest traces; printing one shows it in words.

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
    given = {'capture_mode': capture_mode, 'jit_level': jit_level, 'dynamic': dynamic}
    for name, value in given.items():
        known = ', '.join(map(repr, OPTIONS[name]))
        must(value in OPTIONS[name], GraphArgumentError, f"For 'jit', '{name}' is one of {known}, but got {value!r}")
    if function is None:
        return partial(jit, **given, fullgraph=fullgraph, backend=backend, **options)
    must_be(function, Callable, GraphArgumentError, "For 'jit', a function or a Cell is due")
    return Jitted(function)


class Jitted:
    """A function that is traced once a signature; `.graphs` are its traces, `.traced` how often Python ran it."""

    def __init__(self, fn: Callable) -> None:
        update_wrapper(self, fn)
        self.fn = fn
        self.kept = Cache()  # its graphs; those of a call with a Cell, or a function, are that one's, and go with it
        self.made: WeakValueDictionary[int, Graph] = WeakValueDictionary()
        self.traced = 0
        if hasattr(fn, '__code__'):
            self.__code__ = fn.__code__  # for those who ask a bprop where it stands and what it takes

    def __reduce__(self) -> tuple:
        return Jitted, (self.fn,)  # without its graphs: they belong to this process

    @property
    def graphs(self) -> list[Graph]:
        """Its traces that are still kept, in order."""
        return list(self.made.values())

    def __get__(self, owner: object, kind: type | None = None) -> Callable:
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: object, **kwargs: object) -> object:
        if tracing.tracer is not None:  # part of a larger graph
            return self.fn(*args, **kwargs)
        met: list = []
        key = self, signature((args, tuple(sorted(kwargs.items()))), met)
        owners = [v.__dict__ for v in met if isinstance(v, (Cell, FunctionType))]  # of a net and a loss, the net
        owner = max(owners, key=lambda own: len(own.get('_params', ())) + len(own.get('_cells', ())), default=None)
        kept = self.kept if owner is None else owner.setdefault('_graphs', Cache())
        for graph in kept.get(key, ()):
            if graph.still_holds():
                return replay(graph, inputs_of(args, kwargs))
        out, graph = trace(self.fn, args, kwargs, GraphCell.of)
        _check_output(graph.name, out)
        self.made[self.traced] = graph
        self.traced += 1
        kept[key] = [*kept.get(key, ()), graph][-kept.MOST :]
        return out


def _check_output(name: str, out: object) -> None:
    """What a graph returns is filled in anew in each call; anything else would be that of the first."""
    if isinstance(out, (dict, tuple, list)):
        for part in out.values() if isinstance(out, dict) else out:
            _check_output(name, part)
    elif not isinstance(out, (Tensor, bool, int, float, complex, str, type(None), DType)):
        said = f"returns {article(type(out).__name__)}, and every later call would return the first call's"
        due = 'a graph returns Tensors, numbers, and tuples, lists and dicts of them'
        raise GraphValueError(f'the graph of {name} {said}: {due}.{users_line()}')


call_in_graph_mode = Jitted(CoreCell.__call__)  # what stands in the place of Cell.__call__ meanwhile


def signature(value: object, met: list) -> object:
    """What a trace depends on: shapes and dtypes of Tensors, Python's own values, which object (`met`) all else is."""
    tensor = lambda t: ('Tensor', t.shape, t.array.dtype.str)
    return snapshot(value, lambda v: tensor(v) if type(v) is Tensor else met.append(v) or Identity(v))


# ---- Cells with their own bprop -------------------------------------------------------------------------------------


class GraphCell:
    """A Cell inside a graph: construct is a graph in a replay, and bprop becomes one when backward first reaches it."""

    body: Graph | None = None  # of construct, once it is traced

    def __init__(self, cell: Cell, by_position: int) -> None:
        self.source, self.by_position = cell, by_position
        self.outer: list[Tensor] = []  # what construct read of the graph around it, beside its inputs
        self.internal_params = cell.internal_params
        self.graphs = cell.__dict__.setdefault('_graphs', Cache())  # bprop is the same function in every graph

    @classmethod
    def of(cls, cell: Cell, by_position: int) -> 'GraphCell':
        """A stand-in that bears the Cell's own name; of a stand-in in a replayed graph, one for the Cell itself."""
        if isinstance(cell, GraphCell):
            cell, by_position = cell.source, cell.by_position
        name = type(cell).__name__
        kind = _KINDS[name] = _KINDS.get(name) or type(name, (cls,), {})
        if known := addresses_by_class.get(type(cell)):  # what is made inside has the same addresses
            joined.met(kind)
            addresses_by_class[kind] = known
        return kind(cell, by_position)

    _bprop_debug = property(lambda self: self.source._bprop_debug)
    _report = Cell._report
    _stands_for = property(lambda self: self.source)
    _reads = None  # a replay tells of the Cell itself

    def construct(self, *inputs: object) -> object:
        return replay(self.body, [*tensors_in(inputs), *self.outer])

    _construct = construct

    def bprop(self, *given: object) -> tuple:
        """The Cell's bprop, traced once a signature and held to the rules of graph mode."""
        given = map_tensors(given, lambda t: wrap(t.array, t.at))  # an input that is a Parameter is an input here
        key = self.by_position, signature(given, [])
        graph = self.graphs.get(key)
        if graph is not None and graph.still_holds():
            return replay(graph, tensors_in(given))
        function = getattr(self.source.bprop, '__func__', self.source.bprop)
        code, name = function.__code__, type(self.source).__name__

        def refuse(said: str, error: type[Exception] = GraphBpropError) -> None:
            line = where_is(code.co_filename, code.co_firstlineno)
            raise error(f'{name}{said}.\n  its bprop: {line}{users_line()}')

        named = code.co_argcount - (function is not self.source.bprop)  # without self
        if code.co_flags & 0x04 or named < 2:
            takes = '*args' if code.co_flags & 0x04 else plural(named, 'parameter')
            refuse(f'.bprop takes {takes}: in graph mode a bprop names its parameters, the inputs, then out and dout')
        if self.by_position < len(given) - 2 or named > len(given):
            due = 'in graph mode every argument is given by position, and bprop takes each of them, then out and dout'
            got = f'got {plural(self.by_position, "argument")} by position, and its bprop takes {named - 2}'
            refuse(f' {got}: {due}', GraphTupleError)
        if self.internal_params:
            advice = 'Let autodiff compute it, or leave graph mode'
            refuse(f' has internal_params: a gradient of a Parameter from bprop is for eager mode only. {advice}')
        returned, graph = trace(self.source.bprop, given, {}, GraphCell.of)
        if self.body is not None:
            self.body.root.keep_to_itself(f'{name}.bprop', graph.outside)
        if parameters := [t for t in graph.outside if isinstance(t, Parameter)]:
            why = 'in graph mode a bprop does not support using Parameter'
            advice = 'Compute the gradient from its inputs, out and dout'
            refuse(f'.bprop uses the Parameter {parameters[0].name}: {why}. {advice}')
        if not isinstance(returned, tuple):
            due = 'in graph mode the output of a bprop is a tuple, also for one gradient: `return (dx,)`'
            refuse(f'.bprop returned {article(type(returned).__name__)}: {due}', GraphTupleError)
        self.graphs[key] = graph
        return returned


_KINDS: dict = {}  # by name, so that no class of the user's is kept


def bprop_graph(cell: Cell) -> Graph:
    """The graph that graph mode made last of a Cell's bprop. Raises ValueError where there is none yet.

    >>> class Double(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return 2 * x
    ...     def bprop(self, x, out, dout):
    ...         return (2 * dout,)
    >>> double = Double()
    >>> print(ms.grad(ms.jit(double))(ms.Tensor(3.0)))
    2.0
    >>> print(bprop_graph(double))
    graph Double.bprop(x0: Float32 (), x1: Float32 (), x2: Float32 ())
      c0 = constant 2.0
      %1 = Mul(x2, c0)
      return (%1,)
    """
    made = [graph for graph in cell.__dict__.get('_graphs', {}).values() if isinstance(graph, Graph)]
    said = f'there is no graph of {type(cell).__name__}.bprop yet: take a gradient in graph mode first'
    must(made, GraphArgumentError, said)
    return made[-1]


# ---- replaying -----------------------------------------------------------------------------------------------------


def replay(graph: Graph, inputs: list[Tensor]) -> object:
    """Play the graph's nodes on other inputs; they go on the tape as in an eager call."""
    if tape.recorded_from != tape.NOWHERE and not tape.hidden_address:
        bypassed.past += graph.past
    return graph.result(_played(graph, inputs))


def _played(graph: Graph, inputs: list[Tensor]) -> list:
    """All values of a replay."""
    values: list = [None] * graph.slots
    for slot, t in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        values[slot] = t
    for slot, t in graph.made.items():
        values[slot] = anew(t, t.array)
    for node in graph.nodes:
        made = PLAY[type(node)](node, [values[s] for s in node.inputs], values)
        for slot, t in zip(node.outs, made, strict=True):
            values[slot] = t
    return values


def _play_op(node: Op, args: list[Tensor], values: list) -> list[Tensor]:
    rule, site = node.rule, Where(*node.site)
    x, y = rule.raw(tuple(args), node.attributes)
    value = rule.run_kernel([t.array for t in args], node.attributes)
    at = -1 if isinstance(rule, Plain) else max([t.at for t in args], default=-1)
    if isinstance(value, tuple):
        outs = [wrap(v) for v in value]
        place_several(rule, x, y, tuple(outs), [t for t in outs if is_float(t)], at, site)
        return outs
    return [place(rule, x, y, wrap(value), at, site)]


def _play_call(node: Call, args: list[Tensor], values: list) -> list[Tensor]:
    stand_in = node.body.stand_in
    count = len(args) - len(node.body.from_outer)
    inputs = filled(node.given, args[:count])
    stand_in.outer = args[count:]
    if not (tape.looking or takes_over(stand_in)):
        return tensors_in(stand_in.construct(*inputs))
    out = call(stand_in, inputs, {}, Where(*node.site))
    if node.cell._reads is not None and not tape.hidden_address and any(t.at >= tape.recorded_from for t in args):
        joined.called(node.cell, (), ())
    return tensors_in(out)


def _play_grad(node: Grad, args: list[Tensor], values: list) -> list[Tensor]:
    count = len(args) - len(node.body.from_outer)
    rest = args[count:]
    sens = tuple(values[s] for s in node.sens) or None
    weights = tuple(values[s] for s in node.weights)

    def body(*inputs: Tensor) -> tuple:
        """Its outputs, and what else of its values is used outside."""
        made = _played(node.body, [*inputs, *rest])
        return node.body.result(made), *[made[s] for s in node.kept]

    body.__name__, body.replayed = node.name, True
    result, by_place, by_weight = differentiate(
        body, tuple(args[:count]), {}, tuple(range(count)), weights, sens, aux=True
    )
    return [*by_place, *by_weight, *result[1:]]


def _play_assign(node: Assign, args: list[Tensor], values: list) -> list[Tensor]:
    target, (source,) = values[node.target], args
    if node.what == 'x[i] = v':
        write_index(target, node.how, source, Where(*node.site))
    else:
        overwrite(target, source, node.what, Where(*node.site), node.how)
    return []


def _play_step(node: Step, args: list[Tensor], values: list) -> list[Tensor]:
    given, named = filled(node.given, args)
    return tensors_in(node.cell.construct(*given, **named))


PLAY = {Op: _play_op, Call: _play_call, Grad: _play_grad, Assign: _play_assign, Step: _play_step}
