"""Mutants of a solution: the same code with one thing changed, or two where one does not give enough of them.

Nothing here is random. Only what the learner writes is changed: the lines of the solution that the start does not have.
Mutants that read alike once Python has parsed them are one.
"""

import ast
import copy
import difflib
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise, zip_longest
from typing import Any, NamedTuple

LEAST = 40  # mutants of each solution
NAMES = {
    'sin': 'cos', 'cos': 'sin', 'exp': 'sin', 'sum': 'mean', 'mean': 'sum', 'any': 'all', 'all': 'any',
    'maximum': 'minimum', 'minimum': 'maximum', 'ones_like': 'zeros_like', 'zeros_like': 'ones_like',
    'ones': 'zeros', 'zeros': 'ones', 'abs': 'sign', 'relu': 'abs', 'sqrt': 'exp', 'greater': 'less',
    'logical_or': 'logical_and', 'logical_and': 'logical_or', 'reversed': 'list', 'matmul': 'mul', 'grad': 'vjp',
}  # fmt: skip
ARITHMETIC = {ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult,)}
COMPARED = {
    ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE), ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
# what is made of a number, a
OF_VALUES = {
    'sign': '-a', 'factor': '2 * a', 'half': 'a / 2', 'one more': 'a + 1', 'abs': 'abs(a)', 'nothing': '0 * a',
    'one by itself': '1 * a', 'stopped gradient': "__import__('minicell').ops.stop_gradient(a)",
}  # fmt: skip


class Mutant(NamedTuple):
    """A changed solution, and what was changed in it."""

    kind: str
    code: str


def mutants(solution: str, start: str, words: Iterable[str] = (), least: int = LEAST, most: int = 60) -> list[Mutant]:
    """Mutants of a solution, each kind of change in its turn; pairs of changes where there are fewer than `least`.

    words: strings that may stand where a string of the solution stands.
    """
    found: dict[str, Mutant] = {}
    was = normal(solution)
    for mutant in in_turn(singles(solution, start, list(words))):
        if mutant.code != was:
            found.setdefault(mutant.code, mutant)
    alone = list(found.values())[:most]
    if len(alone) >= least:
        return alone
    for more in zip_longest(*(in_turn(singles(one.code, start, list(words))) for one in alone)):
        for one, mutant in zip(alone, more, strict=True):
            if mutant is not None and mutant.code != was:
                found.setdefault(mutant.code, Mutant(f'{one.kind}, and {mutant.kind}', mutant.code))
        if len(found) >= least:
            break
    return list(found.values())[: max(least, len(alone))]


def normal(code: str) -> str:
    """The code as Python writes it."""
    return ast.unparse(ast.parse(code))


def in_turn(found: Iterable[Mutant]) -> Iterator[Mutant]:
    """The first of each kind, then the second of each kind, and so on."""
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in found:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    for k in range(max(map(len, by_kind.values()), default=0)):
        yield from (kept[k] for kept in by_kind.values() if k < len(kept))


def singles(solution: str, start: str, words: list[str]) -> Iterator[Mutant]:
    """The solution with one change, for each change that there is."""
    tree = ast.parse(solution)
    written = written_lines(solution, normal(start), start)
    scopes = scoped(tree)
    for parent, field, at, node in slots(tree):
        if getattr(node, 'lineno', 0) not in written:
            continue
        changes = statement(node, parent, field, at) if isinstance(node, ast.stmt) else ()
        if isinstance(node, ast.expr):
            changes = expression(node, parent, scopes.get(id(node), []), words)
        for kind, new in changes:
            yield Mutant(kind, with_change(tree, parent, field, at, new))
    yield from kept_on_self(tree, written)


def written_lines(solution: str, *starts: str) -> set[int]:
    """The numbers of the lines that a learner writes."""
    lines = solution.splitlines()
    found = set(range(1, len(lines) + 1))
    for start in starts:
        matcher = difflib.SequenceMatcher(None, start.splitlines(), lines, autojunk=False)
        for block in matcher.get_matching_blocks():
            found -= set(range(block.b + 1, block.b + block.size + 1))
    return found


def slots(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Each place in a tree: parent, field, index in it if it is a list, and what stands there."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                yield from ((parent, field, k, each) for k, each in enumerate(value) if isinstance(each, ast.AST))
            elif isinstance(value, ast.AST):
                yield parent, field, None, value


def with_change(tree: ast.AST, parent: ast.AST, field: str, at: int | None, new: Any) -> str:
    """The code of a tree with something else in one place; a list takes the place of one statement."""
    old = getattr(parent, field)
    if at is None:
        setattr(parent, field, new)
    else:
        setattr(parent, field, [*old[:at], *(new if isinstance(new, list) else [new]), *old[at + 1 :]])
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    finally:
        setattr(parent, field, old)


def scoped(tree: ast.AST) -> dict[int, list[str]]:
    """For each name that is read in a function: the inputs and the local names of this function."""
    found: dict[int, list[str]] = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inputs = [arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg) and arg.arg != 'self']
            named = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
            for each in named:
                made = [n.id for n in named if isinstance(n.ctx, ast.Store) and n.lineno < each.lineno]
                found[id(each)] = list(dict.fromkeys(inputs + made))
    return found


def text(code: str, *given: ast.expr) -> ast.expr:
    """An expression written as code, in which a, b, … stand for those that are given."""
    letters = dict(zip('abcdefgh', given, strict=False))
    return renamed(ast.parse(code, mode='eval').body, lambda name: letters.get(name.id, name))


def renamed(tree: Any, change: Callable[[ast.Name], ast.expr]) -> Any:
    """A tree with something else in the places of its names."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return change(node)

    return Renamed().visit(tree)


def expression(node: ast.expr, parent: ast.AST, names: list[str], words: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """What may stand in its place."""
    if isinstance(getattr(node, 'ctx', None), ast.Store) or isinstance(parent, ast.Attribute | ast.keyword):
        return
    yield from others(node, names if not isinstance(parent, ast.Call) or parent.func is not node else [], words)
    if is_value(node, parent):
        yield from ((kind, text(code, node)) for kind, code in OF_VALUES.items())


def is_value(node: ast.expr, parent: ast.AST) -> bool:
    """Whether this is a number, or several: what is returned, stored, or stands in a tuple of these."""
    if isinstance(node, ast.Tuple | ast.Dict | ast.List | ast.Compare | ast.BoolOp | ast.Lambda | ast.Constant):
        return False
    return isinstance(parent, ast.Assign | ast.AugAssign | ast.Return | ast.Tuple)


def exchanged(of: list) -> Iterator[list]:
    """A list with two of its parts exchanged, for each two."""
    for one, other in combinations(range(len(of)), 2):
        found = list(of)
        found[one], found[other] = of[other], of[one]
        yield found


def others(node: ast.expr, names: list[str], words: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """What may stand in the place of this kind of expression."""
    match node:
        case ast.BinOp(left=a, op=op, right=b):
            yield from (('operation', ast.BinOp(a, other(), b)) for other in ARITHMETIC.get(type(op), ()))
            yield 'order', ast.BinOp(b, op, a)
            if isinstance(op, ast.Mult | ast.Add | ast.Sub | ast.Div):
                yield from (('left out', each) for each in (a, b))
            if isinstance(op, ast.Div | ast.Mult) and isinstance(a, ast.BinOp) and isinstance(a.op, ast.Add | ast.Sub):
                yield 'brackets', ast.BinOp(a.left, a.op, ast.BinOp(a.right, op, b))
            if isinstance(op, ast.Div | ast.Mult | ast.Sub) and isinstance(b, ast.BinOp):
                yield 'brackets', ast.BinOp(ast.BinOp(a, op, b.left), b.op, b.right)
        case ast.Call(func=func, args=args, keywords=keywords):
            method = isinstance(func, ast.Attribute)
            called = func.attr if method else getattr(func, 'id', '')
            if called in NAMES:
                other = NAMES[called]
                named = ast.Attribute(func.value, other, ast.Load()) if method else ast.Name(other, ast.Load())
                yield 'function', ast.Call(named, args, keywords)
            for k, (one, other) in enumerate(pairwise(args)):
                yield 'order', ast.Call(func, [*args[:k], other, one, *args[k + 2 :]], keywords)
            if len(args) == 1:
                yield 'call left out', args[0]
            if method and called in ('sum', 'mean', 'any', 'all', 'item', 'copy', 'flat'):
                yield 'call left out', func.value
                yield 'argument', ast.Call(func, [], [])
            elif len(args) > 1:
                yield 'argument', ast.Call(func, args[:-1], keywords)
            for k in range(len(keywords)):
                yield 'argument', ast.Call(func, args, [*keywords[:k], *keywords[k + 1 :]])
        case ast.Name(id=id) if id in names:
            yield from (('name', ast.Name(other, ast.Load())) for other in names if other != id)
        case ast.Constant(value=str(value)):
            yield from (('word', ast.Constant(word)) for word in words if word != value)
        case ast.Constant(value=bool(value)):
            yield 'constant', ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            numbers = dict.fromkeys((value + 1, 0, 1, -value, 2 * value, value / 2, value * 100, value / 100))
            yield from (('constant', ast.Constant(other)) for other in numbers if other != value)
        case ast.Constant(value=None):
            yield from (('constant', ast.Constant(other)) for other in (1.0, 0))
        case ast.Compare(left=left, ops=ops, comparators=right):
            for other in COMPARED.get(type(ops[0]), ()):
                yield 'comparison', ast.Compare(left, [other()], right)
            yield 'sides', ast.Compare(right[0], ops, [left])
        case ast.UnaryOp(operand=operand):
            yield 'sign', operand
        case ast.Tuple(elts=of) | ast.List(elts=of):
            kind, ctx = type(node), ast.Load()
            yield from (('order', kind(swapped, ctx)) for swapped in exchanged(of))
            if len(of) > 1:
                yield from (('one less', kind([*of[:k], *of[k + 1 :]], ctx)) for k in range(len(of)))
            if of:
                yield 'one too many', kind([*of, of[-1]], ctx)
                yield 'no tuple', of[0]
            yield 'a list', (ast.List if kind is ast.Tuple else ast.Tuple)(of, ctx)
        case ast.Attribute(value=of, attr=attr):
            if attr == 'T':
                yield 'transpose', of
            if getattr(of, 'id', '') == 'self':
                yield from (('attribute', text(f'self.{name}')) for name in ('w', 'b', 'scale', 'most') if name != attr)
        case ast.BoolOp(op=op, values=values):
            yield 'and, or', ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from (('left out', each) for each in values)
        case ast.Dict(keys=keys, values=values):
            yield from (('order', ast.Dict(keys, swapped)) for swapped in exchanged(values))
            for k in range(len(values)):
                yield 'one less', ast.Dict(keys[:k] + keys[k + 1 :], values[:k] + values[k + 1 :])
        case ast.Subscript(value=of):
            yield 'index left out', of
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield 'order', ast.IfExp(test, orelse, body)
            yield from (('branch', each) for each in (body, orelse))


def statement(node: ast.stmt, parent: ast.AST, field: str, at: int | None) -> Iterator[tuple[str, Any]]:
    """What may stand in the place of a statement."""
    rest = getattr(parent, field)
    yield 'statement left out', ast.Pass()
    if isinstance(node, ast.If):
        yield 'condition', ast.If(text('not a', node.test), node.body, node.orelse)
        yield 'no condition', node.body
    if isinstance(node, ast.For):
        yield 'one round', ast.For(node.target, node.iter, [*node.body, ast.Break()], [])
    if isinstance(node, ast.AugAssign):
        target = text(ast.unparse(node.target))
        target.ctx = ast.Store()  # type: ignore[attr-defined]
        yield 'not added up', ast.Assign([target], node.value, lineno=node.lineno)
        yield 'taken off', ast.AugAssign(node.target, ast.Sub(), node.value)
    if isinstance(node, ast.Return) and at and isinstance(rest[at - 1], ast.For):
        loop = rest[at - 1]
        inside = ast.For(loop.target, loop.iter, [*loop.body, node], [])
        yield 'inside the loop', [inside, node]


def kept_on_self(tree: ast.Module, written: set[int]) -> Iterator[Mutant]:
    """Mutants in which bprop takes an input from self, where construct has put it."""
    for kind in (each for each in tree.body if isinstance(each, ast.ClassDef)):
        methods = {each.name: k for k, each in enumerate(kind.body) if isinstance(each, ast.FunctionDef)}
        if not {'construct', 'bprop'} <= methods.keys():
            continue
        for name in [arg.arg for arg in kind.body[methods['construct']].args.args[1:]]:
            whole = copy.deepcopy(tree)
            body = whole.body[tree.body.index(kind)].body  # type: ignore[attr-defined]
            read = lambda node, name=name: node.id == name and node.lineno in written
            renamed(body[methods['bprop']], lambda node, read=read: text('self.kept') if read(node) else node)
            if ast.dump(whole) != ast.dump(tree):
                body[methods['construct']].body[:0] = ast.parse(f'self.kept = {name}').body
                yield Mutant('kept on self', ast.unparse(whole))
