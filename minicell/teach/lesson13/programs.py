"""What the probes and the figure stand on: programs that run on any engine, and the words for what is wrong.

What makes a program gets minicell, or the learner's engine, by the same names.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.ink.numbers import said
from minicell.teach.trials import stopped

CLOSE = {'rtol': 1e-5, 'atol': 1e-6}

SPARE = 3  # entries that the tape has already, so that an address is not right by chance
Program = Callable[[Any], Callable]

# what a program needs of an engine, by the same names
PEER = SimpleNamespace(
    Tensor=ms.Tensor, add=ops.add, mul=ops.mul, neg=ops.neg, sin=ops.sin, cos=ops.cos, exp=ops.exp,
    matmul=ops.matmul, grad=ms.grad, gradients=lambda f: ops.GradOperation(get_all=True)(f), Cell=nn.Cell,
)  # fmt: skip


def spare(m: SimpleNamespace) -> None:
    """A few entries of no interest."""
    for k in range(SPARE):
        m.write('Spare', None, (), np.float32(k))


def document(m: Any) -> Callable:
    """The document's Cell: its bprop returns x + 1 and y + 1."""

    class Net(m.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return m.matmul(x, y)

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return x + 1, y + 1

    return Net()


def product(m: Any) -> Callable:
    """A product whose bprop uses all that it gets, out among it."""

    class Product(m.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return m.sin(x) * y

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return dout * y * 10 + out, dout * x + out * 100

    return Product()


def sine(m: Any) -> Callable:
    """The Cell of lesson 09: its bprop uses cos."""

    class Sin(m.Cell):
        def construct(self, x: Any) -> Any:
            return m.sin(x)

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            slope = m.cos(x)
            dx = slope * dout
            return (dx,)

    return Sin()


def plain(m: Any) -> Callable:
    """A Cell without a bprop."""

    class Plain(m.Cell):
        def construct(self, x: Any) -> Any:
            return m.sin(x) * x

    return Plain()


def counting(m: Any, ran: list[str]) -> Callable:
    """A Cell that notes each run of construct and of bprop."""

    class Counts(m.Cell):
        def construct(self, x: Any) -> Any:
            ran.append('construct')
            return x * 2

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            ran.append('bprop')
            return (dout * 2,)

    return Counts()


# ---- what is wrong, in a sentence ----------------------------------------------------------------------------------


class Wrong(Exception):
    """What an engine does wrong, in a sentence; `part` and `found` are for comparing it with stored mistakes."""

    def __init__(self, part: str, found: Any, said: str) -> None:
        super().__init__(said)
        self.part, self.found = part, found


def must(holds: Any, part: str, found: Any, said: str) -> None:
    """Raise Wrong unless this holds."""
    if not holds:
        raise Wrong(part.replace('`', ''), found, said)


def numbers(value: Any, part: str) -> np.ndarray:
    """The array of a Tensor of the learner's."""
    must(value is not ..., 'dots', ..., 'The dots are still there.')
    array = getattr(value, 'array', None)
    must(isinstance(array, np.ndarray | np.generic), part, type(value).__name__, f'{part}: no Tensor came back.')
    return np.asarray(array, np.float64)


def equal(mine: Any, due: Any, part: str, said: str = '') -> None:
    """Raise Wrong unless the numbers of a learner's Tensor are those of minicell's."""
    found, right = numbers(mine, part), np.asarray(due.asnumpy(), np.float64)
    same = found.shape == right.shape and np.allclose(found, right, **CLOSE)
    must(same, part, found, f'{said or part}: yours is {listed(found)}, minicell has {listed(right)}.')
    kind = mine.array.dtype
    must(kind == np.float32, part, str(kind), f'{said or part}: the numbers should be float32, not {kind}.')


def alike(m: SimpleNamespace, program: Program, given: list, what: str, part: str = '') -> None:
    """Raise Wrong unless all gradients of a program are those of minicell's, on a tape with other entries before."""
    spare(m)
    given = list(map(m.moved, given))
    m.exp = m.op('Exp', np.exp, lambda dout, out, x: (dout * out,))  # none of the learner's ops uses out
    due = PEER.gradients(program(PEER))(*(ms.Tensor(each, ms.float32) for each in given))
    found = m.gradients(program(m))(*map(m.Tensor, given))
    there = [entry[0] for entry in m.entries[:SPARE]] == ['Spare'] * SPARE
    must(there, 'tape', 'emptied', f'{what}: entries that were there before the gradient are gone.')
    many = isinstance(found, tuple | list) and len(found) == len(given)
    said = f'{what}: `gradients` should return a tuple, one gradient per input.'
    must(many, part or what, type(found).__name__, said)
    for k, (mine, right) in enumerate(zip(found, due, strict=True)):
        which = f', input {k + 1}' if len(given) > 1 else ''
        equal(mine, right, f'{part or what}{which}', f'{what}{which}')


def order(m: Any, f: Callable, times: int) -> Callable:
    """A function, differentiated so often."""
    for _ in range(times):
        f = m.grad(f)
    return f


def at_order(m: SimpleNamespace, program: Program, given: float, what: str, highest: int) -> None:
    """Raise Wrong unless the derivatives of a program are those of minicell's, up to an order."""
    for times in range(1, highest + 1):
        spare(m)
        due = order(PEER, program(PEER), times)(ms.Tensor(m.moved(given), ms.float32))
        said = f'{what}, order {times}'
        try:
            found = order(m, program(m), times)(m.Tensor(m.moved(given)))
        except Exception as error:
            raised = f'{type(error).__name__}: {error}'
            raise Wrong(said.replace('`', ''), raised, f'{said}: {stopped(error)}') from None
        equal(found, due, said)


def listed(array: np.ndarray) -> str:
    """A few numbers in a sentence."""
    flat = [said(float(number)) for number in array.ravel()[:4]]
    more = ' …' if array.size > 4 else ''
    shape = f' of shape {array.shape}' if array.ndim > 1 else ''
    return flat[0] if array.ndim == 0 else f'[{", ".join(flat)}{more}]{shape}'
