"""What a PyTorch rule can reach, as it is now: tensors, weights, generators, and all that is Python's."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any

import torch

from ...replay.harmless import Kept, names


class TorchKept(Kept):
    """What some code can reach, in PyTorch, too: `restore()` puts it back."""

    recomputes = False  # whether it calls a checkpoint, which may be asked for all gradients alone

    def __init__(self, *roots: object) -> None:
        self.reached: list[torch.Tensor] = []
        self.weights: dict[str, torch.Tensor] = {}  # leaves that want a gradient, by name
        super().__init__(*roots)
        random = torch.get_rng_state()
        self.back.append(lambda: torch.set_rng_state(random))
        if torch.cuda.is_initialized():
            cards = torch.cuda.get_rng_state_all()
            self.back.append(lambda: torch.cuda.set_rng_state_all(cards))

    def keep(self, value: Any) -> list:
        if isinstance(value, torch.Tensor):
            if not value.is_sparse:
                self.reached.append(value)
                self.back.append(restorer(value))
            if value.is_leaf and value.requires_grad and not any(value is w for w in self.weights.values()):
                self.weights[f'w{len(self.weights)}'] = value
            return []
        if isinstance(value, torch.Generator):
            state = value.get_state()
            self.back.append(lambda: value.set_state(state))
            return []
        if isinstance(value, torch.nn.Module):
            known = [id(w) for w in self.weights.values()]
            self.weights |= {n: p for n, p in value.named_parameters() if p.requires_grad and id(p) not in known}
            return [type(value), vars(value)]
        return super().keep(value)

    def of_function(self, function: FunctionType) -> list:
        if any('checkpoint' in (name, *attributes) for name, attributes in names(function.__code__).items()):
            import_module('torch._dynamo')  # it loads this when it is first called, which writes files
            self.recomputes = True
        return super().of_function(function)

    def widen(self) -> None:
        """Turn all tensors of floats to Float64."""
        super().widen()
        for t in self.reached:
            if t.dtype.is_floating_point:
                t.data = t.data.double()


def restorer(t: torch.Tensor) -> Callable[[], None]:
    """What puts a tensor back: its memory, its numbers, and whether it wants a gradient."""
    memory, leaf, wants, grad = t.data, t.is_leaf, t.requires_grad, t.grad if t.is_leaf else None
    numbers = memory.clone()

    def put() -> None:
        if leaf and not t.is_leaf:
            t.detach_()
        if t.dtype != memory.dtype or t.data_ptr() != memory.data_ptr():
            t.data = memory
        if not torch.equal(memory, numbers):
            memory.copy_(numbers)  # (by `data`, which no graph of the user's notices)
        if leaf:
            t.requires_grad_(wants)
            t.grad = grad

    return put


@contextmanager
def settings(wide: bool) -> Iterator[None]:
    """A graph is recorded, new numbers are wide where all are, and afterwards it is as before."""
    before = torch.get_default_dtype()
    try:
        if wide:
            torch.set_default_dtype(torch.float64)
        with torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(before)
