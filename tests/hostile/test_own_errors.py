"""W2, W3: the user's own errors stay theirs, and a bprop may be anything that is called."""

import functools
import re

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import MinicellError
from tests.hostile.said import Ran, X, right
from tests.hostile.test_words import raised, text

# ---- W2: the user's own errors ------------------------------------------------------------------------------------


class Own(ValueError):
    pass


OWN = [ValueError('my own'), Own('my own'), TypeError('my own'), IndexError('my own'), ZeroDivisionError('my own')]


def kernel_fails(error):
    class Mine(ops.Primitive):
        def kernel(self, x):
            raise error

    return lambda: Mine()(X)


def rule_fails(error):
    class Mine(ops.Primitive):
        def kernel(self, x):
            return x * 1

        def rule(self, g, out, x):
            raise error

    return lambda: ms.grad(Mine())(X)


def cell_fails(error, where):
    class Mine(nn.Cell):
        def construct(self, x):
            if where == 'construct':
                raise error
            return x * 1

        def bprop(self, x, out, dout):
            raise error

    return lambda: ms.grad(Mine())(X)


def function_fails(error):
    def f(x):
        raise error

    return f


PLACES = {
    'a kernel': kernel_fails,
    'a rule': rule_fails,
    'construct': lambda error: cell_fails(error, 'construct'),
    'bprop': lambda error: cell_fails(error, 'bprop'),
    'a function': lambda error: lambda: ms.grad(function_fails(error))(X),
    'a graph': lambda error: lambda: ms.jit(function_fails(error))(X),
    'a hook': lambda error: lambda: ms.grad(lambda x: hooked(x, error))(X),
    'jvp': lambda error: lambda: ms.jvp(function_fails(error), X, X),
}


def hooked(x, error):
    y = x * 1
    y.register_hook(function_fails(error))
    return y


@pytest.mark.parametrize('own', OWN, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize('place', PLACES.values(), ids=PLACES)
def test_w2_the_users_own_error_stays_what_it_is(place, own):
    error = raised(place(own))
    assert type(error) is type(own) and str(error).startswith('my own') and 'do not fit' not in text(error), repr(error)


# ---- W3: what a bprop may be ----------------------------------------------------------------------------------------


def of_cell(bprop):
    return type('Odd', (nn.Cell,), {'construct': lambda self, x: x * 2, 'bprop': bprop})


def rule(self, x, out, dout):
    return (dout * x,)


class Called:
    def __call__(self, x, out, dout):
        return (dout * x,)


class CalledBound:
    def __get__(self, cell, kind):
        return functools.partial(rule, cell)


RIGHT = {
    'a partial': lambda: functools.partial(rule, None),
    'a partialmethod': lambda: functools.partialmethod(rule),
    'a callable object': Called,
    'a descriptor': CalledBound,
    'a static method': lambda: staticmethod(lambda x, out, dout: (dout * x,)),
    'a class method': lambda: classmethod(rule),
    'a property': lambda: property(lambda self: functools.partial(rule, self)),
    'a wrapped function': lambda: functools.wraps(rule)(lambda *args: rule(*args)),
    'a cached function': lambda: functools.singledispatchmethod(rule),
    'a bound method': lambda: Called().__call__,
}
ASK = {
    'grad': lambda net: ms.grad(net)(X),
    'a second gradient': lambda net: ms.grad(lambda x: (ms.grad(net)(x)).sum() + (net(x) * 0).sum())(X),
    'after a write': lambda net: ms.grad(lambda x: written(net(x)))(X),
    'a Tape': lambda net: taped(net),
    'check_bprop': lambda net: ms.check_bprop(net, X) and None,
}


def written(y):
    p = ms.Parameter(Tensor([1.0]), name='p')
    p.set_data(Tensor([2.0]))
    return y


def taped(net):
    with ms.Tape() as seen:
        found = ms.grad(net)(X)
    assert str(seen)
    return found


@pytest.mark.parametrize('kind', RIGHT.values(), ids=RIGHT)
@pytest.mark.parametrize('ask', ASK)
def test_w3_a_bprop_may_be_anything_that_is_called(kind, ask):
    """The gradient is its, x; or one sentence says what a bprop is."""
    net = of_cell(kind())()
    due = {'a second gradient': [1, 1, 1], 'check_bprop': None}.get(ask, [1, 2, 3])
    ran = Ran(lambda: ASK[ask](net))
    if ran.error:
        assert ran.says('Odd', 'bprop'), ran.texts
    else:
        assert due is None or right(ran.value, due), f'{ran.value}: {ran.texts}'


@pytest.mark.parametrize('what', [5, 'dout', (1, 2), True, ms.ops, {'x': 1}, X], ids=lambda w: type(w).__name__)
@pytest.mark.parametrize('ask', [a for a in ASK if a != 'a second gradient'])
def test_w3_a_bprop_that_is_no_function_is_named(what, ask):
    error = raised(lambda: ASK[ask](of_cell(what)()) if ask != 'check_bprop' else said_by_check(of_cell(what)()))
    assert isinstance(error, MinicellError) and re.search('Odd', str(error)) and 'bprop' in str(error), repr(error)


def said_by_check(net):
    """A malformed bprop is a verdict."""
    found = ms.check_bprop(net, X)
    if not found.ok:
        raise MinicellError(str(found))
