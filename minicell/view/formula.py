"""The rule of an op as a formula: `dout × y`; with numbers where all of them are single.

What a rule makes stands in one table. A formula is built from the names under which the values of its entry stand in
the picture (`called`), and no two of these are alike. Where the shapes say that a sum follows, the formula says so.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ..ink import numbers
from ..ops.matmul import by_turned, turned_by
from ..story.events import PRIMES
from ..story.names import gradient, is_number, part
from ..story.record import Entry, Ghost, Pass, Record, Value
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


def order(run: Pass | None) -> int:
    """How many gradients are inside one whose results it reads: 0 of the first."""
    return max(run.level - 1, run.outermost and not run.asked) if run is not None else 0


def gradient_of(name: str, order: int) -> str:
    """What the gradient of a value is called: that of a second one has a ′, as its `dout` has.

    >>> gradient_of('x', 0), gradient_of('x', 1), gradient_of('dx', 1)
    ('dx', 'dx′', 'd(dx)′')
    """
    said = f'd({name})' if order and name.startswith('d') else gradient(name)
    return said + PRIMES[min(order, len(PRIMES) - 1)] * bool(name)


def called(record: Record, entry: Entry, run: Pass | None = None) -> Called:
    """The names of an entry's values, as one gradient reads it (`run`): on the way back of a second one, which reads
    what the first has done with its `dout`, what comes in is called `dout′`. The cotangent is named after the output
    only where no input is called as that."""
    given = names_of_inputs(entry)
    named, own = entry.outputs[0].name if entry.outputs else '', f'entry {entry.label}'
    deep = order(run) if run is not None else entry.level
    wanted = [entry.facts.dout] if entry.kind == 'call' and entry.facts else []
    wanted += [gradient(named)] if entry.kind not in TAKEN and named not in ('', *given) and not deep else []
    wanted += [f'dout{PRIMES[min(deep, len(PRIMES) - 1)]}', gradient(own)]
    free = lambda *names: next(n for n in names if n and n not in (*given, *entry.own))
    return Called(given, free(named, 'out', own), free(*wanted))


def names_of_inputs(entry: Entry) -> tuple[str, ...]:
    """What an entry's inputs are called: as in the program; a number that has no name there is written."""
    exact = lambda v: v.data is not None and v.data.size == 1 and numbers.exact(v.data.item()) is not None
    return tuple(v.name or digits(v) * exact(v) or f'input {k + 1}' for k, v in enumerate(entry.inputs))


@lru_cache(maxsize=style.RECORDS)
def makers(record: Record) -> dict[int, int]:
    """Which entry made each tensor."""
    return {key: i for i, e in enumerate(record.entries) for key in e.made}


def formulas(record: Record, entry: Entry, run: Pass | None = None, dout: Value | None = None) -> list[Formula]:
    """One for each input that gets a gradient in a run. `dout`: what came, once it has come."""
    names, out, found = called(record, entry, run), entry.outputs[0] if len(entry.outputs) == 1 else None, []
    for k, value in enumerate(entry.inputs if out is not None else ()):
        if value.name and value.data is not None and value.data.dtype.kind == 'f':
            how = template(entry, k)
            known = Called(tuple(map(digits, entry.inputs)), digits(out), digits(dout))
            single = how.replace('.mT', '').replace('.T', '').replace('@', '×') if ', ' not in how else ''
            name = gradient_of(names.inputs[k], order(run))
            found.append(Formula(k, name, filled(how, names), filled(single, known)))
    return [f for f in found if f.said not in ('', f.name)]  # (the latter of a name that was given anew)


def displaced(record: Record, entry: Entry, ghost: Ghost, k: int) -> str:
    """How the rule of the one op that a takeover hid would have made the gradient of the k-th tensor it was given.

    Which input of the op that is, the tensors tell, whatever the code calls them on the way; a number in the code that
    nobody gave stands for itself. '' where the op reads the tensor twice or not at all, or the Cell returns another.
    """
    if ghost.places.count(k) != 1 or not ghost.whole:
        return ''
    names = called(record, entry)
    given = [name for name, v in zip(entry.own, entry.inputs, strict=True) if v.data is not None]
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
    made, due, came = TABLE.get(of.name, ()), of.inputs[k].shape, of.outputs[0].shape
    if isinstance(made, str):  # of a rule that adds nothing up
        return made * (k == 0)
    how = made(k, of) if callable(made) else made[k] if k < len(made) else ''
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
    if of.op.rule in TURNED:
        return TURNED[of.op.rule][k]
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


def best(word: str, k: int, of: Entry | Ghost) -> str:
    """Of the largest number, or the smallest: of all, or of each row or column."""
    how, axes = f'{{dout}}, to the {word}', of.op.attrs[0]
    if np.prod(of.outputs[0].shape) == 1:
        return how
    return f'{how} of each {("column", "row")[axes[0]]}' if len(of.inputs[0].shape) == 2 and len(axes) == 1 else ''


# By the ranks of the two factors: for the first, and for the second.
PRODUCTS = {
    (1, 1): ('{dout} × {1}', '{dout} × {0}'), (1, 2): ('{dout} @ {1}.T', 'outer({0}, {dout})'),
    (2, 1): ('outer({dout}, {1})', '{0}.T @ {dout}'), (2, 2): ('{dout} @ {1}.T', '{0}.T @ {dout}'),
}  # fmt: skip
TURNED = {  # x @ y.T and x.T @ y, which backward of a product is made of
    by_turned.rule: ('{dout} @ {1}', '{dout}.T @ {0}'), turned_by.rule: ('{1} @ {dout}.T', '{0} @ {dout}'),
}  # fmt: skip
# What each rule makes: {0} is the first input, {1} the second.
TABLE: dict[str, str | tuple[str, str] | Callable] = {
    'Add': ('{dout}', '{dout}'), 'Sub': ('{dout}', '−{dout}'), 'Mul': ('{dout} × {1}', '{dout} × {0}'),
    'Div': ('{dout} / {1}', '−{dout} × {out} / {1}'), 'Pow': power, 'Neg': '−{dout}', 'Abs': '{dout} × sign({0})',
    'Square': '{dout} × 2 × {0}', 'Sqrt': '{dout} / (2 × {out})', 'Rsqrt': '−{dout} × {out} / (2 × {0})',
    'Reciprocal': '−{dout} × {out} × {out}', 'Exp': '{dout} × {out}', 'Expm1': '{dout} × ({out} + 1)',
    'Log': '{dout} / {0}', 'Log2': '{dout} / ({0} × log(2))', 'Log1p': '{dout} / ({0} + 1)',
    'Sin': '{dout} × cos({0})', 'Cos': '−{dout} × sin({0})', 'Tan': '{dout} × (1 + {out} × {out})',
    'Sinh': '{dout} × cosh({0})', 'Cosh': '{dout} × sinh({0})', 'Tanh': '{dout} × (1 − {out} × {out})',
    'Asin': '{dout} / sqrt(1 − {0} × {0})', 'ACos': '−{dout} / sqrt(1 − {0} × {0})',
    'Asinh': '{dout} / sqrt({0} × {0} + 1)', 'Acosh': '{dout} / sqrt({0} × {0} − 1)',
    'Atan': '{dout} / ({0} × {0} + 1)', 'Atanh': '{dout} / (1 − {0} × {0})',
    'Sigmoid': '{dout} × {out} × (1 − {out})', 'ReLU': '{dout} where {0} > 0, else 0',
    'ReduceSum': '{dout}, to each number', 'ReduceMean': '{dout} / n, to each number',
    'ReduceMax': partial(best, 'largest'), 'ReduceMin': partial(best, 'smallest'),
    'Reshape': '{dout}, in the old shape', 'Transpose': '{dout}, turned back', 'BroadcastTo': ('{dout}', ''),
    'Cast': '{dout}', 'MatMul': matmul, 'BatchMatMul': matmul, 'Dense': dense, 'Softmax': softmax,
    'CrossEntropy': cross_entropy,
}  # fmt: skip
