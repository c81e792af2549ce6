"""Errors, and the sentences that explain them.

Each mistake has a class of its own, a subclass of what MindSpore raises there. A message says which Cell and which
input, what came, what was due, how to write it, and where the user's own line is.
"""

import ast
import linecache
import os
import sys
import textwrap
import warnings
from functools import cached_property, lru_cache
from types import CodeType

import numpy as np

HOME = os.path.dirname(os.path.dirname(__file__)) + os.sep
NOT_THE_USERS = HOME, os.path.dirname(np.__file__) + os.sep  # NumPy calls back into a Tensor


class MinicellError(Exception):
    """The base of every error of minicell's own."""


class MinicellWarning(UserWarning):
    """The base of every warning of minicell's own: the number is right, and hides something."""


class ShapeError(MinicellError, ValueError, RuntimeError):
    """Shapes that do not fit an op."""


class DTypeError(MinicellError, TypeError):
    """A dtype that an op, a gradient or a Tensor cannot take."""


class OperandError(MinicellError, TypeError):
    """Something that is no Tensor and no number where one is due."""


class TensorSettingError(MinicellError, ValueError):
    """A Tensor made of settings that do not go together."""


class NoRuleError(MinicellError, RuntimeError):
    """An op whose backward has no rule, differentiated."""


class CellError(MinicellError, AttributeError):
    """A Cell that is not set up, or an attribute that it does not have."""


class BpropSignatureError(MinicellError, TypeError):
    """bprop cannot be called with the Cell's inputs, out and dout."""


class BpropTupleError(MinicellError, RuntimeError, TypeError, ValueError):
    """bprop returned something other than a tuple of gradients (and a dict, where there are internal_params)."""


class BpropCountError(MinicellError, RuntimeError):
    """bprop returned another number of gradients than the Cell has inputs."""


class BpropShapeError(MinicellError, RuntimeError):
    """bprop returned a gradient of another shape than its input."""


class BpropTypeError(MinicellError, TypeError, RuntimeError):
    """bprop returned something that is no gradient."""


class GradArgumentError(MinicellError, ValueError):
    """grad was asked for something that cannot be a gradient."""


class GradPositionError(MinicellError, RuntimeError):
    """grad_position points at no argument."""


class NotATensorError(MinicellError, TypeError):
    """grad found no float Tensor to differentiate."""


class TapeError(MinicellError, TypeError):
    """A Tape, or something that belongs to one, pickled or copied."""


class ThreadError(MinicellError, RuntimeError):
    """A gradient asked for, or a value of one used, in another thread than the one that has it open."""


class SensError(MinicellError, ValueError, TypeError, RuntimeError):
    """A sens that does not fit the output."""


# ---- sentences ---------------------------------------------------------------------------------------------------


def users_line(frame=None) -> str:
    """Where the user's own code stands now: a file, a line and its text, or '' when no such frame is on the stack."""
    frame = frame or sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(NOT_THE_USERS):
        frame = frame.f_back
    if frame is None:
        return ''
    path, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(path, line, frame.f_globals).strip()
    return f'\n  your line: {where_is(path, line)}' + (f': {text}' if text else '')


def where_is(path: str, line: int) -> str:
    """A file and a line as a reader knows them: a notebook's cell has no file name worth showing."""
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


def caller(up: int = 1):
    """The first frame that is not inside minicell or NumPy, or None: the user's own."""
    frame = sys._getframe(up)
    while frame is not None and frame.f_code.co_filename.startswith(NOT_THE_USERS):
        frame = frame.f_back
    return frame


def warn(message: str, category: type[Warning], frame) -> None:
    """A warning whose place is the user's line, for Python's filters to show once a place."""
    if frame.f_code.co_filename.startswith(HOME):  # grad called the Cell, or a layer of ours did
        frame = caller()
        if frame is None:
            return
    space = frame.f_globals
    registry = space.setdefault('__warningregistry__', {})
    module = space.get('__name__', '__main__')  # filters go by the module's name, not by its file
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def warn_user(message: str, category: type[Warning]) -> None:
    """A warning at the user's own line."""
    frame = caller()
    if frame is not None:
        warn(message, category, frame)


@lru_cache(maxsize=4096)
def _positions(code: CodeType) -> list[tuple]:
    return list(code.co_positions())


class Where:
    """A call site, resolved only when asked.

    >>> import sys
    >>> here = Where(sys._getframe().f_code, sys._getframe().f_lasti)
    >>> here.line
    1
    """

    def __init__(self, code: CodeType, lasti: int) -> None:
        self.code = code
        self.lasti = lasti

    @property
    def file(self) -> str:
        """The file's name, as the code object has it."""
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The qualified name of the function that made the call."""
        return self.code.co_qualname

    @property
    def ours(self) -> bool:
        """Whether the call stands in minicell's own files."""
        return self.file.startswith(HOME)

    @cached_property
    def span(self) -> tuple[int, int, int, int]:
        """First line, last line, first column, last column (columns in UTF-8 bytes, from 0)."""
        places = _positions(self.code)
        index = self.lasti // 2
        line, last, column, end = places[index] if 0 <= index < len(places) else (None,) * 4
        line = line or self.code.co_firstlineno
        return line, last or line, column or 0, end or 0

    @property
    def line(self) -> int:
        """The line's number."""
        return self.span[0]

    @property
    def text(self) -> str:
        """The whole line, without its indentation."""
        return linecache.getline(self.file, self.line).strip()

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

    @cached_property
    def target(self) -> str:
        """The name that the call's value is given on this line: `z` in `z = net(x)`, or ''."""
        try:
            statement = ast.parse(textwrap.dedent(self.text)).body[0]
        except (SyntaxError, IndexError):
            return ''
        whole = isinstance(statement, ast.Assign) and ast.unparse(statement.value)
        try:
            same = whole and whole == ast.unparse(ast.parse(self.expression, mode='eval').body)
        except SyntaxError:
            return ''
        return ast.unparse(statement.targets[0]) if same else ''

    def __deepcopy__(self, memo: dict) -> 'Where':
        return self

    def __reduce__(self) -> tuple:
        raise TapeError(
            f'what a Tape holds cannot be pickled, because it holds the code that ran: keep str(tape) '
            f'instead.{users_line()}'
        )

    def __repr__(self) -> str:
        return f'{os.path.basename(self.file)}:{self.line}: {self.expression}'
