"""The static graph of a traced function: nodes in order, each naming the values it reads."""

from collections import namedtuple
from collections.abc import Iterable, Iterator
from itertools import count
from weakref import WeakValueDictionary

from ..core.differentiate import name_of
from ..core.errors import Where, users_line
from ..core.rules import BACK, BEGIN, END, ENTER, LEAVE, WRITE, Marker
from ..core.tensor import Tensor, map_tensors, tensors_in
from ..errors import GraphValueError
from ..traps.results import held
from ..traps.snapshot import snapshot
from .words import graph_lines
from .world import Read

STEP, STEPPED = Marker('step'), Marker('stepped')  # of an optimizer, for the trace alone: no events
FAILED = 'failed inside a graph, and the exception was caught there: a graph has no place for that'


# The nodes. `inputs` and `outs` are the slots of the values that a node reads and makes, `site` is where it was traced.
Op = namedtuple('Op', 'rule inputs attributes outs site')  # a primitive
Call = namedtuple('Call', 'cell body inputs given outs site')  # a Cell with its own bprop, and a graph of its construct
# A gradient taken inside the function, of a graph of its own. `sens`: where its cotangents are, if given. Its outs are
# the gradients and, behind them, those values of its body that are used outside: `kept` there.
Grad = namedtuple('Grad', 'name body inputs weights sens outs site kept')
Assign = namedtuple('Assign', 'target inputs how what outs site')  # a write into a Parameter or Tensor
# An optimizer, which is called as it is; `given` are its arguments, with Places where their Tensors are.
Step = namedtuple('Step', 'cell inputs given outs site')
Place = namedtuple('Place', 'slot')  # in a structure, the place of a Tensor: which value of the graph stands there


class Graph:
    """A traced function: its inputs, its nodes, what it returns, what it caught, and what Python decided for it."""

    def __init__(self, name: str, inputs: list[Tensor], outer: 'Graph | None' = None) -> None:
        self.name = name
        self.outer = outer
        self.root: Graph = self if outer is None else outer.root  # the outermost
        self.slots = 0
        self.nodes: list = []
        self.constants: dict[int, Tensor] = {}
        self.own: set[int] = set()  # of the outermost: the ids of Tensors that each call makes anew, until it is sealed
        self.made: dict[int, Tensor] = {}  # and those of them that it uses, as they begin
        self.from_outer: list[int] = []  # values of the outer graph that are further inputs of this one
        self.reads: list[Read] = []
        self.looked: list[tuple] = []  # constants whose numbers Python looked at, and what they were
        self.branches: list[tuple] = []
        self.past: list[tuple] = []  # constructs that were called past their Cells
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
            self.labels[slot], self.types[slot] = label, f'{t.dtype} {t.shape}'
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
                said = 'a value from inside construct of a Cell with its own bprop is used outside it: return it from'
                _must(isinstance(node, Grad), f'{said} construct of {node.body.name}', node.site)
                node.kept.append(node.body.slot(t))
                node.outs.append(self._new(t))
                return node.outs[-1]
        return None

    def slot(self, t: Tensor) -> int:
        """Where a Tensor's value is; what no node made is a constant, or comes from the outer graph."""
        if (found := self._slot_of.get(id(t))) is not None or (found := self._from_a_body(t)) is not None:
            return found
        if self.outer is not None and self.outer.knows(t):
            slot = self._new(t, f'outer{len(self.from_outer)}')
            self.from_outer.append(self.outer.slot(t))
            self.inputs.append(slot)
            return slot
        owner, kept = (self.root, self.root.made) if id(t) in self.root.own else (self, self.constants)
        kept[owner._new(t, getattr(t, 'name', f'c{len(self.root.made) + len(owner.constants)}'))] = t
        return self.slot(t)

    def knows(self, t: Tensor) -> bool:
        """Whether the value of t depends on this graph's inputs, or on those of a graph around it."""
        return self.has(t) or (self.outer is not None and self.outer.knows(t))

    def graphs(self) -> Iterator['Graph']:
        """It, and those inside its nodes."""
        yield self
        for node in self.nodes:
            if isinstance(node, (Call, Grad)):
                yield from node.body.graphs()

    @property
    def outside(self) -> list[Tensor]:
        """The Parameters and other Tensors that it reads and that are none of its arguments."""
        return [t for graph in self.graphs() for t in graph.constants.values()]

    def still_holds(self) -> bool:
        """Whether what the trace read of Python is what it was."""
        return all(read.holds() for read in self.reads) and all(snapshot(t.array) == was for t, was in self.looked)

    def seal(self) -> 'Graph':
        """It is complete: let go of the Tensors that it was made from, which no hook and no rule may hold either."""
        graphs = [*self.graphs()]
        values = [t for graph in graphs for t in graph._alive if graph._slot_of[id(t)] not in graph.constants]
        self.values = WeakValueDictionary({id(t): t for t in values})
        for node in (node for graph in graphs for node in graph.nodes):
            if isinstance(node, Op):
                rule = getattr(getattr(node.rule, 'owner', None), 'rule', None)  # of the user's own Primitive
                self.keep_to_itself(node.rule.name, held((node.attributes, rule)), node.site)
            elif isinstance(node, Call):  # a gradient inside may have called bprop already
                called = [graph for graph in node.body.stand_in.graphs.values() if isinstance(graph, Graph)]
                self.keep_to_itself(f'{node.body.name}.bprop', [t for g in called for t in g.outside], node.site)
        for graph in graphs:
            graph._slot_of, graph._alive, graph.own = {}, [], set()
        return self

    def keep_to_itself(self, name: str, found: Iterable[Tensor], site: tuple = (None,)) -> None:
        """Refuse what runs on the way back and holds a value of this call: later ones would still get this one's."""
        said = f'{name} holds a Tensor that {self.name} computes or is given: it runs on the way back, and would still '
        said += 'read the numbers of this call in later calls. Make the Tensor an input of a Cell with a bprop'
        _must(not any(self.values.get(id(t)) is t for t in found), said, site)

    def result(self, values: list) -> object:
        """What the function returns, from the values of a replay."""
        return filled(self.returned, values)

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
            said = f'a write by {y} has no place in a graph: use ops.assign'
            _must(isinstance(source, Tensor), said, (code, lasti))
            inputs = (self.slot(source),)
            self.nodes.append(Assign(self.slot(x), inputs, how, y, (), (code, lasti)))
        elif not isinstance(rule, Marker) and rule.name not in ('Leaf', 'TupleGetItem'):
            said = f'{rule.name} has no place in a graph: it calls Python on the way back. Use it in eager mode'
            _must(rule.kernel is not None, said, (code, lasti))
            inputs = tuple(map(self.slot, rule.tensors(x, y)))
            outs = tuple(self._new(t) for t in tensors_in(getattr(out, 'out', out)))
            self.nodes.append(Op(rule, inputs, rule.attributes(y), outs, (code, lasti)))
        return k + 1

    _hidden = False

    def _call(self, entries: list, k: int) -> int:
        _, cell, given, _, code, lasti = entries[k]
        end = _matching(entries, k, ENTER, LEAVE)
        _must(entries[end][2] is None, f'{type(cell).__name__} {FAILED}', (code, lasti))
        body = Graph(type(cell).__name__, tensors_in(given), self)
        body._hidden = True
        body.read(entries[k + 1 : end], entries[end][3])
        _, inputs, body.stand_in, out, _, _ = entries[end + 1]
        body.stand_in.body = body
        slots = tuple(map(self.slot, tensors_in(inputs))) + tuple(body.from_outer)
        outs = tuple(self._new(t) for t in tensors_in(getattr(out, 'out', out)))
        self.nodes.append(Call(cell, body, slots, _emptied(inputs, None), outs, (code, lasti)))
        return end + 2

    def _grad(self, entries: list, k: int) -> int:
        _, function, (leaves, sources, _), _, code, lasti = entries[k]
        end = _matching(entries, k, BEGIN, END)
        _must(entries[end][1] is not None, f'a gradient {FAILED}', (code, lasti))
        back = _matching(entries, k, BEGIN, END, BACK)
        outputs, sens = entries[back][2]
        weights = tuple(self.slot(t) for t in leaves if hasattr(t, 'requires_grad'))
        body = Graph(name_of(function), [t for t in leaves if not hasattr(t, 'requires_grad')], self)
        body.read(entries[k + 1 : back], outputs)
        slots = tuple(map(self.slot, [t for t in sources if not hasattr(t, 'requires_grad')])) + tuple(body.from_outer)
        given = () if sens is None else tuple(map(self.slot, tensors_in(sens)))
        outs = [self._new(t) for t in entries[end][1]]
        self.nodes.append(Grad(body.name, body, slots, weights, given, outs, (code, lasti), []))
        return end + 1

    __str__ = __repr__ = lambda self: '\n'.join(graph_lines(self))


def _emptied(value: object, graph: Graph | None) -> object:
    """A structure with Places where its Tensors were (without a graph: numbered in order)."""
    number = count()
    return map_tensors(value, lambda t: Place(graph.slot(t) if graph else next(number)))


def filled(value: object, values: list) -> object:
    """The structure again, with these Tensors in their Places."""
    return map_tensors(value, lambda place: values[place.slot], Place)


def _matching(entries: list, k: int, opens: Marker, closes: Marker, inside: Marker | None = None) -> int:
    """The entry that closes what entry k opens; or the one of this kind that stands right inside it."""
    depth = 0
    for j in range(k, len(entries)):
        depth += (entries[j][0] is opens) - (entries[j][0] is closes)
        if not depth or (depth == 1 and entries[j][0] is inside):
            return j
    return _must(False, 'something is begun in a graph and not ended there', entries[k][4:])


def _must(holds: bool, said: str, site: tuple) -> None:
    """Raise, unless something holds, with the line where that was called which a graph has no place for."""
    if not holds:
        raise GraphValueError(f'{said}.{users_line(Where(*site) if site[0] else None)}')
