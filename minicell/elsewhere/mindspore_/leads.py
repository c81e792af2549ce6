"""What leads where in the graph that MindSpore records, from the outputs back to the leaves."""

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from threading import get_ident
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .tensors import HOME, is_float

STEPS = {'Sign', 'Floor', 'Ceil', 'Round', 'Rint', 'Trunc', 'Heaviside', 'FloorDiv', 'OnesLike', 'ZerosLike'}
EPS = {'BFloat16': 2.0**-7} | {kind: float(np.finfo(kind.lower()).eps) for kind in ('Float16', 'Float32', 'Float64')}
TAKES = 'asnumpy', 'item', 'tolist', '__float__', '__int__', '__index__', '__bool__'
VALUES = 'construct takes numbers out of a Tensor ({}), and what is made of these is no op'


class Leads:
    """Looks at the graph of some outputs. Bits stand for leaves."""

    def __init__(self, leaves: Sequence[Tensor]) -> None:
        self.bits = {t._grad_node._unique_id(): 1 << k for k, t in enumerate(leaves) if t._grad_node is not None}
        self.nodes: list = []  # those that were passed
        self.known: dict[int, tuple[int, int]] = {}  # of each node, the leaves that values and slopes come from
        self.eps, self.chosen, self.unseen = 0.0, 0, ''

    def of(self, t: Tensor) -> tuple[int, int]:
        """The leaves whose values lead to a Tensor, and those from which a slope does."""
        todo = [t._grad_node] if t._grad_node is not None else []
        while todo:
            node = todo[-1]
            before = [n for n, _ in node.next_functions if n is not None]
            missing = [n for n in before if n._unique_id() not in self.known]
            if missing:
                todo += missing
                continue
            todo.pop()
            self.known[node._unique_id()] = self.passed(node, [self.known[n._unique_id()] for n in before])
        return self.known[t._grad_node._unique_id()] if t._grad_node is not None else (0, 0)

    def passed(self, node: Any, before: list[tuple[int, int]]) -> tuple[int, int]:
        """What a node hands on."""
        self.nodes.append(node)
        kinds = [str(meta).rpartition(' ')[2].rstrip('>') for meta in node._input_metadata]  # (of what it made)
        values = slopes = self.bits.get(node._unique_id(), 0)
        for v, s in before:
            values, slopes = values | v, slopes | s
        self.eps = max([self.eps, *(EPS.get(kind, 0.0) for kind in kinds)])
        goes = any(kind in EPS for kind in kinds) and node.name() not in STEPS
        return values, slopes * goes

    def steps(self, ran: Sequence[tuple[str, list, Any]], cut: Collection[int]) -> list:
        """Where the ops stand that ran, of those whose node was passed; and nothing passes through some of them."""
        free: dict[tuple, list] = {}
        for node in sorted(self.nodes, key=lambda node: node._sequence_nr()):
            free.setdefault((node.name(), ids(n for n, _ in node.next_functions)), []).append(node)
        found = []
        for name, before, where in ran:
            if same := free.get((name, ids(before))):
                node = same.pop(0)
                if len(found) in cut:
                    node.register_prehook(stopping)
                found.append(where)
        return found

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Notice where the user's code takes numbers out of a Tensor, in this thread."""
        here, plain = get_ident(), {name: getattr(Tensor, name) for name in TAKES}

        def noticed(name: str) -> Any:
            @wraps(plain[name])
            def take(t: Tensor, *args: Any) -> Any:
                if get_ident() == here and not sys._getframe(1).f_code.co_filename.startswith(HOME):
                    values, _ = self.of(t)
                    self.chosen |= values
                    if values and is_float(t) and name != '__bool__':
                        self.unseen = self.unseen or VALUES.format(name.strip('_'))
                return plain[name](t, *args)

            return take

        for name in TAKES:
            setattr(Tensor, name, noticed(name))
        try:
            yield
        finally:
            for name in TAKES:
                setattr(Tensor, name, plain[name])


def ids(nodes: Iterable) -> frozenset[int]:
    """What tells nodes apart."""
    return frozenset(node._unique_id() for node in nodes if node is not None)


def stopping(came: tuple) -> tuple:
    """What stands for what came to a node where nothing passes."""
    return tuple(None if g is None else ops.zeros_like(g) for g in came)
