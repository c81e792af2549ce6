"""Where an event stands in the user's code: its mark, its expression, the name that its line gives to the value."""

import ast
import linecache
import re
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from ..core.errors import Where
from .record import Mark
from .source import tree, users
from .stack import Play, Stack

GIVES = re.compile(r'^(?!.*(value_and_grad|has_aux)).*\b(grad|jvp)\(')  # a call of which one sees what it returns


class Site(NamedTuple):
    """A place in the user's code."""

    mark: Mark
    expression: str  # the source of exactly the call
    target: str  # the name that the line gives to its value


class Places:
    """Reads call sites, each once: in a loop the same place comes again and again."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.sites: dict[tuple, Site | None] = {}  # (id of a code object, instruction) -> None if it is minicell's own
        # equal code may stand in two files
        self.codes: dict[tuple[str, CodeType], None] = {}  # functions of the user's that ran
        self.hides: dict[tuple[str, CodeType], None] = {}  # and those of which nothing is taped

    def site(self, where: Any) -> Site | None:
        """What stands there; None where nobody knows, and for minicell's own, which is nobody's business."""
        if where is None:
            return None
        code, lasti = getattr(where, 'f_code', None), getattr(where, 'f_lasti', None)
        key = id(where if lasti is None else code), lasti
        if key not in self.sites:
            self.sites[key] = None if getattr(where, 'ours', False) else self.read(where, code)
        return self.sites[key]

    def read(self, where: Any, code: CodeType | None) -> Site:
        """Read a place of the user's."""
        if code is not None and code.co_name != '<module>':
            self.codes.setdefault((code.co_filename, code))
        first, last = where.span[:2]
        expression, target = source(where)
        return Site(Mark(where.file, first, last, span=columns(where)), expression, target)

    def mark(self, where: Any) -> Mark | None:
        """Where an event stands in the user's code."""
        return site.mark if (site := self.site(where)) else None

    def users(self, where: Any) -> tuple[Mark | None, Any]:
        """The line to mark for an op, and its call site: in a bprop the bprop's own, in a layer the layer's call."""
        back, calls = self.stack.turn is not None, self.stack.calls_here()
        if back and calls and (mark := self.mark(calls[0].where)):
            return mark, calls[0].where
        if mark := self.mark(where):
            return mark, where
        return next(((m, c.where) for c in reversed(calls) if (m := self.mark(c.where))), (None, None))

    def expression(self, where: Any) -> str:
        """The source of a call of the user's."""
        return site.expression if (site := self.site(where)) else ''

    def target(self, where: Any) -> str:
        """The name that the line gives to this call's own value: what runs deeper inside the line has none."""
        site = self.site(where)
        if site is None or not site.target:
            return ''
        calls = [call.where for call in self.stack.calls()]
        calls += [f.gradient.begin.where for f in self.stack.all if isinstance(f, Play) and f.gradient.begin]
        return '' if any(call is not None and at_same(call, where) for call in calls) else site.target

    def returned(self, where: Any) -> str:
        """The name that the line gives to a gradient that it takes, where its call returns nothing else."""
        site = self.site(where)
        return site.target if site is not None and GIVES.search(site.expression) else ''

    def shows(self, code: CodeType | None, hides: bool = False) -> None:
        """A function that the code panel shows, if it is the user's; `hides`: nothing of it is taped."""
        if code is not None and users(code):
            self.codes.setdefault((code.co_filename, code))
            if hides:
                self.hides.setdefault((code.co_filename, code))


def at_same(one: Any, other: Any) -> bool:
    """Whether two calls stand at the same place in the code."""
    return one.f_code is other.f_code and one.span == other.span and one.file == other.file


def source(where: Any) -> tuple[str, str]:
    """The expression that stands at a place, as Python writes it where the user has broken it; and the name that its
    statement gives to it, if that is all that it does."""
    said, part, above, (line, last, column, end) = getattr(where, 'expression', ''), tree(where.file), None, where.span
    holds = lambda n: (n.lineno, n.col_offset) <= (line, column) and (last, end) <= (n.end_lineno, n.end_col_offset)
    while inner := next((n for n in ast.iter_child_nodes(part) if hasattr(n, 'lineno') and holds(n)), None):
        part, above = inner, part
    if above is None or part.end_col_offset != end:
        return said, ''
    if part.lineno != part.end_lineno:  # (of a method on a line of its own, with what it is a method of)
        said = ast.unparse(part)
    of = part if isinstance(part, ast.AugAssign) else above if getattr(above, 'value', None) is part else None
    to = of.targets[0] if isinstance(of, ast.Assign) else getattr(of, 'target', None)
    return said, ast.unparse(to) if to else ''


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
    return _written(where.f_code, where.f_lasti) if where is not None else ''


@lru_cache(maxsize=1024)  # a loop comes by the same place again and again
def _written(code: CodeType, lasti: int) -> str:
    where = Where(code, lasti)
    if where.ours:
        layer = where.f_code.co_qualname.split('.')[0]
        return f'(in {layer})' if 'nn' in Path(where.file).parts[-3:] and layer[0].isupper() else '(in minicell)'
    expression, target = source(where)
    text = f'{target} = {expression}' if target and '= ' not in expression else expression  # `v -= s` says it
    return text if len(text) <= 60 else text[:57] + '...'
