"""S8, further: what else may hold a value between construct and bprop, and a bprop that comes late."""

import functools
import pickle
from array import array
from collections import UserList, deque
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import KeptOnSelfWarning
from tests.hostile.said import Ran, X, right, right_or_said, said
from tests.hostile.test_kept import Keeps


class Named(dict):
    pass


class Row(list):
    pass


class Slots:
    __slots__ = ('m',)


@dataclass(slots=True)
class Slotted:
    m: object = None


@dataclass
class Plain:
    m: object = None


def in_a_row(row, value):
    row[:] = [value]


def on_it(thing, value):
    thing.m = value


# what is made once for self.h; how construct keeps a number in it; how bprop reads it
HOLDERS = {
    'a dict of a class of its own': (Named, lambda h, m: h.update(m=m), lambda h: h['m']),
    'a list of a class of its own': (Row, in_a_row, lambda h: h[0]),
    'a UserList': (UserList, in_a_row, lambda h: h[0]),
    'slots': (Slots, on_it, lambda h: h.m),
    'a dataclass with slots': (Slotted, on_it, lambda h: h.m),
    'an object in a list': (lambda: [Plain()], lambda h, m: on_it(h[0], m), lambda h: h[0].m),
    'slots in a dict of lists': (lambda: {'k': [Slots()]}, lambda h, m: on_it(h['k'][0], m), lambda h: h['k'][0].m),
    'an object that has itself in a list': (lambda: Plain([]), lambda h, m: h.m.extend((h, m)), lambda h: h.m[-1]),
    'an array of bytes': (lambda: array('d', [0]), lambda h, m: h.__setitem__(0, m), lambda h: h[0]),
    'bytes': (lambda: bytearray(1), lambda h, m: h.__setitem__(0, int(m)), lambda h: float(h[0])),
}


@pytest.mark.parametrize(('make', 'put', 'get'), HOLDERS.values(), ids=HOLDERS)
def test_s8_whatever_holds_it(make, put, get):
    net = Keeps(lambda s, x: put(s.h, float(x[0].asnumpy())), lambda s: get(s.h))
    object.__setattr__(net, 'h', make())
    ones = Tensor([1.0, 1.0, 1.0])
    right_or_said(
        lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ones), [10] * 3, r'self\.h.*has changed', 'out'
    )


def test_objects_that_all_know_each_other_are_looked_into_once():
    everybody = []
    everybody += [Plain(everybody) for _ in range(300)]  # 300 to the third power, if each were asked for its friends
    net = Keeps(lambda s, x: None, lambda s: 1.0 + 0 * len(s.h))
    object.__setattr__(net, 'h', everybody)
    assert right(ms.grad(net)(X), [2] * 3)


def test_s8_a_default_that_changes():
    box, key = [2.0], {'k': 1.0}

    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout, box=box, *, key=key):
            return (dout * box[0] * key['k'],)

    net = Net()
    assert right(ms.grad(net)(X), [2] * 3)
    for name, change in (('box', lambda: box.__setitem__(0, 5.0)), ('key', lambda: key.update(k=3.0))):

        def f(x, change=change):
            out = net(x)
            change()
            return out

        with pytest.warns(KeptOnSelfWarning, match=f'Net.bprop reads {name}, and that has changed'):
            ms.grad(f)(X)


def test_s8_a_bprop_that_the_class_was_given_later():
    class Late(nn.Cell):
        def construct(self, x):
            return x * 2

    net = Late()
    assert right(ms.grad(net)(X), [2] * 3)
    for factor in (2.0, 3.0):  # and then another one
        Late.bprop = lambda self, x, out, dout, times=factor: (dout * self.k * times,)
        net.k = 1.0

        def f(x):
            out = net(x)
            net.k += 1
            return out

        with pytest.warns(KeptOnSelfWarning, match=r'Late\.bprop reads self\.k, and that has changed'):
            assert right(ms.grad(f)(X), [2 * factor] * 3)


def told(bprop):
    """A decorator of the user's."""

    @functools.wraps(bprop)
    def one(*given):
        return bprop(*given)

    return one


def test_s8_what_a_decorated_bprop_reads():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        @told
        def bprop(self, x, out, dout):
            return (dout * self.k,)

    net = Net()
    net.k = 2.0

    def f(x):
        out = net(x)
        net.k = 5.0
        return out

    right_or_said(lambda: ms.grad(f)(X), [2] * 3, r'Net\.bprop reads self\.k')


# ---- a Tensor that bprop reads, and that is written before backward --------------------------------------------------


def reads_in(where, weight):
    """2x, whose bprop reads a weight of 2 there."""
    box, row, space = Plain(weight), deque([weight]), SimpleNamespace(inner=Plain(weight))

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            object.__setattr__(
                self, 'kept', {'an object on self': box, 'an object in a list on self': [box]}.get(where)
            )

        def construct(self, x):
            return x * 2

    bprops = {
        'an object on self': lambda self, x, out, dout: (dout * self.kept.m,),
        'an object in a list on self': lambda self, x, out, dout: (dout * self.kept[0].m,),
        'an object outside': lambda self, x, out, dout: (dout * box.m,),
        'an object in an object': lambda self, x, out, dout: (dout * space.inner.m,),
        'a deque': lambda self, x, out, dout: (dout * row[0],),
        'a default': lambda self, x, out, dout, weight=weight: (dout * weight,),
        'a keyword default': lambda self, x, out, dout, *, weight=weight: (dout * weight,),
    }
    bprops['a bprop under jit'] = ms.jit(lambda self, x, out, dout: (dout * weight,))
    bprops['a decorated one'] = told(lambda self, x, out, dout: (dout * box.m,))
    Net.bprop = bprops[where]
    return Net()


PLACES = 'an object on self', 'an object in a list on self', 'an object outside', 'an object in an object'
OTHERS = 'a deque', 'a default', 'a keyword default', 'a bprop under jit', 'a decorated one'


@pytest.mark.parametrize('where', [*PLACES, *OTHERS])
def test_a_weight_that_bprop_reads_and_that_was_written(where):
    weight = Parameter(Tensor([2.0, 2.0, 2.0]), name='weight')
    net = reads_in(where, weight)

    def f(x):
        out = net(x)
        weight.set_data(Tensor([5.0, 5.0, 5.0]))
        return out

    said(lambda: ms.grad(f)(X), 'gradient of Net needs the value', r'weight\.set_data')


def test_what_bprop_does_not_read_may_be_written():
    """A count that construct writes, in a Cell whose bprop calls a method of its own, and asks for a shape."""

    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(0.0, name='count', requires_grad=False)
            self.box = Plain(Parameter(0.0, name='other', requires_grad=False))

        def construct(self, x):
            ops.assign_add(self.count, 1)
            ops.assign_add(self.box.m, 1)
            return x * 2

        def twice(self, g):
            return g * 2 * (1 + len(self.box.m.shape))

        def bprop(self, x, out, dout):
            return (self.twice(dout),)

    net = Counts()
    ran = Ran(lambda: ms.grad(lambda x: net(x) + net(x))(X))
    assert right(ran.value, [4] * 3) and not ran.texts and net.count.item() == net.box.m.item() == 2


def test_a_class_that_a_function_writes_twice_once_with_a_bprop():
    """Both have one code for their construct: only that of the Cell with a bprop goes past anything."""

    def written(rule):
        class Net(nn.Cell):
            def construct(self, x):
                return x * 2

            bprop = rule

        return Net()

    for first, second in ((None, True), (True, None)):
        rule = lambda self, x, out, dout: (dout * 50,)
        nets = [written(rule if own else None) for own in (first, second)]
        for net, own in zip(nets, (first, second), strict=True):
            ran = Ran(lambda net=net: ms.grad(net)(X))
            assert right(ran.value, [50 if own else 2] * 3) and not ran.texts


def test_an_op_can_be_pickled_and_a_cell_that_keeps_it():
    for name in (n for n in dir(ops) if not n.startswith('_')):
        op = getattr(ops, name)
        if callable(op) and not isinstance(op, type(ops)):
            assert pickle.loads(pickle.dumps(op)) is op, name
    net = nn.Dense(2, 2, activation=ops.tanh)
    again = pickle.loads(pickle.dumps(net))
    x = Tensor([[1.0, 2.0]])
    assert again(x).tolist() == net(x).tolist()
