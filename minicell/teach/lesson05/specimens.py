"""Eight malformed bprops: the same Cell, and eight ways to end its bprop.

minicell's column of the table is what happens when each of them really runs here. MindSpore's is what version 2.10.0
was seen to do with such returns (eager mode, CPU): its few rules stand in `as_mindspore`, and give the numbers that it
would hand out.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.teach.exercise import run

SOURCE = """\
import minicell as ms
import minicell.nn as nn

W = ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


class Average(nn.Cell):
    def construct(self, x):
        return (x * W).mean(0)

    def bprop(self, x, out, dout):
        dx = dout * W.mean(0)
        return (dx,)
"""
RIGHT = 'return (dx,)'
X = (1.0, 0.5, -1.0)
CLOSE = 1e-5


class Specimen(NamedTuple):
    """One way to end a bprop. `name`: what is wrong with it, in a few words."""

    line: str
    name: str


class Outcome(NamedTuple):
    """What came of it: 'raises', 'silent' or 'fine', with the error (its class and what it says) or the numbers."""

    verdict: str
    error: str
    said: str
    gradient: np.ndarray | None


SPECIMENS = {
    1: Specimen('return (dx)', 'brackets, no comma'),
    2: Specimen('return dout, dx', 'two gradients for one input'),
    3: Specimen('pass', 'no return at all'),
    4: Specimen('return (dout * W,)', 'a shape that is too large'),
    5: Specimen('return (dx.sum(),)', 'a shape that is too small'),
    6: Specimen('return (None,)', 'None'),
    7: Specimen('return (dx.astype(ms.float64),)', 'another dtype'),
    8: Specimen('return (dout,)', 'a wrong number in the right shape'),
}
# What MindSpore 2.10.0 does, in words; the verdict and the numbers are worked out.
MINDSPORE = {
    1: 'It accepts a bare Tensor if there is one input. In graph mode it raises a TypeError.',
    2: 'It keeps the first one, and drops the rest.',
    3: 'The message does not name the Cell.',
    4: 'It sums over the extra axis.',
    5: 'The message does not name the Cell.',
    6: 'None counts as zero.',
    7: 'It casts to the dtype of the input.',
    8: 'No error, and no message.',
}


def loss(net: Callable) -> Callable:
    """A loss with a dout that is not all ones."""
    return lambda x: (net(x) ** 2).sum()


def cell(line: str) -> ms.nn.Cell:
    """The Cell whose bprop ends with this line."""
    return run(SOURCE.replace(RIGHT, line), 'Average', 'specimen')()


@cache
def true() -> np.ndarray:
    """The gradient that is due."""
    return ms.grad(loss(cell(RIGHT)))(ms.Tensor(X)).asnumpy()


@cache
def here(number: int) -> Outcome:
    """Run a specimen."""
    net = cell(SPECIMENS[number].line)
    try:
        gradient = ms.grad(loss(net))(ms.Tensor(X)).asnumpy()
    except ms.errors.MinicellError as error:
        return Outcome('raises', type(error).__name__, str(error).splitlines()[0], None)
    return judged(gradient, 'No error, and no message.')


def judged(gradient: np.ndarray, said: str) -> Outcome:
    """'fine' if the right numbers arrive, else 'silent'."""
    right = np.allclose(gradient, true(), rtol=CLOSE)
    return Outcome('fine' if right else 'silent', '', said, gradient)


@cache
def in_mindspore(number: int) -> Outcome:
    """What MindSpore 2.10.0 does with a specimen, by the rules that were seen."""
    x = ms.Tensor(X)
    net = cell(SPECIMENS[number].line)
    out = net.construct(x)
    returned = net.bprop(x, out, 2 * out)
    try:
        return judged(as_mindspore(returned, x), MINDSPORE[number])
    except (TypeError, RuntimeError) as error:
        return Outcome('raises', type(error).__name__, f'“{error}” {MINDSPORE[number]}', None)


def as_mindspore(returned: Any, x: ms.Tensor) -> np.ndarray:
    """The gradient that MindSpore 2.10.0 makes, for its one input, of what a bprop returned; errors are its own."""
    if returned is None:
        raise TypeError('The python function output is none.')
    first = returned if isinstance(returned, ms.Tensor) else returned[0]
    if first is None:
        return np.zeros_like(x.asnumpy())
    gradient = first.asnumpy()
    if gradient.shape[gradient.ndim - x.ndim :] == x.shape:
        gradient = gradient.sum(tuple(range(gradient.ndim - x.ndim)))
    if gradient.shape != x.shape:
        raise RuntimeError('… grad tensor should be broadcast to expected shape, but got …')
    return gradient.astype(x.asnumpy().dtype)


def silent(who: Callable[[int], Outcome]) -> int:
    """How many of the eight pass in silence, with a wrong number: `here`, or `in_mindspore`."""
    return sum(who(number).verdict == 'silent' for number in SPECIMENS)
