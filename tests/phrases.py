"""Count how many comparisons in tests quote a phrase, text of four words or more.

    python tests/phrases.py [PATH...]

prints each place and, at the end, their share of all asserts and of all `match=` of `pytest.raises` and `pytest.warns`.
The text may stand in the comparison itself, in a name that it goes by (of a constant, a parameter, a loop), or in what
is given to a helper that compares. Words of a message belong in `messages.txt`, which `messages.py` writes.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
WORD = re.compile(r"[^\W\d_][\w'’]*")
LOOKS = {'match', 'search', 'fullmatch', 'findall', 'startswith', 'endswith', 'count', 'index', 'find'}
SAME = {'strip', 'format', 'lower', 'join', 'splitlines', 'split', 'replace', 'escape', 'compile', 'dedent', 'items'}
SAME |= {'keys', 'values', 'param', 'set', 'tuple', 'list', 'dict', 'zip', 'sorted', 'enumerate', 'approx'}


class Names:
    """What the names of a module stand for, and the phrases found there."""

    def __init__(self) -> None:
        self.bound: dict[str, list[ast.expr]] = defaultdict(list)
        self.found: dict[str, list[str]] = {}


def called(call: ast.Call) -> str:
    """The name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, 'id', '')


def phrases(node: ast.AST | None, names: Names, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The phrases that the value of an expression can be or hold."""
    match node:
        case ast.Constant(value=str() as text):
            if len(WORD.findall(text)) >= 4:
                yield text
        case ast.JoinedStr(values=parts):
            text = ' '.join(str(each.value) for each in parts if isinstance(each, ast.Constant))
            if len(WORD.findall(text)) >= 4:
                yield text
        case ast.Name(id=name) if name not in seen:
            if name not in names.found:
                inner = [text for value in names.bound[name] for text in phrases(value, names, seen | {name})]
                if seen:
                    yield from inner
                    return
                names.found[name] = inner
            yield from names.found[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.BoolOp(values=parts):
            for each in parts:
                yield from phrases(each, names, seen)
        case ast.Dict(keys=keys, values=values):
            for each in [*keys, *values]:
                yield from phrases(each, names, seen)
        case ast.BinOp(left=left, right=right):
            yield from phrases(left, names, seen)
            yield from phrases(right, names, seen)
        case ast.IfExp(body=body, orelse=other):
            yield from phrases(body, names, seen)
            yield from phrases(other, names, seen)
        case ast.Subscript(value=value) | ast.Starred(value=value):
            yield from phrases(value, names, seen)
        case ast.Call() if called(node) in SAME:
            inner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            for each in [*inner, *node.args]:
                yield from phrases(each, names, seen)


def bindings(tree: ast.AST) -> Names:
    """What each name of a module, a parameter of a table, or a loop's variable, stands for."""
    names = Names()

    def bind(target: ast.AST, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            names.bound[target.id].append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            rows = value.elts if isinstance(value, ast.List | ast.Tuple) else []
            for k, each in enumerate(target.elts):
                for row in rows:
                    column(each, row, k)
                if not rows:
                    bind(each, value)

    def column(target: ast.AST, row: ast.expr, k: int) -> None:
        if isinstance(row, ast.Call) and called(row) == 'param':
            row = ast.Tuple(row.args)
        if isinstance(row, ast.List | ast.Tuple):
            if k < len(row.elts):
                bind(target, row.elts[k])
        else:
            bind(target, row)

    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    bind(target, node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for each, value in zip(target.elts, node.value.elts, strict=False):
                        bind(each, value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            bind(node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            bind(node.target, node.iter)
        elif isinstance(node, ast.Call) and called(node) == 'parametrize' and len(node.args) > 1:
            heads = node.args[0]
            if isinstance(heads, ast.Constant):
                heads = ast.Tuple([ast.Name(each.strip()) for each in str(heads.value).split(',')])
            if isinstance(heads, ast.Tuple | ast.List):
                heads = ast.Tuple([ast.Name(e.value) if isinstance(e, ast.Constant) else e for e in heads.elts])
                bind(heads if len(heads.elts) > 1 else heads.elts[0], node.args[1])
    return names


def compared(test: ast.AST) -> Iterator[ast.expr]:
    """What an expression compares."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and called(node) in LOOKS:
            yield from node.args


def handed(test: ast.AST) -> Iterator[str]:
    """The names that an expression compares, or gives to what does."""
    for each in compared(test):
        yield getattr(each, 'id', '')
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            for each in node.args:
                yield getattr(each.value if isinstance(each, ast.Starred) else each, 'id', '')


def comparers(trees: dict[Path, ast.Module]) -> set[str]:
    """The helpers that compare what they are given: functions that are no tests, and assert of a parameter."""
    found = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith('test_'):
                given = {a.arg for a in [*node.args.args, *node.args.kwonlyargs, node.args.vararg] if a}
                for each in ast.walk(node):
                    if (
                        isinstance(each, ast.For)
                        and {n.id for n in ast.walk(each.iter) if isinstance(n, ast.Name)} & given
                    ):
                        given |= {n.id for n in ast.walk(each.target) if isinstance(n, ast.Name)}
                    if isinstance(each, ast.Assert) and given & set(handed(each.test)):
                        found.add(node.name)
    return found - {'run'}


def counted(paths: list[Path]) -> tuple[list[tuple[Path, int, str]], int]:
    """The comparisons with phrases (file, line, phrase), and how many asserts and `match=` there are."""
    trees = {path: ast.parse(path.read_text()) for path in paths}
    helpers, found, total = comparers(trees), [], 0
    for path, tree in trees.items():
        names = bindings(tree)
        for node in ast.walk(tree):
            sides: list[ast.expr] = []
            if isinstance(node, ast.Assert):
                total, sides = total + 1, list(compared(node.test))
            elif isinstance(node, ast.Call) and called(node) in ('raises', 'warns', 'deprecated_call'):
                sides = [k.value for k in node.keywords if k.arg == 'match']
                total += len(sides)
            elif isinstance(node, ast.Call) and called(node) in helpers:
                sides = [*node.args, *(k.value for k in node.keywords if k.arg not in ('line', 'why'))]
            quoted = [text for side in sides for text in phrases(side, names)]
            if quoted:
                found.append((path, node.lineno, quoted[0]))
    return found, total


if __name__ == '__main__':
    asked = [Path(each) for each in sys.argv[1:]] or [HERE]
    files = sorted({file for each in asked for file in (each.rglob('*.py') if each.is_dir() else [each])})
    places, many = counted(files)
    for file, line, text in places:
        print(f'{file}:{line}: {text[:80]!r}')
    print(f'{len(places)} of {many} compare with a phrase: {len(places) / max(many, 1):.1%}')
