"""The rule of an op as a formula: `dout × y`, read from the rule itself; with numbers where all of them are single.

Most rules are one expression in the source, beside their kernel; what they are is read from there. Those that are
longer have their formula in a table. A formula is built from the names under which the values of its entry stand in the
picture (`called`), and no two of these are alike. Where the shapes say that a sum follows, the formula says it, too.
"""

import ast
import inspect
import linecache
import math
import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..ink import numbers
from ..story.events import PRIMES
from ..story.names import gradient, part
from ..story.record import Entry, Ghost, Pass, Record, Value
from . import style

TAKEN = ('call', 'hook')  # kinds of entries that the user's own code takes over
NAMES = {
    'ReduceSum': 'sum', 'ReduceMean': 'mean', 'CrossEntropy': 'cross entropy', 'HookIn': 'entrance', 'HookOut': 'exit',
}  # fmt: skip

SIGNS = {ast.Add: '+', ast.Sub: '−', ast.Mult: '×', ast.Div: '/', ast.MatMult: '@', ast.Pow: '**'}
TURNED = {'_turned_by': '{}.T @ {}', '_by_turned': '{} @ {}.T'}  # two ops of the engine's own
FIELD = re.compile(r'\{(\w+)\}')


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


def called(record: Record, entry: Entry, run: Pass | None = None) -> Called:
    """The names of an entry's values, as one gradient reads it (`run`): on the way back of a second one, which reads
    what the first has done with its `dout`, what comes in is called `dout′`.

    An input that is called as another one is named after the entry that made it, as `entry 1′`; and the cotangent is
    named after the output only where no input is called as that.
    """
    given = tuple(v.name or f'input {k + 1}' for k, v in enumerate(entry.inputs))
    if len(set(given)) < len(set(entry.keys)):
        given = tuple(told_apart(record, entry, k, given) for k in range(len(given)))
    named, own = entry.outputs[0].name if entry.outputs else '', f'entry {entry.label}'
    order = max(run.level - 1, 0) if run is not None else entry.level
    wanted = [entry.facts.dout] if entry.kind == 'call' and entry.facts else []
    wanted += [gradient(named)] if entry.kind not in TAKEN and named not in ('', *given) and not order else []
    wanted += [f'dout{PRIMES[min(order, len(PRIMES) - 1)]}', gradient(own)]
    free = lambda *names: next(n for n in names if n and n not in given)
    return Called(given, free(named, 'out', own), free(*wanted))


def told_apart(record: Record, entry: Entry, k: int, names: tuple[str, ...]) -> str:
    """The name of an input that another one has, too: which entry made it, else of which entry it is the cotangent."""
    keys = [key for key, name in zip(entry.keys, names, strict=False) if name == names[k]]
    if k >= len(entry.keys) or len(set(keys)) < 2:
        return names[k]
    if (made := next((e for e in record.entries if entry.keys[k] in e.made), None)) is not None:
        return f'entry {made.label}'
    by = record.entries[record.readings[entry.by].entry] if entry.by is not None else None
    return gradient(f'entry {by.label}') if by is not None and entry.keys[k] == max(keys) else names[k]


def formulas(record: Record, entry: Entry, run: Pass | None = None, dout: Value | None = None) -> list[Formula]:
    """One for each input that gets a gradient in a run. `dout`: what came, once it has come."""
    names, out, found = called(record, entry, run), entry.outputs[0] if len(entry.outputs) == 1 else None, []
    for k, value in enumerate(entry.inputs if out is not None else ()):
        if value.name and value.data is not None and value.data.dtype.kind == 'f':
            how = template_of(entry, k)
            known = Called(tuple(map(digits, entry.inputs)), digits(out), digits(dout))
            counted = filled(of_numbers(how), known) if ', ' not in how else ''
            found.append(Formula(k, gradient(names.inputs[k]), filled(how, names), counted))
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


def filled(how: str, names: Called) -> str:
    """A template with names in it, or with numbers; '' where it needs one that is not there.

    >>> filled('cos({0}) × {dout}', Called(('a + b',), 'out', 'd(z)')), filled('{1}', Called(('x',), 'y', 'dy'))
    ('cos(a + b) × d(z)', '')
    """
    known = {str(k): name for k, name in enumerate(names.inputs)} | names._asdict()
    if not how or not all(known.get(field) for field in FIELD.findall(how)):
        return ''
    if how == '{dout}':
        return names.dout
    said = FIELD.sub(lambda field: part(known[field[1]]), how)
    return re.sub(r'\(\(([^()]*)\)\)', r'(\1)', said)


def of_numbers(how: str) -> str:
    """A template where each value is a single number, and is turned into itself.

    >>> of_numbers('{dout} @ {1}.T'), of_numbers('{0}.mT @ {dout}')
    ('{dout} × {1}', '{0} × {dout}')
    """
    return how.replace('.mT', '').replace('.T', '').replace('@', '×')


def digits(v: Value | None) -> str:
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


# ---- what a rule makes ----


def template_of(entry: Entry, k: int) -> str:
    """What the rule of an entry makes for its k-th input."""
    return template(entry.name, entry.rule, k, entry.inputs, entry.outputs[0])


def template(name: str, rule: Any, k: int, values: tuple[Value, ...], out: Value) -> str:
    """What a rule makes for its k-th input, with {0}, {1}, {out} and {dout} for the values: `{dout} × {1}`."""
    longer = TABLE.get(name, '')
    if isinstance(longer, str) and longer:
        return longer if k == 0 else ''
    function = (getattr(rule, 'dx', None), getattr(rule, 'dy', None), None)[min(k, 2)]
    tree = expression(inspect.unwrap(function).__code__) if isinstance(function, FunctionType) else None
    if tree is None:
        return longer(k, values, out) if longer else ''
    names = {a.arg: f'{{{n}}}' for n, a in enumerate(tree.args.args[2:])}
    how = worded(tree.body, names | dict(g='{dout}', out='{out}'))
    return product(how, k, values, out) if '@' in how else summed(how, out.shape, values[k].shape)


def summed(how: str, came: tuple[int, ...], due: tuple[int, ...]) -> str:
    """A formula whose result has one shape, for an input that was broadcast from another: what is left over is added.

    >>> summed('g', (2, 3), (3,)), summed('g', (2, 3), (2, 1)), summed('g', (2, 3), ()), summed('g', (4, 2, 3), (2, 3))
    ('g, summed over rows', 'g, summed over columns', 'g, summed', 'g, summed over axis 0')
    """
    if not how or np.prod(came) == np.prod(due):
        return how
    wide = (1,) * (len(came) - len(due)) + due
    axes = [i for i, (n, m) in enumerate(zip(came, wide, strict=True)) if n != m]
    if np.prod(due) == 1:
        return f'{how}, summed'
    if len(came) == 2:
        return f'{how}, summed over {("rows", "columns")[axes[0]]}'
    return f'{how}, summed over {"axis" if len(axes) == 1 else "axes"} {" and ".join(map(str, axes))}'


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
    weights = {1: 'outer({dout}, {0})', 2: '{dout}.T @ {0}'}.get(len(out.shape), '')
    return broadcast(k, values, out) if k == 2 else weights if k else '{dout} @ {1}'


def broadcast(k: int, values: tuple[Value, ...], out: Value) -> str:
    """Of what was repeated."""
    return summed('{dout}', out.shape, values[k].shape)


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


# What stands for a longer rule: {0} is the first input, {1} the second.
TABLE: dict[str, str | Callable] = {
    'ReduceSum': '{dout}, to each number', 'ReduceMean': '{dout} / n, to each number',
    'ReLU': '{dout} where {0} > 0, else 0', 'Reshape': '{dout}, in the old shape',
    'Transpose': '{dout}, turned back', 'BroadcastTo': broadcast, 'Cast': '{dout}',
    'Sigmoid': '{dout} × {out} × (1 − {out})', 'ReduceMax': best('largest', np.max),
    'ReduceMin': best('smallest', np.min), 'MatMul': matmul, 'BatchMatMul': matmul, 'Dense': dense,
    'Softmax': softmax, 'CrossEntropy': cross_entropy,
}  # fmt: skip


# ---- what is read from the source of a rule ----


@lru_cache(maxsize=style.FORMULAS)
def expression(code: CodeType) -> ast.Lambda | None:
    """The lambda that has this code, as it is written."""
    lines = linecache.getlines(code.co_filename)
    try:
        tree = _parsed(code.co_filename, len(lines))
    except (SyntaxError, ValueError):
        return None
    at = min(((line, column) for line, _, column, end in code.co_positions() if line and end), default=None)
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno)
    return next((n for n in found if (n.body.lineno, n.body.col_offset) == at), None)  # (at: where its body begins)


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
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            a, b = worded(left, names), worded(right, names)
            a = f'({a})' if a and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add | ast.Sub) else a
            wraps = isinstance(right, ast.BinOp) and not isinstance(op, ast.Add)
            return a and b and f'{a} {SIGNS[type(op)]} {f"({b})" if wraps else b}'
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name.startswith('_') and '_' not in name[1:]:
            inner = worded(argument, names)
            return inner and f'{name[1:]}({inner})'
        case ast.Call(func=ast.Name(id=name), args=[left, right]) if name in TURNED:
            a, b = worded(left, names), worded(right, names)
            return a and b and TURNED[name].format(a, b)
    return ''
