"""The rule of an op as a formula: `dout × y`, read from the rule itself; with numbers where all of them are single.

Most rules are one expression in the source, beside their kernel; what they are is read from there. Those that are
longer have their formula in a table. A formula is built from the names under which the values of its entry stand in the
picture (`called`), and no two of these are alike. Where the shapes say that a sum follows, the formula says it, too.
"""

import ast
import inspect
import linecache
import math
from collections.abc import Callable
from functools import lru_cache
from string import Formatter
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..ink import numbers
from ..story.names import gradient
from ..story.record import Entry, Ghost, Record, Value
from . import style

TAKEN = ('call', 'hook')  # kinds of entries that the user's own code takes over
NAMES = {
    'ReduceSum': 'sum', 'ReduceMean': 'mean', 'CrossEntropy': 'cross entropy', 'HookIn': 'entrance', 'HookOut': 'exit',
}  # fmt: skip

SIGNS = {ast.Add: '+', ast.Sub: '−', ast.Mult: '×', ast.Div: '/', ast.MatMult: '@', ast.Pow: '**'}
TURNED = {'_turned_by': '{}.T @ {}', '_by_turned': '{} @ {}.T'}  # two ops of the engine's own
APART = ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.Lambda  # as a part in parentheses
# What stands for a longer rule: {0} is the first input, {1} the second.
TABLE = {
    'ReduceSum': '{dout}, to each number', 'ReduceMean': '{dout} / n, to each number',
    'ReLU': '{dout} where {0} > 0, else 0', 'Reshape': '{dout}, in the old shape',
    'Transpose': '{dout}, turned back', 'BroadcastTo': '{dout}, summed', 'Cast': '{dout}',
    'Sigmoid': '{dout} × {out} × (1 − {out})',
}  # fmt: skip


def name_of(entry: Entry) -> str:
    """What a card is called."""
    return NAMES.get(entry.name, entry.name)


class Called(NamedTuple):
    """What the values of an entry are called in the picture: its inputs, its output, and what comes back for that."""

    inputs: tuple[str, ...]
    out: str
    dout: str


class Formula(NamedTuple):
    """`dy = dout × x`: of which input, what it is called, and how it is made."""

    k: int
    name: str
    said: str
    counted: str = ''  # with numbers, where all of them are single
    reads: tuple[tuple[str, str], ...] = ()  # the single numbers that it finds on the tape, by name

    def __str__(self) -> str:
        return f'{self.name} = {self.said}'

    def with_numbers(self, total: float) -> str:
        """The same with numbers, and the result.

        >>> Formula(1, 'dy', 'dout × x', '1 × 3').with_numbers(3.0)
        'dy = dout × x = 1 × 3 = 3'
        >>> Formula(0, 'dx', 'dout, to each number').with_numbers(1.0)
        'dx = dout, to each number = 1'
        """
        result = numbers.said(total)
        if ' ' in self.said and self.counted not in ('', result):
            return f'{self} = {self.counted} = {result}'
        return f'{self} = {result}' if self.said != result else str(self)


def called(record: Record, entry: Entry, starts: bool = False) -> Called:
    """The names of an entry's values. `starts`: a gradient of a gradient starts here, with a seed.

    A name that says two things in one formula is replaced by what made the value, as `1′ Mul`: so is the cotangent's,
    which is dout, or named after the output, but where an input is called like that.
    """
    given = tuple(v.name or f'input {k + 1}' for k, v in enumerate(entry.inputs))
    if len(set(given)) < len(set(entry.keys)):
        given = tuple(told_apart(record, entry, k, given) for k in range(len(given)))
    named = entry.outputs[0].name if entry.outputs else ''
    anew = [k for k, name in enumerate(given) if name == named]  # an input that the code calls as the output
    taken = {*given, *(gradient(named) for k in anew if template_of(entry, k) != '{dout}')}
    own = f'entry {entry.label}'
    out = next(n for n in (named, 'out', own) if n and n not in given)
    if entry.kind in TAKEN:  # the user's own bprop has a name for what comes in
        yours = (entry.facts.dout,) if entry.kind == 'call' and entry.facts else ()
        return Called(given, out, next(n for n in (*yours, 'dout', gradient(own)) if n and n not in given))
    wanted = (*('seed',) * (starts and entry.level > 0), gradient(named)) if named else ()
    return Called(given, out, next(n for n in (*wanted, 'dout', gradient(own)) if n not in taken))


def told_apart(record: Record, entry: Entry, k: int, names: tuple[str, ...]) -> str:
    """The name of an input that another one has, too: which entry made it, else of which entry it is the cotangent."""
    keys = [key for key, name in zip(entry.keys, names, strict=False) if name == names[k]]
    if k >= len(entry.keys) or len(set(keys)) < 2:
        return names[k]
    made = next((e for e in record.entries if entry.keys[k] in e.made), None)
    if made is not None:
        return f'entry {made.label}'
    by = record.entries[record.readings[entry.by].entry] if entry.by is not None else None
    return gradient(f'entry {by.label}') if by is not None and entry.keys[k] == max(keys) else names[k]


def formulas(
    record: Record, entry: Entry, starts: bool = False, dout: Value | None = None, alias: str = ''
) -> list[Formula]:  # fmt: skip
    """One for each input that gets a gradient. `dout`: what came, once it has come; `alias`: another name for it."""
    names, out = called(record, entry, starts), entry.outputs[0] if len(entry.outputs) == 1 else None
    names = names._replace(dout=alias or names.dout)
    found = []
    for k, value in enumerate(entry.inputs if out is not None else ()):
        if value.name and value.data is not None and value.data.dtype.kind == 'f':
            how, name = template_of(entry, k), gradient(names.inputs[k])
            known = Called(tuple(map(single, entry.inputs)), single(out), single(dout))
            counted = filled(of_numbers(how), known) if ', ' not in how else ''
            found.append(Formula(k, name, filled(how, names), counted, reads(how, names, known)))
    return [f for f in found if f.said not in ('', f.name)]  # (the latter of a name that was given anew)


def displaced(record: Record, entry: Entry, ghost: Ghost, k: int) -> str:
    """How the rule of the one op that a takeover hid would have made the gradient of the k-th tensor it was given.

    Which input of the op that is, the tensors tell, whatever the code calls them on the way; a number in the code that
    nobody gave stands for itself. '' where the op reads the tensor twice or not at all, or the Cell returns another.
    """
    if ghost.places.count(k) != 1 or not ghost.whole:
        return ''
    names = called(record, entry)
    given = [name for name, v in zip(names.inputs, entry.inputs, strict=True) if v.data is not None]
    own = zip(ghost.places, ghost.inputs, strict=True)
    inputs = tuple(v.name or literal(v) if place is None else given[place] for place, v in own)
    how = template(ghost.name, ghost.rule, ghost.places.index(k), ghost.inputs, ghost.out)
    return filled(how, names._replace(inputs=inputs))


def literal(v: Value) -> str:
    """A number as the code writes it; '' for several.

    >>> literal(Value('', data=np.array(0.1, np.float32))), literal(Value('', data=np.asarray(-2.0)))
    ('0.1', '−2')
    """
    single = v.data is not None and v.data.size == 1 and v.data.dtype.kind in 'iuf'
    return np.format_float_positional(v.data.ravel()[0], trim='-').replace('-', '−') if single else ''


def fields(how: str, names: Called) -> dict[str, str]:
    """What a template reads, in the order of the formula."""
    known = {str(k): name for k, name in enumerate(names.inputs)} | names._asdict()
    return {field: known.get(field, '') for _, field, _, _ in Formatter().parse(how) if field}


def filled(how: str, names: Called) -> str:
    """A template with names in it, or with numbers; '' where it needs one that is not there."""
    found = fields(how, names)
    if not how or not all(found.values()):
        return ''
    parts = list(Formatter().parse(how))
    out = ''
    for (text, field, _, _), after in zip(parts, [text for text, *_ in parts[1:]] + [''], strict=True):
        bare = how == '{dout}' or (text.endswith('(') and after.startswith(')'))
        out += text if not field else text + (found[field] if bare else part(found[field]))
    return out


def of_numbers(how: str) -> str:
    """A template where each value is a single number, and is turned into itself.

    >>> of_numbers('{dout} @ {1}.T'), of_numbers('{0}.mT @ {dout}')
    ('{dout} × {1}', '{0} × {dout}')
    """
    return how.replace('.mT', '').replace('.T', '').replace('@', '×')


def reads(how: str, names: Called, known: Called) -> tuple[tuple[str, str], ...]:
    """The single numbers that a rule finds on the tape."""
    said, values = fields(how, names), fields(how, known)
    return tuple(dict.fromkeys((said[f], values[f]) for f in said if f != 'dout' and values[f] not in ('', said[f])))


@lru_cache(maxsize=style.PARTS)
def part(name: str) -> str:
    """A name as a part of a formula.

    >>> part('x'), part('a + b'), part('f(a + b)'), part('2 Mul')
    ('x', '(a + b)', 'f(a + b)', '2 Mul')
    """
    try:
        return f'({name})' if isinstance(ast.parse(name, mode='eval').body, APART) else name
    except (SyntaxError, ValueError):
        return name


def single(v: Value | None) -> str:
    """A single number, as the code has it or as it is written; else ''."""
    if v is not None and is_literal(v.name):
        return v.name
    return numbers.said(v.data.item()) if v is not None and v.data is not None and v.data.size == 1 else ''


def is_literal(name: str) -> bool:
    """Whether a name is a number in the source."""
    try:
        return bool(name and math.isfinite(float(name)))
    except ValueError:
        return False


def template_of(entry: Entry, k: int) -> str:
    """What the rule of an entry makes for its k-th input."""
    return template(entry.name, entry.rule, k, entry.inputs, entry.outputs[0])


def template(name: str, rule: Any, k: int, values: tuple[Value, ...], out: Value) -> str:
    """What a rule makes for its k-th input, with {0}, {1}, {out} and {dout} for the values: `{dout} × {1}`."""
    if name in TABLE:
        return TABLE[name] if k == 0 else ''
    how, shape = '', values[k].shape
    function = functions(rule)[k : k + 1]
    if (
        function
        and isinstance(function[0], FunctionType)
        and (tree := expression(inspect.unwrap(function[0]).__code__)) is not None
    ):
        operands = [a.arg for a in tree.args.args][2:]
        how = worded(tree.body, {o: f'{{{n}}}' for n, o in enumerate(operands)} | dict(g='{dout}', out='{out}'))
    elif name in LONGER:
        return LONGER[name](k, values, out)
    if '@' not in how:
        return summed(how, out.shape, shape)
    return product(how, k, values, out)


def summed(how: str, came: tuple[int, ...], due: tuple[int, ...]) -> str:
    """A formula whose result has one shape, for an input that was broadcast from another: what is left over is added.

    >>> summed('g', (2, 3), (3,)), summed('g', (2, 3), (2, 1)), summed('g', (2, 3), ()), summed('g', (4, 2, 3), (2, 3))
    ('sum over rows of g', 'sum over columns of g', 'sum of g', 'sum over axis 0 of g')
    """
    if not how or np.prod(came) == np.prod(due):
        return how
    wide = (1,) * (len(came) - len(due)) + due
    axes = [i for i, (n, m) in enumerate(zip(came, wide, strict=True)) if n != m]
    if np.prod(due) == 1:
        return f'sum of {how}'
    if len(came) == 2:
        return f'sum over {("rows", "columns")[axes[0]]} of {how}'
    return f'sum over {"axis" if len(axes) == 1 else "axes"} {" and ".join(map(str, axes))} of {how}'


def product(how: str, k: int, values: tuple[Value, ...], out: Value) -> str:
    """A product of turned matrices; of many, `.mT` turns each, and what one that they share gets is added."""
    how = how.replace('.T', '.mT') if len(out.shape) > 2 else how
    return summed(how, (*out.shape[:-2], *values[k].shape[-2:]), values[k].shape)


def matmul(k: int, values: tuple[Value, ...], out: Value) -> str:
    """Of two matrices, of a matrix and a vector, of two vectors; of many matrices."""
    match tuple(len(v.shape) for v in values):
        case (1, 1):
            return ('{dout} × {1}', '{dout} × {0}')[k]
        case (1, 2):
            return ('{dout} @ {1}.T', 'outer({0}, {dout})')[k]
        case (2, 1):
            return ('outer({dout}, {1})', '{0}.T @ {dout}')[k]
        case (a, b) if min(a, b) > 1:
            return product(('{dout} @ {1}.T', '{0}.T @ {dout}')[k], k, values, out)
    return ''


def dense(k: int, values: tuple[Value, ...], out: Value) -> str:
    """Of a layer: its weights turned, and a bias that is added to each row."""
    if k == 1:
        return {1: 'outer({dout}, {0})', 2: '{dout}.T @ {0}'}.get(len(out.shape), '')
    if k == 2:
        return '{dout}, summed over rows' if len(out.shape) == 2 else summed('{dout}', out.shape, values[k].shape)
    return '{dout} @ {1}'


def softmax(k: int, values: tuple[Value, ...], out: Value) -> str:
    """Of one row, or of each."""
    if len(out.shape) > 1 and not np.allclose(out.data.sum(-1), 1):
        return ''
    return '{out} × ({dout} − sum({dout} × {out}))' + ', row by row' * (len(out.shape) > 1)


def cross_entropy(k: int, values: tuple[Value, ...], out: Value) -> str:
    """Of labels, one for each row, or of their mean; '' where they have weights."""
    logits, labels = (v.data for v in values)
    if k or out.data.ndim or not np.allclose(labels.sum(1), 1):
        return ''
    top = logits.max(1, keepdims=True)
    total = np.sum(np.log(np.exp(logits - top).sum(1))) - np.sum((logits - top) * labels)
    mean = np.isclose(out.data * len(logits), total, 1e-4)
    return '{dout} × (softmax − labels)' + ' / n' * bool(mean) if mean or np.isclose(out.data, total, 1e-4) else ''


def best(word: str, choose: Callable) -> Callable:
    """Of the largest number, or the smallest: of all, or of each row or column, where the numbers tell which."""

    def chosen(k: int, values: tuple[Value, ...], out: Value) -> str:
        how = f'{{dout}}, to the {word}'
        if np.prod(out.shape) == 1:
            return how
        x = values[0].data
        axes = [axis for axis in range(x.ndim) if np.array_equal(choose(x, axis).ravel(), out.data.ravel())]
        return f'{how} of each {("column", "row")[axes[0]]}' if x.ndim == 2 and len(axes) == 1 else ''

    return chosen


LONGER = {
    'ReduceMax': best('largest', np.max), 'ReduceMin': best('smallest', np.min),
    'MatMul': matmul, 'BatchMatMul': matmul, 'Dense': dense, 'Softmax': softmax, 'CrossEntropy': cross_entropy,
}  # fmt: skip


def functions(rule: Any) -> tuple:
    """The rules of an op of one input or two, one for each."""
    return getattr(rule, 'dx', None), getattr(rule, 'dy', None)


@lru_cache(maxsize=style.FORMULAS)
def expression(code: CodeType) -> ast.Lambda | None:
    """The lambda that has this code, as it is written."""
    lines = linecache.getlines(code.co_filename)
    try:
        tree = _parsed(code.co_filename, len(lines))
    except (SyntaxError, ValueError):
        return None
    starts = [(line, column) for line, _, column, end in code.co_positions() if line and end]
    if not starts:
        return None
    at = min(starts)  # where the body begins
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            body = node.body
            if (body.lineno, body.col_offset) == at:
                return node
    return None


@lru_cache(maxsize=style.TREES)
def _parsed(file: str, _: int) -> ast.Module:
    return ast.parse(''.join(linecache.getlines(file)))


def worded(node: ast.AST, names: dict[str, str]) -> str:
    """An expression with these names; '' where it says more than a formula can."""
    match node:
        case ast.Name(id=name):
            return names.get(name, '')
        case ast.Constant(value=value):
            return str(value)
        case ast.UnaryOp(op=ast.USub(), operand=of):
            inner = worded(of, names)
            return inner and f'−{inner}'
        case ast.BinOp(left=left, op=op, right=right_) if type(op) in SIGNS:
            a, b = worded(left, names), worded(right_, names)
            if not a or not b:
                return ''
            a = f'({a})' if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add | ast.Sub) else a
            wraps = isinstance(right_, ast.BinOp) and not isinstance(op, ast.Add)
            return f'{a} {SIGNS[type(op)]} {f"({b})" if wraps else b}'
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name.startswith('_') and '_' not in name[1:]:
            inner = worded(argument, names)
            return inner and f'{name[1:]}({inner})'
        case ast.Call(func=ast.Name(id=name), args=[left, right_]) if name in TURNED:
            a, b = worded(left, names), worded(right_, names)
            return a and b and TURNED[name].format(a, b)
    return ''
