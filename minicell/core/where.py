"""Where in the code something was called: kept as a code object and an instruction, read as file, line and text."""

import ast
import linecache
import os
import textwrap
from functools import cached_property, lru_cache
from types import CodeType

HOME = os.path.dirname(os.path.dirname(__file__)) + os.sep


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

    def __repr__(self) -> str:
        return f'{os.path.basename(self.file)}:{self.line}: {self.expression}'
