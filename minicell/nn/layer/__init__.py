"""The layers, where MindSpore has them: `from minicell.nn.layer.conv import Conv2d`."""

from ...lazy import later
from ...names import CELLS

__getattr__, __dir__ = later(globals(), {home[6:]: names for home, names in CELLS.items() if home[:6] == 'layer.'})
