"""What is lent to the user's code, and what the user's code hands over: nobody changes it for the other."""

import collections
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core import tape
from tests.hostile.said import Ran, X, cell, quiet, right, right_or_said, said

ONES = Tensor([1.0, 1.0, 1.0])
slope = lambda f, *positions: ms.grad(lambda *a: f(*a).sum(), positions or 0)
refused_by_numpy = lambda: pytest.raises(ValueError, match='read-only')


# ---- cotangents, lent to hooks and bprops ----------------------------------------------------------------------------


def deep(write: Callable) -> Callable:
    """The hook that writes into what it is given, or all parts of it, and returns nothing."""
    return lambda *given: [write(t) for v in given for t in (v if isinstance(v, tuple) else (v,)) if t is not None][:0]


def hooked(kind: str, write: Callable) -> object:
    """The slope of x + x, with a hook on the one path of the two."""

    def f(x):
        y, ident = x * 1, cell(lambda self, a: a * 1, None)
        z = y + x
        if kind == 'tensor':
            y.register_hook(lambda g: deep(write)(g) or None)
        elif kind in ('InsertGradientOf', 'HookBackward'):
            z = getattr(ops, kind)(lambda g: deep(write)(g) or None)(y) + x
        else:
            getattr(ident, f'register_{kind}_hook')(lambda cell, *given: deep(write)(*given) or None)
            z = ident(y) + x
        return z.sum()

    return ms.grad(f)(X)


HOOKS = 'tensor', 'InsertGradientOf', 'HookBackward', 'backward', 'backward_pre'
put = lambda index: lambda t: t.__setitem__(index, 9.0)


@pytest.mark.parametrize('kind', HOOKS)
def test_what_a_hook_writes_changes_no_other_path(kind):
    found = hooked(kind, put(0))
    assert right(found, [10, 2, 2]) or right(found, [2, 2, 2]), found
    said(lambda: hooked(kind, lambda t: put(0)(t[0:2])), 'x[i] = v', 'that others use', keep=kind == 'tensor')
    for write in (lambda t: put(0)(t.array), lambda t: put(0)(t.asnumpy()), lambda t: np.copyto(t.array, 0)):
        with refused_by_numpy():
            hooked(kind, write)


@pytest.mark.parametrize(
    'view', [lambda t: t[0:2], lambda t: t.reshape(3, 1), lambda t: t.T, lambda t: ops.split(t, 1)[0]]
)
def test_a_bprop_s_write_into_a_view_counts_or_is_refused(view):
    """Not for dout alone: a view of an input, and of what was written before."""
    inside = lambda self, x, out, dout: put(0)(view(dout)) or (dout,)
    right_or_said(
        lambda: slope(cell(lambda self, x: x * 1, inside))(X), [9, 1, 1], 'x[i] = v', 'that others use', keep=False
    )
    inside = lambda self, x, out, dout: put(0)(view(x)) or (dout * x,)
    right_or_said(lambda: slope(cell(lambda self, x: x * 1, inside))(X), [9, 2, 3], 'a view', 'was given', keep=False)
    inside = lambda self, x, out, dout: put(1)(dout) or put(0)(view(dout)) or (dout,)
    quiet(lambda: slope(cell(lambda self, x: x * 1, inside))(X), [9, 9, 1])


def test_an_index_write_into_dout_is_its_own():
    mask = cell(lambda self, x: x * 1, lambda self, x, out, dout: dout.__setitem__(x < 2, 0.0) or (dout,))
    quiet(lambda: slope(lambda x: mask(x) + x)(X), [1, 2, 2])
    program = lambda: slope(lambda x: slope(lambda t: mask(t) * t)(x))(X)
    right_or_said(program, [1, 2, 2], 'x[i] = v', 'ops.select')


def test_what_a_bprop_keeps_and_returns_is_not_written_by_a_hook():
    kept = Tensor([1.0, 1.0, 1.0])
    net = cell(lambda self, x: x * 2, lambda self, x, out, dout: (kept,))

    def f(x):
        y = x * 1
        y.register_hook(lambda g: g.__setitem__(0, 9.0))
        return net(y).sum()

    quiet(lambda: (ms.grad(f)(X), kept), ([9, 1, 1], [1, 1, 1]))
    ms.grad(net)(X)[0] = 7.0
    assert kept.tolist() == [1, 1, 1]


# ---- gradients inside a gradient, and sens ---------------------------------------------------------------------------


def test_one_gradient_inside_a_gradient_is_not_the_other():
    def f(x, sens):
        gx, gy = ms.vjp(lambda a, b: a + b, x, x * 1)[1](sens)
        gx[0] = 9.0
        return (gy * x).sum()

    def by_grad(x):
        gx, gy = ms.grad(lambda a, b: a + b, (0, 1))(x, x * 1)
        gx[0] = 9.0
        return (gy * x).sum()

    sens = Tensor([1.0, 1.0, 1.0])
    quiet(lambda: ms.grad(by_grad)(X), [1, 1, 1])
    quiet(lambda: (ms.grad(f)(X, sens), sens), ([1, 1, 1], [1, 1, 1]))
    inside = cell(lambda self, x: by_grad(x) + x, lambda self, x, out, dout: (dout * (by_grad(x) - 5),))
    quiet(lambda: slope(inside)(X), [1, 1, 1])
    with pytest.raises(ValueError, match='read-only'):
        ms.grad(lambda x: put(0)(ms.grad(lambda a: a + x)(x).array) or x.sum())(X)


# ---- values, lent to kernels and rules -------------------------------------------------------------------------------

own = lambda kernel, rule=None: type('Own', (ops.Primitive,), {'kernel': kernel, 'rule': rule})()
squared = lambda self, x: x * x
twice = lambda self, g, out, x: (g * 2 * x,)


def test_kernels_and_rules_write_nobody_else_s():
    for k in range(3):
        rule = lambda self, *given, k=k: put(0)(given[k]) or twice(self, *given)
        with refused_by_numpy():
            slope(own(squared, rule))(X)
        ran = Ran(lambda rule=rule: slope(lambda x: slope(lambda t: own(squared, rule)(t) + t)(x))(X))
        assert ran.error or right(ran.value, [18, 2, 2]), ran.value  # on Tensors a write into g counts
    x = Tensor([1.0, 2.0, 3.0])
    with refused_by_numpy():
        own(lambda self, x: put(0)(x) or x)(x)
    kept = np.ones(3, np.float32)
    for kernel in (lambda self, x: x, lambda self, x: x[::-1], lambda self, x: kept):
        own(kernel)(x)[0] = 9.0
    assert x.tolist() == [1, 2, 3] and kept.tolist() == [1, 1, 1]


def test_what_is_handed_back_may_be_used_again():
    """A buffer that each call of a kernel, a rule or a hook fills anew."""
    buffer, kept = np.zeros(3, np.float32), Tensor([1.0, 1.0, 1.0])
    fill = lambda self, g, out, x: (np.multiply(g, 2, out=buffer),)
    for net in (own(lambda self, x: np.multiply(x, 2, out=buffer), fill), own(lambda self, x: x * 2, fill)):
        f = lambda x, net=net: net(x * 1) + net(x * 3) * 5
        quiet(lambda f=f: (f(X), slope(f)(X)), ([32, 64, 96], [32, 32, 32]))

    def hooked(x):
        y, z = x * 1, x + 0  # which hands the gradient on as it is
        z.register_hook(lambda g: kept)
        y.register_hook(lambda g: kept.__setitem__(..., 5.0))
        return y + z

    quiet(lambda: slope(hooked)(X), [2, 2, 2])


def test_what_kernels_and_rules_return():
    wide = own(lambda self, x: np.float64(x) ** 2, lambda self, g, out, x: (np.float64(g) * 2 * x,))
    quiet(lambda: slope(wide)(X), [2, 4, 6])
    assert slope(wide)(X).dtype == ms.float32
    said(lambda: own(lambda self, x: [1.0, 2.0])(X), 'Own.kernel', 'a list', 'a NumPy array')
    said(lambda: slope(own(squared, lambda self, g, out, x: ('g',)))(X), 'Own.rule', 'a str', 'real numbers')
    said(lambda: slope(own(squared, lambda self, g, out, x: (g * 1j,)))(X), 'Own.rule', 'complex', 'real numbers')
    by_numpy = own(squared, lambda self, g, out, x: (np.ones(3, np.float32),))
    said(lambda: slope(lambda x: slope(by_numpy)(x))(X), 'Own.rule', 'a ndarray', 'a Tensor')


# ---- what is handed to a takeover ------------------------------------------------------------------------------------

product = cell(lambda self, l: l[0] * l[1], lambda self, l, out, dout: ((dout * l[1], dout * l[0]),), 'Product')
named = cell(lambda self, d: d['a'] * d['b'], lambda self, d, out, dout: ((dout * d['b'], dout * d['a']),), 'Named')
LATER = {
    'another order': lambda c, x, y: c.reverse(),
    'one twice': lambda c, x, y: c.__setitem__(slice(None), [y, y]),
    'a later Tensor': lambda c, x, y: c.__setitem__(0, x * y),
    'nothing left': lambda c, x, y: c.clear(),
    'one more': lambda c, x, y: c.append(x),
}


@pytest.mark.parametrize('change', LATER.values(), ids=LATER)
def test_a_list_or_a_dict_of_inputs_is_what_it_was_at_the_call(change):
    def f(x, y):
        held = [x, y]
        z = product(held)
        change(held, x, y)
        return z.sum()

    def g(x, y):
        held = collections.OrderedDict(a=x, b=y)
        z = named(held)
        held.clear() if change is LATER['nothing left'] else held.update(a=y)
        return z.sum()

    for program in (f, g):
        quiet(lambda program=program: ms.grad(program, (0, 1))(X, X * 2), ([2, 4, 6], [1, 2, 3]))


class Attributes(dict):
    """A dict whose keys are attributes."""

    __getattr__ = dict.__getitem__


@dataclass
class Box:
    """Something else that is handed over."""

    k: object


HANDED = {  # what is handed over, how a number is read of it, and how it changes
    'an array': (lambda: np.full(3, 2.0), lambda a: a[0], lambda a: a.fill(5)),
    'a view': (lambda: np.full(6, 2.0)[::2], lambda a: a[0], lambda a: a.fill(5)),
    'an array in a tuple': (lambda: (np.full(3, 2.0),), lambda a: a[0][0], lambda a: a[0].fill(5)),
    'a dict': (lambda: {'k': [2.0]}, lambda a: a['k'][0], lambda a: a['k'].__setitem__(0, 5.0)),
    'attributes': (lambda: Attributes(k=2.0), lambda a: a.k, lambda a: a.update(k=5.0)),
    'a defaultdict': (lambda: collections.defaultdict(lambda: 2.0), lambda a: a['k'], lambda a: a.update(k=5.0)),
    'an object': (lambda: types.SimpleNamespace(k=2.0), lambda a: a.k, lambda a: setattr(a, 'k', 5.0)),
    'a dataclass': (lambda: Box(2.0), lambda a: a.k, lambda a: setattr(a, 'k', 5.0)),
    'one with a Tensor': (lambda: Box(ONES * 2), lambda a: a.k, lambda a: setattr(a, 'k', ONES * 5)),
    'a deque': (lambda: collections.deque([2.0]), lambda a: a[0], lambda a: a.appendleft(5.0)),
}


@pytest.mark.parametrize('handed', HANDED.values(), ids=HANDED)
def test_what_else_is_handed_over_is_what_it_was_or_it_is_said(handed):
    make, read, change = handed
    net = cell(lambda self, x, a: x * read(a), lambda self, x, a, out, dout: (dout * read(a), None), 'Reads')
    facts = 'Reads.bprop reads', 'its input a', 'has changed'

    def f(x):
        a = make()
        z = net(x, a)
        change(a)
        return (z + 0 * net(x, a=a)).sum()  # by name, and with what it is now

    def later():
        a = make()
        back = ms.vjp(lambda x: net(x, a), X)[1]
        change(a)
        return back(ONES)[0]

    right_or_said(lambda: ms.grad(f)(X), [2, 2, 2], *facts, keep=False)
    right_or_said(later, [2, 2, 2], *facts, keep=make is HANDED['a dataclass'][0])


def test_of_what_bprop_does_not_read_nothing_is_said():
    log, note = Box([]), lambda self, x, log: log.k.append('called') or x * 2
    for bprop in (
        lambda self, x, log, out, dout: (dout * 2, None),
        lambda self, x, log, out, dout: log.k.append('asked') or (dout * 2, None),
    ):
        net = cell(note, bprop)
        quiet(lambda net=net: slope(lambda x: net(x, log) + net(x, log))(X), [4, 4, 4])


def test_a_list_that_construct_returned_belongs_to_the_user():
    several = cell(lambda self, x: [x * 2, x * x], lambda self, x, out, dout: (dout[1] * 2 * x + 0 * out[0],))
    by_name = cell(lambda self, x: {'a': x * x}, lambda self, x, out, dout: (dout['a'] * 2 * x + 0 * out['a'],))
    quiet(lambda: slope(lambda x: [o := several(x), o[1], o.clear()][1])(X), [2, 4, 6])
    quiet(lambda: slope(lambda x: [o := by_name(x), o['a'], o.clear()][1])(X), [2, 4, 6])


@pytest.mark.parametrize('where', ['the Cell', 'the class'])
def test_a_bprop_that_is_replaced_after_the_call(where):
    def net():
        made = cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * 2,), 'Replaced')
        return made, made if where == 'the Cell' else type(made)

    wrong = lambda *given: (given[-1] * 100,)

    def f(x):
        made, owner = net()
        return [made(x), setattr(owner, 'bprop', wrong)][0].sum()

    def later():
        made, owner = net()
        back = ms.vjp(made, X)[1]
        owner.bprop = wrong
        return back(ONES)[0]

    for program in (lambda: ms.grad(f)(X), later):
        said(program, 'Replaced.bprop', 'replaced', 'after the gradient', keep=program is later)
    made, owner = net()
    ms.grad(made)(X)
    owner.bprop = wrong
    quiet(lambda: ms.grad(made)(X), [100, 100, 100])


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
