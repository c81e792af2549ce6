"""The six Cells of exercise 11b, each with another way to bring a weight into bprop, and in which modes each runs."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import minicell as ms
from minicell import nn, ops
from minicell.core.errors import MinicellError


class Weighted(nn.Cell):
    """w * x, with a Parameter w; what differs is the bprop."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([3.0, 5.0]), name='w')

    def construct(self, x):
        return self.w * x


class A(Weighted):
    """Reads the Parameter."""

    def bprop(self, x, out, dout):
        return (self.w * dout,)


class B(Weighted):
    """Gets the Parameter as an input."""

    def construct(self, x, w):
        return w * x

    def bprop(self, x, w, out, dout):
        return w * dout, x * dout


class C(Weighted):
    """Returns its gradient, and has declared it."""

    def __init__(self):
        super().__init__()
        self.internal_params = [self.w]

    def bprop(self, x, out, dout):
        return (self.w * dout,), {self.w: x * dout}


class D(Weighted):
    """Returns its gradient, and has declared nothing."""

    def bprop(self, x, out, dout):
        return (self.w * dout,), {self.w: x * dout}


class E(Weighted):
    """Writes the Parameter."""

    def bprop(self, x, out, dout):
        ops.assign(self.w, x)
        return (3.0 * dout,)


class F(Weighted):
    """Reads a Python number."""

    def __init__(self):
        super().__init__()
        self.k = 3.0

    def construct(self, x):
        return self.k * x

    def bprop(self, x, out, dout):
        return (self.k * dout,)


STATEMENTS = {'A': A, 'B': B, 'C': C, 'D': D, 'E': E, 'F': F}
WORDS = {(True, True): 'both', (True, False): 'eager only', (False, True): 'graph only', (False, False): 'neither'}


@contextmanager
def mode(here: int) -> Iterator[None]:
    """Eager or graph mode; afterwards the one that was set before."""
    before = ms.get_context('mode')
    try:
        ms.set_context(mode=here)
        yield
    finally:
        ms.set_context(mode=before)


@cache
def modes(kind: type[Weighted]) -> tuple[str, str]:
    """The word for a Cell, and what was said where it first does not run. The mode that is set now is left as it is."""
    runs, said = [], []
    for name, each in (('eager', ms.PYNATIVE_MODE), ('graph', ms.GRAPH_MODE)):
        with mode(each):
            cell = kind()
            given = (cell.w,) if kind is B else ()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    ms.grad(lambda x, cell=cell, given=given: cell(x, *given).sum())(ms.Tensor([1.0, 2.0]))
                runs.append(True)
            except MinicellError as error:
                runs.append(False)
                ran = 'it runs in eager mode; ' * any(runs[:-1])
                said.append(f'{ran}{name} mode says “{str(error).splitlines()[0]}”')
    return WORDS[tuple(runs)], said[0] if said else 'tried in each mode, it runs.'
