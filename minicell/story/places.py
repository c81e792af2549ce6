"""Where an event stands in the user's code: its mark, its expression, the name that its line gives to the value."""

import linecache
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from ..core.errors import Where
from . import names
from .record import Mark
from .source import users
from .stack import Play, Stack, Turn


class Places:
    """Reads call sites, each once: in a loop the same place comes again and again."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.wheres: dict[tuple, Any] = {}  # (file, code, instruction) -> the first call there
        # equal code may stand in two files
        self.codes: dict[tuple[str, CodeType], None] = {}  # functions of the user's that ran
        self.hides: dict[tuple[str, CodeType], None] = {}  # and those of which nothing is taped

    def mark(self, where: Any) -> Mark | None:
        """Where an event stands in the user's code."""
        if where is None or getattr(where, 'ours', False):
            return None
        code = getattr(where, 'code', None)
        if code is not None and code.co_name != '<module>':
            self.codes.setdefault((code.co_filename, code))
        first, last = where.span[:2]
        return Mark(where.file, first, last, span=columns(where))

    def users(self, where: Any) -> tuple[Mark | None, Any]:
        """The line to mark for an op, and its call site: in a bprop the bprop's own, in a layer the layer's call."""
        calls = self.stack.calls_since(Turn) if self.stack.turn is not None else []
        if calls and (mark := self.mark(calls[0].where)):
            return mark, calls[0].where
        for site in (where, *(call.where for call in reversed(self.stack.calls()))):
            if mark := self.mark(site):
                return mark, site
        return None, None

    def expression(self, where: Any) -> str:
        """The source of a call of the user's; minicell's own is nobody's business."""
        return '' if getattr(where, 'ours', False) else getattr(self._first(where), 'expression', '')

    def target(self, where: Any) -> str:
        """The name that the line gives to this call's own value: what runs deeper inside the line has none."""
        if where is None or getattr(where, 'ours', False):
            return ''
        calls = [call.where for call in self.stack.calls()]
        calls += [f.gradient.begin.where for f in self.stack.all if isinstance(f, Play) and f.gradient.begin]
        if any(call is not None and at_same(call, where) for call in calls):
            return ''
        return getattr(self._first(where), 'target', '') or names.target(self.expression(where))

    def _first(self, where: Any) -> Any:
        return (
            self.wheres.setdefault((where.file, where.code, where.lasti), where) if hasattr(where, 'lasti') else where
        )

    def shows(self, code: CodeType | None, hides: bool = False) -> None:
        """A function that the code panel shows, if it is the user's; `hides`: nothing of it is taped."""
        if code is not None and users(code):
            self.codes.setdefault((code.co_filename, code))
            if hides:
                self.hides.setdefault((code.co_filename, code))


def at_same(one: Any, other: Any) -> bool:
    """Whether two calls stand at the same place in the code."""
    return one.code is other.code and one.span == other.span and one.file == other.file


def columns(where: Any) -> tuple[int, int, int, int] | None:
    """First line, last line, first and last column (in characters, from 0) of an expression; None: nobody knows."""
    line, last, column, end = where.span
    if not end or not line:
        return None
    return line, last, characters(where.file, line, column), characters(where.file, last, end)


def characters(file: str, line: int, column: int) -> int:
    """A column in UTF-8 bytes, as Python counts them, in characters."""
    text = linecache.getline(file, line)
    return column if text.isascii() else len(text.encode()[:column].decode(errors='replace'))


def written(where: Any) -> str:
    """A place in a printed tape: the user's own expression, or which layer of minicell's it is in."""
    return _written(where.code, where.lasti) if where is not None else ''


@lru_cache(maxsize=1024)  # a loop comes by the same place again and again
def _written(code: CodeType, lasti: int) -> str:
    where = Where(code, lasti)
    if where.ours:
        layer = where.function.split('.')[0]
        return f'(in {layer})' if 'nn' in Path(where.file).parts[-2:] and layer[0].isupper() else '(in minicell)'
    text = f'{where.target} = {where.expression}' if where.target else where.expression
    return text if len(text) <= 60 else text[:57] + '...'
