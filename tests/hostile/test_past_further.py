"""Family 7: more ways past a bprop, and more ways to have one."""

import functools

import pytest

import minicell as ms
from minicell import nn
from tests.hostile.said import Ran, X, right, right_or_said, said

FIFTY = [50.0, 50.0, 50.0]


class Fifty(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 50,)


def decorated(f):
    @functools.wraps(f)
    def wrapper(self, *inputs):
        return f(self, *inputs)

    return wrapper


class Decorated(Fifty):
    @decorated
    def construct(self, x):
        return x * 2


class Static(Fifty):
    construct = staticmethod(lambda x: x * 2)


class OfClass(Fifty):
    @classmethod
    def construct(cls, x):
        return x * 2


class Partial(Fifty):
    construct = functools.partialmethod(lambda self, k, x: x * k, 2)


WAYS = {
    'decorated': lambda x: Decorated().construct(x),
    'undecorated': lambda x: Decorated.construct.__wrapped__(None, x),
    'static': lambda x: Static().construct(x),
    'static, of the class': lambda x: Static.construct(x),
    'of the class': lambda x: OfClass.construct(x),
    'partial': lambda x: Partial().construct(x),
}


@pytest.mark.parametrize('way', WAYS.values(), ids=WAYS)
def test_a_construct_that_is_no_plain_function_is_called_past_its_bprop(way):
    right_or_said(lambda: ms.grad(lambda x: way(x).sum())(X), FIFTY, 'Decorated|Static|OfClass|Partial', 'bprop')


@pytest.mark.parametrize('kind', [Decorated, Static, OfClass, Partial], ids=lambda kind: kind.__name__)
def test_called_as_a_cell_it_has_its_bprop_and_nothing_is_said(kind):
    ran = Ran(lambda: ms.grad(lambda x: kind()(x).sum())(X))
    assert right(ran.value, FIFTY) and not ran.texts, ran.texts


def test_a_decorator_belongs_to_no_cell():
    """Its own code runs for Cells without a bprop, too."""

    def tripled(f):
        @functools.wraps(f)
        def wrapper(self, x):
            return f(self, x * 3)

        return wrapper

    class WithBprop(Fifty):
        construct = tripled(Fifty.construct)

    class Without(nn.Cell):
        construct = tripled(lambda self, x: x * 2)

    assert WithBprop.bprop
    ran = Ran(lambda: ms.grad(lambda x: Without()(x).sum())(X))
    assert right(ran.value, [6, 6, 6]) and not ran.texts, ran.texts


def test_a_call_of_its_own_goes_past_the_bprop_and_the_class_says_so():
    def define():
        class Calls(nn.Cell):
            def __call__(self, x):
                return x * 2

            def bprop(self, x, out, dout):
                return (dout * 50,)

        return ms.grad(lambda x: Calls()(x).sum())(X)

    right_or_said(define, FIFTY, 'Calls', '__call__', 'construct')


def test_a_call_that_goes_on_to_the_cells_is_right():
    def define():
        class Calls(Fifty):
            def __call__(self, x):
                return super().__call__(x) * 1

        return ms.grad(lambda x: Calls()(x).sum())(X)

    ran = Ran(define)
    assert right(ran.value, FIFTY) and not ran.texts


# ---- what may stand in the place of a method -------------------------------------------------------------------------


class Described:
    def __get__(self, cell, kind=None):
        return self if cell is None else lambda x, out, dout: (dout * 50,)


class Object:
    def __call__(self, x, out, dout):
        return (dout * 50,)


BPROPS = {
    'a property': property(lambda self: lambda x, out, dout: (dout * 50,)),
    'static': staticmethod(lambda x, out, dout: (dout * 50,)),
    'of the class': classmethod(lambda cls, x, out, dout: (dout * 50,)),
    'an object': Object(),
    'a descriptor': Described(),
    'a partial method': functools.partialmethod(lambda self, k, x, out, dout: (dout * k,), 50),
    'a partial': staticmethod(functools.partial(lambda k, x, out, dout: (dout * k,), 50)),  # (3.14 makes it a method)
    'a method by kind': functools.singledispatchmethod(lambda self, x, out, dout: (dout * 50,)),
    'a graph': ms.jit(lambda self, x, out, dout: (dout * 50,)),
}


@pytest.mark.parametrize('bprop', BPROPS.values(), ids=BPROPS)
def test_a_bprop_of_any_kind_is_called(bprop):
    kind = type('Any', (nn.Cell,), {'construct': lambda self, x: x * 2, 'bprop': bprop})
    ran = Ran(lambda: ms.grad(lambda x: kind()(x).sum())(X))
    assert right(ran.value, FIFTY) and not ran.texts, ran.texts


def test_a_bprop_that_only_promises_is_refused():
    def yields(self, x, out, dout):
        yield dout * 50

    kind = type('Later', (nn.Cell,), {'construct': lambda self, x: x * 2, 'bprop': yields})
    said(lambda: ms.grad(kind())(X), 'Later.bprop returned a generator', r'return \(dx,\)')


# ---- who has the bprop -----------------------------------------------------------------------------------------------


class Bare(nn.Cell):
    def construct(self, x):
        return x * 2


class HasBprop(nn.Cell):
    def bprop(self, x, out, dout):
        return (dout * 50,)


class Both(Bare, HasBprop):
    pass


class Instead(Fifty):
    def construct(self, x):
        return super().construct(x) * 1


def given_later():
    net = Bare()
    net.bprop = lambda x, out, dout: (dout * 50,)
    return net


def given_another_construct():
    net = Fifty()
    net.construct = lambda x: x * 3
    return net


def inside_a_row():
    return nn.SequentialCell(Fifty())


OWNERS = [Both, Instead, given_later, given_another_construct, inside_a_row]


@pytest.mark.parametrize('make', OWNERS, ids=lambda make: make.__name__)
def test_the_bprop_is_used_wherever_it_comes_from(make):
    ran = Ran(lambda: ms.grad(lambda x: make()(x).sum())(X))
    assert right(ran.value, FIFTY) and not ran.texts, ran.texts


PAST_AN_OWNER = {
    'the base of another': lambda x: Fifty.construct(Bare(), x),
    'in a wrapper': lambda x: nn.SequentialCell(Wraps())(x),
    'by the class of a child': lambda x: Instead.construct(Instead(), x),
    'by exec': lambda x: eval('net.construct(x)', {'net': Fifty(), 'x': x}),
}


class Wraps(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Fifty()

    def construct(self, x):
        return self.net.construct(x)


@pytest.mark.parametrize('way', PAST_AN_OWNER.values(), ids=PAST_AN_OWNER)
def test_construct_called_for_somebody_else_is_said(way):
    right_or_said(lambda: ms.grad(lambda x: way(x).sum())(X), FIFTY, 'Fifty|Instead', 'bprop', 'call')
