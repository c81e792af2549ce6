"""The engine that the solutions of lesson 13 make: minicell's own tests of the same behaviours, and random programs."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.lesson13 import own, so_far, stored, typed
from minicell.teach.lesson13.engine import STEPS
from minicell.teach.lesson13.figures import PROGRAMS
from minicell.teach.lesson13.programs import PEER, counting, sine
from tests.lessons.page import Page
from tests.messages import tells


@pytest.fixture
def mine():
    """The engine of the stored solutions, as a module."""
    return stored()


def both(mine: Any, program: Any, *given: Any) -> tuple[list, list]:
    """All gradients of a program, by an engine and by minicell; a program is made from an engine."""
    by_mine = mine.gradients(program(mine))(*map(mine.Tensor, given))
    by_minicell = PEER.gradients(program(PEER))(*map(ms.Tensor, given))
    return [dx.array for dx in by_mine], [dx.asnumpy() for dx in by_minicell]


def close(mine: Any, due: Any) -> None:
    assert len(mine) == len(due)
    for a, b in zip(mine, due, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


# Each runs on both, so that a test that does not hold for minicell cannot be one of ours.

ENGINES = pytest.mark.parametrize('m', [stored(), PEER], ids=['mine', 'minicell'])
X = [1.0, 2.0, 3.0]


def numbers(t: Any) -> list:
    return np.asarray(t.array).tolist()


def cell(m: Any, construct: Any, bprop: Any) -> Any:
    return type('Made', (m.Cell,), {'construct': construct, 'bprop': bprop})()


@ENGINES
def test_bprop_gets_inputs_out_and_dout(m):
    """As in tests/core/test_takeover.py."""
    got = []
    bprop = lambda self, *given: got.append([numbers(each) for each in given]) or (given[3], given[3] * -1)
    spy = cell(m, lambda self, x, y: x + y * -1, bprop)
    m.gradients(lambda x, y: spy(x, y) * 3)(m.Tensor(X), m.Tensor([10.0, 20.0, 30.0]))
    assert got == [[X, [10, 20, 30], [-9, -18, -27], [3, 3, 3]]]


@ENGINES
def test_construct_runs_once_and_bprop_once_and_never_forward(m):
    calls = []
    counts = counting(m, calls)
    counts(m.Tensor(X))
    assert calls == ['construct']
    m.grad(counts)(m.Tensor(X))
    assert calls == ['construct', 'construct', 'bprop']
    calls.clear()
    m.grad(lambda x: counts(x) + counts(x))(m.Tensor(X))
    assert calls == ['construct', 'construct', 'bprop', 'bprop']


@ENGINES
@pytest.mark.parametrize(
    'function',
    [lambda m, cell, x: (cell(m.Tensor(X)), x * 2)[1], lambda m, cell, x: (cell(x), x * 2)[1]],
    ids=['constant inputs', 'its output is not used'],
)
def test_bprop_is_not_called_where_no_gradient_passes(m, function):
    never = cell(m, lambda self, x: x * 1, lambda self, *given: pytest.fail('bprop was called'))
    assert numbers(m.grad(lambda x: function(m, never, x))(m.Tensor(X))) == [2, 2, 2]


@ENGINES
def test_names_do_not_matter_positions_do(m):
    got = []
    bprop = lambda self, out, dout, x: got.append([numbers(each) for each in (out, dout, x)]) or (x,)
    named = cell(m, lambda self, x: x * 1, bprop)
    assert numbers(m.grad(lambda x: named(x * 5) * 3)(m.Tensor(X))) == [15, 15, 15]
    assert got == [[[5, 10, 15], [5, 10, 15], [3, 3, 3]]]


cube = lambda m: cell(m, lambda self, x: x * x * x, lambda self, x, out, dout: (dout * 3 * x * x,))
# as in tests/core/test_nested.py
CLOSED = {
    'sin': (lambda m: m.sin, [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
    'products': (lambda m: lambda x: x * x * x * x, [lambda x: 4 * x**3, lambda x: 12 * x**2, lambda x: 24 * x]),
    'a custom cube': (cube, [lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6 + 0 * x]),
    'the Sin Cell of lesson 09': (sine, [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
    'sin of a custom cube': (
        lambda m: lambda x: m.sin(cube(m)(x)),
        [lambda x: 3 * x**2 * np.cos(x**3), lambda x: 6 * x * np.cos(x**3) - 9 * x**4 * np.sin(x**3)],
    ),
}


@ENGINES
@pytest.mark.parametrize(('name', 'order'), [(n, k) for n, (_, due) in CLOSED.items() for k in range(1, len(due) + 1)])
def test_closed_forms(m, name, order):
    made, due = CLOSED[name]
    f, x = made(m), np.array([0.3, -1.2, 1.1])
    for _ in range(order):
        f = m.grad(f)
    np.testing.assert_allclose(f(m.Tensor(x.tolist())).array, due[order - 1](x), rtol=1e-4, atol=1e-5)


@ENGINES
def test_inner_and_outer_inputs_stay_apart(m):
    """d/dx of x · d/dy(x · y): the share of the outer x is not counted for y."""
    assert numbers(m.grad(lambda x: x * m.grad(lambda y: x * y)(x))(m.Tensor(3.0))) == 6


FAN = {
    'x * x': (lambda m: lambda x: x * x, [3.0]),
    'x * y + x': (lambda m: lambda x, y: x * y + x, [3.0, 2.0]),
    'three uses': (lambda m: lambda x: (lambda y: y * y + m.sin(y))(m.cos(x)), [[0.5, 2.0]]),
    'one Tensor given twice': (lambda m: lambda x, y: m.matmul(x, y) + x, [[[1.0, 2.0], [3.0, 4.0]]] * 2),
    'the MatMul listing': (PROGRAMS[1].made, list(PROGRAMS[1].given)),
    'a constant of another shape': (lambda m: lambda x: m.matmul(m.Tensor([[1.0, 2.0]]), x) * 3, [[[1.0], [2.0]]]),
}


@pytest.mark.parametrize('name', FAN)
def test_fan_out_as_in_minicell(mine, name):
    program, given = FAN[name]
    close(*both(mine, program, *given))
    close(*both(mine, program, *given))  # on a tape that has entries already


@pytest.mark.parametrize('seed', range(30))
def test_random_programs_as_in_minicell(mine, seed):
    """Ops drawn by lot, at first and second order."""

    def program(m: Any) -> Any:
        def f(x):
            lot, values = np.random.default_rng(seed), [x, m.Tensor(0.7)]
            for _ in range(6):
                a, b = (values[k] for k in lot.integers(len(values), size=2))
                values.append([m.sin(a), m.cos(a), m.neg(a), a * b, a + b, a * 0.5][lot.integers(6)])
            return values[-1] * x

        return f

    close(*both(mine, program, [0.4, -0.9]))
    twice = SimpleNamespace(mine=mine.grad(mine.grad(program(mine))), due=ms.grad(ms.grad(program(PEER))))
    close([twice.mine(mine.Tensor([0.4, -0.9])).array], [twice.due(ms.Tensor([0.4, -0.9])).asnumpy()])


def test_own_takes_what_is_yours_and_else_the_stored_one(capsys):
    exec(so_far(6), space := {})
    assert own(space).Tensor is space['Tensor']
    tells(capsys.readouterr().out, 'All six steps')
    space['Cell'].rule = lambda self, dout, out, *inputs: self.bprop(*inputs, dout, out)
    assert own(space).Tensor is not space['Tensor']
    tells(capsys.readouterr().out, 'Step 5', 'not pass')
    assert own({}).grad
    tells(capsys.readouterr().out, 'Step 1')


def test_each_stored_engine_has_a_tape_of_its_own():
    one, other = stored(), stored()
    one.leaf(one.Tensor(1.0))
    assert len(one.entries) == 1 and other.entries == [] and one.__name__ == 'engine'


def test_the_box_of_a_step_begins_where_the_one_before_ends():
    for number, name in enumerate(STEPS):
        fetch, start, solution = f'exec(so_far({number}))', exercise(name).start, exercise(name).solution
        assert (fetch in start) == (number > 0)
        assert solution.partition('\n\n')[0] == start.partition('\n\n')[0]
    whole = so_far(6)
    assert 'so_far' not in whole and whole.count('def walk_back') == 2 and whole.count('def leaf') == 2


def test_about_a_hundred_lines():
    code = [line for line in so_far(6).splitlines() if line.strip()]
    assert 70 <= len(code) <= 110
    assert typed() > len(code) / 2, 'most of it is typed, and not given'
    tells(Page('13').words('title'), f'engine has {len(code)} lines', f'type {typed()} of')
    assert 'minicell' not in so_far(6), 'the engine stands on NumPy alone'
