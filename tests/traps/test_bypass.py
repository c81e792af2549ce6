"""A bprop that is not used: its name is nearly right, or its construct is called past the Cell."""

import pytest

import minicell as ms
from minicell import Tensor, nn
from minicell.errors import BypassWarning, NearMissWarning
from tests.core.cells import Cube
from tests.messages import warned

X = Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize('name', ['backward', 'brop', 'bprob', 'bpropp', 'b_prop', 'Bprop', 'backprop'])
def test_a_near_miss_is_named_where_the_class_is_written(name):
    with warned(NearMissWarning, 'Net', f'{name} is never', 'called bprop', 'autodiff') as said:

        class Net(nn.Cell):
            exec(f'def {name}(self, x, out, dout): return (dout * 50,)')

            def construct(self, x):
                return x * 2

    assert said.line.startswith('class Net')
    assert ms.grad(Net())(X).asnumpy().tolist() == [2, 2, 2]


def test_a_near_miss_below_a_class_with_a_bprop_says_whose_is_used():
    with warned(NearMissWarning, 'Faster', 'bprob', 'bprop of Cube'):

        class Faster(Cube):
            def bprob(self, x, out, dout):
                return (dout * 50,)


def test_methods_that_are_near_in_letters_alone_are_left_alone():
    class Net(nn.Cell):
        prop = property(lambda self: 1)
        pop = nn.Dense

        def crop(self, x):
            return x

        def drop(self):
            return self

        def bprop(self, x, out, dout):
            return (dout,)

    assert Net().prop == 1


def test_a_bprop_given_to_the_instance_or_later_to_the_class_is_used():
    """MindSpore ignores both in silence."""

    class Late(nn.Cell):
        def construct(self, x):
            return x * 2

    one, another = Late(), Late()
    one.bprop = lambda x, out, dout: (dout * 50,)
    assert ms.grad(one)(X).asnumpy().tolist() == [50, 50, 50]
    Late.bprop = lambda self, x, out, dout: (dout * 7,)
    assert ms.grad(another)(X).asnumpy().tolist() == [7, 7, 7]


def test_construct_differentiated_directly_is_said():
    net = Cube()
    with warned(BypassWarning, 'Cube.construct', 'differentiated directly', 'past Cube.bprop') as said:
        ms.grad(net.construct)(X)
    assert 'grad(net.construct)' in said.line


class Past(Cube):
    forward = Cube.construct


BY = {
    'by name': lambda x: Cube().construct(x),
    'an alias': lambda x: Past().forward(x),
    'a helper': lambda x: (lambda net, x: net.construct(x))(Cube(), x),
    'vars': lambda x: vars(Cube)['construct'](Cube(), x),
}


@pytest.mark.parametrize('past', BY.values(), ids=BY)
def test_construct_called_inside_a_gradient_is_said(past):
    """Once for several ops, and with the line that ran."""
    with warned(BypassWarning, 'Cube.construct', 'called directly', 'past Cube.bprop', 'test_bypass.py, line') as said:
        got = ms.grad(lambda x: past(x) * 2)(X)
    assert got.asnumpy().tolist() == [6, 24, 54]
    assert 'ms.grad(lambda x: past(x)' in said.line


def test_a_cell_that_is_called_and_one_without_bprop_are_no_bypass():
    net = nn.Tanh()
    ms.grad(lambda x: net.construct(x) + Cube()(x))(X)
    Cube().construct(X)


class Plainly(nn.Cell):
    def construct(self, x):
        return next(v * x for v in (x,))


class WithBprop(Plainly):
    def bprop(self, x, out, dout):
        return (dout * 50,)


class WithoutBprop(WithBprop):
    bprop = None


class OnTop(WithBprop):
    bprop = None

    def construct(self, x, *, scale=1.0):
        return super().construct(x) * scale


def test_who_inherits_a_construct_is_told_apart():
    """The same code stands behind four classes: one of them answers with its own bprop."""
    for kind in (Plainly, WithoutBprop, OnTop):
        assert ms.grad(kind())(X).asnumpy().tolist() == [2, 4, 6]
        assert ms.grad(lambda x, kind=kind: kind().construct(x))(X).asnumpy().tolist() == [2, 4, 6]
    assert ms.grad(WithBprop())(X).asnumpy().tolist() == [50, 50, 50]


class OfItself(Plainly):
    """A bprop that asks autodiff for its inherited construct, and a construct that asks for a gradient."""

    def construct(self, x):
        return super().construct(x) + ms.grad(lambda y: y * y)(x) * 0

    def bprop(self, x, out, dout):
        return (ms.grad(lambda x: (self.construct(x) * dout).sum())(x),)


def test_a_bprop_that_asks_autodiff_for_its_own_construct_is_no_bypass():
    assert ms.grad(OfItself())(X).asnumpy().tolist() == [2, 4, 6]
    assert ms.grad(lambda x: ms.grad(OfItself())(x).sum())(X).asnumpy().tolist() == [2, 2, 2]
