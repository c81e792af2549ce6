"""`tape.why` for every op, for random programs, for the gallery's tapes: whatever is asked, the rows add up."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.account import slopes
from tests.fuzz.expressions import random_program
from tests.messages import refused, tells
from tests.ops.declare import DIFFERENTIABLE, label, tries
from tests.view.everything import accounts, adds_up, close, some
from tests.view.test_why import X, taped


@pytest.mark.slow
@pytest.mark.parametrize('dtype', [np.float64, np.float32])
@pytest.mark.parametrize(('declared', 'shapes'), tries(DIFFERENTIABLE), ids=label)
def test_every_op(declared, shapes, dtype):
    """Every rule is taken apart, without a table of ops."""
    rng = np.random.default_rng(5)
    arrays = [a.astype(dtype) for a in declared.inputs(shapes, seed=2)]
    c = rng.uniform(0.5, 1.5, np.shape(declared.oracle(*arrays))).astype(dtype)
    with ms.Tape() as tape:
        found = ms.grad(lambda *x: (declared.op(*x) * Tensor(c)).sum(), tuple(range(len(arrays))))(*map(Tensor, arrays))
    for g in found if isinstance(found, tuple) else (found,):
        if g.size:
            adds_up(tape.why(g, some(rng, g)))
            for row in adds_up(tape.why(g, some(rng, g))).rows[:1]:  # behind all of them are Mul and ReduceSum
                if row.of:
                    adds_up(tape.why(*row.of))
        else:
            with refused(IndexError, 'no number at'):
                tape.why(g, (0,) * g.ndim)


@pytest.mark.filterwarnings('ignore')  # some have no path
@pytest.mark.parametrize(
    'seeds',
    [pytest.param(range(10), marks=pytest.mark.slow), pytest.param(range(10, 220), marks=pytest.mark.nightly)],
    ids=['a sample', 'all others'],
)
def test_random_programs(seeds):
    """Five numbers each, of the results and of what is on the way; at second order too."""
    asked = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        program = random_program(rng, int(rng.integers(2, 8)))
        function = lambda x, w, p=program: p.play(x, w, 1).sum()
        if seed % 3 == 0:
            inner = function
            function = lambda x, w, f=inner: (lambda a, b: (a * a).sum() + b.sum())(*ms.grad(f, (0, 1))(x, w))
        with ms.Tape() as tape:
            ms.grad(function, (0, 1))(Tensor(program.x), Tensor(program.w))
        asked += accounts(tape, seed, exact=True)
    assert asked > len(seeds)


def test_a_rule_that_cannot_be_differentiated_is_read_one_element_at_a_time(monkeypatch):
    tape, d = taped(lambda x: (ops.matmul(x, x.T) * X[:2, :2]).sum(), X)
    due = adds_up(tape.why(d, (0, 1)))

    def refuse(*_):
        raise ValueError('refused')

    monkeypatch.setattr(slopes, 'differentiated', refuse)
    found = adds_up(tape.why(d, (0, 1)))
    assert [r.through for r in found.rows] == [r.through for r in due.rows] and not any(r.by for r in found.rows)
    monkeypatch.setattr(slopes, 'SEEDS', 0)
    found = adds_up(tape.why(d, (0, 1)), exact=False)
    tells(found.note, 'taken apart')
    assert found.number == due.number


def test_vjp_and_the_jacobians():
    function = lambda x: ops.sin(x) * x
    x = Tensor([1.0, 3.0])
    with ms.Tape() as tape:
        _, back = ms.vjp(function, x)
        (a,), (b,) = back(Tensor([1.0, 0.0])), back(Tensor([0.0, 2.0]))
    slope = lambda v: np.sin(v) + v * np.cos(v)
    for d, due in ((a, [slope(1.0), 0]), (b, [0, 2 * slope(3.0)])):
        for k in (0, 1):
            assert close(adds_up(tape.why(d, k)).number, due[k], 1e-5)
    for jacobian in (ms.jacrev, ms.jacfwd):
        with ms.Tape() as tape:
            j = jacobian(lambda x: ops.sin(x) * x[0])(x)
        for index in np.ndindex(2, 2):
            assert adds_up(tape.why(j, index)).number == j.asnumpy()[index]


def test_many_elements_are_summed():
    b = Parameter(Tensor(np.float32(0.1)), name='b')
    tape, _ = taped(lambda x: (ops.sin(x + b) ** 2).sum(), Tensor(np.linspace(-1, 2, 10_000, dtype=np.float32)),
                    weights=[b])  # fmt: skip
    account = adds_up(tape.why('b'))
    assert len(account.rows) == 7 and account.rows[-1].through == '9994 others'


def test_a_graph_and_an_error_that_is_caught():
    graph = ms.jit(lambda x: (ops.sin(x) * x).sum())
    for _ in range(2):  # traced, then replayed
        tape, d = taped(graph, Tensor([1.0, 2.0]))
        assert [r.who for r in adds_up(tape.why(d, 1)).rows] == ['2 Mul', '1 Sin']

    class Fails(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            raise RuntimeError('no')

    def caught(x):
        try:
            ms.grad(Fails())(x)
        except RuntimeError:
            return x * 3

    tape, d = taped(caught, Tensor(2.0))
    assert adds_up(tape.why(d)).total == '3' and len(tape.why(d).rows) == 1
