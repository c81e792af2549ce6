"""What is lent to the user's code, and what the user's code hands over: nobody changes it for the other."""

import collections
import contextlib
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
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
    'a partial': (lambda: functools.partial([2.0, 5.0].pop, 0), lambda a: a.func.__self__[0], lambda a: a()),
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


@pytest.mark.parametrize('part', [lambda d: d[0:2], lambda d: d.reshape(3)[:2], lambda d: ops.stack([*d][:2])])
def test_a_part_of_dout_is_what_it_was_before_dout_was_written(part):
    def bprop(self, x, out, dout):
        v = part(dout)
        dout[0] = 9.0
        return (ops.concat((v + dout[0], dout[:1])),)

    quiet(lambda: slope(cell(lambda self, x: x * 1, bprop))(X), [10, 10, 9])


# ---- a buffer that bprop fills in each of its calls ------------------------------------------------------------------


def filled(kind: str) -> Callable:
    """What writes some numbers into one and the same buffer, and returns it."""
    if kind == 'a Parameter':
        p = ms.Parameter(ONES * 0, name='p', requires_grad=False)
        return lambda value: [ops.assign(p, value), p][1]
    buffer = ONES * 0
    return lambda value: [buffer.__setitem__(slice(None), value), buffer][1]


@pytest.mark.parametrize('kind', ['a Tensor', 'a Parameter'])
@pytest.mark.parametrize('look', ['grad', 'vjp', 'Tape'])
def test_a_buffer_is_another_gradient_in_each_call(kind, look):
    fill, other = filled(kind), filled(kind)
    net = cell(lambda self, x: x * 1, lambda self, x, out, dout: (fill(dout * x),))
    both = cell(lambda self, x, y: x * y, lambda self, x, y, out, dout: (fill(dout * y), other(dout * x)))
    f = lambda x: net(net(x)) + net(x) * 10 + both(x, x + 1) + 3 * both(x, x)

    def taken():
        if look == 'vjp':
            return ms.vjp(f, X)[1](ONES)[0]
        with ms.Tape() if look == 'Tape' else contextlib.nullcontext():
            return slope(f)(X)

    quiet(taken, [1 + 10 + 3 + 6, 4 + 20 + 5 + 12, 9 + 30 + 7 + 18])


def test_what_a_bprop_returned_and_a_hook_writes_later():
    kept = []
    net = cell(lambda self, x: x * 3, lambda self, x, out, dout: ([kept.append(dout * 3), kept[-1]][1],))
    later = ops.InsertGradientOf(lambda g: [kept[-1].__setitem__(0, 10.0) if kept else None, g][1])
    quiet(lambda: slope(lambda x: net(y := x * 1) + later(y) * 0)(X), [3, 3, 3])
