"""What stands around a takeover: hooks, graphs, other gradients, rows of globals, and what nobody asked for."""

import warnings

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core.cells import made
from tests.judge.asked import JUDGE, judged, members, read, told, weighed, words

pytestmark = JUDGE
X, Y = Tensor([1.0, 2.0]), Tensor([3.0, -4.0])
square = lambda factor=2: made(lambda s, x: x * x, lambda s, x, out, dout: (factor * x * dout,), 'Square')
RIGHT_AND_WRONG = ((2, 'right'), (4, 'wrong'))


hooked = lambda cell, *hooks: lambda x: [z := cell(x), *(z.register_hook(hook) for hook in hooks)][0]
HOOKS = {
    'ten times': lambda c: hooked(c, lambda g: g * 10),
    'halved': lambda c: hooked(c, lambda g: g * 0.5),
    'clipped': lambda c: hooked(c, lambda g: ops.clip_by_value(g, -0.1, 0.1)),
    'two of them': lambda c: hooked(c, lambda g: g * 4, lambda g: g * 0.125),
    'another gradient': lambda c: hooked(c, lambda g: Tensor([7.0, -1.0])),
    'inserted': lambda c: lambda x: ops.InsertGradientOf(lambda g: g * 0.5)(c(x)) * 3,
}


@pytest.mark.parametrize('name', HOOKS)
def test_a_bprop_answers_for_what_it_was_given_behind_every_hook(name):
    for factor, due in RIGHT_AND_WRONG:
        tape = read(HOOKS[name](square(factor)), X)
        (v,) = told(tape)
        assert v.verdict == due and ('agrees' in str(tape.why('dx', 0))) is (due == 'right')
        np.testing.assert_allclose(v.yours * 2 / factor, v.due, rtol=1e-5)


def outer(cell):
    """A Cell around it, with a hook of its own."""
    net = nn.SequentialCell(cell, nn.Tanh())
    net.register_backward_hook(lambda c, gi, go: tuple(g * 5 for g in gi))
    return net


AROUND = {
    'graph': lambda c: ms.jit(lambda x: c(x) * 2),
    'graph in graph': lambda c: ms.jit(lambda x: ms.jit(lambda y: c(y) * 3)(x)),
    'Cell with hook': outer,
    'vjp': lambda c: lambda x: ms.vjp(lambda z: c(z) * 2, x)[1](Tensor([1.0, 5.0])),
    'second gradient': lambda c: ms.grad(lambda x: (c(x) * x).sum()),
    'value': lambda c: lambda x: ms.value_and_grad(lambda z: c(z).sum())(x)[0],
}


@pytest.mark.parametrize('name', AROUND)
def test_the_verdict_is_the_same_in_graphs_and_inside_gradients(name):
    for factor, due in RIGHT_AND_WRONG:
        f = AROUND[name](square(factor))
        ms.grad(f)(X)
        tape = read(f, X)
        said = [v for v in tape.verdicts() if v.asked]
        assert {(v.cell, v.name) for v in said} == {('Square', 'x')}
        assert {v.verdict for v in said} == {due} or (due == 'wrong' and due in [v.verdict for v in said])


@pytest.mark.parametrize('name', ['graph', 'graph in graph', 'vjp'])
def test_a_page_names_your_gradient_in_a_graph_too(name, tmp_path):
    f = AROUND[name](square())
    ms.grad(f)(X)  # a graph is traced here, and replayed in the picture
    read(f, X).save(tmp_path / 'page.html')
    assert 'dx is right' in (tmp_path / 'page.html').read_text()


@pytest.mark.parametrize('ask', [lambda c: ms.jvp(c, X, Y), lambda c: ms.vjp(c, X)[1](Y), lambda c: ms.jacrev(c)(X)])
def test_a_jvp_and_a_vjp_at_the_top_are_judged(ask):
    for factor, due in RIGHT_AND_WRONG:
        with ms.Tape() as tape:
            ask(square(factor))
        assert {v.verdict for v in tape.verdicts() if v.asked} == {due}


M, P = Tensor([[3.0, 4.0], [5.0, 6.0]]), Parameter(Tensor([[3.0, 4.0], [5.0, 6.0]]), name='P')
BANK, NESTED, HELD = (M, M * 2), {'w': [M, M * 3]}, nn.Cell()
HELD.m = M
ROWS = """
row | x=X | x * M[0] | dout * M[0] | 7 * dout * M[0]
last | x=X | x * M[-1] | dout * M[-1] | 7 * dout * M[-1]
number | x=X | x * M[0, 1] | dout * M[0, 1] | 7 * dout * M[0, 1]
Parameter | x=X | x * P[0] | dout * P[0] | 7 * dout * P[0]
twice | x=X | x * M[0][1] | dout * M[0][1] | 7 * dout * M[0][1]
dict | x=X | x * NESTED['w'][1][0] | dout * NESTED['w'][1][0] | 7 * dout * NESTED['w'][1][0]
tuple | x=X | x * BANK[1][-1] | dout * BANK[1][-1] | 7 * dout * BANK[1][-1]
Cell | x=X | x * HELD.m[1] | dout * HELD.m[1] | 7 * dout * HELD.m[1]
"""


@members(ROWS, globals())
def test_a_row_of_a_global_is_read_without_a_trace(row):
    construct, right, wrong, x = row
    for bprop, due in ((right, 'right'), (wrong, 'wrong')):
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            tape = read(made(construct, bprop), x)
            assert words(tape) == [due] and '(in minicell)' not in str(tape)
            assert ('agrees' in str(tape.why('dx', 0))) is (due == 'right')


Z, T, FAR, ONE = Tensor([[0.1, -0.3, 0.7]]), Tensor([[0.0, 1.0, 0.0]]), Tensor([0.3, 4.0, -7.0]), Tensor(1.0)
huber = lambda e, d: ops.select(ops.abs(e) <= d, 0.5 * e * e, d * (ops.abs(e) - 0.5 * d)).mean()
UNASKED = """
label | z=Z, t=T | -(ops.log_softmax(z) * t).sum() | (ops.softmax(z) - t) * dout, None
label of zeros | z=Z, t=T | -(ops.log_softmax(z) * t).sum() | (ops.softmax(z) - t) * dout, t * 0
bound | e=FAR, k=ONE | huber(e, k) | ops.clip_by_value(e, -k, k) / e.size * dout, None
mask | x=X, m=Y | x * m | dout * m, None
temperature | x=X, k=Y | ops.tanh(x / k) | (1 - out * out) / k * dout, None
weights | x=X, k=Y | (k * x * x).mean() | k * x * dout, k * 9
"""


@members(UNASKED, globals())
def test_what_nobody_asked_for_has_no_mark(row):
    construct, bprop, x, other = row
    cell = made(construct, bprop)
    tape = read(lambda x: cell(x, other), x)
    mine, its = tape.verdicts()
    assert (mine.verdict, its.verdict, mine.asked, its.asked, its.place) == ('right', 'not asked', True, False, 1)
    assert not its.mistake and 'agrees' in str(tape.why('dx', (0,) * x.ndim))
    assert judged(construct, bprop, x, other) == ['right', 'wrong']
    for wrt in (mine.name, 0, (mine.name,)):
        result = ms.check_bprop(cell, x, other, wrt=wrt)
        assert result.ok and [r.verdict for r in result.rows] == ['right', 'not asked'], repr(result)
    assert not ms.check_bprop(cell, x, other).ok and not ms.check_bprop(cell, x, other, wrt=1).ok


@pytest.mark.parametrize('gradient', [lambda x: None, lambda x: x * 0, lambda x: x * 7], ids=['None', 'zeros', 'wrong'])
def test_a_parameter_that_does_not_train_is_not_asked_for(gradient):
    w = Parameter(Tensor([2.0, 3.0]), name='w', requires_grad=False)
    cell = made(lambda s, x: x * w, lambda s, x, out, dout: ((dout * w,), {w: gradient(x)}))
    cell.w, cell.internal_params = w, [w]
    assert [v.verdict for v in read(weighed(cell), X).verdicts()] == ['right', 'not asked']
    assert ms.check_bprop(cell, X, wrt='x').ok and not ms.check_bprop(cell, X, wrt=w).ok


BADGES = {
    'one name': (lambda s, x, y: x + 3 * y, lambda s, x, y, out, dout: (g := dout, g), ['right', 'wrong']),
    'starred': (lambda s, *xs: xs[0] + 3 * xs[1], lambda s, *xs: tuple(xs[-1] for _ in xs[:-2]), ['right', 'wrong']),
    'keywords': (lambda s, x, **o: 3 * x + o['a'], lambda s, x, a, out, dout: (dout, dout), ['wrong', 'right']),
    'None and one': (lambda s, x, y: x * 0 + y, lambda s, *a: (None, a[-1]), ['right', 'right']),
}


@pytest.mark.parametrize('name', BADGES)
def test_badges_go_by_place(name):
    construct, bprop, due = BADGES[name]
    f = weighed(made(construct, bprop))
    said = read((lambda x, y: f(x, a=y)) if name == 'keywords' else f, X, Y, where=(0, 1)).verdicts()
    assert [(v.place, v.verdict) for v in said] == list(enumerate(due)) and len({v.name for v in said}) == 2


@pytest.mark.parametrize('how', ['self', 'list', 'closure'])
def test_a_captured_tensor_gets_no_gradient_and_the_page_says_so(how, tmp_path):
    def f(x, p):
        k, kept = p * 2, [p * 2]
        find = {'self': lambda s: s.k, 'list': lambda s: kept[0], 'closure': lambda s: k}[how]
        cell = made(lambda s, x: x * find(s), lambda s, x, out, dout: (dout * find(s),))
        cell.k = k
        return cell(x).sum()

    tape = read(f, X, Y, where=(0, 1))
    assert words(tape) == ['right']
    tape.save(tmp_path / 'page.html')
    assert 'but dp is wrong' in (tmp_path / 'page.html').read_text()


@pytest.mark.parametrize('slope', [lambda x: ops.exp(-x * x), lambda x: 1 / (1 + x * x), lambda x: x])
def test_a_surrogate_stays_one_in_its_second_derivative(slope):
    spike = made(lambda s, x: (x > 0).astype(x.dtype), lambda s, x, out, dout: (slope(x) * dout,))
    assert words(read(spike, X)) == ['surrogate']
    tape = read(ms.grad(lambda x: (spike(x) * x).sum()), X)
    assert {v.verdict for v in tape.verdicts() if v.asked} == {'surrogate'}
