"""A tape as a graph for the `graphviz` package: Cells are clusters, a takeover is told by its shape."""

from typing import Any

import graphviz

from ..ops.hooks import Passing
from ..story import facts, names
from ..story.record import shape_text
from ..story.tensors import tensors
from .metrics import clean
from .paint.style import LIGHT

FORWARD, BACKWARD, OWN, OWN_TEXT, MUTED = (LIGHT[name] for name in ('fwd', 'auto', 'bwd', 'bwdt', 'dim'))
MOST = 150  # nodes; `dot` takes seconds for 200 and minutes for 500
NO_DOT = 'There is no `dot` program here to draw the graph (Debian: apt install graphviz; conda: graphviz).'
TOO_LARGE = 'This graph has {} nodes, and `dot` would take very long: to_dot().render() does it all the same.'
LONGEST = 40  # characters of a name
NEW_LINE = '\\n'  # as DOT writes it


class TapeDot(graphviz.Digraph):
    """A Digraph; where `dot` is missing or would take minutes, a notebook shows the tape's own picture and says why."""

    def __init__(self, tape: Any) -> None:
        super().__init__(
            'tape',
            graph_attr={'rankdir': 'LR', 'fontname': 'sans-serif', 'bgcolor': 'white', 'newrank': 'true'},
            node_attr={'shape': 'box', 'fontname': 'sans-serif', 'fontsize': '12'},
            edge_attr={'fontname': 'sans-serif', 'fontsize': '10'},
        )
        self.tape = tape
        self.size = 0

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **options: Any) -> dict[str, str]:
        if self.size > MOST:
            return self.instead(TOO_LARGE.format(self.size))
        try:
            bundle = super()._repr_mimebundle_(include, exclude, **options)
        except graphviz.ExecutableNotFound:
            return self.instead(NO_DOT)
        return {**bundle, 'text/plain': str(self.tape)}

    def instead(self, line: str) -> dict[str, str]:
        """The tape's own picture, under a line that says why."""
        from . import picture

        shown, _ = picture.Picture(self.tape)._repr_mimebundle_()
        html = {'text/html': f'<p>{line}</p>{shown["text/html"]}'} if 'text/html' in shown else {}
        return {**shown, **html, 'text/plain': f'{line}\n{self.tape}'}


def to_dot(tape: Any) -> TapeDot:
    """The graph of a tape: what was written forward (solid), and where backward handed gradients (dashed)."""
    writer = Writer(TapeDot(tape))
    tellers = {
        'Begin': writer.begin, 'Enter': writer.enter, 'Leave': writer.leave, 'Op': writer.op, 'Call': writer.call,
        'Back': writer.back, 'End': writer.end, 'Give': writer.give,
    }  # fmt: skip
    for event in tape.events:
        if type(event).__name__ in tellers:
            tellers[type(event).__name__](event)
    return writer.finish()


def safe(words: Any) -> str:
    """A user's words as a label: no escape of DOT's, no HTML of graphviz's, nothing without end."""
    words = clean(str(words))
    return graphviz.escape(words if len(words) <= LONGEST else words[: LONGEST - 1] + '…')


class Writer:
    """Reads events and writes nodes, edges and nested clusters."""

    def __init__(self, graph: TapeDot) -> None:
        self.graph = graph
        self.open: list[graphviz.Digraph] = [graph]  # the clusters that are open; the last takes the next node
        self.left: graphviz.Digraph | None = None  # that of a Cell which has returned, and may leave an entry
        self.made: dict[int, str] = {}  # id of a tensor -> its node
        self.nodes: dict[int, str] = {}  # id of an Op or Call -> its node
        self.names: dict[int, str] = {}
        self.alive: list[Any] = []  # an id names an object as long as it lives
        self.reading: list[Any] = []  # the gradients that are being read back now
        self.passes = 0
        self.number = 0
        self.clusters = 0

    def finish(self) -> TapeDot:
        """Close what an error has left open."""
        self.settle()
        while len(self.open) > 1:
            self.close()
        return self.graph

    def node(self, label: str, **style: str) -> str:
        """Write a node into the innermost cluster and return its name."""
        name = f'n{self.graph.size}'
        self.graph.size += 1
        self.open[-1].node(name, graphviz.nohtml(label), **style)
        return name

    def close(self) -> None:
        """Put the innermost cluster into the one around it."""
        inner = self.open.pop()
        self.open[-1].subgraph(inner)

    def settle(self) -> None:
        """The Cell that has returned leaves no entry of its own."""
        if self.left is not None:
            self.open[-1].subgraph(self.left)
            self.left = None

    # ---- forward ----

    def begin(self, event: Any) -> None:
        """Names of what is differentiated."""
        parameters = names.parameters(event.function, len(event.inputs))
        for tensor, name, source in zip(event.inputs, parameters, event.sources, strict=True):
            self.names.setdefault(id(tensor), getattr(source, 'name', '') or name)

    def enter(self, event: Any) -> None:
        """A Cell is called: a cluster, dashed where its own bprop hides what is inside."""
        self.settle()
        kind = safe(type(event.cell).__name__)
        label = graphviz.nohtml(f'{kind}: what is dashed is not recorded') if event.custom else kind
        style = {'label': label, 'style': 'dashed' if event.custom else 'rounded', 'color': MUTED, 'fontcolor': MUTED}
        self.open.append(graphviz.Digraph(f'cluster_{self.clusters}', graph_attr=style))
        self.clusters += 1

    def leave(self, event: Any) -> None:
        """It returns; the entry that it leaves, if any, comes next."""
        self.settle()
        if len(self.open) > 1:
            self.left = self.open.pop()

    def op(self, event: Any) -> None:
        """An op: dashed where nothing is recorded."""
        self.settle()
        if event.state == 'unrecorded' and (self.reading or getattr(event.where, 'ours', False)):
            return  # the work of a bprop, or minicell's own
        name = safe(event.rule.name)
        if event.state == 'recorded':
            style = {'color': FORWARD}
            if isinstance(event.rule, Passing) and facts.hanging(event.rule, event.attrs):
                name, style = f'{name}{NEW_LINE}hook: yours', {'peripheries': '2', 'color': OWN, 'penwidth': '1.5'}
            self.write(event, f'{self.count()} {name}', **style)
        else:
            words = 'hidden' if event.state == 'hidden' else 'no gradient passes'
            self.write(event, f'{name}{NEW_LINE}{words}', style='dashed', color=MUTED, fontcolor=MUTED)

    def call(self, event: Any) -> None:
        """The one entry of a Cell with its own bprop, in its cluster: a double border, and words."""
        if self.left is not None:
            self.open.append(self.left)
            self.left = None
        name = safe(type(event.cell).__name__)
        if event.state == 'recorded':
            label = f'{self.count()} {name}{NEW_LINE}bprop: yours'
            self.write(event, label, peripheries='2', color=OWN, penwidth='1.5')
        else:
            self.write(event, f'{name}{NEW_LINE}not recorded', style='dashed', color=MUTED, fontcolor=MUTED)
        if len(self.open) > 1:
            self.close()

    def count(self) -> int:
        """The number of the next entry."""
        self.number += 1
        return self.number

    def write(self, event: Any, label: str, **style: str) -> None:
        """A node with an edge from each of its inputs."""
        # what runs hidden reads copies of its Cell's inputs, which nobody made
        hidden = event.state == 'hidden'
        read = [(self.source(t), t) for t in tensors(event.inputs) if not hidden or id(t) in self.made]
        node = self.nodes[id(event)] = self.node(label, **style)
        faint = {'style': 'dotted', 'color': MUTED} if style.get('style') else {'color': FORWARD}
        for source, tensor in read:
            self.graph.edge(source, node, label=shape_text(tuple(tensor.shape)), **faint)
        for tensor in tensors(event.out):
            self.made[id(tensor)] = node
            self.alive.append(tensor)

    def source(self, tensor: Any) -> str:
        """The node that made a tensor; what nobody made is drawn as an ellipse, outside all clusters."""
        if id(tensor) not in self.made:
            name = getattr(tensor, 'name', '') or self.names.get(id(tensor), '')
            label = NEW_LINE.join(filter(None, [safe(name), shape_text(tuple(tensor.shape))])) or 'number'
            node = self.made[id(tensor)] = f'n{self.graph.size}'
            self.graph.size += 1
            self.graph.node(node, graphviz.nohtml(label), shape='ellipse')
            self.alive.append(tensor)
        return self.made[id(tensor)]

    # ---- backward ----

    def back(self, event: Any) -> None:
        """Backward starts, at the right."""
        self.reading.append(getattr(event, 'of', None))
        self.passes += 1
        start = self.node(f'backward {self.passes} starts', shape='plaintext', fontcolor=BACKWARD)
        way = {'style': 'dashed', 'color': BACKWARD, 'fontcolor': BACKWARD, 'dir': 'back', 'label': 'dout'}
        for tensor, _ in event.outputs:
            if id(tensor) in self.made:
                self.graph.edge(self.made[id(tensor)], start, **way)

    def end(self, event: Any) -> None:
        """A gradient stops, and whatever an exception has left open inside it."""
        key = getattr(event, 'of', None)
        found = [k for k, one in enumerate(self.reading) if one is key]
        if found:
            del self.reading[found[-1] :]

    def give(self, event: Any) -> None:
        """What an entry hands out goes to whoever made its inputs."""
        own = hasattr(event.entry, 'cell')
        hook = isinstance(getattr(event.entry, 'rule', None), Passing)
        for tensor, gradient in event.gradients:
            if gradient is not None and id(event.entry) in self.nodes:
                name = getattr(tensor, 'name', '') or self.names.get(id(tensor), '')
                words = f'd{safe(name)}' if name else 'gradient'
                self.hand(
                    self.nodes[id(event.entry)],
                    self.source(tensor),
                    words + ', by your bprop' * own + ', past your hook' * hook,
                    own or hook,
                )

    def hand(self, giver: str, taker: str, words: str, own: bool) -> None:
        """A gradient's way: dashed, against the direction of forward, thick where a bprop of the user's computed it."""
        colour, ink, wide = (OWN, OWN_TEXT, '2.5') if own else (BACKWARD, BACKWARD, '1')
        self.graph.edge(giver, taker, label=graphviz.nohtml(words), style='dashed', color=colour, fontcolor=ink,
                        constraint='false', penwidth=wide)  # fmt: skip
