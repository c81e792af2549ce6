"""S7: ways past a bprop. The gradient is the bprop's, 50, or it is said that this is not the bprop's."""

import functools
import json
import re
import subprocess
import sys

import pytest

import minicell as ms
from minicell import Tensor, nn
from tests.hostile import past
from tests.hostile.past import Net
from tests.hostile.said import ROOT, Ran, X, right, right_or_said

FIFTY = [50.0, 50.0, 50.0]


@pytest.fixture(scope='module')
def fresh() -> dict:
    """What each way gave, and what was said, in a kernel where no Cell's own code calls a construct by name."""
    done = subprocess.run([sys.executable, '-m', 'tests.hostile.past'], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize('way', past.PAST)
@pytest.mark.parametrize('ask', past.ASK)
def test_s7_construct_is_called_past_the_bprop(fresh, ask, way):
    value, texts = fresh[f'{ask}, {way}']
    said = [t for t in texts if re.search(r'\bNet\b', t) and 'bprop' in t]
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
def test_s7_a_cell_calls_construct_past_the_bprop(ask, way):
    right_or_said(lambda: ask(way), FIFTY, r'\b(Net|Child)\b', 'bprop')


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


@pytest.mark.parametrize('what', past.HIDES)
@pytest.mark.parametrize('ask', past.ASK)
def test_s7_a_construct_that_returns_no_tensor(fresh, ask, what):
    value, texts = fresh[f'{ask}, {what}']
    name = past.HIDES[what][0].__name__
    said = [t for t in texts if re.search(rf'\b({name}|Net|graph)\b', t)]
    assert said or right(Tensor(value or []), FIFTY), f'silently {value}, due {FIFTY}: {texts}'


@pytest.mark.parametrize('kind, take', past.HIDES.values(), ids=past.HIDES)
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
