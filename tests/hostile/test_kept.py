"""S8: what a Cell with a bprop keeps between construct and bprop, or what changes in between."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.hostile.said import Ran, X, right, right_or_said

# ---- S8: kept on self, but not as a Tensor ---------------------------------------------------------------------------


class Keeps(nn.Cell):
    """x², by way of something that construct keeps; called twice, bprop finds the last call's."""

    def __init__(self, keep, read):
        super().__init__()
        self.keep, self.read = keep, read
        self.cache, self.kept = {}, []

    def construct(self, x):
        self.keep(self, x)
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 2 * self.read(self),)


BOX = type('Box', (), {})()
KEEPS = {
    'a Tensor': (lambda s, x: setattr(s, 'h', x), lambda s: s.h),
    'a Tensor in a dict': (lambda s, x: s.cache.__setitem__('x', x), lambda s: s.cache['x']),
    'a Tensor in a list': (lambda s, x: s.kept.append(x), lambda s: s.kept[-1]),
    'an array': (lambda s, x: setattr(s, 'h', x.asnumpy()), lambda s: Tensor(s.h)),
    'an array in a dict': (lambda s, x: s.cache.__setitem__('x', x.asnumpy()), lambda s: Tensor(s.cache['x'])),
    'a number': (lambda s, x: setattr(s, 'm', float(x[0])), lambda s: s.m),
    'a number in a dict': (lambda s, x: s.cache.__setitem__('m', x[0].item()), lambda s: s.cache['m']),
    'a list of numbers': (lambda s, x: setattr(s, 'm', x.tolist()), lambda s: Tensor(s.m)),
    'a mask': (lambda s, x: s.cache.__setitem__('mask', x > 1.5), lambda s: s.cache['mask'].astype(ms.float32) + 1),
    'a tuple': (lambda s, x: setattr(s, 'both', (x, 1)), lambda s: s.both[0]),
    'in __dict__': (lambda s, x: s.__dict__.update(h=x), lambda s: s.h),
    'by object.__setattr__': (lambda s, x: object.__setattr__(s, 'h', x), lambda s: s.h),
}


@pytest.mark.parametrize('keep', KEEPS.values(), ids=KEEPS)
def test_s8_what_construct_keeps_is_the_last_calls(keep):
    """net(x) + net(2x) has the slope 10x at 1 (and 2x * 1 + 4x * 2 where bprop takes the last call's for both)."""
    net = Keeps(*keep)
    ones = Tensor([1.0, 1.0, 1.0])
    right_or_said(lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ones), [10] * 3, 'Keeps|on self', 'out|call')


CHANGES = {
    'a number': lambda net: setattr(net, 'k', 5.0),
    'a number in a dict': lambda net: net.by_name.__setitem__('k', 5.0),
    'an entry of a list': lambda net: net.row.__setitem__(0, 5.0),
    'a number in place of an array': lambda net: net.array.__setitem__(0, 5.0),
    'set_train': lambda net: net.set_train(True),
    'an inner Cell': lambda net: setattr(net.inner, 'k', 5.0),
    'in __dict__': lambda net: net.__dict__.update(k=5.0),
    'add_flags': lambda net: setattr(net, 'mode', 'fast'),
}
READERS = {
    'a number': lambda net: net.k,
    'in __dict__': lambda net: net.k,
    'a number in a dict': lambda net: net.by_name['k'],
    'an entry of a list': lambda net: net.row[0],
    'a number in place of an array': lambda net: float(net.array[0]),
    'set_train': lambda net: 5.0 if net.training else 2.0,
    'an inner Cell': lambda net: net.inner.k,
    'add_flags': lambda net: 5.0 if net.mode == 'fast' else 2.0,
}


class Setting(nn.Cell):
    """k times x, with a k that may be somebody else's at the time of backward."""

    def __init__(self, how):
        super().__init__()
        self.read = READERS[how]
        self.k, self.by_name, self.row, self.array, self.mode = 2.0, {'k': 2.0}, [2.0], np.array([2.0]), 'slow'
        if 'inner' in how:
            self.inner = Setting('a number')

    def construct(self, x):
        return x * self.read(self)

    def bprop(self, x, out, dout):
        return (dout * self.read(self),)


@pytest.mark.parametrize('how', CHANGES)
def test_s8_a_setting_that_changes_between_construct_and_bprop(how):
    net = Setting(how)

    def f(x):
        y = net(x)
        CHANGES[how](net)
        return y.sum()

    right_or_said(lambda: ms.grad(f)(X), [2, 2, 2], 'Setting', 'change|writ|since|call')


@pytest.mark.parametrize('how', ['a number', 'set_train', 'a number in a dict'])
def test_s8_a_setting_that_changes_between_gradients_is_as_it_is_set(how):
    """No word is due for what is changed before the call."""
    net = Setting(how)
    assert right(ms.grad(net)(X), [2, 2, 2])
    CHANGES[how](net)
    ran = Ran(lambda: ms.grad(net)(X))
    assert right(ran.value, [5, 5, 5]) and not ran.texts


@pytest.mark.parametrize('keep', KEEPS.values(), ids=KEEPS)
def test_s8_check_bprop_does_not_agree_with_a_cell_that_keeps(keep):
    """It calls the Cell more than once, and sees that the first call's gradient changes; or it says what is kept."""
    net, found = Keeps(*keep), []
    ran = Ran(lambda: found.append(ms.check_bprop(net, X)))
    assert ran.texts or not found[0].ok, f'it says: {found[0]}'


FIXED = Tensor([[1.0, 2.0], [3.0, 4.0]])


class Box:
    def __init__(self):
        self.k = 2.0

    @property
    def scale(self):
        return Tensor([self.k, self.k])


BOX = Box()


class ByProperty(nn.Cell):
    """Its bprop reads properties of values outside, which compute a new Tensor each time."""

    def construct(self, x):
        return ops.matmul(FIXED, x) * 2

    def bprop(self, x, out, dout):
        return (ops.matmul(FIXED.T, dout) * BOX.scale,)


def test_a_property_that_computes_a_new_object_is_no_change():
    ran = Ran(lambda: ms.grad(lambda x: ByProperty()(ByProperty()(x)).sum())(Tensor([1.0, 1.0])))
    due = 4 * np.linalg.matrix_power(FIXED.asnumpy().T, 2) @ [1, 1]
    assert right(ran.value, due) and not ran.texts, ran.texts


def test_what_a_property_computes_from_is_a_change(monkeypatch):
    def f(x):
        y = ByProperty()(x)
        monkeypatch.setattr(BOX, 'k', 5.0)
        return y.sum()

    right_or_said(lambda: ms.grad(f)(Tensor([1.0, 1.0])), [8, 12], 'ByProperty', 'BOX')
