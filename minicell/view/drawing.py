"""graphviz's own objects, for a notebook, a file, or more of DOT; without a `dot` program they show something else."""

from typing import Any

import graphviz

from ..ink.metrics import clean
from ..ink.style import LIGHT
from . import style

NO_DOT = 'There is no `dot` program here to draw the graph (Debian: apt install graphviz; conda: graphviz).'
MOST = style.GRAPH_NODES  # `dot` takes seconds for 200 nodes and minutes for 500
TOO_LARGE = 'This graph has {} nodes, and `dot` would take very long: to_dot().render() does it all the same.'
FORWARD, BACKWARD, OWN, OWN_TEXT, MUTED = (LIGHT[name] for name in ('fwd', 'auto', 'bwd', 'bwdt', 'dim'))
NEW_LINE = '\\n'  # as DOT writes it
_OWN = {'peripheries': '2', 'color': OWN, 'penwidth': '1.5'}
_FAINT = {'style': 'dashed', 'color': MUTED, 'fontcolor': MUTED}
LOOKS = {  # by the kind of an entry: what is said of it, and how it is drawn
    'call': ('bprop: yours', _OWN), 'hook': ('yours', _OWN), 'hidden': ('hidden', _FAINT),
    'loose': ('no gradient passes', _FAINT),
}  # fmt: skip


def safe(words: Any) -> str:
    """A user's words as a label: no escape of DOT's, no HTML of graphviz's, nothing without end."""
    words = clean(str(words))
    return graphviz.escape(words if len(words) <= style.GRAPH_NAME else words[: style.GRAPH_NAME - 1] + '…')


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
            return {**super()._repr_mimebundle_(include, exclude, **options), 'text/plain': str(self.tape)}
        except graphviz.ExecutableNotFound:
            return self.instead(NO_DOT)

    def instead(self, line: str) -> dict[str, str]:
        """The tape's own picture, under a line that says why."""
        from . import picture

        shown, _ = picture.Picture(self.tape)._repr_mimebundle_()
        html = {'text/html': f'<p>{line}</p>{shown["text/html"]}'} if 'text/html' in shown else {}
        return {**shown, **html, 'text/plain': f'{line}\n{self.tape}'}
