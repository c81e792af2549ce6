"""What stops, what is bound by name, what is complex, and hooks that come late: right, or refused in a sentence."""

import collections
import threading
import types

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core import tape
from tests.hostile.said import Ran, X, cell, quiet, right, right_or_said, said
from tests.hostile.test_lent import Box

ONES = Tensor([1.0, 1.0, 1.0])
slope = lambda f, *positions: ms.grad(lambda *a: f(*a).sum(), positions or 0)
refused_by_numpy = lambda: pytest.raises(ValueError, match='read-only')


# ---- stop_gradient, keywords, one Parameter twice --------------------------------------------------------------------

Pair = collections.namedtuple('Pair', 'a b')
STOPPED = {
    'a dict': (lambda x: {'a': x}, lambda v: v['a']),
    'a dict in a list': (lambda x: [{'a': x}], lambda v: v[0]['a']),
    'a NamedTuple': (lambda x: Pair(x, 1), lambda v: v.a),
    'an OrderedDict': (lambda x: collections.OrderedDict(a=x), lambda v: v['a']),
    'a set': (lambda x: {x}, lambda v: v.pop()),
    'a deque': (lambda x: collections.deque([x]), lambda v: v[0]),
    'a dataclass': (Box, lambda v: v.k),
    'a generator': (lambda x: (t for t in [x]), next),
}


@pytest.mark.parametrize('held', STOPPED.values(), ids=STOPPED)
def test_stop_gradient_stops_in_any_container_or_refuses(held):
    make, read = held
    program = lambda: slope(lambda x: x * x * read(ops.stop_gradient(make(x))))(X)
    right_or_said(program, [2, 8, 18], 'stop_gradient takes', 'stop the Tensors', keep=make is Box)


def test_keywords_go_by_their_names():
    construct = lambda self, x, **kw: x * kw['a'] + kw['b'] * 3
    net = cell(construct, lambda self, x, a, b, out, dout: (dout * a, dout * x, dout * 3))
    for call in (lambda x, a, b: net(x, b=b, a=a), lambda x, a, b: net(x, a=a, b=b)):
        quiet(lambda call=call: slope(call, 0, 1, 2)(X, X * 2, X), ([2, 4, 6], [1, 2, 3], [3, 3, 3]))
        said(lambda call=call: slope(ms.jit(call))(X, X, X), 'graph mode', 'by position', keep=False)
    for bprop in (lambda self, *given: given[:3], lambda self, x, p, q, out, dout: (x, p, q)):
        program = lambda bprop=bprop: slope(lambda x: cell(construct, bprop, 'Unnamed')(x, b=x, a=x))(X)
        said(program, 'Unnamed.bprop', 'name a, b', 'x, a, b,')


def test_a_keyword_may_be_called_as_a_parameter_of_construct_is():
    order = cell(
        lambda self, x, **kw: x * kw['kw'] + kw['b'] * 3, lambda self, x, kw, b, out, d: (d * kw, d * x, d * 3)
    )
    quiet(lambda: slope(lambda x, a, b: order(x, b=b, kw=a), 0, 1, 2)(X, X * 2, X), ([2, 4, 6], [1, 2, 3], [3, 3, 3]))
    net = cell(lambda self, x, /, b, **more: x * b * more['x'], lambda self, x, b, y, out, d: (d * b * y, None, None))
    quiet(lambda: slope(lambda x: net(x, b=2.0, x=5.0))(X), [10, 10, 10])


@pytest.mark.parametrize('twice', [lambda w: [w, w], lambda w: (w, w, w), lambda w: [w]])
def test_a_parameter_has_one_gradient(twice):
    w = Parameter(X, name='w')
    net = cell(lambda self, x: x * w, lambda self, x, out, dout: ((dout * w,), {w: dout * x}), internal_params=twice(w))
    quiet(lambda: ms.grad(lambda x: net(x).sum(), 0, [w])(X), ([1, 2, 3], ([1, 2, 3],)))


# ---- complex numbers -------------------------------------------------------------------------------------------------

I = Tensor([1j, 1j, 1j])
COMPLEX = {
    'abs': lambda x: ops.abs(x * (1 + 2j)),
    'exp': lambda x: ops.abs(ops.exp(x * 1j)),
    'a square': lambda x: ops.abs((x * (1 + 1j)) ** 2),
    'the output': lambda x: x * 1j,
    'a product': lambda x: ops.abs(I * x),
    'a quotient': lambda x: ops.abs(1j / x),
    'a cast': lambda x: ops.abs(x.astype(ms.complex64)),
    'a choice': lambda x: ops.abs(ops.select(x > 1, x, I)),
    'concat': lambda x: ops.abs(ops.concat((x, I))),
    'a Cell': cell(lambda self, x: x * 1j, lambda self, x, out, dout: (x,)),
    'one of its outputs': lambda x: cell(lambda self, x: (x, x * 1j), lambda self, x, out, dout: (x,))(x)[0],
    'what bprop returns': cell(lambda self, x: x * 1, lambda self, x, out, dout: (dout * 1j,)),
    'a hook': lambda x: [y := x * 1, y.register_hook(lambda g: g * 1j)][0],
    'a graph': ms.jit(lambda x: ops.abs(x * 1j)),
}


@pytest.mark.parametrize('f', COMPLEX.values(), ids=COMPLEX)
def test_complex_values_on_the_way_are_refused(f):
    said(lambda: slope(f)(X), 'omplex')
    w = Parameter(I, name='w')
    said(
        lambda: ms.grad(lambda: ops.abs(w).sum(), None, [w])(),
        'Parameter w',
        'two Parameters',
        keep=f is COMPLEX['abs'],
    )


def test_complex_constants_are_not():
    quiet(lambda: slope(lambda x: x * ops.abs(I) * ops.abs(ops.stop_gradient(x) * 1j))(X), [1, 2, 3])


@pytest.mark.parametrize('f', [ops.norm, ops.var, ops.std, ops.sigmoid, ops.silu, nn.Sigmoid()])
def test_what_is_for_real_numbers_refuses_complex_ones(f):
    said(lambda: slope(lambda x: x * f(I))(X), 'Complex128', 'real', keep=f in (ops.norm, ops.sigmoid))


# ---- hooks that come late, and a back inside itself ------------------------------------------------------------------

tenfold = lambda g: g * 10


def between(which: str) -> object:
    kept = {}
    out, back = ms.vjp(lambda x: kept.setdefault('y', x * 1) * 2, X)
    {'inside': kept['y'], 'the output': out}[which].register_hook(tenfold)
    return back(ONES)[0]


def in_another(where: str) -> object:
    def f(x):
        y = x * 1
        register = lambda *given: y.register_hook(tenfold) and None
        z = cell(lambda self, t: t * 2, lambda self, *given: (register() or given[-1] * 2,))(y)
        if where == 'a hook':
            z = y * 2
            z.register_hook(register)
        return z.sum()

    return ms.grad(f)(X)


def of_an_inner_vjp(x):
    out, back = ms.vjp(lambda t: t * 2, x)
    out.register_hook(tenfold)
    return (back(ONES)[0] * x).sum()


@pytest.mark.parametrize(
    'program',
    [
        lambda: between('inside'),
        lambda: between('the output'),
        lambda: in_another('a hook'),
        lambda: in_another('a bprop'),
        lambda: ms.grad(of_an_inner_vjp)(X),
    ],
)
def test_a_hook_that_is_registered_late_is_called(program):
    quiet(program, [20, 20, 20])


def test_a_hook_that_would_never_be_called_is_refused():
    for construct in (lambda self, x: x.register_hook(tenfold), lambda self, x: (x * 1).register_hook(tenfold)):
        net = cell(construct, lambda self, x, out, dout: (dout,))
        said(lambda net=net: slope(net)(X), 'register_hook', 'no gradient', 'hidden', 'has a bprop')
    said(lambda: slope(lambda x: ops.stop_gradient(x).register_hook(tenfold) and x)(X), 'register_hook', 'a constant')


def test_a_handle_removes_its_own_hook_and_once():
    said_by, add = [], lambda n: lambda g: said_by.append(n)

    def f(x):
        y, same = x * 1, add('same')
        handles = [y.register_hook(h) for h in (same, add('other'), same, same)]
        handles[2].remove()
        handles[2].remove()
        return y.sum()

    ms.grad(f)(X)
    assert said_by == ['same', 'other', 'same']
    net = cell(lambda self, x: x * 2, None)
    first, _ = (
        net.register_backward_hook(lambda c, i, o: tenfold(i[0])),
        net.register_backward_hook(lambda c, i, o: None),
    )
    first.remove()
    first.remove()
    assert right(slope(net)(X), [2, 2, 2])


def test_keywords_and_a_backward_hook():
    for net in (
        cell(lambda self, x, y: x * y, None),
        cell(lambda self, x, y: x * y, lambda s, x, y, o, d: (d * y, d * x)),
    ):
        net.register_backward_hook(lambda cell, dx, dout: (dx[0] * 10, dx[1] * 100))
        for f in (lambda x, y, net=net: net(y=y, x=x), lambda x, y, net=net: net(x, y=y)):
            quiet(lambda f=f: slope(f, 0, 1)(X, X * 2), ([20, 40, 60], [100, 200, 300]))
    assert 'cannot be called' in Ran(lambda: slope(lambda x: net(x, y=x, z=x))(X)).texts[0]


@pytest.mark.parametrize('by', ['bprop', 'hook'])
def test_a_back_inside_itself(by):
    """The numbers are right, nothing stays open, other threads may go on, and traps speak as before."""
    box, w = types.SimpleNamespace(ask=None), Parameter(ONES * 2, name='w')

    def again(self, x, out, dout):
        ask, box.ask = box.ask, None
        if ask:
            assert right(ask(ONES), (([2, 2, 2],), ([1, 2, 3],)))
        return (dout,)

    def f(x):
        y = x * 1
        if by == 'hook':
            y.register_hook(lambda g: again(None, x, y, g) and None)
        return (y if by == 'hook' else cell(lambda self, x: x * 1, again)(y)) * w

    box.ask = back = ms.vjp(f, X, weights=[w])[1]
    ran = Ran(lambda: back(ONES))  # it may say that `box` has changed
    assert right(ran.value, (([2, 2, 2],), ([1, 2, 3],))) and w.at == -1
    assert not tape.gradients and tape.recorded_from == tape.NOWHERE
    found = []
    thread = threading.Thread(target=lambda: found.append(slope(lambda x: x * x)(X)))
    thread.start()
    thread.join()
    assert right(found[0], [2, 4, 6])
    for _ in range(2):
        net = cell(lambda self, x: x * self.k, lambda self, x, out, dout: (dout * self.k,), 'Kept', k=2.0)
        said(lambda net=net: slope(lambda x: [net(x), setattr(net, 'k', 0.0)][0])(X), 'Kept', 'self.k', keep=False)


# ---- what a Tape shows, and edges ------------------------------------------------------------------------------------


@pytest.mark.parametrize('op', [lambda x: x * 2.71828, lambda x: 2.71828 * x, lambda x: x / 3, lambda x: x - 7])
def test_a_number_that_a_tape_shows_stays_what_it_is(op):
    due = op(X).tolist()
    with ms.Tape() as seen:
        op(X)
    for number in [t for t in seen.events[-1].inputs if not t.ndim]:
        said(lambda number=number: number.__setitem__((), 100.0), 'x[i] = v', 'a number', keep=False)
        with refused_by_numpy():
            number.array[()] = 100.0
    assert op(X).tolist() == due


def test_kinks_and_nan_keep_to_one_convention():
    zeros, nan = Tensor([0.0, 0.0]), float('nan')
    quiet(lambda: slope(lambda x: ms.grad(ops.norm)(x))(zeros), [0, 0])
    quiet(lambda: ms.grad(ms.grad(ops.norm))(Tensor(0.0)), 0)
    for op in (ops.maximum, ops.minimum):  # as in PyTorch, both get all
        quiet(
            lambda op=op: slope(op, 0, 1)(Tensor([nan, 1.0, 2.0]), Tensor([0.0, nan, 2.0])), ([1, 1, 0.5], [1, 1, 0.5])
        )
    image = Tensor([[[[nan, 1.0], [2.0, 3.0]]]])
    quiet(lambda: slope(lambda x: ops.max_pool2d(x, 2))(image), [[[[1, 0], [0, 0]]]])


def test_a_vjp_that_construct_keeps_for_its_bprop():
    class Kept(nn.Cell):
        def construct(self, x):
            y, self.back = ms.vjp(lambda t: t * t * t, x)
            return y

        def bprop(self, x, out, dout):
            return self.back(dout)

    net = Kept()
    quiet(lambda: slope(net)(X), [3, 12, 27])
    quiet(lambda: slope(slope(net))(X), [6, 12, 18])
