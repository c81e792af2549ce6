"""S7: ways past a bprop. The gradient is the bprop's, 50, or it is said that this is not the bprop's."""

import asyncio
import functools
import operator

import pytest

import minicell as ms
from minicell import Tensor, nn
from tests.hostile.said import Ran, X, right, right_or_said

FIFTY = [50.0, 50.0, 50.0]


class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 50,)

    forward = construct
    aliases = (construct,)


class Outer(nn.Cell):
    """A Cell without a bprop that calls another's construct, by a helper."""

    def __init__(self):
        super().__init__()
        self.net = Net()

    def construct(self, x):
        return run(self.net, x)


class Child(Net):
    """Its own bprop is Net's; what it calls past the Cell is not."""

    def go(self, x):
        return super().construct(x)


def run(net, x):
    return net.construct(x)


def run_deeply(net, x):
    return [run(n, x) for n in [net]][0]


STEPS = {'go': lambda net, x: net.construct(x)}


class Runner:
    def __call__(self, net, x):
        return net.construct(x)

    @staticmethod
    def static(net, x):
        return net.construct(x)


PAST = {
    'a helper': lambda x: run(Net(), x),
    'a helper of a helper': lambda x: run_deeply(Net(), x),
    'a lambda in a dict': lambda x: STEPS['go'](Net(), x),
    'an object that is called': lambda x: Runner()(Net(), x),
    'a static method': lambda x: Runner.static(Net(), x),
    'getattr': lambda x: getattr(Net(), 'con' + 'struct')(x),
    'the class': lambda x: Net.construct(Net(), x),
    'an alias': lambda x: Net().forward(x),
    'an alias in a tuple': lambda x: Net.aliases[0](Net(), x),
    'a subclass': lambda x: Child().go(x),
    'another Cell': lambda x: Outer()(x),
    'map': lambda x: next(map(Net().construct, [x])),
    'a partial': lambda x: functools.partial(Net().construct, x)(),
    'methodcaller': lambda x: operator.methodcaller('construct', x)(Net()),
    '__wrapped__ function': lambda x: Net.construct.__get__(Net())(x),
    'eval': lambda x: eval('net.construct(x)', {'net': Net(), 'x': x}),
    'vars': lambda x: vars(Net)['construct'](Net(), x),
}
ASK = {
    'grad': lambda f: ms.grad(lambda x: f(x).sum())(X),
    'vjp': lambda f: ms.vjp(lambda x: f(x).sum(), X)[1](Tensor(1.0))[0],
    'jvp': lambda f: ms.jvp(f, X, Tensor([1.0, 1.0, 1.0]))[1],
    'GradOperation': lambda f: ms.ops.GradOperation()(lambda x: f(x).sum())(X),
}


@pytest.mark.parametrize('way', PAST.values(), ids=PAST)
@pytest.mark.parametrize('ask', ASK.values(), ids=ASK)
def test_s7_construct_is_called_past_the_bprop(ask, way):
    right_or_said(lambda: ask(way), FIFTY, r'\b(Net|Child)\b', 'bprop')


@pytest.mark.parametrize('way', PAST.values(), ids=PAST)
def test_s7_construct_is_called_past_the_bprop_in_a_graph(way):
    right_or_said(lambda: ms.grad(lambda x: ms.jit(way)(x).sum())(X), FIFTY, r'\b(Net|Child|graph)\b', 'bprop|graph')


GIVEN = {
    'construct': lambda net: net.construct,
    'an alias': lambda net: net.forward,
    'a partial of construct': lambda net: functools.partial(net.construct),
    'a lambda': lambda net: lambda x: net.construct(x),
    'jit of construct': lambda net: ms.jit(net.construct),
}


@pytest.mark.parametrize('given', GIVEN.values(), ids=GIVEN)
def test_s7_construct_is_given_to_grad(given):
    right_or_said(lambda: ms.grad(given(Net()))(X), FIFTY, r'\bNet\b', 'bprop')


# ---- a construct whose result hides its input ------------------------------------------------------------------------


class Box:
    def __init__(self, x):
        self.x = x


class Generates(Net):
    def construct(self, x):
        yield x * 2


class Awaits(Net):
    async def construct(self, x):
        return x * 2


class ReturnsAFunction(Net):
    def construct(self, x):
        return lambda: x * 2


class ReturnsAnObject(Net):
    def construct(self, x):
        return Box(x)


class ReturnsAPartial(Net):
    def construct(self, x):
        return functools.partial(operator.mul, x, 2)


class ReturnsASet(Net):
    def construct(self, x):
        return {x}


class ReturnsAnIterator(Net):
    def construct(self, x):
        return map(lambda t: t * 2, [x])


class ReturnsACell(Net):
    def construct(self, x):
        inner = Plain()
        inner.kept = x
        return inner


class Plain(nn.Cell):
    def construct(self):
        return self.kept * 2


HIDES = {
    'a generator': (Generates, next),
    'a generator in a list': (Generates, lambda r: list(r)[0]),
    'a coroutine': (Awaits, lambda r: asyncio.run(r)),
    'a function': (ReturnsAFunction, lambda r: r()),
    'an object': (ReturnsAnObject, lambda r: r.x * 2),
    'a partial': (ReturnsAPartial, lambda r: r()),
    'a set': (ReturnsASet, lambda r: next(iter(r)) * 2),
    'an iterator': (ReturnsAnIterator, next),
    'a Cell': (ReturnsACell, lambda r: r()),
}


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.parametrize('kind, take', HIDES.values(), ids=HIDES)
def test_s7_a_construct_that_returns_no_tensor(kind, take):
    right_or_said(lambda: ms.grad(lambda x: take(kind()(x)).sum())(X), FIFTY, kind.__name__, 'bprop|Tensor|return')


@pytest.mark.parametrize('kind, take', HIDES.values(), ids=HIDES)
def test_s7_outside_a_gradient_a_construct_may_return_anything_or_is_refused(kind, take):
    ran = Ran(lambda: take(kind()(X)))
    assert right(ran.value, [2, 4, 6]) or (ran.error and ran.says(kind.__name__)), ran.texts


# ---- where the bprop comes from -------------------------------------------------------------------------------------


class Mix:
    def bprop(self, x, out, dout):
        return (dout * 50,)


class MixOfMix(Mix):
    pass


class Behind(nn.Cell, Mix):
    def construct(self, x):
        return x * 2


class Before(Mix, nn.Cell):
    def construct(self, x):
        return x * 2


class FarBehind(nn.Cell, MixOfMix):
    def construct(self, x):
        return x * 2


class ChildOfBehind(Behind):
    pass


class BehindALayer(nn.ReLU, Mix):
    def construct(self, x):
        return x * 2


class WithConstruct(Mix):
    def construct(self, x):
        return x * 2


class BothBehind(nn.Cell, WithConstruct):
    construct = WithConstruct.construct


@pytest.mark.parametrize(
    'kind', [Behind, Before, FarBehind, ChildOfBehind, BehindALayer, BothBehind], ids=lambda kind: kind.__name__
)
def test_s7_the_bprop_of_a_mixin_is_used_wherever_it_stands(kind):
    right_or_said(lambda: ms.grad(kind())(X), FIFTY, kind.__name__, 'bprop')


def test_s7_a_bprop_of_none_in_a_subclass_takes_it_away():
    """Who writes bprop = None wants autodiff's, and says so."""

    class Without(Net):
        bprop = None

    assert right(ms.grad(Without())(X), [2, 2, 2])


# ---- no word is due -------------------------------------------------------------------------------------------------


class Asks(Net):
    """A bprop that asks autodiff for the gradient of its own construct."""

    def bprop(self, x, out, dout):
        return (ms.grad(lambda x: (self.construct(x) * dout).sum())(x),)


class Extends(Net):
    def construct(self, x):
        return super().construct(x) * 1


@pytest.mark.parametrize('kind, due', [(Asks, [2, 2, 2]), (Extends, FIFTY), (Net, FIFTY)], ids=lambda k: str(k)[:30])
def test_s7_of_a_construct_that_is_called_from_its_own_cell_nothing_is_said(kind, due):
    ran = Ran(lambda: ms.grad(lambda x: kind()(x).sum())(X))
    assert right(ran.value, due) and not ran.texts, f'{ran.value}: {ran.texts}'
