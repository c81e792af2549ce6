"""What Python did while a function was traced: the lines it ran, the branches it took, the statements a graph lacks."""

import ast
import inspect
import linecache
import sys
import textwrap
from types import CodeType, TracebackType

from ..core.errors import where_is
from ..errors import GraphSyntaxError
from .world import is_library

MONITORING = getattr(sys, 'monitoring', None)  # from Python 3.12 up: a branch is an event
REFUSED = {
    ast.Try: "Unsupported statement 'Try'",
    ast.TryStar: "Unsupported statement 'Try'",
    ast.Import: "Unsupported statement 'Import'",
    ast.ImportFrom: "Unsupported statement 'Import'",
    ast.ClassDef: "Unsupported statement 'ClassDef'",
    ast.Delete: "Unsupported statement 'Delete'",
    ast.Yield: "Unsupported expression 'Yield'",
    ast.YieldFrom: "Unsupported expression 'YieldFrom'",
    ast.Await: "Unsupported expression 'Await'",
}


class Lines:
    """Notes where the user's functions go inside a `with` block: from which instruction to which."""

    def __init__(self) -> None:
        self.went: dict[CodeType, set[tuple[int, int]]] = {}

    def __enter__(self) -> 'Lines':
        if MONITORING is None:
            self._was = sys.gettrace()
            sys.settrace(self._called)
            return self
        events = MONITORING.events
        names = ('BRANCH_LEFT', 'BRANCH_RIGHT', 'JUMP') if hasattr(events, 'BRANCH_LEFT') else ('BRANCH', 'JUMP')
        self._tool = next(k for k in range(5, -1, -1) if MONITORING.get_tool(k) is None)
        MONITORING.use_tool_id(self._tool, 'minicell')
        MONITORING.register_callback(self._tool, events.PY_START, self._started)
        for name in names:
            MONITORING.register_callback(self._tool, getattr(events, name), self._went)
        MONITORING.set_events(self._tool, events.PY_START | sum(getattr(events, name) for name in names))
        return self

    def __exit__(self, kind: object, error: object, traceback: TracebackType | None) -> None:
        if MONITORING is None:
            sys.settrace(self._was)
            return
        MONITORING.set_events(self._tool, 0)
        MONITORING.free_tool_id(self._tool)

    def _started(self, code: CodeType, offset: int) -> None:
        self._users(sys._getframe(1))

    def _went(self, code: CodeType, offset: int, destination: int) -> None:
        if code in self.went:
            self.went[code].add((offset, destination))

    def _users(self, frame) -> bool:
        """Whether a function is the user's; if so, it is noted."""
        code = frame.f_code
        if code in self.went:
            return True
        if is_library(code.co_filename) or not linecache.getline(code.co_filename, 1, frame.f_globals):
            return False
        self.went[code] = set()
        return True

    def _called(self, frame, event: str, argument: object) -> object:
        """What Python 3.11 calls, which has no monitoring."""
        if not self._users(frame):
            return None
        went, last = self.went[frame.f_code], -1
        frame.f_trace_lines, frame.f_trace_opcodes = False, True

        def step(frame, event: str, argument: object) -> object:
            nonlocal last
            if event == 'opcode':
                went.add((last, frame.f_lasti))
                last = frame.f_lasti
            return step

        return step

    def _trees(self) -> list[tuple[CodeType, ast.AST, int]]:
        """For each function that ran: its syntax, and by how many columns it is indented."""
        found = []
        for code in self.went:
            try:
                lines, first = inspect.getsourcelines(code)
                tree = ast.parse(textwrap.dedent(''.join(lines)))
            except (OSError, SyntaxError, IndentationError):
                continue  # a lambda in the middle of an expression: nothing that could be refused there
            ast.increment_lineno(tree, first - 1)
            found.append((code, tree, len(lines[0]) - len(lines[0].lstrip())))
        return found

    def check(self) -> None:
        """Raise for a statement that a static graph has no place for."""
        for code, tree, _ in self._trees():
            for node in ast.walk(tree):
                said = REFUSED.get(type(node))
                if said:
                    where = where_is(code.co_filename, node.lineno)
                    raise GraphSyntaxError(
                        f'{said}: a graph has no place for it ({where}: '
                        f'{linecache.getline(code.co_filename, node.lineno).strip()}). Take it out of the traced '
                        f'function, or leave graph mode.'
                    )

    def branches(self) -> list[tuple[str, str, str]]:
        """Each `if`, `while` and `a if b else c` that was decided: its text, what it was, and where."""
        found = []
        for code, tree, indent in self._trees():
            places = list(code.co_positions())
            for node in ast.walk(tree):
                if not isinstance(node, (ast.If, ast.While, ast.IfExp)):
                    continue
                body = node.body if isinstance(node.body, list) else [node.body]
                test, body, whole = (
                    _span(*ends, indent) for ends in ((node.test, node.test), (body[0], body[-1]), (node, node))
                )
                # the jump behind the test has the place of the whole statement
                deciding = {2 * k for k, p in enumerate(places) if _inside(p, test) or _is(p, whole)}
                went = {
                    _inside(places[b // 2], body) for a, b in self.went[code] if a in deciding and b not in deciding
                }
                if went:
                    keyword = '' if isinstance(node, ast.IfExp) else 'if ' if isinstance(node, ast.If) else 'while '
                    text = ast.unparse(node) if isinstance(node, ast.IfExp) else f'{keyword}{ast.unparse(node.test)}'
                    taken = ' and '.join(str(t) for t in (True, False) if t in went)
                    found.append((code.co_filename, node.lineno, text, taken))
        return [(text, taken, where_is(file, line)) for file, line, text, taken in sorted(found)]


def _span(first: ast.AST, last: ast.AST, indent: int) -> tuple[tuple, tuple]:
    return (first.lineno, first.col_offset + indent), (last.end_lineno, last.end_col_offset + indent)


def _is(where: tuple, span: tuple[tuple, tuple]) -> bool:
    line, last, column, end = where
    return span == ((line, column), (last, end))


def _inside(where: tuple, span: tuple[tuple, tuple]) -> bool:
    """Whether an instruction (first line, last line, first column, last column) lies within a stretch of source."""
    line, last, column, end = where
    return None not in where and span[0] <= (line, column) and (last, end) <= span[1]
