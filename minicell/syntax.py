"""What Python did while a function was traced: the lines it ran, the branches it took, the statements a graph lacks."""

import ast
import inspect
import linecache
import os
import sys
import textwrap
from types import CodeType, TracebackType

from .errors import GraphSyntaxError, place
from .where import HOME

NOT_THE_USERS = (HOME, '<frozen', os.path.dirname(os.__file__) + os.sep)
REFUSED = {
    ast.Try: "Unsupported statement 'Try'",
    ast.Yield: "Unsupported expression 'Yield'",
    ast.YieldFrom: "Unsupported expression 'YieldFrom'",
    ast.Await: "Unsupported expression 'Await'",
}


class Lines:
    """Notes the lines of the user's functions that run inside a `with` block."""

    def __init__(self) -> None:
        self.ran: dict[CodeType, set[int]] = {}

    def __enter__(self) -> 'Lines':
        self._was = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, kind: object, error: object, traceback: TracebackType | None) -> None:
        sys.settrace(self._was)

    def _called(self, frame, event: str, argument: object) -> object:
        code = frame.f_code
        if (
            code.co_filename.startswith(NOT_THE_USERS)
            or 'site-packages' in code.co_filename
            or not linecache.getline(code.co_filename, 1)
        ):
            return None
        ran = self.ran.setdefault(code, set())

        def line(frame, event: str, argument: object) -> object:
            if event == 'line':
                ran.add(frame.f_lineno)
            return line

        return line

    def _trees(self) -> list[tuple[CodeType, ast.AST, set[int]]]:
        found = []
        for code, ran in self.ran.items():
            try:
                lines, first = inspect.getsourcelines(code)
                tree = ast.parse(textwrap.dedent(''.join(lines)))
            except (OSError, SyntaxError, IndentationError):
                continue  # a lambda in the middle of an expression: nothing that could be refused there
            ast.increment_lineno(tree, first - 1)
            found.append((code, tree, ran))
        return found

    def check(self) -> None:
        """Raise for a statement that a static graph has no place for."""
        for code, tree, _ in self._trees():
            for node in ast.walk(tree):
                said = REFUSED.get(type(node))
                if said:
                    where = place(code.co_filename, node.lineno)
                    raise GraphSyntaxError(
                        f'{said}: a graph has no place for it ({where}: '
                        f'{linecache.getline(code.co_filename, node.lineno).strip()}). Take it out of the traced '
                        f'function, or leave graph mode.'
                    )

    def branches(self) -> list[tuple[str, bool, str]]:
        """Each `if` and `while` that was decided: its text, what it was, and where."""
        found = []
        for code, tree, ran in self._trees():
            for node in ast.walk(tree):
                if isinstance(node, (ast.If, ast.While)) and node.lineno in ran:
                    keyword = 'if' if isinstance(node, ast.If) else 'while'
                    taken = node.body[0].lineno in ran and node.body[0].lineno != node.lineno
                    text = f'{keyword} {ast.unparse(node.test)}'
                    found.append((text, taken, place(code.co_filename, node.lineno)))
        return found
