"""Ways past a bprop: the gradient is the bprop's, 50, or it is said that this is not the bprop's."""

import functools
import json
import re

import pytest

import minicell as ms
from minicell import Tensor, nn
from tests.hostile import past
from tests.hostile.past import Net
from tests.hostile.said import X, kernel, quiet, right, right_or_said

FIFTY = [50.0, 50.0, 50.0]


@pytest.fixture(scope='module')
def fresh() -> dict:
    """What each way gave, and what was said, in a kernel where no Cell's own code calls a construct by name."""
    return json.loads(kernel('-m', 'tests.hostile.past'))


WAYS = dict.fromkeys(past.PAST, r'\bNet\b.*bprop')
WAYS |= {what: rf'\b({kind.__name__}|Net|graph)\b' for what, (kind, _) in past.HIDES.items()}


@pytest.mark.slow
@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('ask', past.ASK)
def test_in_a_fresh_kernel_no_way_leads_past_the_bprop_in_silence(fresh, ask, way):
    """A construct that is called, or one whose result hides its input."""
    value, texts = fresh[f'{ask}, {way}']
    said = any(re.search(WAYS[way], text, re.S) for text in texts)
    assert said or right(Tensor(value or []), FIFTY), f'silently {value}, due {FIFTY}: {texts}'


class Outer(nn.Cell):
    """A Cell without a bprop that calls another's construct, by a helper."""

    def __init__(self):
        super().__init__()
        self.net = Net()

    def construct(self, x):
        return past.run(self.net, x)


class Child(Net):
    """Its own bprop is Net's; what it calls past the Cell is not."""

    def go(self, x):
        return super().construct(x)


@pytest.mark.parametrize('way', [lambda x: Outer()(x), lambda x: Child().go(x)], ids=['another Cell', 'a subclass'])
@pytest.mark.parametrize('ask', past.ASK.values(), ids=past.ASK)
def test_a_cell_calls_construct_past_the_bprop(ask, way):
    right_or_said(lambda: ask(way), FIFTY, '.construct', 'called directly', '.bprop', keep=False)


GIVEN = {
    'construct': lambda net: net.construct,
    'an alias': lambda net: net.forward,
    'a partial of construct': lambda net: functools.partial(net.construct),
    'a lambda': lambda net: lambda x: net.construct(x),
    'jit of construct': lambda net: ms.jit(net.construct),
}


@pytest.mark.parametrize('given', GIVEN.values(), ids=GIVEN)
def test_construct_is_given_to_grad(given):
    right_or_said(lambda: ms.grad(given(Net()))(X), FIFTY, 'Net.construct', 'directly', 'Net.bprop', keep=False)


@pytest.mark.parametrize('kind, take', past.HIDES.values(), ids=past.HIDES)
def test_outside_a_gradient_a_construct_may_return_anything(kind, take):
    quiet(lambda: take(kind()(X)), [2, 4, 6])


def decorated(f):
    @functools.wraps(f)
    def wrapper(self, *inputs):
        return f(self, *inputs)

    return wrapper


class Decorated(Net):
    @decorated
    def construct(self, x):
        return x * 2


class Static(Net):
    construct = staticmethod(lambda x: x * 2)


class OfClass(Net):
    @classmethod
    def construct(cls, x):
        return x * 2


class Partial(Net):
    construct = functools.partialmethod(lambda self, k, x: x * k, 2)


class Bare(nn.Cell):
    def construct(self, x):
        return x * 2


class Instead(Net):
    def construct(self, x):
        return super().construct(x) * 1


class Wraps(Outer):
    def construct(self, x):
        return self.net.construct(x)


NAMED = {  # whose bprop is gone past
    'decorated': ('Decorated', lambda x: Decorated().construct(x)),
    'undecorated': ('Decorated', lambda x: Decorated.construct.__wrapped__(None, x)),
    'static': ('Static', lambda x: Static().construct(x)),
    'static, of the class': ('Static', lambda x: Static.construct(x)),
    'of the class': ('OfClass', lambda x: OfClass.construct(x)),
    'partial': ('Partial', lambda x: Partial().construct(x)),
    'of a Cell of another class': ('Net', lambda x: Net.construct(Bare(), x)),
    'in a wrapper': ('Net', lambda x: nn.SequentialCell(Wraps())(x)),
    'by the class of a child': ('Instead', lambda x: Instead.construct(Instead(), x)),
}


@pytest.mark.parametrize('name, way', NAMED.values(), ids=NAMED)
def test_a_construct_that_is_no_plain_function_or_not_its_own_is_called_past_its_bprop(name, way):
    facts = f'{name}.construct', 'called directly', f'{name}.bprop', 'net(x)'
    ours = name != 'Net'  # else a line of past.py is in it
    right_or_said(lambda: ms.grad(lambda x: way(x).sum())(X), FIFTY, *facts, keep=ours)


def given(thing, **attributes):
    for name, value in attributes.items():
        setattr(thing, name, value)
    return thing


class Doubles:
    def __call__(self, x):
        return x * 2


LATER = {  # a Cell that has its bprop or its construct from elsewhere
    'a bprop of the class': lambda: given(kind('Later', nn.Cell), bprop=Net.bprop)(),
    'a bprop of its own': lambda: given(kind('Later', nn.Cell)(), bprop=lambda x, out, dout: (dout * 50,)),
    'a construct of the class': lambda: given(type('Later', (Net,), {}), construct=lambda self, x: Doubles()(x))(),
    'a construct of its own': lambda: given(type('Later', (Net,), {})(), construct=Doubles()),
    'a graph': lambda: type('Later', (Net,), {'construct': ms.jit(lambda self, x: x * 2)})(),
    'a partial function': lambda: type('Later', (Net,), {'construct': functools.partial(Doubles())})(),
    'an object': lambda: type('Later', (Net,), {'construct': Doubles()})(),
    'a property': lambda: type('Later', (Net,), {'construct': property(lambda self: Doubles())})(),
}


@pytest.mark.parametrize('make', LATER.values(), ids=LATER)
def test_a_construct_tells_whatever_it_is_and_whenever_it_came(make):
    facts = 'Later.construct', 'directly', 'Later.bprop'
    right_or_said(lambda: ms.grad(lambda x: make().construct(x).sum())(X), FIFTY, *facts, keep=False)
    right_or_said(lambda: ms.grad(make().construct)(X), FIFTY, *facts, keep=False)
    quiet(lambda: ms.grad(lambda x: make()(x).sum())(X), FIFTY)
    quiet(lambda: make().construct(X), [2, 4, 6])


def test_a_call_that_is_the_cells_own_is_none():
    quiet(lambda: ms.grad(type('Own', (Net,), {'__call__': nn.Cell.__call__})())(X), FIFTY)


def test_a_decorator_belongs_to_no_cell():
    """Its own code runs for Cells without a bprop, too."""

    def tripled(f):
        @functools.wraps(f)
        def wrapper(self, x):
            return f(self, x * 3)

        return wrapper

    class WithBprop(Net):
        construct = tripled(Net.construct)

    class Without(nn.Cell):
        construct = tripled(lambda self, x: x * 2)

    assert WithBprop.bprop
    quiet(lambda: ms.grad(lambda x: Without()(x).sum())(X), [6, 6, 6])


def test_a_call_of_its_own_goes_past_the_bprop_and_the_class_says_so():
    def define():
        class Calls(nn.Cell):
            def __call__(self, x):
                return x * 2

            def bprop(self, x, out, dout):
                return (dout * 50,)

        return ms.grad(lambda x: Calls()(x).sum())(X)

    right_or_said(define, FIFTY, 'Calls', '__call__', 'construct')


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
            quiet(lambda net=net: ms.grad(net)(X), [50 if own else 2] * 3)


class Mix:
    def bprop(self, x, out, dout):
        return (dout * 50,)


class WithConstruct(Mix):
    def construct(self, x):
        return x * 2


class HasBprop(nn.Cell):
    bprop = Mix.bprop


def kind(name, *bases):
    return type(name, bases, {'construct': lambda self, x: x * 2})


BEHIND = kind('Behind', nn.Cell, Mix)
MIXED = [
    BEHIND,
    kind('Before', Mix, nn.Cell),
    kind('FarBehind', nn.Cell, type('MixOfMix', (Mix,), {})),
    type('ChildOfBehind', (BEHIND,), {}),
    kind('BehindALayer', nn.ReLU, Mix),
    type('BothBehind', (nn.Cell, WithConstruct), {'construct': WithConstruct.construct}),
    type('Both', (Bare, HasBprop), {}),
]


class Calls(Net):
    def __call__(self, x):
        return super().__call__(x) * 1


class Asks(Net):
    """A bprop that asks autodiff for the gradient of its own construct."""

    def bprop(self, x, out, dout):
        return (ms.grad(lambda x: (self.construct(x) * dout).sum() * 25)(x),)


def given_later():
    net = Bare()
    net.bprop = lambda x, out, dout: (dout * 50,)
    return net


def given_another_construct():
    net = Net()
    net.construct = lambda x: x * 3
    return net


def inside_a_row():
    return nn.SequentialCell(Net())


OWN = [Net, Decorated, Static, OfClass, Partial, Instead, Calls, Asks]
MADE = [given_later, given_another_construct, inside_a_row]


@pytest.mark.parametrize('make', MIXED + OWN + MADE, ids=lambda make: make.__name__)
def test_a_cell_that_is_called_has_its_bprop_wherever_that_comes_from(make):
    quiet(lambda: ms.grad(lambda x: make()(x).sum())(X), FIFTY)
