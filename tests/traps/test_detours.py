"""What a bprop reads by detours and draws, numbers that construct keeps, and what nobody notices."""

import functools
import io
import itertools
import os
import queue
import random
import threading
import weakref
from collections import OrderedDict, deque
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.random import default_rng  # noqa: F401 (for a bprop)

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.core.errors import NoRuleError
from minicell.errors import KeptOnSelfWarning, LeavesTapeWarning, WriteAfterUseError
from tests.core.cells import made, values
from tests.messages import refused, warned
from tests.traps.test_unseen import HUNDRED, X, doubled


def reads(what):
    """A bprop that reads something itself: one that hands self on may read everything."""
    return eval(f'lambda s, x, out, dout: ({what},)', globals())


# ---- what bprop reads by detours -------------------------------------------------------------------------------------

counter, here = itertools.count(1.0), SimpleNamespace()
NOW = 0.0
moves = lambda: None
set_now = lambda self: globals().update(NOW=next(counter))


def nested(value):
    for _ in range(9):
        value = SimpleNamespace(a=value)
    return value


def put_and_get():
    kept = [0.0]
    return SimpleNamespace(put=lambda v: kept.__setitem__(0, v), get=lambda: kept[0])


def by_import():
    from random import mini_number

    return mini_number


def at_the_bottom(has, *value):
    while isinstance(has.a, SimpleNamespace):
        has = has.a
    if value:
        has.a = value[0]
    return has.a


Meta = type('Meta', (type,), {'k': 0.0})
OfMeta = Meta('OfMeta', (), {'m': 0.0, 'of_class': classmethod(lambda cls: cls.m)})
OfObjects = type('OfObjects', (), {'k': 0.0, 'row': [0.0], 'get': lambda self: self.k})
OfObjects.__init__ = lambda self: setattr(self, 'first', self.row[0])
rebound = lambda k=0.0, *, m=0.0: k + m
MEMO, MOVED = [0.0], {'k': 0.0}
memo = functools.lru_cache(maxsize=None)(lambda: MEMO[0])
THIRD = iter([1.0] * 100)
TURNS = []
READ = {  # what it has; what construct does; what bprop reads
    'a queue': (queue.Queue, lambda s: s.has.put(next(counter)), 's.has.get()'),
    'a local': (threading.local, lambda s: setattr(s.has, 'm', next(counter)), 's.has.m'),
    '__dict__': (int, lambda s: s.__dict__.update(m=next(counter)), "s.__dict__['m']"),
    '__class__': (int, lambda s: setattr(type(s), 'm', next(counter)), 's.__class__.m'),
    'type(self)': (int, lambda s: setattr(type(s), 'm', next(counter)), 'type(s).m'),
    'a function': (int, lambda s: setattr(moves, 'm', next(counter)), 'moves.m'),
    'an import': (int, lambda s: setattr(random, 'mini_number', next(counter)), 'by_import()'),
    'globals()': (int, set_now, "globals()['NOW']"),
    'a file in memory': (
        io.StringIO, lambda s: (s.has.seek(0), s.has.write(str(next(counter)))), 'float(s.has.getvalue())',
    ),
    'bytes': (io.BytesIO, lambda s: (s.has.seek(0), s.has.write(bytes([int(next(counter))]))), 's.has.getvalue()[0]'),
    'a closure': (put_and_get, lambda s: s.has.put(next(counter)), 's.has.get()'),
    'nine objects deep': (
        lambda: nested(0.0), lambda s: at_the_bottom(s.has, next(counter)), 'at_the_bottom(s.has)',
    ),
    'a Generator of construct': (np.random.default_rng, lambda s: s.has.random(), 's.has.random()'),
    'a Generator of bprop': (np.random.default_rng, lambda s: None, 's.has.random()'),
    'a RandomState': (np.random.RandomState, lambda s: s.has.rand(), 's.has.rand()'),
    'random.Random': (random.Random, lambda s: s.has.random(), 's.has.random()'),
    "NumPy's own dice": (int, lambda s: np.random.rand(), 'np.random.rand()'),
    'a count': (itertools.count, lambda s: None, 'float(next(s.has))'),
    'an iterator': (lambda: iter([1.0] * 9), lambda s: None, 'next(s.has)'),
    'a zip': (lambda: zip([1.0] * 9, 'abcdefghi', strict=True), lambda s: None, 'next(s.has)[0]'),
    'dice in a dict': (lambda: {1: np.random.default_rng(0)}, lambda s: None, 's.has[1].random()'),
    "a die's method": (lambda: np.random.default_rng(0).random, lambda s: None, 's.has()'),
    'a generator': (lambda: (float(k) for k in range(9)), lambda s: None, 'next(s.has)'),
    'an iterator outside': (int, lambda s: None, 'next(THIRD)'),
    'a large array': (lambda: np.zeros(10**6), lambda s: s.has.fill(next(counter)), 'float(s.has[5])'),
    'order': (lambda: OrderedDict({2: 0, 3: 0}), lambda s: s.has.move_to_end(next(iter(s.has))), 'next(iter(s.has))'),
    'a weak reference': (lambda: weakref.ref(OfMeta), lambda s: setattr(OfMeta, 'm', next(counter)), 's.has().m'),
    'a view of a dict': (lambda: MOVED.values(), lambda s: MOVED.update(k=next(counter)), 'max(s.has)'),
    'a metaclass': (lambda: OfMeta, lambda s: setattr(Meta, 'k', next(counter)), 's.has.k'),
    'a classmethod': (int, lambda s: setattr(OfMeta, 'm', next(counter)), 'OfMeta.of_class()'),
    'a memo': (int, lambda s: (MEMO.__setitem__(0, next(counter)), memo.cache_clear()), 'memo()'),
    'the first of a row': (lambda: [1.0] * 9, lambda s: None, 's.has.pop(0)'),
    'the first that construct put': (list, lambda s: s.has.append(next(counter)), 's.has.pop(0)'),
    'the left one': (deque, lambda s: s.has.append(next(counter)), 's.has.popleft()'),
    'a row that it turns': (lambda: deque([1.0, 2.0]), lambda s: None, '(s.has.rotate(1), s.has[0])[1]'),
    'one of a set': (lambda: {*range(9)}, lambda s: None, 's.has.pop()'),
    'an item': (lambda: dict.fromkeys(range(9), 1.0), lambda s: None, 's.has.popitem()[1]'),
    'a global row': (int, lambda s: TURNS.append(next(counter)), 'TURNS.pop(0)'),
    'dice without a seed': (int, lambda s: None, 'np.random.default_rng().random()'),
    "Python's own": (int, lambda s: None, 'random.Random().random()'),
    'dice that are imported': (int, lambda s: None, 'default_rng().random()'),
    'the class of an object': (int, lambda s: setattr(OfObjects, 'k', next(counter)), 'OfObjects().k'),
    'a method of an object': (int, lambda s: setattr(OfObjects, 'k', next(counter)), 'OfObjects().get()'),
    'how it is made': (int, lambda s: OfObjects.row.__setitem__(0, next(counter)), 'OfObjects().first'),
    'a default': (int, lambda s: setattr(rebound, '__defaults__', (next(counter),)), 'rebound()'),
    'a default by name': (int, lambda s: rebound.__kwdefaults__.update(m=next(counter)), 'rebound()'),
    'the environment': (int, lambda s: os.environ.update(ASKED=str(next(counter))), "float(os.getenv('ASKED', '0'))"),
    'a key of a large dict': (
        lambda: dict.fromkeys(range(10**4), 1.0), lambda s: s.has.update({5000: next(counter)}), 's.has[5000]',
    ),
}  # fmt: skip


@pytest.mark.parametrize('has, does, read', READ.values(), ids=READ)
def test_what_bprop_reads_by_a_detour_is_compared(has, does, read):
    net = made(lambda self, x: (does(self), x * 1)[1], reads(f'dout * ({read})'), name='Reads')
    net.has = has()
    for _ in range(2):  # in the next gradient, too
        with warned() as said:
            ms.grad(lambda x: (net(x) + net(x * 2)).sum())(X)
        assert {w.category for w in said.caught} == {KeptOnSelfWarning}, said.caught
        assert 'Reads.bprop' in str(said.caught[0].message)


@pytest.mark.parametrize('loses', [lambda s: [y := s(X), s(X * 2), y.sum()][2], lambda s: s(X)])
def test_a_row_that_is_not_what_it_was_at_its_own_call(loses):
    """Its last one is that of another call, which no output uses, or which came before a vjp was read."""
    net = made(
        lambda self, x: (self.has.append(x.asnumpy()), x * x)[1], reads('dout * 2 * Tensor(s.has.pop())'), has=[]
    )
    out, back = ms.vjp(lambda x: loses(lambda given: net(given * x)), Tensor(1.0))
    net(X)
    with warned(KeptOnSelfWarning, 'self.has', 'has changed since'):
        ms.grad(lambda x: [y := net(x), net(x * 2), y.sum()][2])(X)
    with warned(KeptOnSelfWarning, 'self.has', 'has changed since'):
        back(out)


class Timer:
    """Its class is written each time."""

    total, made = 0.0, 0

    def __enter__(self):
        Timer.made = Timer.made + 1

    def __exit__(self, *error):
        Timer.total += next(counter)


def timed(*parts):
    with Timer():
        return parts


TAKES = {
    'a stack': (lambda s, x: s.has.append(2 * x.asnumpy()), 'Tensor(s.has.pop())', []),
    'one that is looked at': (lambda s, x: s.has.append(2 * x.asnumpy()), 'Tensor((s.has[-1], s.has.pop())[1])', []),
    'what has a key': (lambda s, x: s.has.update({x[0].item(): 2 * x.asnumpy()}), 'Tensor(s.has.pop(x[0].item()))', {}),
    'a buffer that it gives back': (
        lambda s, x: None, '(b := s.has.pop(), b.fill(2), s.has.append(b), Tensor(b) * x)[-1]', [np.zeros(3, 'f')],
    ),
    'dice with a seed': (lambda s, x: None, '(np.random.default_rng(0).random() * 0 + 2) * x', None),
    'a timer': (lambda s, x: timed(), 'timed(2 * x)[0]', None),
}  # fmt: skip


@pytest.mark.parametrize('does, read, has', TAKES.values(), ids=TAKES)
def test_a_bprop_may_take_out_what_its_own_call_put_in(does, read, has):
    net = made(lambda self, x: (does(self, x), x * x)[1], reads(f'dout * {read}'), has=has)
    with warned() as said:
        assert values(ms.grad(lambda x: (net(x) + net(x * 2)).sum())(X)) == [10, 20, 30]
        with ms.Tape():
            assert values(ms.vjp(lambda x: net(x) + net(x * 2), X)[1](X * 0 + 1)[0]) == [10, 20, 30]
    assert not said.caught, said.caught[0].message


def test_a_setting_that_nobody_changes_is_none():
    """However large, deep or strange; and one whose other keys change."""
    has = {'rng': np.random.default_rng(0), 'it': iter([1]), 'deep': nested(1.0), 'k': 2.0, 'file': io.BytesIO(b'x')}
    net = made(lambda self, x: x * 1, reads("dout * s.has['k']"))
    net.has = has
    with warned() as said:
        assert values(ms.grad(lambda x: (net(x) + net(x * 2)).sum())(X)) == [6, 6, 6]
    assert not said.caught


# ---- numbers that construct keeps, at second order -------------------------------------------------------------------

STORE = []
KEPT = {
    'an array': (lambda s, x: setattr(s, 'a', x.asnumpy()), '2 * Tensor(s.a)'),
    'what NumPy made': (lambda s, x: setattr(s, 'a', np.array(x) * 2), 'Tensor(s.a)'),
    'a number': (lambda s, x: setattr(s, 'a', 2 * float(x[0])), 's.a'),
    'a list in a dict': (lambda s, x: s.kept.update(a=x.tolist()), "2 * Tensor(s.kept['a'])"),
    'a global': (lambda s, x: STORE.append(x.asnumpy()), '2 * Tensor(STORE[-1])'),
}


@pytest.mark.parametrize('keep, read', KEPT.values(), ids=KEPT)
def test_numbers_kept_by_construct_are_constants_at_second_order(keep, read):
    net = made(lambda self, x: keep(self, x) or x * x, reads(f'dout * {read}'), name='Keeps', kept={})
    with warned() as said:
        ms.grad(net)(X)
    assert not said.caught, 'at first order it is right'
    with warned() as said:
        ms.grad(lambda x: ms.grad(lambda t: net(t).sum())(x).sum())(X)
    assert {w.category for w in said.caught} == {LeavesTapeWarning}, said.caught
    assert 'Keeps.bprop' in str(said.caught[0].message)


RIGHT = {
    'a mask': (lambda s, x: setattr(s, 'a', x.asnumpy() > 1.5), 'Tensor(s.a).astype(ms.float32) * 2'),
    'numbers that bprop does not read': (lambda s, x: setattr(s, 'a', x.asnumpy()), '2 * x'),
    'numbers that choose': (lambda s, x: setattr(s, 'a', 2 if x[0] > 0 else 3), 's.a * x'),
}


@pytest.mark.parametrize('keep, read', RIGHT.values(), ids=RIGHT)
def test_what_has_no_slope_or_is_not_read_is_right(keep, read):
    net = made(lambda self, x: keep(self, x) or x * x, reads(f'dout * {read}'))
    with warned() as said:
        ms.grad(lambda x: (ms.grad(lambda t: net(t).sum())(x) * x).sum())(X)
    assert not said.caught, said.caught[0].message


def test_a_value_of_a_gradient_inside_a_construct_is_refused_outside():
    """Nothing of it was kept."""
    kept = []
    inner = lambda t: (kept.append(t * t) or t * t).sum()
    net = made(lambda self, x: ms.grad(inner)(x) * 1, lambda self, x, out, dout: (dout * 2,))
    with refused(NoRuleError, 'has ended', 'inside a construct'):
        ms.grad(lambda x: (net(x) * kept[-1]).sum())(X)


# ---- what minicell does not notice: rows of MINDSPORE.md ------------------------------------------------------------


def calls_counted(kept=[0.0]):  # noqa: B006 (that is the case)
    kept[0] += 1
    return kept[0]


def counted(thing):
    thing.k += 1
    return thing.k


Asks = type('Asks', (), {'now': type('Now', (), {'__get__': lambda self, thing, kind: NOW})()})
UNNOTICED = {
    'a SimpleQueue': (queue.SimpleQueue, lambda s: s.has.put(next(counter)), 's.has.get()'),
    'a helper that counts': (int, lambda s: None, 'calls_counted()'),
    'what it counts itself': (lambda: SimpleNamespace(k=1.0), lambda s: None, 'counted(s.has)'),
    'the machine': (int, lambda s: None, 'os.urandom(1)[0] * 1.0'),
    'a descriptor': (int, set_now, 'Asks.now'),
    'code in a text': (int, set_now, "eval('NO' + 'W')"),
    'numbers that an op draws': (int, lambda s: None, 'ms.ops.randn(1).item()'),
    'the middle of a large array': (
        lambda: np.zeros(10**6), lambda s: s.has.put(777, next(counter)), 'float(s.has[770:780].max())',
    ),
}  # fmt: skip


@pytest.mark.parametrize('has, does, read', UNNOTICED.values(), ids=UNNOTICED)
def test_what_a_bprop_reads_and_nobody_notices(has, does, read):
    net = made(lambda self, x: (does(self), x * 1)[1], reads(f'dout * ({read})'))
    net.has = has()
    with warned() as said:
        ms.grad(lambda x: (net(x) + net(x * 2)).sum())(X)
    assert not said.caught


def test_a_parameter_that_construct_writes_after_it_used_it():
    """In a Cell that is called once; in one that is called twice it is a WriteAfterUseError."""
    w = Parameter(Tensor(2.0), 'w', requires_grad=False)
    net = made(lambda self, x: (x * w, ms.ops.assign(w, w * 0.5))[0], reads('dout * s.w'), w=w)
    assert values(ms.grad(net)(X)) == [1, 1, 1]
    with refused(WriteAfterUseError, 'ops.assign(w'):
        ms.grad(lambda x: net(x) + net(x))(X)


def test_a_hook_reads_what_is_there_when_it_runs():
    w = Parameter(Tensor([2.0] * 3), 'w')

    def f(x):
        y = x * 1
        y.register_hook(lambda g: g * w)
        w.set_data(HUNDRED)
        return y.sum()

    assert values(ms.grad(f)(X)) == [100, 100, 100]


def test_an_alias_in_a_tuple_of_a_construct_that_delegates():
    class HandsOn(nn.Cell):
        def construct(self, x):
            return doubled(x)

        def bprop(self, x, out, dout):
            return (dout * 50,)

        aliases = (construct,)

    class Late(nn.Cell):
        construct = HandsOn.aliases[0]

    net, Late.bprop = Late(), HandsOn.bprop  # it was there before its class got a bprop, and is never called
    for past in lambda x: HandsOn.aliases[0](HandsOn(), x), net.construct:
        with warned() as said:
            assert values(ms.grad(lambda x, past=past: past(x).sum())(X)) == [2, 2, 2]
        assert not said.caught


ROW = [2.0]


def by_name(self, x, out, dout):
    scale = ROW[0]
    return (dout * scale,)


def by_try(self, x, out, dout):
    try:
        scale = ROW[0]
    except IndexError:
        scale = 1.0
    return (dout * scale,)


@pytest.mark.parametrize('bprop', [by_name, by_try, lambda s, x, out, dout: (dout * (scale := ROW[0]) + 0 * scale,)])
def test_what_bprop_gives_a_name_of_its_own_is_read(bprop):
    net = made(lambda self, x: x * ROW[0], bprop)

    def f(x):
        y = net(x)
        ROW[0] += 1.0
        return y.sum()

    with warned(KeptOnSelfWarning, 'ROW', 'has changed since'):
        ms.grad(f)(X)


class Notes:
    """A log, of which a bprop may also fetch what was noted last."""

    def __init__(self):
        self.lines, self.last = [0.0], 0.0

    def note(self, line):
        self.lines.append(line)

    def fetch(self):
        self.last = self.lines[-1]

    def into(self, row):
        row.append(self.lines[-1])


def logs(self, x, out, dout):
    self.notes.note(1.0)
    NOTES.note(1.0)
    return (dout * 2,)


def fetches(self, x, out, dout):
    self.notes.fetch()
    return (dout * self.notes.last,)


def fills(self, x, out, dout):
    row = []
    self.notes.into(row)
    return (dout * row[0],)


NOTES, KEPT_ON_SELF = Notes(), {KeptOnSelfWarning}


@pytest.mark.parametrize('bprop, due', [(logs, set()), (fetches, KEPT_ON_SELF), (fills, KEPT_ON_SELF)])
def test_a_log_is_called_and_not_read_unless_something_of_it_is(bprop, due):
    net = made(lambda self, x: (self.notes.note(next(counter)), NOTES.note(1.0), x * 1)[2], bprop, notes=Notes())
    with warned() as said:
        ms.grad(lambda x: (net(x) + net(x * 2)).sum())(X)
    assert {w.category for w in said.caught} == due, said.caught


MEANS = {
    'assign': lambda m, g: ms.ops.assign(m, m * 0.5 + g),
    'set_data': lambda m, g: m.set_data(m * 0.5 + g),
    'an index': lambda m, g: m.__setitem__(0, m[0] * 0.5 + g[0]),
}


@pytest.mark.parametrize('move', MEANS.values(), ids=MEANS)
def test_a_moving_average_of_a_bprop_is_its_own_in_each_call(move):
    """But not what somebody else has written in between."""
    average = Parameter(Tensor([0.0] * 3), 'average', requires_grad=False)
    net = made(lambda self, x: x * 2, lambda self, x, out, dout: (move(average, dout), dout * 2)[1:])
    _, back = ms.vjp(lambda x: net(x) + net(x), X)
    for ask in lambda: ms.grad(lambda x: (net(x) + net(x)).sum())(X), lambda: back(X)[0], lambda: back(X)[0]:
        assert values(ask())[0] in (4, 4 * values(X)[0])
    average.set_data(HUNDRED)
    with refused(WriteAfterUseError, 'average.set_data'):
        back(X)
