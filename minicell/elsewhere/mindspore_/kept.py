"""What a MindSpore rule can reach, as it is now: Tensors, Parameters, and all that is Python's."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn

from ...replay.harmless import Kept
from .tensors import is_float, memory, numbers


class MindSporeKept(Kept):
    """What some code can reach, in MindSpore, too: `restore()` puts it back."""

    def __init__(self, *roots: object) -> None:
        self.reached: list[Tensor] = []
        self.weights: dict[str, Parameter] = {}  # those that want a gradient, by name
        super().__init__(*roots)
        random = mindspore.get_rng_state()
        self.back.append(lambda: mindspore.set_rng_state(random))

    def keep(self, value: Any) -> list:
        if isinstance(value, Tensor):
            self.reached.append(value)
            self.back.append(restorer(value))
            if isinstance(value, Parameter) and value.requires_grad and is_float(value):
                name = value.name if value.name not in self.weights else f'{value.name}, {len(self.weights)}'
                self.weights[name] = value
            return []
        return [type(value), vars(value)] if isinstance(value, nn.Cell) else super().keep(value)

    def widen(self) -> None:
        """Turn all Tensors of floats to Float64."""
        super().widen()
        for t in filter(is_float, self.reached):
            t.assign_value(Tensor(numbers(t), mindspore.float64))


def restorer(t: Tensor) -> Callable[[], None]:
    """What puts a Tensor back: its memory, and its numbers."""
    held, before, kind = t.data, memory(t).copy(), t.dtype
    wants = isinstance(t, Parameter) and t.requires_grad

    def put() -> None:
        if t.dtype != kind or t.shape != before.shape or t.data_ptr() != held.data_ptr():
            t.assign_value(held)
        if memory(t).tobytes() != before.tobytes():
            np.copyto(memory(t), before)  # (which shares its memory)
        if isinstance(t, Parameter) and t.requires_grad != wants:
            t.requires_grad = wants

    return put


@contextmanager
def settings(graph: bool = False) -> Iterator[None]:
    """PyNative mode, where nothing is compiled; or graph mode. Afterwards it is as before."""
    mode, compiles = mindspore.get_context('mode'), os.environ.get('MS_JIT')
    due = mindspore.GRAPH_MODE if graph else mindspore.PYNATIVE_MODE
    try:
        os.environ['MS_JIT'] = '1' if graph else '0'  # what is jitted runs as it is written
        if mode != due:
            mindspore.set_context(mode=due)
        yield
    finally:
        os.environ.pop('MS_JIT') if compiles is None else os.environ.update(MS_JIT=compiles)
        if mode != due:
            mindspore.set_context(mode=mode)
