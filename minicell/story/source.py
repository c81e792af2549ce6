"""The user's own source: the function or the lambda that a code object came from."""

import ast
import functools
import linecache
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from ..core.errors import HOME
from .followed import tried

MOST = 20  # wrappers around a function
LOOPS = ast.For, ast.While, ast.AsyncFor
DEFS = ast.FunctionDef, ast.AsyncFunctionDef


class Function(NamedTuple):
    """A function in a file: its node and the class around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    owner: ast.ClassDef | None


def tree(file: str) -> ast.Module:
    """A file's source as Python reads it; nothing where it cannot."""
    return _tree(''.join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


@lru_cache(maxsize=64)
def _functions(module: ast.Module) -> tuple[dict[int, Function], list[ast.Lambda]]:
    found: dict[int, Function] = {}
    lambdas: list[ast.Lambda] = []
    todo: list[tuple[ast.AST, ast.ClassDef | None]] = [(module, None)]
    while todo:
        node, owner = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                found[first] = Function(child, owner)
                todo.append((child, None))
            else:
                if isinstance(child, ast.Lambda):
                    lambdas.append(child)
                todo.append((child, child if isinstance(child, ast.ClassDef) else owner))
    return found, lambdas


def function(code: CodeType | None) -> Function | None:
    """The source of the function that has this code object, if there is a source."""
    if code is None:
        return None
    found, lambdas = _functions(tree(code.co_filename))
    if code.co_name == '<lambda>':
        return _lambda(code, lambdas)
    one = found.get(code.co_firstlineno)
    return one if one and one.node.name == code.co_name else None


def _lambda(code: CodeType, lambdas: list[ast.Lambda]) -> Function | None:
    """Of several lambdas on a line, the one whose body is where the code says."""
    spots = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    near = [n for n in lambdas if n.lineno == code.co_firstlineno]
    near = [n for n in near if len(n.args.args) + len(n.args.posonlyargs) == code.co_argcount]
    inside = [
        n for n in near
        if all((n.body.lineno, n.body.col_offset) <= (p[0], p[2]) and (p[1], p[3]) <= (n.end_lineno, n.end_col_offset)
               for p in spots)
    ]  # fmt: skip
    # an inner lambda's code lies inside the outer one's too
    best = min(inside or near, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset), default=None)
    return Function(best, None) if best is not None else None


def holding(file: str, number: int) -> list[ast.AST]:
    """The loops, functions and classes around a line, outermost first, and the docstring that it is a part of."""
    return _holding(file, number, len(linecache.getlines(file)))


@lru_cache(maxsize=4096)
def _holding(file: str, number: int, count: int) -> list[ast.AST]:
    return [node for node in _pieces(file, count) if node.lineno <= number <= (node.end_lineno or node.lineno)]


@lru_cache(maxsize=64)
def _pieces(file: str, _: int) -> list[ast.AST]:
    found = (
        n for n in ast.walk(tree(file)) if isinstance(n, (*LOOPS, *DEFS, ast.ClassDef, ast.Lambda)) or is_docstring(n)
    )
    return sorted(found, key=lambda n: (n.lineno, -n.end_lineno))


def is_docstring(node: ast.AST) -> bool:
    """Whether it is a text that stands for itself."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def loop(mark: Any) -> tuple[str, int] | None:
    """The innermost loop around a line, in its own function."""
    around = holding(mark.file, mark.line) if mark is not None else ()
    inner = [n for n in around if isinstance(n, (*LOOPS, *DEFS, ast.Lambda))][-1:]
    return next(((mark.file, n.lineno) for n in inner if isinstance(n, LOOPS) and n.lineno < mark.line), None)


def users(code: CodeType | None) -> bool:
    """Whether a function stands in the user's code; so does one whose code nobody knows."""
    return code is None or not code.co_filename.startswith(HOME)


def method(cell: Any, name: str) -> CodeType | None:
    """The code of a method of a Cell's class; what stands for a Cell in a graph leads to that."""
    return getattr(getattr(type(getattr(cell, '_stands_for', cell)), name, None), '__code__', None)


def code_of(called: Any) -> CodeType | None:
    """The code that runs when this is called: behind a partial, a method, a wrapper or an object of the user's."""
    return tried(_code_of, called)[0]


def _code_of(called: Any) -> CodeType | None:
    for _ in range(MOST):
        if isinstance(called, functools.partial):
            called = called.func
        elif hasattr(called, '__wrapped__'):
            called = called.__wrapped__
        elif hasattr(called, '__func__'):
            called = called.__func__
        else:
            break
    found = getattr(called, '__code__', None)
    if not isinstance(found, CodeType):
        found = getattr(vars(type(called)).get('__call__'), '__code__', None)
    return found if isinstance(found, CodeType) else None
