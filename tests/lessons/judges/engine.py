"""Judges of the six steps of lesson 13: the step is completed by the stored later ones, and the engine has to work.

Its gradients, up to the order that the step makes possible, are compared with derivatives of plain NumPy functions; and
what each step says of entries and addresses is asked of the engine in these words.
"""

from collections import ChainMap
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.lesson13.engine import STEPS, solution
from tests.lessons.judges.judge import Judge, near, noted, numbers, slopes

SMALL, SQUARE = numbers(2, 2, seed=130), numbers(2, 2, seed=131)


def engine(space: dict[str, Any], steps: range) -> SimpleNamespace:
    """The learner's namespace, with the solutions of some steps run in it, on an empty tape."""
    for k in steps:
        exec(solution(STEPS[k - 1]), space)
    space['entries'].clear()
    exp = {'exp': space['op']('Exp', np.exp, lambda dout, out, x: (dout * out,))} if 'op' in space else {}
    return SimpleNamespace(**{**space, **exp})


def programs(m: Any, fan_out: bool) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Programs on an engine, or on NumPy under the same names; those without fan-out use each value once."""
    found = {
        'chain': (lambda x: m.sin(m.cos(x * 3.0)), (0.4,)),
        'first entry': (lambda x: m.cos(x), (0.9,)),
        'matrices': (lambda x, y: m.matmul(m.turn(x), m.sin(y)), (SMALL, SQUARE)),
        'an input alone': (lambda x, y, z: -m.sin(y), (2.0, 0.3, SMALL)),
        'constant first': (lambda x: m.mul(m.Tensor(3.0), x) + 2.0, (0.7,)),
        'leaf': (lambda x: x, (0.5,)),
        'rule of out': (lambda x: m.cos(m.exp(m.sin(x))), (0.3,)),
        'not used': (lambda x: (m.cos(x), m.sin(m.cos(x)), m.sin(x))[1], (0.8,)),
    }
    if fan_out:
        found |= {
            'square': (lambda x: x * x, (1.7,)),
            'several': (lambda x, y: m.sin(x) * y * m.sin(x) + y * y, (SMALL, SQUARE)),
            'twice a product': (lambda x, y: m.matmul(x, y) + m.matmul(x, y) * x, (SMALL, SQUARE)),
            'three constants': (
                lambda x: m.matmul(m.matmul(m.Tensor(np.ones((3, 2))), m.matmul(x, m.Tensor(SQUARE))), m.Tensor(SMALL)),
                (SMALL,),
            ),
        }
    return found


PLAIN = SimpleNamespace(
    exp=np.exp, sin=np.sin, cos=np.cos, mul=np.multiply, matmul=np.matmul, turn=np.transpose, Tensor=np.asarray
)


def gradients(m: SimpleNamespace, fan_out: bool) -> dict[str, Any]:
    """All gradients of the programs, each on an empty tape and on one that has entries."""
    did: dict[str, Any] = {}
    for name, (f, given) in programs(m, fan_out).items():
        for spare in (0, 2):
            m.entries.clear()
            for _ in range(spare):
                m.write('Spare', None, (), np.float32(1))
            with noted(did, f'{name} {spare}'):
                inputs = [m.Tensor(each) for each in given]
                found = m.gradients(f)(*inputs)
                did |= {f'{name} {spare} {k}': np.asarray(g.array, float) for k, g in enumerate(found)}
                did[f'{name} {spare} form'] = type(found).__name__, len(found), [each.at for each in inputs]
                did[f'{name} {spare} grad'] = np.asarray(m.grad(f)(*inputs).array, float)
    return did


def gradients_due(fan_out: bool) -> dict[str, Any]:
    """The same by differences."""
    due: dict[str, Any] = {}
    for name, (f, given) in programs(PLAIN, fan_out).items():
        arrays = [np.asarray(each, float) for each in given]
        found = slopes(lambda *each, f=f: float(np.sum(f(*each))), *arrays)
        for spare in (0, 2):
            due |= {f'{name} {spare} {k}': near(g) for k, g in enumerate(found)}
            due[f'{name} {spare} form'] = ('tuple', len(given), [-1] * len(given))
            due[f'{name} {spare} grad'] = near(found[0])
    return due


ORDERS = {  # a program, and the highest derivative that is asked for
    'sin': (lambda m: lambda x: m.sin(x), 4),
    'cube': (lambda m: lambda x: x * x * x, 3),
    'product': (lambda m: lambda x: m.cos(x) * x, 3),
    'inner': (lambda m: lambda x: x * m.grad(lambda y: x * y)(x), 2),
}


def orders(m: Any, number: Callable = lambda found: found.array) -> dict[str, Any]:
    """The derivatives of the programs."""
    did: dict[str, Any] = {}
    for name, (program, highest) in ORDERS.items():
        f = program(m)
        for order in range(1, highest + 1):
            f = m.grad(f)
            m.entries.clear()
            with noted(did, f'{name}, order {order}'):
                did[f'{name}, order {order}'] = float(number(f(m.Tensor(0.6))))
    return did


def orders_due() -> dict[str, Any]:
    """The same by minicell, in float64."""
    float64 = lambda given: ms.Tensor(given, ms.float64)
    m = SimpleNamespace(sin=ms.ops.sin, cos=ms.ops.cos, grad=ms.grad, Tensor=float64, entries=[])
    return {name: near(slope, atol=1e-3) for name, slope in orders(m, ms.Tensor.item).items()}


def addresses(m: SimpleNamespace) -> dict[str, Any]:
    """Constants have the address −1, and an entry is found at the address of its Tensor."""
    x = m.Tensor([0.5, 2.0])
    made = [m.leaf(x), m.write('Spare', len, (x, x), x.array * 5), m.leaf(x)]
    again = [m.entries[t.at] for t in made if isinstance(t.at, int) and -1 < t.at < len(m.entries)]
    return {
        'address of a constant': (x.at, m.Tensor(1).at),
        'addresses': [('huge' if t.at > 99 else t.at) if isinstance(t.at, int) else type(t.at).__name__ for t in made],
        'entries': len(m.entries),
        'found again': [entry[3] is t for entry, t in zip(again, made, strict=False)],
        'entry': [
            (entry[0], entry[1] is len, len(entry[2]), all(each is x for each in entry[2])) for entry in again[1:2]
        ],
        'numbers': np.asarray(made[1].array, float),
        'numbers of the leaf': np.asarray(made[0].array, float),
        'dtype': str(m.Tensor([1, 2]).array.dtype),
        'a leaf': (*again[0][:2], len(again[0][2])) if again else '',
    }


ADDRESSES = {
    'address of a constant': (-1, -1),
    'addresses': [0, 1, 2],
    'entries': 3,
    'found again': [True, True, True],
    'entry': [('Spare', True, 2, True)],
    'numbers': np.array([2.5, 10.0]),
    'numbers of the leaf': np.array([0.5, 2.0]),
    'dtype': 'float32',
    'a leaf': ('Leaf', None, 0),
}


A, X = np.array([0.5, 2.0]), np.array([1.0, -3.0])  # a constant, and a leaf
# programs, and the entries that they leave
ENTRIES: dict[str, tuple[Callable, list[str]]] = {
    'constants': (lambda m, a, x: -(m.cos(a) * a), []),
    'first leaf': (lambda m, a, x: m.neg(x), ['Neg']),
    'constant first': (lambda m, a, x: m.add(a, x), ['Add']),
    'constant second': (lambda m, a, x: m.mul(x, a), ['Mul']),
    'operators': (lambda m, a, x: (2.0 * -x) * x + x, ['Neg', 'Mul', 'Mul', 'Add']),
}
# ops, their inputs, of which s is square, and their results
OPS: dict[str, tuple[str, np.ndarray]] = {
    'add': ('xx', X + X),
    'mul': ('xa', X * A),
    'neg': ('x', -X),
    'sin': ('x', np.sin(X)),
    'cos': ('x', np.cos(X)),
    'turn': ('s', SMALL.T),
    'matmul': ('ss', SMALL @ SMALL),
}


def entries(m: SimpleNamespace) -> dict[str, Any]:
    """Which ops leave an entry, and of what; and whether what the rules compute is on the tape."""
    did: dict[str, Any] = {}
    a, x = m.Tensor(A), m.leaf(m.Tensor(X))
    for name, (run, _) in ENTRIES.items():
        before = len(m.entries)
        out = run(m, a, x)
        did[f'entries of {name}'] = [entry[0] for entry in m.entries[before:]]
        did[f'address of {name}'] = out.at
    known = {'a': a, 'x': x, 's': m.leaf(m.Tensor(SMALL))}
    for name, (letters, _) in OPS.items():
        given = [known[letter] for letter in letters]
        out = vars(m)[name](*given)
        entry = m.entries[-1]
        did[f'inputs of {name}'] = [any(each is one for one in given) for each in entry[2]], entry[3] is out
        did[f'numbers of {name}'] = np.asarray(out.array, float)
        found = entry[1](m.leaf(m.Tensor(2 * np.ones_like(out.array))), out, *given)
        did[f'rule of {name}'] = len(found), [each.at >= 0 for each in found]
    return did


def entries_due() -> dict[str, Any]:
    """The same in words."""
    due: dict[str, Any] = {f'entries of {name}': left for name, (_, left) in ENTRIES.items()}
    due['address of constants'] = -1
    for name, (letters, out) in OPS.items():
        inputs = [True] * len(letters)
        due |= {f'inputs of {name}': (inputs, True), f'rule of {name}': (len(inputs), inputs)}
        due[f'numbers of {name}'] = near(out)
    return due


def odd(x: float, y: float, d: float) -> np.ndarray:
    """What bprop of an odd Cell returns: dout times 7 plus x, and out times dout times y."""
    return np.array([7 * d + x, np.sin(x) * y * d * y])


# calls of Cells: the entries that they leave, and what comes out
CALLS: dict[str, tuple[Callable, list[str], float]] = {
    'own': (lambda c, a, x, y: c.odd(x, y), ['Odd'], np.sin(0.5) * -2),
    'one constant': (lambda c, a, x, y: c.odd(a, y), ['Odd'], np.sin(3) * -2),
    'constants': (lambda c, a, x, y: c.odd(a, a), [], np.sin(3) * 3),
    'plain': (lambda c, a, x, y: c.plain(x), ['Cos', 'Mul'], np.cos(0.5) / 2),
}
# programs with Cells: their gradients at 0.4 and 1.3, and the methods of the odd Cell that run
BOTH = ('construct', 'bprop')
WITH_CELLS: dict[str, tuple[Callable, np.ndarray, tuple[str, ...]]] = {
    'bare': (lambda m, c, x, y: c.odd(x, y), odd(0.4, 1.3, 1), BOTH),
    'scaled': (
        lambda m, c, x, y: m.sin(c.odd(x * 2, y)) * 4,
        odd(0.8, 1.3, 4 * np.cos(np.sin(0.8) * 1.3)) * [2, 1],
        BOTH,
    ),
    'plain': (lambda m, c, x, y: c.plain(x) + y, np.array([np.cos(0.4) - 0.4 * np.sin(0.4), 1]), ()),
    'twice': (
        lambda m, c, x, y: c.odd(x, y) + c.odd(y, x),
        odd(0.4, 1.3, 1) + odd(1.3, 0.4, 1)[::-1],
        ('construct', 'construct', 'bprop', 'bprop'),
    ),
    'unused': (lambda m, c, x, y: (c.odd(x, y), x + y)[1], np.ones(2), ('construct',)),
    'times': (lambda m, c, x, y: c.times(x, y), np.array([1.3, 0.4]), ()),
}


def cells(m: SimpleNamespace) -> dict[str, Any]:
    """What Cells with a bprop and without one leave on the tape; when bprop runs; and that it returns the gradient."""
    ran: list[str] = []

    class Odd(m.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            ran.append('construct')
            return m.sin(x) * y

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            ran.append('bprop')
            return dout * 7 + x, out * dout * y

    class Plain(m.Cell):
        def construct(self, x: Any) -> Any:
            return m.cos(x) * x

    class Times(m.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x * y

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return dout * y, dout * x

    did: dict[str, Any] = {}
    c = SimpleNamespace(odd=Odd(), plain=Plain(), times=Times())
    a, x, y = m.Tensor(3.0), m.leaf(m.Tensor(0.5)), m.leaf(m.Tensor(-2.0))
    for name, (run, *_) in CALLS.items():
        before = len(m.entries)
        out = run(c, a, x, y)
        did[f'entries of {name}'] = [entry[0] for entry in m.entries[before:]]
        did[f'out of {name}'] = float(out.array)
        did[f'constant of {name}'] = out.at == -1
    did['ran'] = tuple(ran)
    for name, (f, *_) in WITH_CELLS.items():
        ran.clear()
        with noted(did, f'gradients of {name}'):
            found = m.gradients(lambda x, y, f=f: f(m, c, x, y))(m.Tensor(0.4), m.Tensor(1.3))
            did[f'gradients of {name}'] = np.array([float(g.array) for g in found])
        did[f'ran for {name}'] = tuple(ran)
    return did


def cells_due() -> dict[str, Any]:
    """The same by hand."""
    due: dict[str, Any] = {'ran': ('construct', 'construct', 'construct')}
    for name, (_, left, out) in CALLS.items():
        due |= {f'entries of {name}': left, f'out of {name}': near(out), f'constant of {name}': name == 'constants'}
    for name, (_, back, ran) in WITH_CELLS.items():
        due |= {f'gradients of {name}': near(back), f'ran for {name}': ran}
    return due


def leaves(m: SimpleNamespace) -> dict[str, Any]:
    """A leaf is new, has an entry, and leaves what was on the tape."""
    m.write('Spare', None, (), np.float32(1))
    x = m.Tensor(2.0)
    made = m.leaf(x)
    y = m.leaf(made)
    return {'leaf': (made is x, x.at, y is made, 0 < made.at < y.at), 'tape': m.entries[0][0]}


LEAVES = {'leaf': (False, -1, False, True), 'tape': 'Spare'}


ALL = partial(gradients, fan_out=True)


def of_step(due: dict[str, Any], *looks: tuple[Callable, range], **speaks_of: list[str]) -> Judge:
    """A judge of a step: what is looked at, once the solutions of some later steps have run."""
    look = lambda space, _: dict(ChainMap(*(look(engine(space, steps)) for look, steps in looks)))
    return Judge(due, look, speaks_of)


def judges() -> dict[str, Judge]:
    here = range(0)
    return {
        '13a': of_step(ADDRESSES | gradients_due(True), (addresses, here), (ALL, range(2, 6))),
        '13b': of_step(
            entries_due() | gradients_due(True) | orders_due(), (entries, here), (ALL, range(3, 7)), (orders, here)
        ),
        '13c': of_step(gradients_due(False), (partial(gradients, fan_out=False), here)),
        '13d': of_step(gradients_due(True) | orders_due(), (ALL, here), (orders, range(5, 7))),
        '13e': of_step(cells_due(), (cells, here)),
        '13f': of_step(LEAVES | orders_due(), (leaves, here), (orders, here), recorded=[*orders_due()]),
    }
