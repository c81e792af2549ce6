"""The steps of a forward body, as they stand in the user's code; and its graph without what leads through some."""

import sys
from collections.abc import Collection
from os.path import dirname
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

from ...core.errors import Where
from .body import STEPS
from .tensors import has_graph

HOME = dirname(torch.__file__)


class Path(TorchFunctionMode):
    """Counts what the user's code asks of PyTorch, where a gradient goes through it; straight: also through steps."""

    def __init__(self, cut: Collection[int] = (), straight: bool = False) -> None:
        super().__init__()
        self.cut, self.straight, self.steps = cut, straight, []

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if not any(map(has_graph, tree_leaves(out))):
            return out
        if self.straight and func.__name__ in STEPS and len(args) == 1:
            return args[0] - args[0].detach() + out.detach()
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(HOME):
            frame = frame.f_back
        self.steps.append(Where(frame.f_code, frame.f_lasti))
        return tree_map(lambda t: t.detach() if has_graph(t) else t, out) if len(self.steps) - 1 in self.cut else out
