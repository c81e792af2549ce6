"""Judges of the six steps of lesson 13: the step is completed by the stored later ones, and the engine has to work.

Its gradients, up to the order that the step makes possible, are compared with derivatives of plain NumPy functions; and
what each step says of entries and addresses is asked of the engine in these words.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.lesson13.engine import STEPS, solution
from tests.lessons.judges.judge import Judge, noted, numbers, slopes

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


def near(due: Any, off: float = 1e-4) -> Any:
    """Whether float32 numbers, or one of them, are these."""
    return lambda found: (
        isinstance(found, float | np.ndarray)
        and np.shape(found) == np.shape(due)
        and np.allclose(found, due, rtol=1e-3, atol=off)
    )


ORDERS = {  # a program, and the highest derivative that is asked for
    'sin': (lambda m: lambda x: m.sin(x), 4),
    'cube': (lambda m: lambda x: x * x * x, 3),
    'product': (lambda m: lambda x: m.cos(x) * x, 3),
    'inner': (lambda m: lambda x: x * m.grad(lambda y: x * y)(x), 2),
}


def orders(m: SimpleNamespace) -> dict[str, Any]:
    """The derivatives of the programs."""
    did: dict[str, Any] = {}
    for name, (program, highest) in ORDERS.items():
        f = program(m)
        for order in range(1, highest + 1):
            f = m.grad(f)
            m.entries.clear()
            with noted(did, f'{name}, order {order}'):
                did[f'{name}, order {order}'] = float(f(m.Tensor(0.6)).array)
    return did


def orders_due() -> dict[str, Any]:
    """The same by minicell, in float64."""
    due: dict[str, Any] = {}
    for name, (program, highest) in ORDERS.items():
        f = program(SimpleNamespace(sin=ms.ops.sin, cos=ms.ops.cos, grad=ms.grad))
        for order in range(1, highest + 1):
            f = ms.grad(f)
            due[f'{name}, order {order}'] = near(f(ms.Tensor(0.6, ms.float64)).item(), 1e-3)
    return due


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


def entries(m: SimpleNamespace) -> dict[str, Any]:
    """Which ops leave an entry, and of what; and whether what the rules compute is on the tape."""
    did: dict[str, Any] = {}
    a, x = m.Tensor([0.5, 2.0]), m.leaf(m.Tensor([1.0, -3.0]))
    for name, run in {
        'constants': lambda: -(m.cos(a) * a),
        'first leaf': lambda: m.neg(x),
        'constant first': lambda: m.add(a, x),
        'constant second': lambda: m.mul(x, a),
        'operators': lambda: (2.0 * -x) * x + x,
    }.items():
        before = len(m.entries)
        out = run()
        did[f'entries of {name}'] = [entry[0] for entry in m.entries[before:]]
        did[f'address of {name}'] = out.at
    square = m.leaf(m.Tensor(SMALL))
    for name, given in {
        'add': (x, x),
        'mul': (x, a),
        'neg': (x,),
        'sin': (x,),
        'cos': (x,),
        'turn': (square,),
        'matmul': (square, square),
    }.items():
        out = vars(m)[name](*given)
        entry = m.entries[-1]
        did[f'inputs of {name}'] = [any(each is one for one in given) for each in entry[2]], entry[3] is out
        did[f'numbers of {name}'] = np.asarray(out.array, float)
        found = entry[1](m.leaf(m.Tensor(2 * np.ones_like(out.array))), out, *given)
        did[f'rule of {name}'] = len(found), [each.at >= 0 for each in found]
    return did


def entries_due() -> dict[str, Any]:
    """The same in words."""
    a, x = np.array([0.5, 2.0]), np.array([1.0, -3.0])
    due: dict[str, Any] = {
        'entries of constants': [],
        'address of constants': -1,
        'entries of first leaf': ['Neg'],
        'entries of constant first': ['Add'],
        'entries of constant second': ['Mul'],
        'entries of operators': ['Neg', 'Mul', 'Mul', 'Add'],
    }
    results = {'add': x + x, 'mul': x * a, 'neg': -x, 'sin': np.sin(x), 'cos': np.cos(x), 'turn': SMALL.T}
    for name, out in (results | {'matmul': SMALL @ SMALL}).items():
        inputs = 2 if name in ('add', 'mul', 'matmul') else 1
        due |= {f'inputs of {name}': ([True] * inputs, True), f'rule of {name}': (inputs, [True] * inputs)}
        due[f'numbers of {name}'] = near(out)
    return due


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
    odd, plain, times = Odd(), Plain(), Times()
    a, x, y = m.Tensor(3.0), m.leaf(m.Tensor(0.5)), m.leaf(m.Tensor(-2.0))
    for name, run in {
        'own': lambda: odd(x, y),
        'one constant': lambda: odd(a, y),
        'constants': lambda: odd(a, a),
        'plain': lambda: plain(x),
    }.items():
        before = len(m.entries)
        out = run()
        did[f'entries of {name}'] = [entry[0] for entry in m.entries[before:]]
        did[f'out of {name}'] = float(out.array)
        did[f'constant of {name}'] = out.at == -1
    did['ran'] = tuple(ran)
    ran.clear()
    for name, f in {
        'bare': lambda x, y: odd(x, y),
        'scaled': lambda x, y: m.sin(odd(x * 2, y)) * 4,
        'plain': lambda x, y: plain(x) + y,
        'twice': lambda x, y: odd(x, y) + odd(y, x),
        'unused': lambda x, y: (odd(x, y), x + y)[1],
        'times': lambda x, y: times(x, y),
    }.items():
        ran.clear()
        with noted(did, f'gradients of {name}'):
            found = m.gradients(f)(m.Tensor(0.4), m.Tensor(1.3))
            did[f'gradients of {name}'] = np.array([float(g.array) for g in found])
        did[f'ran for {name}'] = tuple(ran)
    return did


def cells_due() -> dict[str, Any]:
    """The same by hand: dout times 7 plus x, and out times dout times y."""
    x, y = 0.4, 1.3
    odd = lambda x, y, d: (7 * d + x, np.sin(x) * y * d * y)
    d = 4 * np.cos(np.sin(2 * x) * y)
    scaled = (2 * odd(2 * x, y, d)[0], odd(2 * x, y, d)[1])
    twice = (odd(x, y, 1)[0] + odd(y, x, 1)[1], odd(x, y, 1)[1] + odd(y, x, 1)[0])
    due: dict[str, Any] = {
        'entries of own': ['Odd'],
        'entries of one constant': ['Odd'],
        'entries of constants': [],
        'entries of plain': ['Cos', 'Mul'],
        'ran': ('construct', 'construct', 'construct'),
        'constant of constants': True,
        'constant of own': False,
        'gradients of bare': near(np.array(odd(x, y, 1))),
        'gradients of scaled': near(np.array(scaled)),
        'gradients of plain': near(np.array([np.cos(x) - x * np.sin(x), 1])),
        'gradients of twice': near(np.array(twice)),
        'gradients of unused': near(np.ones(2)),
        'gradients of times': near(np.array([y, x])),
        'ran for bare': ('construct', 'bprop'),
        'ran for twice': ('construct', 'construct', 'bprop', 'bprop'),
        'ran for unused': ('construct',),
    }
    outs = {
        'own': np.sin(0.5) * -2,
        'one constant': np.sin(3) * -2,
        'constants': np.sin(3) * 3,
        'plain': np.cos(0.5) / 2,
    }
    return due | {f'out of {name}': near(out) for name, out in outs.items()}


def leaves(m: SimpleNamespace) -> dict[str, Any]:
    """A leaf is new, has an entry, and leaves what was on the tape."""
    m.write('Spare', None, (), np.float32(1))
    x = m.Tensor(2.0)
    made = m.leaf(x)
    y = m.leaf(made)
    return {'leaf': (made is x, x.at, y is made, 0 < made.at < y.at), 'tape': m.entries[0][0]}


LEAVES = {'leaf': (False, -1, False, True), 'tape': 'Spare'}


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '13a': Judge(
            ADDRESSES | gradients_due(True),
            lambda space, _: addresses(engine(space, range(0))) | gradients(engine(space, range(2, 6)), True),
        ),
        '13b': Judge(
            entries_due() | gradients_due(True) | orders_due(),
            lambda space, _: (
                entries(engine(space, range(0)))
                | gradients(engine(space, range(3, 7)), True)
                | orders(engine(space, range(0)))
            ),
        ),
        '13c': Judge(gradients_due(False), lambda space, _: gradients(engine(space, range(0)), False)),
        '13d': Judge(
            gradients_due(True) | orders_due(),
            lambda space, _: gradients(engine(space, range(0)), True) | orders(engine(space, range(5, 7))),
        ),
        '13e': Judge(cells_due(), lambda space, _: cells(engine(space, range(0)))),
        '13f': Judge(
            LEAVES | orders_due(), lambda space, _: leaves(engine(space, range(0))) | orders(engine(space, range(0)))
        ),
    }
