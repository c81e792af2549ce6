"""The user's own source: which lines to show, and what a bprop's text says about the gradients it returns."""

import ast
import linecache
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from .model import Facts, Line, Mark

ROOMY = 22  # lines that any panel has room for
LONG = 60  # a function longer than this is shown around its marked lines only
AROUND = 6


class Function(NamedTuple):
    """A function in a file: its node and the class around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: ast.ClassDef | None


@lru_cache(maxsize=64)
def _functions(text: str) -> dict[int, Function]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, Function] = {}
    todo: list[tuple[ast.AST, ast.ClassDef | None]] = [(tree, None)]
    while todo:
        node, owner = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                found[first] = Function(child, owner)
                todo.append((child, None))
            else:
                todo.append((child, child if isinstance(child, ast.ClassDef) else owner))
    return found


def function(code: CodeType | None) -> Function | None:
    """The source of the function that has this code object, if there is a source."""
    if code is None:
        return None
    found = _functions(''.join(linecache.getlines(code.co_filename))).get(code.co_firstlineno)
    return found if found and found.node.name == code.co_name else None


def facts(cell: object) -> Facts | None:
    """What the source of the Cell's bprop says: where it starts and returns, what it reads, and what it returns."""
    return _facts(type(cell))


@lru_cache(maxsize=256)
def _facts(kind: type) -> Facts | None:
    code = getattr(getattr(kind, 'bprop', None), '__code__', None)
    found = function(code)
    if found is None:
        return None
    node = found.node
    file = code.co_filename
    arguments = [*node.args.posonlyargs, *node.args.args]
    dout = arguments[-1].arg if arguments else ''
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
    last = returns[-1] if returns else node.body[-1]
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    given = {a.arg for a in arguments}
    names, formulas, lines = _returned(node, returns[0].value, given) if len(returns) == 1 else ((), (), ())
    return Facts(
        Mark(file, node.lineno, node.body[0].lineno - 1 if node.body[0].lineno > node.lineno else node.lineno),
        Mark(file, last.lineno, last.end_lineno or last.lineno),
        names,
        formulas,
        lines,
        dout,
        dout in used or node.args.vararg is not None,
        tuple(a.arg for a in arguments[1:-1] if a.arg in used),
        beside(kind, node),
    )


def beside(kind: type, bprop: ast.AST) -> tuple[str, ...]:
    """The attributes that construct sets and bprop reads, as `self.mask`."""
    found = function(getattr(getattr(kind, 'construct', None), '__code__', None))
    if found is None:
        return ()
    both = [{}, {}]
    for place, node, context in ((0, found.node, ast.Store), (1, bprop, ast.Load)):
        for n in ast.walk(node):
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, context) and ast.unparse(n.value) == 'self':
                both[place].setdefault(f'self.{n.attr}')
    return tuple(name for name in both[0] if name in both[1])


def _returned(node: ast.AST, value: ast.expr, given: set[str]) -> tuple[tuple, tuple, tuple]:
    """The names in `return dx, dy`, the source that each was computed with, `x + 1`, and the lines of these."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    if len(parts) == 2 and isinstance(parts[0], ast.Tuple) and isinstance(parts[1], ast.Dict):
        parts = [*parts[0].elts, *parts[1].values]  # gradients of the inputs, and of Parameters
    assigned: dict[str, list[ast.expr]] = {}
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            assigned.setdefault(ast.unparse(statement.targets[0]), []).append(statement.value)
    names, formulas, lines = [], [], []
    for part in parts:
        written = ast.unparse(part)
        named = isinstance(part, ast.Name) and written not in given  # `return dout,` names no gradient
        names.append(written if named else '')
        sources = assigned.get(written, [] if named else [part])
        formulas.append(ast.unparse(sources[0]) if len(sources) == 1 else '')
        lines.append(sources[0].lineno if len(sources) == 1 else 0)
    return tuple(names), tuple(formulas), tuple(lines)


def listing(codes: Iterable[CodeType], hidden: Iterable[CodeType], marks: Iterable[Mark]) -> list[Line]:
    """The lines to show: whole classes where there is room, else the functions that matter."""
    codes, hidden, marks = list(codes), list(hidden), list(marks)
    whole = _listing(codes, hidden, marks, True)
    return whole if len(whole) <= ROOMY else _listing(codes, hidden, marks, False)


def _listing(codes: list[CodeType], hidden: list[CodeType], marks: list[Mark], whole: bool) -> list[Line]:
    """Each function with its class (or that's first line), and the marked lines outside of functions.

    Files come in the order that a reader expects: what defines classes before what calls them.
    """
    marked: dict[str, set[int]] = {}
    for mark in marks:
        marked.setdefault(mark.file, set()).update(range(mark.line, min(mark.last, mark.line + 8) + 1))
    shown: dict[str, set[int]] = {file: set() for file in marked}
    shaded: set[tuple[str, int]] = set()
    defines: set[str] = set()
    for code in codes:
        if found := function(code):
            near = marked.get(code.co_filename, set())
            shown.setdefault(code.co_filename, set()).update(_lines(found, near, whole))
            defines.add(code.co_filename)
    for code in hidden:
        if found := function(code):
            last = found.node.end_lineno or found.node.lineno
            shaded.update((code.co_filename, n) for n in range(found.node.lineno, last + 1))
    for file, lines in marked.items():
        shown[file] |= lines
    files = sorted(shown, key=lambda f: f not in defines)
    return [line for file in files for line in _file(file, shown[file], shaded)]


def _lines(found: Function, marked: set[int], whole: bool) -> set[int]:
    node = found.owner if whole and found.owner else found.node
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    if len(lines) > LONG:
        lines = {n for n in lines if n == node.lineno or any(abs(n - m) <= AROUND for m in marked)}
    if found.owner:
        lines.add(found.owner.lineno)
    return lines


def _file(file: str, numbers: set[int], shaded: set[tuple[str, int]]) -> list[Line]:
    source = [line.rstrip('\n').expandtabs(4) for line in linecache.getlines(file)]
    wanted = [n for n in sorted(numbers) if n <= len(source)]
    texts = [source[n - 1] for n in wanted]
    indent = min((len(t) - len(t.lstrip()) for t in texts if t.strip()), default=0)
    out: list[Line] = []
    previous = 0
    for n in wanted:
        between = source[previous : n - 1] if previous else []
        if between and not any(t.strip() for t in between):
            out.append(Line(file, n - 1, ''))
        gap = not previous or any(t.strip() for t in between)
        out.append(Line(file, n, source[n - 1][indent:].rstrip(), (file, n) in shaded, gap))
        previous = n
    return out
