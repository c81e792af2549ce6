"""The rule of an op as a formula: `dout × y`, read from the rule itself; with numbers where all of them are single.

Most rules are one expression in the source, beside their kernel; what they are is read from there. Those that are
longer have their formula in a table. A formula is built from the names under which the values of its entry stand in the
picture (`called`), and no two of these are alike. Where the shapes say that a sum follows, the formula says it, too.
"""

import ast
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..ink import numbers
from ..story.events import PRIMES
from ..story.names import gradient, is_number, part
from ..story.record import Entry, Ghost, Pass, Record, Value
from ..story.source import function as source_of
from . import style

TAKEN = ('call', 'hook')  # kinds of entries that the user's own code takes over
NAMES = {
    'ReduceSum': 'sum', 'ReduceMean': 'mean', 'CrossEntropy': 'cross entropy', 'HookIn': 'entrance', 'HookOut': 'exit',
}  # fmt: skip

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
    what the first has done with its `dout`, what comes in is called `dout′`. The cotangent is named after the output
    only where no input is called as that."""
    given = names_of_inputs(record, entry)
    named, own = entry.outputs[0].name if entry.outputs else '', f'entry {entry.label}'
    order = max(run.level - 1, 0) if run is not None else entry.level
    wanted = [entry.facts.dout] if entry.kind == 'call' and entry.facts else []
    wanted += [gradient(named)] if entry.kind not in TAKEN and named not in ('', *given) and not order else []
    wanted += [f'dout{PRIMES[min(order, len(PRIMES) - 1)]}', gradient(own)]
    free = lambda *names: next(n for n in names if n and n not in given)
    return Called(given, free(named, 'out', own), free(*wanted))


def names_of_inputs(record: Record, entry: Entry) -> tuple[str, ...]:
    """What an entry's inputs are called: as in the program; a number that has no name there is written."""
    whose, pairs = arguments(record), enumerate(zip_longest(entry.keys, entry.inputs))
    named = ((k, v, whose.get((key, v.name), v.name)) for k, (key, v) in pairs if v is not None)
    return tuple(name or number(v) or f'input {k + 1}' for k, v, name in named)


@lru_cache(maxsize=style.RECORDS)
def makers(record: Record) -> dict[int, int]:
    """Which entry made each tensor."""
    return {key: i for i, e in enumerate(record.entries) for key in e.made}


@lru_cache(maxsize=style.RECORDS)
def arguments(record: Record) -> dict[tuple[int, str], str]:
    """Whose an argument of a Cell with a bprop is, where the program calls another tensor by that name: `Net’s x`."""
    calls = {i for i, e in enumerate(record.entries) if e.kind == 'call'}
    inside = {i for i, e in enumerate(record.entries) if e.by is not None and record.readings[e.by].entry in calls}
    named = {(a.key, a.of) for run in record.passes for a in run.arrivals}
    for i, e in enumerate(record.entries):
        read = () if i in calls | inside else zip(e.keys, (v.name for v in e.inputs), strict=False)
        named |= {*read, *zip(e.made, (v.name for v in e.outputs), strict=False)}
    taken = {name for _, name in named} - {''}
    own = {
        (key, v.name): e for e in (record.entries[i] for i in calls) for key, v in zip(e.keys, e.inputs, strict=False)
    }
    return {each: f'{e.name}’s {each[1]}' for each, e in own.items() if each[1] in taken and each not in named}


def formulas(record: Record, entry: Entry, run: Pass | None = None, dout: Value | None = None) -> list[Formula]:
    """One for each input that gets a gradient in a run. `dout`: what came, once it has come."""
    names, out, found = called(record, entry, run), entry.outputs[0] if len(entry.outputs) == 1 else None, []
    for k, value in enumerate(entry.inputs if out is not None else ()):
        if value.name and value.data is not None and value.data.dtype.kind == 'f':
            how = template(entry, k)
            known = Called(tuple(map(digits, entry.inputs)), digits(out), digits(dout))
            single = how.replace('.mT', '').replace('.T', '').replace('@', '×') if ', ' not in how else ''
            found.append(Formula(k, gradient(names.inputs[k]), filled(how, names), filled(single, known)))
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
    inputs = tuple(v.name or digits(v) if place is None else given[place] for place, v in own)
    return filled(template(ghost, ghost.places.index(k)), names._replace(inputs=inputs))


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
    said = re.sub(r'\(-([\d.]+)\)', r'(−\1)', said)  # a number that the code has
    said = re.sub(r'(−[\d.]+) \*\*', r'(\1) **', said)
    return re.sub(r'\(\(([^()]*)\)\)', r'(\1)', said)


def number(v: Value) -> str:
    """A single number that nobody has named, if few digits show it exactly; else ''."""
    return digits(v) if v.data is not None and v.data.size == 1 and numbers.exact(v.data.item()) is not None else ''


def digits(v: Value | None) -> str:
    """A single number, as the code has it or as it is written; else ''."""
    if v is not None and is_number(v.name):
        return v.name.replace('-', '−')
    return numbers.said(v.data.item()) if v is not None and v.data is not None and v.data.size == 1 else ''


# ---- what a rule makes ----


def template(of: Entry | Ghost, k: int) -> str:
    """What a rule makes for its k-th input, with {0}, {1}, {out} and {dout} for the values: `{dout} × {1}`."""
    if of.rule is None:
        return ''  # a whole Cell in one card
    how = TABLE.get(of.name, '')
    if how and isinstance(how, str):
        return how * (k == 0)
    how = written(of.rule, k) or (how(k, of) if how else '')
    due, came = of.inputs[k].shape, of.outputs[0].shape
    if '@' in how and len(came) > 2:  # of many matrices, each is turned
        how = how.replace('.T', '.mT')
    return summed(how, (*came[:-2], *due[-2:]) if '@' in how else came, due)


def summed(how: str, came: tuple[int, ...], due: tuple[int, ...]) -> str:
    """A formula whose result has one shape, for an input that was broadcast from another: what is left over is added.

    >>> summed('g', (2, 3), (3,)), summed('g', (2, 3), (2, 1)), summed('g', (2, 3), ()), summed('g', (4, 2, 3), (2, 3))
    ('g, summed over rows', 'g, summed over columns', 'g, summed', 'g, summed over axis 0')
    """
    if not how or np.prod(came) <= np.prod(due):
        return how
    wide = (1,) * (len(came) - len(due)) + due
    axes = [i for i, (n, m) in enumerate(zip(came, wide, strict=True)) if n != m]
    if np.prod(due) == 1:
        return f'{how}, summed'
    if len(came) == 2:
        return f'{how}, summed over {("rows", "columns")[axes[0]]}'
    return f'{how}, summed over {"axis" if len(axes) == 1 else "axes"} {" and ".join(map(str, axes))}'


def power(k: int, of: Entry | Ghost) -> str:
    """Of a number that is raised to another, most often to one that the code has."""
    x, n = (v.data for v in of.inputs)
    if k:
        return '{dout} × {out} × log({0})' * bool((x > 0).all())
    by = numbers.said(n.item() - 1) if n.size == 1 else '({1} − 1)'
    return '{dout} × {1}' + {'0': '', '1': ' × {0}'}.get(by, f' × {{0}} ** {by}') if n.all() else ''


def matmul(k: int, of: Entry | Ghost) -> str:
    """Of two matrices, of a matrix and a vector, of two vectors; of many matrices."""
    ranks = tuple(len(v.shape) for v in of.inputs)
    return PRODUCTS.get(ranks, PRODUCTS[2, 2] if min(ranks) > 1 else ('', ''))[k]


def dense(k: int, of: Entry | Ghost) -> str:
    """Of a layer: its weights turned, and a bias that is added to each row."""
    weights = {1: 'outer({dout}, {0})', 2: '{dout}.T @ {0}'}.get(len(of.outputs[0].shape), '')
    return ('{dout} @ {1}', weights, '{dout}')[k]


def softmax(k: int, of: Entry | Ghost) -> str:
    """Of one row, or of each."""
    out = of.outputs[0].data
    if out.ndim > 1 and not np.allclose(out.sum(-1), 1):
        return ''
    return '{out} × ({dout} − sum({dout} × {out}))' + ', row by row' * (out.ndim > 1)


def cross_entropy(k: int, of: Entry | Ghost) -> str:
    """Of labels, one for each row, or of their mean; '' where they have weights."""
    labels, (divisor, _) = of.inputs[1].data, of.op.attrs
    if k or divisor not in (1, len(labels)) or not np.allclose(labels.sum(1), 1):
        return ''
    return '{dout} × (softmax − labels)' + ' / n' * (divisor == len(labels))


def best(word: str) -> Callable:
    """Of the largest number, or the smallest: of all, or of each row or column."""

    def chosen(k: int, of: Entry | Ghost) -> str:
        how, axes = f'{{dout}}, to the {word}', of.op.attrs[0]
        if np.prod(of.outputs[0].shape) == 1:
            return how
        return f'{how} of each {("column", "row")[axes[0]]}' if len(of.inputs[0].shape) == 2 and len(axes) == 1 else ''

    return chosen


# By the ranks of the two factors: for the first, and for the second.
PRODUCTS = {
    (1, 1): ('{dout} × {1}', '{dout} × {0}'), (1, 2): ('{dout} @ {1}.T', 'outer({0}, {dout})'),
    (2, 1): ('outer({dout}, {1})', '{0}.T @ {dout}'), (2, 2): ('{dout} @ {1}.T', '{0}.T @ {dout}'),
}  # fmt: skip
# What stands for a longer rule: {0} is the first input, {1} the second.
TABLE: dict[str, str | Callable] = {
    'ReduceSum': '{dout}, to each number', 'ReduceMean': '{dout} / n, to each number',
    'ReLU': '{dout} where {0} > 0, else 0', 'Reshape': '{dout}, in the old shape',
    'Transpose': '{dout}, turned back', 'BroadcastTo': lambda *of: '{dout}', 'Cast': '{dout}',
    'Sigmoid': '{dout} × {out} × (1 − {out})', 'ReduceMax': best('largest'),
    'ReduceMin': best('smallest'), 'MatMul': matmul, 'BatchMatMul': matmul, 'Dense': dense,
    'Softmax': softmax, 'CrossEntropy': cross_entropy, 'Pow': power, 'Square': '{dout} × 2 × {0}',
}  # fmt: skip


# ---- what is read from the source of a rule ----

# How a rule's source is spelled in a formula: two ops of the engine's own, its constants, and the signs.
SPELLED = (
    (r'_turned_by\((\w+), (\w+)\)', r'\1.T @ \2'), (r'_by_turned\((\w+), (\w+)\)', r'\1 @ \2.T'),
    (r'ONE\[\w+\.dtype\]', '1'), (r'LN(\d+)', r'log(\1)'), (r'\b_(\w+)\(', r'\1('), (r' \* ', ' × '), ('-', '−'),
)  # fmt: skip
KERNELS = {'sin', 'cos', 'exp', 'log', 'sqrt', 'sinh', 'cosh', 'sign'}  # the functions that a formula may name
WORD = re.compile(r'(?<![\w.])[A-Za-z_]\w*(?!\w*\()')


def written(rule: Any, k: int) -> str:
    """What a rule makes for its k-th input, where that is one expression in the source."""
    function = (getattr(rule, 'dx', None), getattr(rule, 'dy', None), None)[min(k, 2)]
    return worded(inspect.unwrap(function).__code__) if isinstance(function, FunctionType) else ''


@lru_cache(maxsize=style.FORMULAS)
def worded(code: CodeType) -> str:
    """The lambda that has this code as a template; '' where it says more than a formula can."""
    found = source_of(code)
    if found is None or not isinstance(found.node, ast.Lambda):
        return ''
    names = {a.arg: f'{{{n}}}' for n, a in enumerate(found.node.args.args[2:])} | {'g': '{dout}', 'out': '{out}'}
    said = ast.unparse(found.node.body)
    for source, words in SPELLED:
        said = re.sub(source, words, said)
    known = KERNELS.issuperset(re.findall(r'(\w+)\(', said)) and names.keys() >= set(WORD.findall(said))
    return WORD.sub(lambda word: names[word[0]], said) if known and re.fullmatch(r'[\w\s.()@/+×−*]*', said) else ''
