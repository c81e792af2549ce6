"""Part (c): Cells, Parameters and what they keep (traps 9, 16 to 24 and 26)."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn
from minicell.core.errors import ShapeError
from minicell.errors import (
    BypassWarning,
    KeptOnSelfWarning,
    NearMissWarning,
    NoPathWarning,
    ParameterAttributeError,
    ParameterError,
    PropertyError,
    ResultError,
    UnregisteredWarning,
)
from tests.core.cells import Cube
from tests.traps.said import refused, warned

X = Tensor([1.0, 2.0, 3.0])


# ---- 9: a bprop that is not used -----------------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['backward', 'brop', 'bprob', 'bpropp', 'b_prop', 'Bprop', 'backprop'])
def test_a_near_miss_is_named_where_the_class_is_written(name):
    with warned() as said:

        class Net(nn.Cell):
            exec(f'def {name}(self, x, out, dout): return (dout * 50,)')

            def construct(self, x):
                return x * 2

    text = said.one(NearMissWarning)
    assert text.startswith(f'Net has a method called {name}, and none called bprop: autodiff computes its gradient')
    assert f'{name} is never called' in text
    assert said.line == 'class Net(nn.Cell):'
    assert ms.grad(Net())(X).asnumpy().tolist() == [2, 2, 2]


def test_a_near_miss_below_a_class_with_a_bprop_says_whose_is_used():
    with warned() as said:

        class Faster(Cube):
            def bprob(self, x, out, dout):
                return (dout * 50,)

    assert 'none called bprop: the bprop of Cube is used' in said.one(NearMissWarning)


def test_methods_that_are_near_in_letters_alone_are_left_alone():
    with warned() as said:

        class Net(nn.Cell):
            prop = property(lambda self: 1)
            pop = nn.Dense

            def crop(self, x):
                return x

            def drop(self):
                return self

            def bprop(self, x, out, dout):
                return (dout,)

    assert not said.caught and Net().prop == 1


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
    with warned() as said:
        ms.grad(net.construct)(X)
    text = said.one(BypassWarning)
    assert text.startswith('Cube.construct is differentiated directly, and that goes past Cube.bprop')
    assert said.line == 'ms.grad(net.construct)(X)'


def test_construct_called_inside_a_gradient_is_said():
    net = Cube()
    with warned() as said:
        got = ms.grad(lambda x: net.construct(x) * 2)(X)
    assert got.asnumpy().tolist() == [6, 24, 54]
    text = said.one(BypassWarning)
    assert text.startswith('Cube.construct is called directly, and that goes past Cube.bprop')
    assert 'net.construct(x) * 2' in said.line


def test_a_cell_that_is_called_and_one_without_bprop_are_no_bypass():
    net = nn.Tanh()
    with warned() as said:
        ms.grad(lambda x: net.construct(x) + Cube()(x))(X)
        Cube().construct(X)
    assert not said.caught


class Past(Cube):
    forward = Cube.construct


def test_a_construct_called_by_any_name_is_said():
    """By an alias, a helper, the class; once for several ops, and with the line that ran."""
    helper = lambda net, x: net.construct(x)
    for past in (
        lambda x: Past().forward(x),
        lambda x: helper(Cube(), x),
        lambda x: vars(Cube)['construct'](Cube(), x),
    ):
        with warned() as said:
            assert ms.grad(past)(X).asnumpy().tolist() == [3, 12, 27]
        assert 'cells.py, line' in said.one(BypassWarning)


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
    with warned() as said:
        for kind in (Plainly, WithoutBprop, OnTop):
            assert ms.grad(kind())(X).asnumpy().tolist() == [2, 4, 6]
            assert ms.grad(lambda x, kind=kind: kind().construct(x))(X).asnumpy().tolist() == [2, 4, 6]
        assert ms.grad(WithBprop())(X).asnumpy().tolist() == [50, 50, 50]
    assert not said.caught


class OfItself(Plainly):
    """A bprop that asks autodiff for its inherited construct, and a construct that asks for a gradient."""

    def construct(self, x):
        return super().construct(x) + ms.grad(lambda y: y * y)(x) * 0

    def bprop(self, x, out, dout):
        return (ms.grad(lambda x: (self.construct(x) * dout).sum())(x),)


def test_a_bprop_that_asks_autodiff_for_its_own_construct_is_no_bypass():
    with warned() as said:
        assert ms.grad(OfItself())(X).asnumpy().tolist() == [2, 4, 6]
        assert ms.grad(lambda x: ms.grad(OfItself())(x).sum())(X).asnumpy().tolist() == [2, 2, 2]
    assert not said.caught


RESULTS = {
    'a generator': lambda x: (v for v in (x,)),
    'a function': lambda x: (x, lambda: x),
    'a set': lambda x: {'found': {x}},
    'an OfItself': lambda x: OfItself(),
}


@pytest.mark.parametrize('what', RESULTS)
def test_a_result_that_hides_a_tensor_is_refused(what):
    kind = type('Hides', (Cube,), {'construct': lambda self, x: RESULTS[what](x)})
    kind()(X)
    with refused(ResultError, f'construct of Hides returned {what}', 'Return a Tensor, or a tuple', line='kind()(x)'):
        ms.grad(lambda x: kind()(x))(X)


def test_what_cannot_hide_a_tensor_may_be_returned():
    class Several(Cube):
        def construct(self, x):
            return {'x': x * 2, 'name': 'double', 'mask': x.asnumpy() > 1, 'dtype': ms.float32, 'none': None, 'one': 1}

    with warned() as said:
        assert ms.grad(lambda x: Several()(x)['one'] * x)(X).asnumpy().tolist() == [1, 1, 1]
    assert not said.caught


def test_a_function_that_returns_an_object_is_told_what_it_returned():
    class Box:
        def __init__(self, x):
            self.x = x

    with warned() as said:
        ms.grad(lambda x: Box(x * 2))(X)
    assert 'It returned a Box: return Tensors' in said.one(NoPathWarning)
    with warned() as said:
        ms.grad(lambda x: (x * 2, Box(x * 3)))(X)
    assert '<lambda> returned a Box that holds a Tensor' in said.one(NoPathWarning)


# ---- kept on self, and read by bprop --------------------------------------------------------------------------------


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


class ReadsNumber(Reads):
    def factor(self):
        return self.k


class ReadsDict(Reads):
    def factor(self):
        return [self.settings['k'] for _ in (1,)][0]  # noqa: RUF015


class ReadsArray(Reads):
    def factor(self):
        return float(self.numbers[-1])


class ReadsInner(Reads):
    def factor(self):
        return self.inner.k


class ReadsProperty(Reads):
    @property
    def twice(self):
        return self.k * 1

    def factor(self):
        return self.twice


class HandsSelfOn(Reads):
    def factor(self):
        return getattr(self, 'k')  # noqa: B009


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

    with warned() as said:
        assert ms.grad(net)(X).asnumpy().tolist() == [2, 2, 2]
        assert ms.grad(lambda x: net(x) + net(x * 2))(X).asnumpy().tolist() == [6, 6, 6]
    assert not said.caught
    with warned() as said:
        ms.grad(f)(X)
    assert said.one(KeptOnSelfWarning).startswith(f'{kind.__name__}.bprop reads self.{name.split()[0]}, and that has')
    with warned() as said:  # set before the call, it is what it is
        assert ms.grad(net)(X).asnumpy().tolist() == [5, 5, 5]
    assert not said.caught


def test_a_bprop_that_hands_self_on_reads_everything():
    net = HandsSelfOn(k=2.0)
    with warned() as said:
        assert ms.grad(net)(X).asnumpy().tolist() == [2, 2, 2]
    assert not said.caught
    with warned() as said:
        ms.grad(lambda x: net(x) + net(x))(X)
    assert 'HandsSelfOn.bprop reads self.calls' in said.one(KeptOnSelfWarning)


def test_a_change_before_a_vjp_is_read_is_said():
    net = ReadsNumber(k=2.0)
    _, back = ms.vjp(net, X)
    net.k = 5.0
    with warned() as said:
        back(X)
    assert 'ReadsNumber.bprop reads self.k' in said.one(KeptOnSelfWarning)


# ---- 16: set_data --------------------------------------------------------------------------------------------------


def test_set_data_keeps_the_shape_and_the_integers_and_copies():
    p, k, net = Parameter(Tensor([1.0, 2.0]), name='p'), Parameter(Tensor([1, 2]), name='k'), nn.Cell()
    net.w = p
    with refused(
        ShapeError, 'set_data of p: the shape stays (2,), but the new data has (1,)', line='p.set_data(Tensor'
    ):
        p.set_data(Tensor([1.0]))
    with refused(ShapeError, 'the shape stays (2,), but the new data has ()'):
        p.set_data(2.0)
    with refused(ShapeError, 'set_data of p', line='net.w = Tensor([1.0])'):
        net.w = Tensor([1.0])
    with refused(ParameterError, 'set_data of k: floats would be cut to Int64', line='k.set_data(Tensor'):
        k.set_data(Tensor([1.5, 2.5]))
    source = Tensor([5.0, 6.0])
    p.set_data(source)
    source[0] = 99.0
    assert p.asnumpy().tolist() == [5, 6], 'the source is not aliased'


# ---- 17: accepted and ignored --------------------------------------------------------------------------------------


def test_required_grad_is_no_attribute():
    p = Parameter(Tensor([1.0]), name='p')
    with refused(ParameterAttributeError, 'write p.requires_grad = False', line='p.required_grad = False'):
        p.required_grad = False
    with refused(ParameterAttributeError, 'the name is requires_grad'):
        assert p.required_grad
    with pytest.raises(TypeError):
        Parameter(Tensor([1.0]), required_grad=False)


LISTS = {
    'a list of Parameters': (lambda: [Parameter(1.0)], 'ParameterTuple'),
    'a dict of Parameters': (lambda: {'w': Parameter(1.0)}, 'ParameterTuple'),
    'a tuple of Parameters': (lambda: (Parameter(1.0),), 'ParameterTuple'),
    'a list of Cells': (lambda: [nn.ReLU()], 'nn.CellList'),
}


@pytest.mark.parametrize('what', LISTS)
def test_what_no_cell_looks_into_is_said(what):
    make, due = LISTS[what]
    net = nn.Cell()
    with warned() as said:
        net.parts = make()
    text = said.one(UnregisteredWarning)
    assert text.startswith(f'Cell.parts is {what}: no Cell looks into it') and due in text
    assert said.line == 'net.parts = make()'


def test_plain_lists_and_a_parametertuple_are_nothing_to_say():
    net = nn.Cell()
    with warned() as said:
        net.sizes, net.names, net.none = [1, 2], {'a': 'b'}, None
        net.ws = ParameterTuple([Parameter(1.0, 'a')])
    assert not said.caught


def test_internal_params_is_a_list_of_parameters():
    net = nn.Cell()
    with refused(PropertyError, 'Cell.internal_params is a list of the Parameters', line='net.internal_params = Param'):
        net.internal_params = Parameter(1.0)


def test_a_parameter_set_to_none_goes_away_and_that_is_said():
    net = nn.Cell()
    net.w = Parameter(1.0)
    with warned() as said:
        net.w = None
    assert said.one(UnregisteredWarning).startswith('Cell.w = None takes the Parameter w away')
    assert said.line == 'net.w = None' and net.trainable_params() == []
