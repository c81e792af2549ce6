"""Graph mode: a function is traced once for each signature, kept as a small static graph, and replayed."""

from ..lazy import later

__getattr__, __dir__ = later(globals(), {'jitted': 'bprop_graph jit'})
