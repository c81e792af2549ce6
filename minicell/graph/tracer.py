"""Tracing: what is forbidden meanwhile, where Python went (lines, branches, statements), and the graph of it all."""

import ast
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable
from types import CodeType

import numpy as np

from .. import tracing
from ..common.parameter import Parameter
from ..core import tape
from ..core.cell import Cell as CoreCell
from ..core.errors import users_line, where_is
from ..core.rules import BEGIN, END, ENTER, WRITE
from ..core.tensor import Tensor, map_tensors, memory, tensors_in, wrap
from ..core.watch import Tape
from ..errors import GraphCaptureError, GraphSyntaxError, GraphValueError, GraphWriteError
from ..nn.cell import Cell
from ..traps.bypassed import trap as bypassed
from ..traps.results import held
from ..traps.snapshot import snapshot
from .ir import STEP, STEPPED, Graph
from .world import MEMO, REPLAYED, World, is_library


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


def anew(t: Tensor, numbers: np.ndarray) -> Tensor:
    """A Tensor, or a Parameter, with these numbers in memory of its own."""
    numbers = np.array(numbers)
    return Parameter(numbers, t.name, t.requires_grad) if isinstance(t, Parameter) else wrap(numbers)


# what a graph refuses -> what to say, of what was found and of the graph
NO_PLACE = {
    'value': '{0} of a Tensor inside {1}: a graph is traced once, and has no numbers to look at. An `if` or a loop '
    'that depends on a value would be frozen for ever: write ops.select for a choice, and keep {0} outside',
    'random': '{0} inside {1}: Python gets this value once, now, while the graph is traced, and every later call would '
    'use it again. Get it outside and give it as an argument (as a Tensor, a new one needs no new trace), or use '
    'ops.randn or ops.dropout, which draw each time',
    'hooks': '{0} has hooks, and is called inside {1}: they would be called once, while it is traced, and not in later '
    'calls. Hooks are for eager mode',
    'vjp': 'A vjp of {0} inside {1}: it (jvp, jacfwd and jacrev make one, too) returns a function that reads a '
    'gradient later, and a graph has no place for one. Use ms.grad, or GradOperation(sens_param=True), or write it '
    'outside: ms.jvp(ms.jit(f), ...)',
    'set_data': '{0}.set_data inside {1}: the method is not supported in a graph. Write ops.assign({0}, value)',
    'written': '{0} is written inside {1}: the graph is traced once, so that later calls would not write it. Make it a '
    'Parameter and use ops.assign, or return the value and write it outside',
}


class Tracer:
    """What is forbidden while a function is traced."""

    def __init__(self, name: str, inputs: list[Tensor], stand_in: Callable) -> None:
        self.name = name
        self.stand_in = stand_in  # for a Cell with its own bprop: what traces that bprop when backward first calls it
        self.inputs = {id(t) for t in inputs}
        self.looked: list = []
        self.past: list = []  # constructs that were called past their Cells
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
        return tape.in_own_thread() and (id(t) in known or isinstance(t, Parameter))

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

    def refuse(self, kind: str, what: str, frame=None) -> None:
        """Raise an error that says what has no place in this graph, and why: see NO_PLACE."""
        error = GraphWriteError if kind in ('set_data', 'written') else GraphValueError
        raise error(f'{NO_PLACE[kind].format(what, f"the graph of {self.name}")}.{users_line(frame)}')

    def refuse_value(self, t: Tensor, how: str) -> None:
        """Numbers of a traced Tensor do not exist in a graph; those of a constant are noted."""
        if self.follows(t):
            self.refuse('value', how)
        self.looked.append((t, snapshot(t.array)))


# ---- where Python went -----------------------------------------------------------------------------------------------

REFUSED = {
    **dict.fromkeys((ast.Try, ast.TryStar), "Unsupported statement 'Try'"),
    **dict.fromkeys((ast.Import, ast.ImportFrom), "Unsupported statement 'Import'"),
    **{kind: f"Unsupported statement '{kind.__name__}'" for kind in (ast.ClassDef, ast.Delete)},
    **{kind: f"Unsupported expression '{kind.__name__}'" for kind in (ast.Yield, ast.YieldFrom, ast.Await)},
}


class Lines:
    """Notes where the user's functions go: from which instruction to which."""

    def __init__(self) -> None:
        self.went: dict[CodeType, set[tuple[int, int]]] = {}

    def called(self, frame, event: str, argument: object) -> object:
        """What Python calls where a function begins; of the user's, each instruction is noted."""
        code = frame.f_code
        if code not in self.went:
            if is_library(code.co_filename) or not linecache.getline(code.co_filename, 1, frame.f_globals):
                return None
            self.went[code] = set()
        went, last = self.went[code], -1

        def step(frame, event: str, argument: object) -> object:
            nonlocal last
            if event == 'opcode':
                went.add((last, frame.f_lasti))
                last = frame.f_lasti
            return step

        frame.f_trace = step  # first: from Python 3.13 on, only a frame that has one can ask for opcodes
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return step

    def _trees(self) -> list[tuple[CodeType, ast.AST, int]]:
        """For each function that ran: its syntax, and by how many columns it is indented."""
        found = []
        for code in self.went:
            try:
                lines, first = inspect.getsourcelines(code)
                tree = ast.parse(textwrap.dedent(''.join(lines)))
            except (OSError, SyntaxError, IndentationError):
                continue  # a lambda in the middle of an expression: nothing that could be refused there
            ast.increment_lineno(tree, first - 1)
            indent = len(lines[0]) - len(lines[0].lstrip())
            if code.co_name == '<lambda>':  # of its whole line only what stands in it; the innermost comes last
                places = [p for p in code.co_positions() if None not in p and p[3]]
                bodies = [(n, _span(n.body, n.body, indent)) for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
                tree = [tree, *[n for n, span in bodies if all(_inside(p, span) for p in places)]][-1]
            found.append((code, tree, indent))
        return found

    def branches(self) -> list[tuple[str, str, str]]:
        """Each `if`, `while` and `a if b else c` that was decided: its text, what it was, and where.

        Raises for a statement that a static graph has no place for.
        """
        found = []
        for code, tree, indent in self._trees():
            file, places = code.co_filename, list(code.co_positions())
            for node in ast.walk(tree):
                if said := REFUSED.get(type(node)):
                    where = f'{where_is(file, node.lineno)}: {linecache.getline(file, node.lineno).strip()}'
                    advice = 'Take it out of the traced function, or leave graph mode.'
                    raise GraphSyntaxError(f'{said}: a graph has no place for it ({where}). {advice}')
                if not isinstance(node, (ast.If, ast.While, ast.IfExp)):
                    continue
                body = node.body if isinstance(node.body, list) else [node.body]
                test, body, whole = (
                    _span(*ends, indent) for ends in ((node.test, node.test), (body[0], body[-1]), (node, node))
                )
                # the jump behind the test has the place of the whole statement
                deciding = {
                    2 * k for k, p in enumerate(places) if _inside(p, test) or ((p[0], p[2]), (p[1], p[3])) == whole
                }
                went = {
                    _inside(places[b // 2], body) for a, b in self.went[code] if a in deciding and b not in deciding
                }
                if went:
                    keyword = '' if isinstance(node, ast.IfExp) else 'if ' if isinstance(node, ast.If) else 'while '
                    text = ast.unparse(node) if isinstance(node, ast.IfExp) else f'{keyword}{ast.unparse(node.test)}'
                    taken = ' and '.join(str(t) for t in (True, False) if t in went)
                    found.append((file, node.lineno, text, taken))
        return [(text, taken, where_is(file, line)) for file, line, text, taken in sorted(found)]


def _span(first: ast.AST, last: ast.AST, indent: int) -> tuple[tuple, tuple]:
    return (first.lineno, first.col_offset + indent), (last.end_lineno, last.end_col_offset + indent)


def _inside(where: tuple, span: tuple[tuple, tuple]) -> bool:
    """Whether an instruction (first line, last line, first column, last column) lies within a stretch of source."""
    line, last, column, end = where
    return None not in where and span[0] <= (line, column) and (last, end) <= span[1]


def trace(function: Callable, args: tuple, kwargs: dict, stand_in: Callable) -> tuple[object, Graph]:
    """Call a function, and make a graph of what it did."""
    name = _name(function, args)
    args, kwargs = map_tensors(args, _own), map_tensors(kwargs, _own)
    inputs = inputs_of(args, kwargs)
    tracer = Tracer(name, inputs, stand_in)
    world = World(tracer, function, (args, kwargs))
    with Tape() as tracer.window:  # from here on no other thread has a gradient, a Tape or a trace
        outer, put_back, debugger, profiler = tracing.tracer, tape.state(), sys.gettrace(), sys.getprofile()
        array, lines = Tensor.array, Lines()
        try:
            tracing.trace_with(tracer)
            bypassed.traced = tracer.past
            sys.settrace(lines.called)
            sys.setprofile(world.watch)
            out = function(*args, **kwargs)
        finally:  # each step is taken even when Ctrl-C comes in the one before it: none is a function of Python's
            tracing.tracer, bypassed.traced, Tensor.array = outer, outer and outer.past, array
            try:
                sys.setprofile(None if hasattr(profiler, 'enable') else profiler)
            finally:
                try:
                    sys.settrace(debugger)
                finally:
                    put_back()
    if again := getattr(profiler, 'enable', None):  # cProfile, up to Python 3.11
        again()
    branches, graph = lines.branches(), Graph(name, inputs)
    graph.looked, graph.branches, graph.past = tracer.looked, branches, tracer.past
    entries = tracer.window.entries()
    written = [x for rule, x, *_ in entries if rule is WRITE]
    roots = {id(memory(t.array)) for t in written}
    memos = [value for value in world.known.values() if type(value) is MEMO]  # functions that keep what they returned
    made = {*world.made, *[id(t) for entry in entries * bool(memos) for t in tensors_in(entry[3])]}
    for memo in memos:
        if any(id(t) in made and id(memory(t.array)) in roots for t in held(memo)):
            tracer.refuse('written', f'what {memo.__name__} keeps')
    roots |= {id(memory(t.array)) for t in tensors_in(out)}
    graph.own = {k for k, t in world.made.items() if id(memory(t.array)) in roots}
    graph.read(entries, out)
    graph.made = {slot: anew(t, tracer.window.value(t, -1)) for slot, t in graph.made.items()}  # as it began
    graph.reads = world.check([t for t in graph.outside if isinstance(t, Parameter)])
    for t in graph.outside:
        if t.at >= tape.recorded_from and not isinstance(t, Parameter):
            said = f'the graph of {name} uses a differentiated Tensor that is none of its arguments'
            why = 'a later call would use the old numbers. Give it as an argument'
            raise GraphCaptureError(f'{said}: {why}.{users_line()}')
    return out, graph.seal()


REPLAYED.add(trace.__code__)  # of a bprop, with a world of its own


def _name(function: Callable, args: tuple) -> str:
    """How a sentence and a printed graph call what is traced."""
    owner = args[0] if function is CoreCell.__call__ else getattr(function, '__self__', None)
    if isinstance(owner, Cell):
        return type(owner).__name__ + ('.bprop' if getattr(function, '__name__', '') == 'bprop' else '')
    return getattr(function, '__name__', None) or type(function).__name__
