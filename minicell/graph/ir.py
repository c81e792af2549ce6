"""The static graph of a traced function: nodes in order, each naming the values it reads, printed and drawn as text."""

from collections.abc import Iterable
from typing import NamedTuple

from ..core.differentiate import name_of
from ..core.errors import Where, users_line, where_is
from ..core.rules import BACK, BEGIN, END, ENTER, LEAVE, STEP, STEPPED, WRITE, Many, Marker, Rule
from ..core.tensor import Tensor, tensors_in
from ..errors import GraphValueError
from ..traps.snapshot import snapshot
from .world import Read


class Op(NamedTuple):
    """A primitive."""

    rule: Rule
    inputs: tuple[int, ...]
    attributes: tuple
    outs: tuple[int, ...]
    site: tuple


class Call(NamedTuple):
    """A Cell with its own bprop; its construct is a graph of its own."""

    cell: object
    body: 'Graph'
    inputs: tuple[int, ...]
    given: tuple
    outs: tuple[int, ...]
    site: tuple

    def arguments(self, tensors: list[Tensor]) -> tuple:
        """The arguments of the call, with these Tensors in their places."""
        return _filled(self.given, tensors)


class Grad(NamedTuple):
    """A gradient taken inside the function, of a graph of its own; `sens`: where its cotangents are, if given.

    Its outs are the gradients and, behind them, those values of its body that are used outside (`kept` there).
    """

    name: str
    body: 'Graph'
    inputs: tuple[int, ...]
    weights: tuple
    sens: tuple[int, ...]
    outs: list[int]
    site: tuple
    kept: list[int]


class Assign(NamedTuple):
    """A write into a Parameter or Tensor."""

    target: int
    inputs: tuple[int, ...]
    how: object
    what: str
    outs: tuple[int, ...]
    site: tuple


class Step(NamedTuple):
    """An optimizer, which is called as it is; `given` are its arguments, with Places where their Tensors are."""

    cell: object
    inputs: tuple[int, ...]
    given: tuple
    outs: tuple[int, ...]
    site: tuple

    def arguments(self, tensors: list[Tensor]) -> tuple[tuple, dict]:
        """What the call gets, with these Tensors in their places."""
        return _filled(self.given, tensors)


class Graph:
    """A traced function: its inputs, its nodes, what it returns, what it caught, and what Python decided for it."""

    def __init__(self, name: str, inputs: list[Tensor], outer: 'Graph | None' = None) -> None:
        self.name = name
        self.outer = outer
        self.slots = 0
        self.nodes: list = []
        self.constants: dict[int, Tensor] = {}
        self.from_outer: list[int] = []  # values of the outer graph that are further inputs of this one
        self.reads: list[Read] = []
        self.looked: list[tuple] = []  # constants whose numbers Python looked at, and what they were
        self.branches: list[tuple] = []
        self.labels: dict[int, str] = {}
        self.types: dict[int, str] = {}
        self._slot_of: dict[int, int] = {}
        self._alive: list[Tensor] = []  # an id names a Tensor only as long as it lives
        self.inputs = [self._new(t, f'x{k}') for k, t in enumerate(inputs)]
        self.returned: object = None
        self.stand_in: object = None  # of a Call's body: what is called in a replay

    def _new(self, t: Tensor, label: str = '') -> int:
        slot, self.slots = self.slots, self.slots + 1
        self._slot_of[id(t)] = slot
        self._alive.append(t)
        if label:
            self.labels[slot], self.types[slot] = label, _type(t)
        return slot

    def has(self, t: Tensor) -> bool:
        """Whether a node of this graph makes t, or it is one of its inputs."""
        slot = self._slot_of.get(id(t))
        if slot is not None:
            return slot not in self.constants
        return any(node.body.has(t) for node in self.nodes if isinstance(node, Grad))

    def _from_a_body(self, t: Tensor) -> int | None:
        """The slot of a value that was made inside a node of this graph, such as the value beside a gradient."""
        for node in self.nodes:
            if isinstance(node, (Call, Grad)) and node.body.has(t):
                if isinstance(node, Call):
                    raise GraphValueError(
                        f'a value from inside construct of {type(node.cell).__name__}, which has its own bprop, is '
                        f'used outside it: return it from construct.{_line_of(node.site)}'
                    )
                node.kept.append(node.body.slot(t))
                node.outs.append(self._new(t))
                return node.outs[-1]
        return None

    def slot(self, t: Tensor) -> int:
        """Where a Tensor's value is; what no node made is a constant, or comes from the outer graph."""
        found = self._slot_of.get(id(t))
        if found is None:
            found = self._from_a_body(t)
        if found is not None:
            return found
        if self.outer is not None and self.outer.knows(t):
            slot = self._new(t, f'outer{len(self.from_outer)}')
            self.from_outer.append(self.outer.slot(t))
            self.inputs.append(slot)
            return slot
        slot = self._new(t, getattr(t, 'name', f'c{len(self.constants)}'))
        self.constants[slot] = t
        return slot

    def knows(self, t: Tensor) -> bool:
        """Whether the value of t depends on this graph's inputs, or on those of a graph around it."""
        return self.has(t) or (self.outer is not None and self.outer.knows(t))

    @property
    def parameters(self) -> list[Tensor]:
        """The Parameters that it reads."""
        return [t for t in self.constants.values() if hasattr(t, 'requires_grad')]

    @property
    def captured(self) -> list[Tensor]:
        """The other Tensors that it reads and that are none of its arguments."""
        return [t for t in self.constants.values() if not hasattr(t, 'requires_grad')]

    def still_holds(self) -> bool:
        """Whether what the trace read of Python is what it was."""
        return all(read.holds() for read in self.reads) and all(snapshot(t.array) == was for t, was in self.looked)

    def seal(self) -> 'Graph':
        """It is complete: let go of the Tensors that it was made from."""
        self._slot_of, self._alive = {}, []
        for node in self.nodes:
            if isinstance(node, (Call, Grad)):
                node.body.seal()
        return self

    def result(self, values: list) -> object:
        """What the function returns, from the values of a replay."""
        return _filled(self.returned, values)

    # ---- made from what a Tape kept --------------------------------------------------------------------------------

    def read(self, entries: list, returned: object) -> 'Graph':
        """Add a node for each op, takeover, gradient and write among raw entries."""
        k = 0
        while k < len(entries):
            k = self._step(entries, k)
        self.returned = _emptied(returned, self)
        return self

    def _step(self, entries: list, k: int) -> int:
        """Add the node that starts at entry k; the number of the entry behind it."""
        rule, x, y, out, code, lasti = entries[k]
        if rule is ENTER and out and not self._hidden:
            return self._call(entries, k)
        if rule is BEGIN:
            return self._grad(entries, k)
        if rule is STEP:
            end = _matching(entries, k, STEP, STEPPED)
            inputs = tuple(map(self.slot, tensors_in((y, out))))
            outs = tuple(self._new(t) for t in tensors_in(entries[end][3]))
            self.nodes.append(Step(x, inputs, _emptied((y, out), None), outs, (code, lasti)))
            return end + 1
        if rule is WRITE:
            source, how = out
            if source is None:
                raise GraphValueError(
                    f'a write by {y} has no place in a graph: use ops.assign.{_line_of((code, lasti))}'
                )
            inputs = (self.slot(source),)
            self.nodes.append(Assign(self.slot(x), inputs, how, y, (), (code, lasti)))
        elif not isinstance(rule, Marker) and rule.name not in ('Leaf', 'TupleGetItem'):
            if rule.kernel is None:
                raise GraphValueError(
                    f'{rule.name} has no place in a graph: it calls Python on the way back. Use it in eager '
                    f'mode.{_line_of((code, lasti))}'
                )
            inputs = tuple(map(self.slot, rule.tensors(x, y)))
            outs = tuple(self._new(t) for t in tensors_in(getattr(out, 'out', out)))
            self.nodes.append(Op(rule, inputs, rule.attributes(y), outs, (code, lasti)))
        return k + 1

    _hidden = False

    def _call(self, entries: list, k: int) -> int:
        _, cell, given, _, code, lasti = entries[k]
        end = _matching(entries, k, ENTER, LEAVE)
        if entries[end][2] is not None:
            raise GraphValueError(
                f'{type(cell).__name__} failed inside a graph, and the exception was caught there: a graph has no '
                f'place for that.{_line_of((code, lasti))}'
            )
        body = Graph(type(cell).__name__, tensors_in(given), self)
        body._hidden = True
        body.read(entries[k + 1 : end], entries[end][3])
        _, inputs, _, out, _, _ = entries[end + 1]
        slots = tuple(map(self.slot, tensors_in(inputs))) + tuple(body.from_outer)
        outs = tuple(self._new(t) for t in tensors_in(getattr(out, 'out', out)))
        self.nodes.append(Call(cell, body, slots, _emptied(inputs, None), outs, (code, lasti)))
        return end + 2

    def _grad(self, entries: list, k: int) -> int:
        _, function, (leaves, sources), _, code, lasti = entries[k]
        end = _matching(entries, k, BEGIN, END)
        back = k + 1
        depth = 0
        while depth or entries[back][0] is not BACK:
            depth += (entries[back][0] is BEGIN) - (entries[back][0] is END)
            back += 1
        outputs, sens = entries[back][2]
        weights = tuple(t for t in leaves if hasattr(t, 'requires_grad'))
        body = Graph(name_of(function), [t for t in leaves if not hasattr(t, 'requires_grad')], self)
        body.read(entries[k + 1 : back], outputs)
        slots = tuple(map(self.slot, [t for t in sources if not hasattr(t, 'requires_grad')])) + tuple(body.from_outer)
        given = () if sens is None else tuple(map(self.slot, tensors_in(sens)))
        outs = [self._new(t) for t in entries[end][1]]
        self.nodes.append(Grad(body.name, body, slots, weights, given, outs, (code, lasti), []))
        return end + 1

    # ---- in words and as a drawing ---------------------------------------------------------------------------------

    def __str__(self) -> str:
        return '\n'.join(self._lines(''))

    __repr__ = __str__

    def _lines(self, pad: str) -> list[str]:
        heads = ', '.join(f'{self._name(s)}: {self.types[s]}' for s in self.inputs)
        lines = [f'{pad}graph {self.name}({heads})']
        lines += [f'{pad}  {self._name(s)} = {_brief(t)}' for s, t in self.constants.items()]
        lines += [f'{pad}  frozen: `{text}` was {taken} ({where})' for text, taken, where in self.branches]
        for node in self.nodes:
            lines.append(f'{pad}  {self._line(node)}')
            if isinstance(node, (Call, Grad)):
                lines += node.body._lines(pad + '    ')
        return [*lines, f'{pad}  return {_said(self.returned, self)}']

    def _name(self, slot: int) -> str:
        return self.labels.get(slot, f'%{self._numbers().get(slot, slot)}')

    def _numbers(self) -> dict[int, int]:
        made = [slot for node in self.nodes for slot in node.outs]
        return {slot: k for k, slot in enumerate(made, 1)}

    def _line(self, node: object) -> str:
        args = [self._name(s) for s in node.inputs]
        outs = ', '.join(self._name(s) for s in node.outs)
        if isinstance(node, Op):
            return f'{outs} = {node.rule.name}({", ".join(args + _settings(node))})'
        if isinstance(node, Call):
            return f'{outs} = {type(node.cell).__name__}({", ".join(args)})  # bprop: its own'
        if isinstance(node, Grad):
            args += [w.name for w in node.weights]
            return f'{outs} = gradient of {node.name}({", ".join(args)})'
        if isinstance(node, Step):
            return f'{type(node.cell).__name__}({", ".join(args)})  # writes {_some(node.cell.parameters)}'
        return f'{self._name(node.target)} <- {args[0]}  # {node.what}'

    def dot(self) -> str:
        """The graph in the DOT language."""
        lines = ['digraph {', '  rankdir=LR; node [shape=box, fontname="sans-serif"];']
        lines += [f'  v{s} [label={_quoted(self._name(s))}, shape=ellipse];' for s in (*self.inputs, *self.constants)]
        made_by = {}
        for n, node in enumerate(self.nodes):
            label = node.rule.name if isinstance(node, Op) else self._line(node).split('(')[0]
            style = ', peripheries=2' if isinstance(node, Call) else ''
            lines.append(f'  n{n} [label={_quoted(label)}{style}];')
            lines += [f'  {made_by.get(s, f"v{s}")} -> n{n};' for s in node.inputs]
            if isinstance(node, Assign):
                lines.append(f'  n{n} -> {made_by.get(node.target, f"v{node.target}")} [style=dashed];')
            made_by |= dict.fromkeys(node.outs, f'n{n}')
        lines.append('  end [label="return", shape=plaintext];')
        lines += [f'  {made_by.get(s.slot, f"v{s.slot}")} -> end;' for s in _places(self.returned)]
        return '\n'.join([*lines, '}'])


class Place(NamedTuple):
    """In a structure, the place of a Tensor: which value of the graph stands there."""

    slot: int


def _emptied(value: object, graph: Graph | None) -> object:
    """A structure with Places where its Tensors were (without a graph: numbered in order)."""
    count = iter(range(1 << 30))

    def walk(v: object) -> object:
        if isinstance(v, Tensor):
            return Place(graph.slot(v) if graph else next(count))
        if isinstance(v, dict):
            return {k: walk(i) for k, i in v.items()}
        return _rebuilt(v, map(walk, v)) if isinstance(v, (tuple, list)) else v

    return walk(value)


def _rebuilt(like: tuple | list, parts: Iterable) -> tuple | list:
    """A tuple (named or not) or a list of the same type, with other parts."""
    return type(like)(*parts) if hasattr(like, '_fields') else type(like)(parts)


def _filled(value: object, values: list) -> object:
    if isinstance(value, Place):
        return values[value.slot]
    if isinstance(value, dict):
        return {k: _filled(v, values) for k, v in value.items()}
    return _rebuilt(value, [_filled(v, values) for v in value]) if isinstance(value, (tuple, list)) else value


def _places(value: object) -> list[Place]:
    if isinstance(value, Place):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [p for v in inside for p in _places(v)]


def _said(value: object, graph: Graph) -> str:
    if isinstance(value, Place):
        return graph._name(value.slot)
    if isinstance(value, dict):
        return '{' + ', '.join(f'{k!r}: {_said(v, graph)}' for k, v in value.items()) + '}'
    if isinstance(value, (tuple, list)):
        inside = ', '.join(_said(v, graph) for v in value) + ',' * (isinstance(value, tuple) and len(value) == 1)
        return f'[{inside}]' if isinstance(value, list) else f'({inside})'
    return repr(value)


def _matching(entries: list, k: int, opens: Marker, closes: Marker) -> int:
    """The entry that closes what entry k opens."""
    depth = 0
    for j in range(k, len(entries)):
        depth += (entries[j][0] is opens) - (entries[j][0] is closes)
        if not depth:
            return j
    raise GraphValueError(f'something is begun in a graph and not ended there.{_line_of(entries[k][4:])}')


def _line_of(site: tuple) -> str:
    """The user's line, as a message ends with it."""
    where = Where(*site) if site[0] else None
    return f'\n  your line: {where_is(where.file, where.line)}: {where.text}' if where else users_line()


def _some(parameters: tuple) -> str:
    """The names of a few Parameters."""
    return ', '.join(p.name for p in parameters[:3]) + (', ...' if len(parameters) > 3 else '')


def _settings(node: Op) -> list[str]:
    """An op's static arguments, by the names that its kernel has for them."""
    given = [repr(a) for a in node.attributes]
    code = getattr(node.rule.kernel, '__code__', None)
    if code is None or not given:
        return given
    names = code.co_varnames[: code.co_argcount]
    names = names[: len(given)] if isinstance(node.rule, Many) else names[-len(given) :]
    return [f'{n}={a}' for n, a in zip(names, given, strict=False)] if len(names) == len(given) else given


def _brief(t: Tensor) -> str:
    """A constant or a Parameter, as a printed graph shows it."""
    if hasattr(t, 'requires_grad'):
        return f'Parameter {_type(t)}'
    return f'constant {t}' if t.size == 1 else f'constant {_type(t)}'


def _type(t: Tensor) -> str:
    return f'{t.dtype} {t.shape}'


def _quoted(text: str) -> str:
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'
