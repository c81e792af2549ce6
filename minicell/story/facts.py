"""What the text of a bprop, or of a hook, says about itself: where it starts and returns, what it reads and returns."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from types import CodeType
from typing import Any

from ..nn.hooks import ENTRANCE, EXIT
from .followed import tried
from .places import characters
from .record import Facts, Mark, Result
from .source import code_of, function, method
from .tensors import tensors

MAKES = 'Tensor', 'tensor', 'from_numpy'  # functions that make one
GATES = {ENTRANCE: 'backward', EXIT: 'backward_pre'}  # before and behind a Cell with hooks -> the kind of its hooks


def under(rule: object) -> object:
    """The rule of an entry, whether its output has hooks or not."""
    return getattr(rule, 'inner', rule)


def hanging(rule: object, attributes: tuple) -> tuple:
    """(function, what it hangs on, kind) of each hook that an entry calls."""
    if rule not in GATES:
        return ((attributes[0], None, 'op'),)
    (passage,) = attributes
    return tuple((hook.called, passage.cell, GATES[rule]) for hook in passage.cell._hooks[GATES[rule]])


def of_bprop(cell: object) -> Facts | None:
    """What the source of the Cell's bprop says: where it starts and returns, what it reads, and what it returns."""
    return _of_code(method(cell, 'bprop'))


def of_gradient(event: Any, number: int) -> Result:
    """What the source of a bprop says of its `number`-th gradient; nothing of one inside of another."""
    facts, cell = of_bprop(event.cell), getattr(event.cell, '_stands_for', event.cell)
    told, parameters = facts.results if facts else (), event.cell.internal_params or ()
    own, keyed = ([r for r in told if bool(r.key) is of] for of in (False, True))
    found = [own[k : k + 1] if hasattr(x, 'asnumpy') else [] for k, x in enumerate(event.inputs) for _ in tensors(x)]
    alone, of = len(keyed) == len(parameters) == 1, lambda r: tried(attrgetter(r.key.partition('.')[2]), cell)[0]
    found += [[r for r in keyed if alone or of(r) is p] for p in parameters]
    return next((r for each in found[number : number + 1] for r in each), Result())


def from_numpy(cell: object) -> dict[str, Result]:
    """What a bprop makes out of numbers that it has taken out of Tensors, by name: where, and how."""
    code = method(cell, 'bprop')
    return {} if code is None else _from_numpy(code.co_filename, code)


@lru_cache(maxsize=256)
def _from_numpy(file: str, code: CodeType) -> dict[str, Result]:
    node = found.node if (found := function(code)) else ast.Pass()
    said = [(ast.unparse(n.targets[0]), n.value) for n in ast.walk(node) if isinstance(n, ast.Assign)]
    own = {*code.co_varnames}
    out = {}
    for name, value in said:
        makes = isinstance(value, ast.Call) and ast.unparse(value.func).endswith(MAKES)
        uses = own & {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        mask = any(isinstance(n, ast.Compare) for n in ast.walk(value))  # through which no slope would lead
        if makes and uses and not mask and [n for n, _ in said].count(name) == 1:
            out[name] = Result(name, ast.unparse(value), _mark(file, value))
    return out


def of_hook(called: Any) -> Facts | None:
    """What the source of a hook says."""
    return _of_code(code_of(called))


def _of_code(code: CodeType | None) -> Facts | None:
    return None if code is None else _in_file(code.co_filename, code)


@lru_cache(maxsize=256)
def _in_file(file: str, code: CodeType) -> Facts | None:  # (equal code may stand in two files)
    found = function(code)
    if found is None:
        return None
    node = found.node
    arguments = [*node.args.posonlyargs, *node.args.args]
    rest = node.args.vararg
    dout = f'{rest.arg}[-1]' if rest else arguments[-1].arg if arguments else ''
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    given = {a.arg for a in arguments}
    if isinstance(node, ast.Lambda):
        start = end = _mark(file, node)
        results = ()
    else:
        returns = [n for n in _own(node) if isinstance(n, ast.Return) and n.value is not None]
        head = node.body[0].lineno - 1 if node.body[0].lineno > node.lineno else node.lineno
        start = Mark(file, node.lineno, head)
        end = _mark(file, returns[-1] if returns else node.body[-1])
        results = _returned(file, node, returns[0].value, given) if len(returns) == 1 else ()
    reads_dout = dout in used or rest is not None
    return Facts(start, end, results, dout, reads_dout)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a function itself, and not of one inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            yield child
            yield from _own(child)


def _mark(file: str, node: ast.AST) -> Mark:
    last = node.end_lineno or node.lineno
    columns = characters(file, node.lineno, node.col_offset), characters(file, last, node.end_col_offset or 0)
    return Mark(file, node.lineno, last, span=(node.lineno, last, *columns))


def _returned(file: str, node: ast.AST, value: ast.expr, given: set[str]) -> tuple[Result, ...]:
    """The names in `return dx, dy`, the source that each was computed with, `x + 1`, and where."""
    parts, keys = value.elts if isinstance(value, ast.Tuple | ast.List) else [value], []
    if len(parts) == 2 and isinstance(parts[0], ast.Tuple) and isinstance(parts[1], ast.Dict):
        parts, keys = parts[0].elts + parts[1].values, parts[1].keys  # gradients of the inputs, and of Parameters
    assigned: dict[str, list[ast.expr]] = {}
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            assigned.setdefault(ast.unparse(statement.targets[0]), []).append(statement.value)
    found = []
    for part, key in zip(parts, [None] * (len(parts) - len(keys)) + keys, strict=True):
        written = ast.unparse(part)
        named = isinstance(part, ast.Name) and written not in given  # `return dout,` names no gradient
        sources = assigned.get(written, [] if named else [part])
        source = sources[0] if len(sources) == 1 else None
        told = ('', None) if source is None else (ast.unparse(source), _mark(file, source))
        found.append(Result(written if named else '', *told, ast.unparse(key) if key else ''))
    return tuple(found)
