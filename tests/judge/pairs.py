"""Pairs of a right and a wrong bprop for one construct, made of a table, and the verdict that each input is due.

A line of the table, `pairs.txt`: name | inputs | construct | the gradients of the inputs ;; of Parameters, by name. The
last statement of construct and of bprop is what it returns. Options stand on lines below, after a +:

    init     lines of `__init__`
    due      verdicts of the right bprop, one an input ('right' where nothing is said; a/b: either)
    bad K    another gradient for place K, which is wrong, or what stands behind =>
    may      why 'unknown' is allowed
    ask      the places whose gradient is asked for: all, unless told
    only     how many bits the inputs may have
    ways     no: wrong ones are those of `bad` alone
    exact    the numbers of one input are of very different size
    around   what stands around the Cell

A heading with ! is of the hard kind.
"""

import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach.about import exercise
from tests.judge.built import Case, Setting, asked, built, cases, differences, leaves, values

# ---- pairs -----------------------------------------------------------------------------------------------------------

WAYS = {
    'sign': '-{g}', 'twice': '2 * {g}', 'two percent': '1.02 * {g}', 'zero': '0 * {g}', 'no dout': '',
    'dout squared': '', 'absolute': 'ops.abs({g})', 'transposed': '{g}.T', 'times itself': '{g} * {x}',
    'size': '{g} * {x}.size',
    'summed': '0 * {g} + {g}.sum()', 'none': 'None', 'swapped': '', 'hole': "spoilt({g}, 'hole')",
    'one off': "spoilt({g}, 'one off')", 'smallest': "spoilt({g}, 'smallest')", 'nan': "spoilt({g}, 'nan')",
    'rolled': "spoilt({g}, 'rolled')",
}  # fmt: skip
FINE = {'two percent', 'one off', 'smallest', 'absolute', 'rolled'}  # too fine for Float16
BEFORE = {
    'no dout': 'dout = mapped(lambda g: ops.ones_like(g) if is_float(g) else g, dout)',
    'dout squared': 'dout = mapped(lambda g: g * g if is_float(g) else g, dout)',
}
EACH = 3  # ways, for each input


class Pair(NamedTuple):
    """A construct with a right and a wrong bprop."""

    case: Case
    way: str
    edits: Any  # what the wrong one has instead
    right: Any
    bits: int
    said: dict[int, str] = {}  # noqa: RUF012  # the verdicts of the wrong one, where the table gives them

    @property
    def name(self) -> str:
        """What is tried."""
        return f'{self.case.name} · {self.way} · Float{self.bits}'


def edits_of(way: str, k: int, case: Case) -> dict | None:
    """What the wrong bprop has instead; None where there is no such thing."""
    shapes = [a.shape for a in leaves(values(case, Setting()))]
    if way in BEFORE:
        return {'before': [BEFORE[way]]}
    if k >= len(shapes):
        return {k: WAYS[way]} if WAYS[way] and '{x}' not in WAYS[way] and way != 'transposed' else None
    if way == 'transposed':
        return {k: WAYS[way]} if len(shapes[k]) == 2 and shapes[k][0] == shapes[k][1] > 1 else None
    if way == 'swapped':
        fellow = next((j for j in range(len(shapes)) if j != k and shapes[j] == shapes[k]), None)
        return None if fellow is None else {'swap': (k, fellow)}
    return {k: WAYS[way]}


def table() -> Iterator[Pair]:
    """All pairs of the table: of each input, the next few ways that fit it, in the next dtype."""
    turn = 0
    for case in cases():
        for n, (k, text, due) in enumerate(case.bads):
            bits = case.bits[n % len(case.bits)]
            yield Pair(case, f'{text} for {k}', {k: text}, {}, bits, {k: due})
        sure = 'kink' not in case.options.get('due', '') and case.options.get('ways') != 'no'
        for k in asked(case, {}, Setting(bits=min(case.bits, key=lambda b: b == 16))).asked * sure:
            made = 0
            for step in range(len(WAYS)):
                way = list(WAYS)[(turn + step) % len(WAYS)]
                bits = case.bits[(turn + made) % len(case.bits)]
                edits = edits_of(way, k, case)
                graph = case.around == 'graph' and ('spoilt' in WAYS[way] or way in BEFORE)
                if edits is None or graph or (way in FINE and bits == 16):
                    continue
                pair = Pair(case, f'{way}, {k}', edits, {}, bits)
                if 'wrong' in dues(pair, True, Setting(bits)).values():
                    yield pair
                    made += 1
                if made == EACH:
                    break
            turn += 5


def dues(pair: Pair, wrong: bool, s: Setting) -> dict[int, str]:
    """The verdicts that are due, by place: a/b where either is, '' where that is in doubt."""
    case, exact = pair.case, s._replace(bits=64 if 64 in pair.case.bits else 32, layout='')
    edits = pair.edits if wrong else pair.right
    right = differences(case, edits, exact) if case.lesson else reckoned(case, {}, exact) if wrong else {}
    yours = reckoned(case, edits, exact)
    rough = reckoned(case, {}, s) if s.bits == 16 and wrong else {}
    found = {}
    for k, g in yours.items():
        due, said = case.due(k), pair.said.get(k, 'wrong') if wrong else 'wrong'
        if k in pair.said and wrong and (said != 'wrong' or 'kink' in due):
            found[k] = said
        elif due == 'surrogate':
            found[k] = 'wrong' if np.isnan(g).any() else 'surrogate' if g.any() else 'right'
        else:
            same = (
                compared(g, right[k], s.bits, 'exact' in case.options, rough.get(k, right[k]))
                if k in right
                else 'right'
            )
            found[k] = same if due == 'right' else due if same == 'right' else ''
    return found


def compared(yours: np.ndarray, due: np.ndarray, bits: int, exact: bool, rough: np.ndarray) -> str:
    """Right or wrong; '' for what roundings might be; rough: the due one in its own dtype."""
    if yours.shape != due.shape:
        return ''
    with np.errstate(all='ignore'):
        off = np.where((yours == due) | np.isnan(due), 0, np.abs(yours - due))
    off, size = np.nan_to_num(off, nan=np.inf), np.abs(np.where(np.isfinite(due), due, 0))
    room = {64: (1e-3, 1e-9), 32: (2e-3, 1e-4), 16: (5e-2, 5e-2)}[bits]
    largest = 0 if exact else size.max(initial=0)
    if (off > room[0] * size + room[1] * largest + 20 * np.nan_to_num(np.abs(rough - due))).any():
        return 'wrong'
    return 'right' if (off <= 1e-6 * size + 1e-7 * largest).all() else ''


def reckoned(case: Case, edits: Any, s: Setting) -> dict[int, np.ndarray]:
    """The gradients that a bprop gives."""
    with np.errstate(all='ignore'):
        return asked(case, edits, s).gradients()


# ---- the lessons -----------------------------------------------------------------------------------------------------

of = lambda name, *given: lambda space: space[name](*given)
LESSONS = {  # an exercise: the inputs, what makes the Cell of its code, the verdict of the solution
    '2a': ('x=n(3,2), y=n(3,2)', of('XSinY')),
    '3a': ('x=n(B,B), y=n(B,B)', of('MatMul')),
    '5b': ('x=n(4), y=n(B,4), k=3', of('Blend')),
    '6c scale': ('x=n(B,4), w=n(4)', lambda space: space['CELLS'][0]()),
    '6c shift': ('x=n(B,4), b=n(4)', lambda space: space['CELLS'][1]()),
    '6c bend': ('x=n(B,4)', lambda space: space['CELLS'][2]()),
    '7a': ('x=n(5,2)', of('DropRows', 0.6)),
    '7b': ('x=n(5,2)', of('DropRows', 0.6)),
    '9a': ('x=n(4)', of('Cube')),
    '9b': ('x=n(4)', of('Sinh')),
    '10a': ('x=n(B,3)', of('Affine')),
    '11a': ('x=n(6)', of('Leaky')),
    '12a': ('x=n(6)', lambda space: space['Neuron']().surrogate, 'surrogate'),
    '14b': ('x=n(6)', of('Sign'), 'surrogate'),
    '14c': ('x=n(4)', of('Clip', 1.0)),
    '15a': ('x=n(2,3), w=n(3,2)', of('Recompute', lambda x, w: ops.tanh(x @ w))),
    '15b': ('x=n(9)', of('KeepDice', lambda x: x * x * ms.Tensor(np.random.random(x.shape) < 0.5))),
}


def lessons() -> Iterator[Pair]:
    """The solutions and the stored mistakes, where they are Cells whose bprop returns what is due in form."""
    for name, (inputs, make, *due) in LESSONS.items():
        asked_for = exercise(name.split()[0])
        case = Case('lessons', False, name, inputs, options={'due': ' '.join(due)}, lesson=make)
        for n, mistake in enumerate(asked_for.mistakes):
            pair = Pair(case, mistake.name, mistake.code, asked_for.solution, case.bits[n % 2])
            with suppress(Exception):  # where its form is wrong, the engine says so
                own = getattr(built(case, mistake.code, Setting()), 'bprop', None)
                if own and (
                    'wrong' in dues(pair, True, Setting()).values() or name[:2] != '6c'
                ):  # of three, one is wrong
                    yield pair


@cache
def pairs() -> list[Pair]:
    """All of them."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return [*table(), *lessons()]
