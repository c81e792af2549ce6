"""Right, or said: what a hostile program is held to, and what it may leave behind (nothing)."""

import builtins
import gc
import os
import re
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator

import numpy as np

import minicell as ms
from minicell import Parameter, Tensor, nn, tracing
from minicell.core import tape
from minicell.core.trap import captured
from minicell.errors import MinicellError, MinicellWarning
from tests.messages import tells

X = Tensor([1.0, 2.0, 3.0])
ROOT = os.path.dirname(os.path.dirname(ms.__file__))  # where a fresh Python finds the same minicell
PRINT, GC = builtins.print, (gc.isenabled(), gc.get_threshold())
# a sentence that helps says what to do, by one of these
ADVICE = {'write', 'return', 'give', 'call', 'use', 'name', 'compute', 'put', 'keep', 'pass', 'ask', 'run', 'open'}
ADVICE |= {'close', 'make', 'take', 'lock', 'copy', 'set', 'looking'}


def kernel(*command: str, given: bytes = b'') -> bytes:
    """What a fresh Python prints."""
    done = subprocess.run([sys.executable, *command], input=given, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def cell(construct: Callable, bprop: Callable, name: str = 'Net', **kept: object) -> nn.Cell:
    """A Cell of these two, which are given it first."""
    net = type(name, (nn.Cell,), {'construct': construct, 'bprop': bprop})()
    for key, value in kept.items():
        setattr(net, key, value)
    return net


def first(value: object, *_: object) -> object:
    """The first of these; what else is given happens after it."""
    return value


@types.coroutine
def other_tasks() -> Iterator[None]:
    """Await this: the other tasks go on first."""
    yield


def nowhere() -> int:
    """What `tape.recorded_from` is while no gradient is open."""
    return getattr(tape, 'NOWHERE', None) or tape.OFF


# what the tape's own variables are while nothing is open: such of these as there are
NAMES = ['looking', 'depth', 'gradients', 'hiding', 'silent', 'hidden_address', 'trusted_from']
CLOSED = {
    'recorded_from': nowhere(),
    'hidden_from': nowhere(),
    **{n: getattr(tape, n) for n in NAMES if hasattr(tape, n)},
}
assert not tape.looking and tape.recorded_from == nowhere(), 'something was open when this was imported'


def numbers(value: object) -> list[np.ndarray]:
    """All numbers in nested tuples (and lists of Tensors), as arrays."""
    if isinstance(value, tuple) or (isinstance(value, list) and any(isinstance(v, Tensor) for v in value)):
        return [n for part in value for n in numbers(part)]
    return [np.array(value.array if isinstance(value, Tensor) else value, dtype=np.float64)]


def right(value: object, due: object, near: float = 1e-5) -> bool:
    """Whether these are the numbers that are due, in their shapes (a number alone may have any shape of one)."""
    if value is None:
        return False
    found, wanted = numbers(value), numbers(due)
    return len(found) == len(wanted) and all(
        (f.shape == w.shape or f.size == w.size == 1)
        and np.allclose(f.ravel(), w.ravel(), rtol=near, atol=near, equal_nan=True)
        for f, w in zip(found, wanted, strict=True)
    )


PYTHONS_OWN = 'functools.partial will be a method descriptor'  # Python 3.13, of a class whose bprop is a partial


class Ran:
    """What a program returned, and all that minicell said meanwhile; anyone else's error or warning is a failure."""

    def __init__(self, program: Callable) -> None:
        self.value = self.error = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                self.value = program()
            except MinicellError as error:
                self.error = error
        self.told = [w.message for w in caught if not str(w.message).startswith(PYTHONS_OWN)]
        foreign = [w for w in self.told if not isinstance(w, MinicellWarning)]
        assert not foreign, f"a warning that is not minicell's: {foreign[0]}"
        self.told += [self.error] if self.error else []

    @property
    def texts(self) -> list[str]:
        return [str(each) for each in self.told]

    def says(self, *facts: str, keep: bool = True) -> bool:
        """Whether one sentence has all these facts, and says what to do; its words are kept for the snapshot."""
        for each in self.told:
            text = str(each)
            if all(fact in text for fact in facts) and ADVICE & set(re.findall(r'\w+', text.lower())):
                tells(each, *facts, keep=keep)
                return True
        return False


def right_or_said(program: Callable, due: object, *facts: str, near: float = 1e-5, keep: bool = True) -> None:
    """The number is right, or minicell said so in a sentence with these facts. Never wrong in silence."""
    assert facts, 'which facts are due?'
    ran = Ran(program)
    if ran.says(*facts, keep=keep):
        return
    assert ran.error is None, f'an error without {facts}: {type(ran.error).__name__}: {ran.error}'
    other = f' (it only said: {ran.texts})' if ran.told else ''
    assert right(ran.value, due, near), f'silently wrong: {ran.value}, due {due}{other}'


def said(program: Callable, *facts: str, keep: bool = True) -> None:
    """minicell said it, in a sentence with these facts."""
    ran = Ran(program)
    assert ran.says(*facts, keep=keep), f'due is a sentence with {facts}, but it said {ran.texts} and gave {ran.value}'


def quiet(program: Callable, due: object, near: float = 1e-5) -> None:
    """The number is right, and nothing is said."""
    ran = Ran(program)
    assert right(ran.value, due, near) and not ran.told, f'{ran.value}, due {due}: {ran.texts}'


def left(*parameters: Parameter) -> list[str]:
    """What is still open or changed: nothing is due, once no gradient, Tape or trace is running."""
    found = {
        **{f'tape.{name}': getattr(tape, name) == clean for name, clean in CLOSED.items()},
        'gc': gc.isenabled() == GC[0],
        'gc threshold': gc.get_threshold() == GC[1],
        'tracer': tracing.tracer is None,
        'Cell.__getattribute__': '__getattribute__' not in vars(nn.Cell),
        'builtins.print': builtins.print is PRINT,
        **{f'{p.name}.at': p.at < 0 for p in parameters},
    }
    return [name for name, clean in found.items() if not clean]


def tidy() -> None:
    """Put back what a failing test left, so that the next one starts as due."""
    for name, clean in CLOSED.items():
        setattr(tape, name, clean)
    captured.clear()
    if '__getattribute__' in vars(nn.Cell):
        del nn.Cell.__getattribute__
    builtins.print = PRINT
    tracing.trace_with(None)
    (gc.enable if GC[0] else gc.disable)()
    gc.set_threshold(*GC[1])


def next_gradient_is_right() -> bool:
    """An ordinary gradient, with a Parameter and a Cell of its own backward."""
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')
    dx, dp = ms.grad(lambda x: (Triple()(x) * p * x).sum(), 0, p)(X)
    return right((dx, dp), ([12, 24, 36], [3, 12, 27]))


class Triple(nn.Cell):
    """3x, and the bprop that it is due."""

    def construct(self, x):
        return x * 3

    def bprop(self, x, out, dout):
        return (dout * 3,)
