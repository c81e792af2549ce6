"""What a Cell with its own bprop keeps on self: a Tensor of the last call, and values that change before bprop runs."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import HiddenValueWarning, KeptOnSelfWarning
from tests.messages import tells, warned

X = Tensor([1.0, 2.0, 3.0])


class Reads(nn.Cell):
    """x times what self has; and an attribute that bprop never looks at."""

    def __init__(self, **kept):
        super().__init__()
        self.calls, self.inner = 0, None
        for name, value in kept.items():
            setattr(self, name, value)

    def construct(self, x):
        self.calls += 1
        return x * self.factor()

    def bprop(self, x, out, dout):
        return (dout * self.factor(),)


def reads(name, factor, **more):
    return type(name, (Reads,), {'factor': factor, **more})


ReadsNumber = reads('ReadsNumber', lambda self: self.k)
ReadsDict = reads('ReadsDict', lambda self: [self.settings['k'] for _ in (1,)][0])  # noqa: RUF015
ReadsArray = reads('ReadsArray', lambda self: float(self.numbers[-1]))
ReadsInner = reads('ReadsInner', lambda self: self.inner.k)
ReadsProperty = reads('ReadsProperty', lambda self: self.twice, twice=property(lambda self: self.k * 1))
HandsSelfOn = reads('HandsSelfOn', lambda self: getattr(self, 'k'))  # noqa: B009
CHANGES = {
    'k': (ReadsNumber, {'k': 2.0}, lambda net: setattr(net, 'k', 5.0)),
    'settings': (ReadsDict, {'settings': {'k': 2.0}}, lambda net: net.settings.update(k=5.0)),
    'numbers': (ReadsArray, {'numbers': np.array([1.0, 2.0])}, lambda net: np.put(net.numbers, 1, 5.0)),
    'inner': (ReadsInner, {'inner': ReadsNumber(k=2.0)}, lambda net: setattr(net.inner, 'k', 5.0)),
    'k by a property': (ReadsProperty, {'k': 2.0}, lambda net: setattr(net, 'k', 5.0)),
}


@pytest.mark.parametrize('name', CHANGES)
def test_what_bprop_reads_on_self_and_has_changed_is_named(name):
    kind, kept, change = CHANGES[name]
    net = kind(**kept)

    def f(x):
        y = net(x)
        change(net)
        return y.sum()

    assert ms.grad(net)(X).asnumpy().tolist() == [2, 2, 2]
    assert ms.grad(lambda x: net(x) + net(x * 2))(X).asnumpy().tolist() == [6, 6, 6]
    with warned(KeptOnSelfWarning, f'{kind.__name__}.bprop', f'self.{name.split()[0]}', 'has changed'):
        ms.grad(f)(X)
    with warned() as said:  # set before the call, it is what it is
        assert ms.grad(net)(X).asnumpy().tolist() == [5, 5, 5]
    assert not said.caught


def test_a_bprop_that_hands_self_on_reads_everything():
    net = HandsSelfOn(k=2.0)
    assert ms.grad(net)(X).asnumpy().tolist() == [2, 2, 2]
    with warned(KeptOnSelfWarning, 'HandsSelfOn.bprop', 'self.calls'):
        ms.grad(lambda x: net(x) + net(x))(X)


def test_a_change_before_a_vjp_is_read_is_said():
    net = ReadsNumber(k=2.0)
    _, back = ms.vjp(net, X)
    net.k = 5.0
    with warned(KeptOnSelfWarning, 'ReadsNumber.bprop', 'self.k'):
        back(X)


def test_what_construct_keeps_on_self_is_said_and_what_reads_it_too():
    class Keeps(nn.Cell):
        def construct(self, x):
            self.h = x * x
            return self.h * 1

        def bprop(self, x, out, dout):
            return (dout * self.h,)

    net = Keeps()
    with warned() as said:
        ms.grad(lambda x: net(x) + net(2 * x))(X)
    first = {w.category: w.message for w in reversed(said.caught)}
    tells(first[KeptOnSelfWarning], 'Keeps.construct', 'self.h', 'own bprop', 'last call', 'out')
    assert said.line.startswith('self.h = ')
    tells(first[HiddenValueWarning], 'Keeps.bprop', 'construct of Keeps')


@pytest.mark.parametrize(
    'wrapped', [lambda t: [t], lambda t: (t, 1), lambda t: {'h': t}], ids=['list', 'tuple', 'dict']
)
def test_a_tensor_kept_in_a_list_is_kept_too(wrapped):
    class Keeps(nn.Cell):
        def construct(self, x):
            self.h = wrapped(x > 0)
            return x * 1

        def bprop(self, x, out, dout):
            return (dout,)

    with warned(KeptOnSelfWarning, 'Keeps.construct', 'self.h'):
        ms.grad(Keeps())(X)


def test_keeping_is_fine_without_a_gradient_without_a_bprop_and_in_a_parameter():
    class Plain(nn.Cell):
        def construct(self, x):
            self.h = x * x
            return self.h

    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.last = Parameter(Tensor([0.0]), name='last', requires_grad=False)

        def construct(self, x):
            self.last = Tensor([7.0])
            self.calls = 5
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 2,)

    ms.grad(Plain())(X)
    net = Counts()
    net(X)
    ms.grad(net)(X)
    assert float(net.last) == 7.0
