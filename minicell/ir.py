"""The static graph of a traced function: nodes in order, each naming the values it reads, printed and drawn as text."""

from typing import NamedTuple

from .differentiate import name_of, tensors_in
from .errors import GraphValueError, place, users_line
from .ops.rules import Rule
from .tape import BACK, BEGIN, END, ENTER, LEAVE, WRITE, Marker
from .tensor import Tensor
from .where import Where


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
    """A gradient taken inside the function, of a graph of its own; `sens`: where its cotangents are, if given."""

    name: str
    body: 'Graph'
    inputs: tuple[int, ...]
    weights: tuple
    sens: tuple[int, ...]
    outs: tuple[int, ...]
    site: tuple


class Assign(NamedTuple):
    """A write into a Parameter or Tensor."""

    target: Tensor
    inputs: tuple[int, ...]
    how: object
    what: str
    outs: tuple[int, ...]
    site: tuple


class Graph:
    """A traced function: its inputs, its nodes, what it returns, what it caught, and what Python decided for it."""

    def __init__(self, name: str, inputs: list[Tensor], outer: 'Graph | None' = None) -> None:
        self.name = name
        self.outer = outer
        self.slots = 0
        self.nodes: list = []
        self.constants: dict[int, Tensor] = {}
        self.from_outer: list[int] = []  # values of the outer graph that are further inputs of this one
        self.reads: list[tuple] = []
        self.branches: list[tuple] = []
        self.labels: dict[int, str] = {}
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
            self.labels[slot] = label
        return slot

    def slot(self, t: Tensor) -> int:
        """Where a Tensor's value is; what no node made is a constant, or comes from the outer graph."""
        found = self._slot_of.get(id(t))
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
        slot = self._slot_of.get(id(t))
        if slot is None:
            return self.outer is not None and self.outer.knows(t)
        return slot not in self.constants

    @property
    def parameters(self) -> list[Tensor]:
        """The Parameters that it reads."""
        return [t for t in self.constants.values() if hasattr(t, 'requires_grad')]

    @property
    def captured(self) -> list[Tensor]:
        """The other Tensors that it reads and that are none of its arguments."""
        return [t for t in self.constants.values() if not hasattr(t, 'requires_grad')]

    def still_holds(self) -> bool:
        """Whether the Python attributes that the trace read are what they were."""
        return all(_same(getattr(cell, name, None), value) for cell, name, value in self.reads)

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
        if rule is WRITE:
            source, how = out
            if source is None:
                raise GraphValueError(f'a write by {y} has no place in a graph: use ops.assign.{users_line()}')
            inputs = (self.slot(source),)
            self.nodes.append(Assign(x, inputs, how, y, (), (code, lasti)))
        elif not isinstance(rule, Marker) and rule.name not in ('Leaf', 'TupleGetItem'):
            if rule.kernel is None:
                raise GraphValueError(f'{rule.name} has no place in a graph: use it in eager mode.{users_line()}')
            inputs = tuple(map(self.slot, rule.tensors(x, y)))
            outs = tuple(self._new(t) for t in tensors_in(getattr(out, 'out', out)))
            self.nodes.append(Op(rule, inputs, rule.attributes(y), outs, (code, lasti)))
        return k + 1

    _hidden = False

    def _call(self, entries: list, k: int) -> int:
        _, cell, given, _, code, lasti = entries[k]
        end = _matching(entries, k, ENTER, LEAVE)
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
        outs = tuple(self._new(t) for t in entries[end][1])
        self.nodes.append(Grad(body.name, body, slots, weights, given, outs, (code, lasti)))
        return end + 1

    # ---- in words and as a drawing ---------------------------------------------------------------------------------

    def __str__(self) -> str:
        return '\n'.join(self._lines(''))

    __repr__ = __str__

    def _lines(self, pad: str) -> list[str]:
        heads = ', '.join(f'{self._name(s)}: {_type(t)}' for s, t in zip(self.inputs, self._alive, strict=False))
        lines = [f'{pad}graph {self.name}({heads})']
        lines += [f'{pad}  {self._name(s)} = {_brief(t)}' for s, t in self.constants.items()]
        lines += [f'{pad}  frozen: {text} was {taken} ({where})' for text, taken, where in self.branches]
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
            return f'{outs} = {node.rule.name}({", ".join(args + [repr(a) for a in node.attributes])})'
        if isinstance(node, Call):
            return f'{outs} = {type(node.cell).__name__}({", ".join(args)})  # bprop: its own'
        if isinstance(node, Grad):
            args += [w.name for w in node.weights]
            return f'{outs} = gradient of {node.name}({", ".join(args)})'
        return f'{getattr(node.target, "name", "a Tensor")} <- {args[0]}  # {node.what}'

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
        if type(v) in (tuple, list):
            return type(v)(walk(i) for i in v)
        return v

    return walk(value)


def _filled(value: object, values: list) -> object:
    if isinstance(value, Place):
        return values[value.slot]
    if isinstance(value, dict):
        return {k: _filled(v, values) for k, v in value.items()}
    if type(value) in (tuple, list):
        return type(value)(_filled(v, values) for v in value)
    return value


def _places(value: object) -> list[Place]:
    if isinstance(value, Place):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if type(value) in (tuple, list) else ()
    return [p for v in inside for p in _places(v)]


def _said(value: object, graph: Graph) -> str:
    if isinstance(value, Place):
        return graph._name(value.slot)
    if isinstance(value, dict):
        return '{' + ', '.join(f'{k!r}: {_said(v, graph)}' for k, v in value.items()) + '}'
    if type(value) in (tuple, list):
        inside = ', '.join(_said(v, graph) for v in value)
        return f'({inside})' if type(value) is tuple else f'[{inside}]'
    return repr(value)


def _matching(entries: list, k: int, opens: Marker, closes: Marker) -> int:
    """The entry that closes what entry k opens."""
    depth = 0
    for j in range(k, len(entries)):
        depth += (entries[j][0] is opens) - (entries[j][0] is closes)
        if not depth:
            return j
    where = Where(*entries[k][4:]) if entries[k][4] else None
    line = f' ({place(where.file, where.line)})' if where else ''
    raise GraphValueError(f'a gradient is begun in a graph and not read there{line}: use ms.grad, not ms.vjp.')


def _same(a: object, b: object) -> bool:
    return type(a) is type(b) and a == b


def _brief(t: Tensor) -> str:
    """A constant or a Parameter, as a printed graph shows it."""
    if hasattr(t, 'requires_grad'):
        return f'Parameter {_type(t)}'
    return f'constant {t}' if t.size == 1 else f'constant {_type(t)}'


def _type(t: Tensor) -> str:
    return f'{t.dtype} {t.shape}'


def _quoted(text: str) -> str:
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'
