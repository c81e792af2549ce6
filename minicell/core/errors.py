"""Errors, and helpers for their messages.

Each mistake has its own class, a subclass of what MindSpore raises there. A message says which Cell and which input it
is about, what was given, what is needed, how to write it, and which line of the user's is responsible.
"""

import linecache
import os
import sys
from collections.abc import Iterator
from functools import cached_property, lru_cache
from types import CodeType

import numpy as np

HOME = os.path.dirname(os.path.dirname(__file__)) + os.sep
NOT_THE_USERS = HOME, os.path.dirname(np.__file__) + os.sep  # NumPy calls back into a Tensor


class MinicellError(Exception):
    """The base of all errors of minicell."""


class ShapeError(MinicellError, ValueError, RuntimeError):
    """An op does not take inputs of these shapes."""


class DTypeError(MinicellError, TypeError):
    """A dtype that an op, a gradient or a Tensor cannot take."""


class OperandError(MinicellError, TypeError):
    """An op was given something other than a Tensor or a number."""


class TensorSettingError(MinicellError, ValueError):
    """The arguments of Tensor(...) contradict each other."""


class NoRuleError(MinicellError, RuntimeError):
    """An op without a backward was differentiated."""


class CellError(MinicellError, AttributeError):
    """A Cell that is not set up, or an attribute that it does not have."""


class BpropSignatureError(MinicellError, TypeError):
    """bprop cannot be called with the Cell's inputs, out and dout."""


class BpropTupleError(MinicellError, RuntimeError, TypeError, ValueError):
    """bprop returned something other than a tuple of gradients (and a dict, where there are internal_params)."""


class BpropCountError(MinicellError, RuntimeError):
    """The number of gradients that bprop returned is not the number of inputs."""


class BpropShapeError(MinicellError, RuntimeError):
    """bprop returned a gradient whose shape is not that of the input."""


class BpropTypeError(MinicellError, TypeError, RuntimeError):
    """bprop returned something that is not a gradient."""


class GradArgumentError(MinicellError, ValueError, TypeError):
    """grad was asked for something that cannot be a gradient."""


class GradPositionError(MinicellError, RuntimeError):
    """grad_position names no argument."""


class NotATensorError(MinicellError, TypeError, ValueError, RuntimeError):
    """An argument that must be a function, a float Tensor or a flag is something else."""


class TapeError(MinicellError, TypeError):
    """A Tape, or a part of one, was pickled or copied."""


class SensError(MinicellError, ValueError, TypeError, RuntimeError):
    """A sens that does not fit the output."""


# ---- parts of messages -------------------------------------------------------------------------------------------


def users_line(frame=None) -> str:
    """The line of the user's that is running, with its file and text; '' if no frame on the stack is the user's."""
    frame = caller(frame)
    if frame is None:
        return ''
    path, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(path, line, frame.f_globals).strip()
    return f'\n  your line: {where_is(path, line)}' + (f': {text}' if text else '')


def where_is(path: str, line: int) -> str:
    """A file and a line, or only the line in a notebook's cell, whose file has a generated name."""
    name = os.path.basename(path)
    return f'line {line} of this cell' if 'ipykernel_' in path or path.startswith('<') else f'{name}, line {line}'


def article(noun: object) -> str:
    """'a Tensor', 'an int'.

    >>> article('int'), article('Tensor')
    ('an int', 'a Tensor')
    """
    return f'{"an" if str(noun)[:1].lower() in "aeiou" else "a"} {noun}'


def plural(count: int, noun: str) -> str:
    """'1 gradient', '2 gradients'.

    >>> plural(1, 'gradient'), plural(2, 'gradient')
    ('1 gradient', '2 gradients')
    """
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'


def why_refused(shapes: list[tuple], error: Exception) -> str:
    """Which axis of two operands made NumPy refuse them; of other operands, NumPy's own words."""
    said = str(error)
    if len(shapes) != 2:
        return said
    a, b = shapes
    for n in range(1, min(len(a), len(b)) + 1):
        if a[-n] != b[-n] and 1 not in (a[-n], b[-n]) and 'matmul' not in said:
            return f'axis {-n} has {a[-n]} against {b[-n]}: they must be equal, or one of them 1'
    if 'matmul' in said and a and b:
        which = 'last but one' if len(b) > 1 else 'only'
        return f'the last axis of the first, {a[-1]}, must be the {which} axis of the second, {b[-2:][0]}'
    return said


def caller(frame=None):
    """The user's frame: the innermost one outside minicell and NumPy, from this one on, or None."""
    frame = frame or sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(NOT_THE_USERS):
        frame = frame.f_back
    return frame


def frames(frame) -> Iterator:
    """A frame, and those around it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def refuse_copy(self: object) -> tuple:
    """The `__reduce__` of a Tape, and of the places in it."""
    raise TapeError(
        f'a Tape, and what it holds, cannot be copied or pickled: it holds the code that ran, and the Tensors of a '
        f'gradient. Keep str(tape) instead, or make a new Tape.{users_line()}'
    )


@lru_cache(maxsize=4096)
def _positions(code: CodeType) -> list[tuple]:
    return list(code.co_positions())


_spaces: dict[str, dict] = {}  # of a file


class Where:
    """A call site, from which the line is computed only when it is asked for. It can stand for a frame.

    >>> import sys
    >>> here = Where(sys._getframe().f_code, sys._getframe().f_lasti)
    >>> here.line
    1
    """

    f_back = None

    def __init__(self, code: CodeType, lasti: int) -> None:
        self.f_code, self.f_lasti = code, lasti

    @classmethod
    def of(cls, frame) -> 'Where':
        """Where a frame is now."""
        return cls(frame.f_code, frame.f_lasti)

    @property
    def file(self) -> str:
        """The name of the file, as in the code object."""
        return self.f_code.co_filename

    @property
    def f_globals(self) -> dict:
        """The names of the module whose code this is: Python notes there which warnings it has shown."""
        if self.file not in _spaces:
            modules = [m for m in list(sys.modules.values()) if getattr(m, '__file__', None) == self.file]
            _spaces[self.file] = vars(modules[0]) if modules else {'__name__': '__main__'}
        return _spaces[self.file]

    @property
    def ours(self) -> bool:
        """Whether the call is in a file of minicell."""
        return self.file.startswith(HOME)

    @cached_property
    def span(self) -> tuple[int, int, int, int]:
        """First line, last line, first column, last column (columns in UTF-8 bytes, from 0)."""
        places = _positions(self.f_code)
        index = self.f_lasti // 2
        line, last, column, end = places[index] if 0 <= index < len(places) else (None,) * 4
        line = line or self.f_code.co_firstlineno
        return line, last or line, column or 0, end or 0

    @property
    def line(self) -> int:
        """The line's number."""
        return self.span[0]

    f_lineno = line

    @property
    def text(self) -> str:
        """The whole line, without its indentation."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def said(self) -> str:
        """The place and the line, as a message gives them."""
        return f'{where_is(self.file, self.line)}: {self.text}'

    @cached_property
    def expression(self) -> str:
        """The source of exactly the call, on one line: `self.matmul(x, y)`."""
        line, last, column, end = self.span
        lines = [linecache.getline(self.file, n).rstrip('\n').encode() for n in range(line, last + 1)]
        if not any(lines) or not end:
            return self.text
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][column:]
        return ' '.join(part.decode(errors='replace').strip() for part in lines)

    def __deepcopy__(self, memo: dict) -> 'Where':
        return self

    __reduce__ = refuse_copy

    def __repr__(self) -> str:
        return f'{os.path.basename(self.file)}:{self.line}: {self.expression}'
