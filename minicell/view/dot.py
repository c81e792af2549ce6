"""A tape as a graph for the `graphviz` package: Cells are clusters, a takeover is told by its shape."""

from typing import Any

import graphviz

from ..ink.metrics import shape_text
from ..story.events import Walk
from ..story.names import gradient
from ..story.stack import Call
from ..story.tensors import tensors
from .drawing import BACKWARD, FORWARD, LOOKS, MUTED, NEW_LINE, OWN, OWN_TEXT, TapeDot, safe


def to_dot(tape: Any) -> TapeDot:
    """The graph of a tape: what was written forward (solid), and where backward handed gradients (dashed)."""
    writer = _Writer(TapeDot(tape))
    for event in writer.walk:
        if write := getattr(writer, f'_{type(event).__name__.lower()}', None):
            write(event)
    # each cluster goes into the one around it, once all that it holds is there
    for _, inner, outer in sorted(writer.clusters.values(), key=lambda one: -one[0])[:-1]:
        outer.subgraph(inner)
    return writer.graph


class _Writer:
    """Reads events and writes nodes and edges."""

    def __init__(self, graph: TapeDot) -> None:
        self.graph, self.walk, self.passes = graph, Walk(graph.tape), 0
        self.clusters: dict[Call | None, tuple] = {None: (0, graph, None)}  # of a Cell: depth, graph, graph around it
        self.made: dict[int, str] = {}  # id of a tensor -> its node
        self.nodes: dict[int, str] = {}  # id of an Op or Call -> its node

    def node(self, label: str, graph: graphviz.Digraph, **style: str) -> str:
        """A new node."""
        graph.node(name := f'n{self.graph.size}', graphviz.nohtml(label), **style)
        self.graph.size += 1
        return name

    def here(self) -> graphviz.Digraph:
        """The cluster of the Cell that runs, or has just returned."""
        return self.clusters[self.walk.call or next(reversed(self.walk.stack.calls()), None)][1]

    def _enter(self, event: Any) -> None:
        kind, calls = safe(type(event.cell).__name__), [None, *self.walk.stack.calls()]
        label = graphviz.nohtml(f'{kind}: what is dashed is not recorded' if event.custom else kind)
        style = {'label': label, 'style': 'dashed' if event.custom else 'rounded', 'color': MUTED, 'fontcolor': MUTED}
        inner = graphviz.Digraph(f'cluster_{len(self.clusters) - 1}', graph_attr=style)
        self.clusters[calls[-1]] = len(calls), inner, self.clusters[calls[-2]][1]

    def _op(self, event: Any) -> None:
        """An entry; or what runs hidden, whose inputs are copies that nobody made."""
        entry, hidden = self.walk.entry, event.state == 'hidden'
        kind = entry.kind if entry else 'hidden' if hidden else ''
        name = safe(entry.name if entry else event.rule.name if hasattr(event, 'rule') else type(event.cell).__name__)
        if not kind:
            return  # the work of a bprop, or minicell's own
        words = f'{entry.label} {name}' if entry and kind != 'loose' else name
        said, style = LOOKS.get(kind, ('', {'color': FORWARD}))
        read = [(self.source(t), t) for t in tensors(event.inputs) if not hidden or id(t) in self.made]
        node = self.nodes[id(event)] = self.node(NEW_LINE.join(filter(None, (words, said))), self.here(), **style)
        for source, tensor in read:
            way = {'style': 'dotted', 'color': MUTED} if 'style' in style else {'color': FORWARD}
            self.graph.edge(source, node, label=shape_text(tuple(tensor.shape)), **way)
        self.made.update((id(tensor), node) for tensor in tensors(event.out))

    _call = _op

    def source(self, tensor: Any) -> str:
        """The node that made a tensor; what nobody made is drawn as an ellipse, outside all clusters."""
        if id(tensor) not in self.made:
            name = safe(self.walk.tensors.name(tensor))
            label = NEW_LINE.join(filter(None, [name, shape_text(tuple(tensor.shape))])) or 'number'
            self.made[id(tensor)] = self.node(label, self.graph, shape='ellipse')
        return self.made[id(tensor)]

    def _back(self, event: Any) -> None:
        self.passes += 1
        start = self.node(f'backward {self.passes} starts', self.here(), shape='plaintext', fontcolor=BACKWARD)
        way = {'style': 'dashed', 'color': BACKWARD, 'fontcolor': BACKWARD, 'dir': 'back', 'label': 'dout'}
        for tensor, _ in event.outputs:
            if id(tensor) in self.made:
                self.graph.edge(self.made[id(tensor)], start, **way)

    def _give(self, event: Any) -> None:
        """What an entry hands out goes to whoever made its inputs: thick where the user's own code computed it."""
        giver, number = self.nodes.get(id(event.entry)), self.walk.number(event.entry)
        kind = self.walk.entries[number].kind if number is not None else ''
        by = {'call': ', by your bprop', 'hook': ', past your hook'}.get(kind, '')
        colour, ink, wide = (OWN, OWN_TEXT, '2.5') if by else (BACKWARD, BACKWARD, '1')
        for tensor, handed in event.gradients:
            if handed is not None and giver is not None:
                words = graphviz.nohtml(safe(gradient(self.walk.tensors.name(tensor))) + by)
                self.graph.edge(giver, self.source(tensor), label=words, style='dashed', color=colour, fontcolor=ink,
                                constraint='false', penwidth=wide)  # fmt: skip
