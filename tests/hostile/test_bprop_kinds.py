"""What may stand in the place of a bprop, and what it may return: it is used, or the Cell is named."""

import collections
import functools
import sys

import pytest

import minicell as ms
from minicell import Parameter, Tensor
from minicell.errors import MinicellError
from tests.hostile.said import Ran, X, cell, quiet, right
from tests.messages import refused

# ---- what it may be --------------------------------------------------------------------------------------------------


def odd(bprop):
    return cell(lambda self, x: x * 2, bprop, 'Odd')


def rule(self, x, out, dout):
    return (dout * x,)


class Called:
    def __call__(self, x, out, dout):
        return (dout * x,)


class CalledBound:
    def __get__(self, cell, kind):
        return functools.partial(rule, cell)


KINDS = {
    **({'a partial': lambda: functools.partial(rule, None)} if sys.version_info < (3, 13) else {}),
    'a static partial': lambda: staticmethod(functools.partial(rule, None)),  # (3.14 makes a method of the other)
    'a partialmethod': lambda: functools.partialmethod(rule),
    'a callable object': Called,
    'a descriptor': CalledBound,
    'a static method': lambda: staticmethod(lambda x, out, dout: (dout * x,)),
    'a class method': lambda: classmethod(rule),
    'a property': lambda: property(lambda self: functools.partial(rule, self)),
    'a wrapped function': lambda: functools.wraps(rule)(lambda *args: rule(*args)),
    'a method by kind': lambda: functools.singledispatchmethod(rule),
    'a bound method': lambda: Called().__call__,
    'a graph': lambda: ms.jit(lambda self, x, out, dout: (dout * x,)),
}
ASK = {
    'grad': lambda net: ms.grad(net)(X),
    'a second gradient': lambda net: ms.grad(lambda x: (ms.grad(net)(x)).sum() + (net(x) * 0).sum())(X),
    'after a write': lambda net: ms.grad(lambda x: written(net(x)))(X),
    'a Tape': lambda net: taped(net),
    'check_bprop': lambda net: ms.check_bprop(net, X) and None,
}


def written(y):
    p = Parameter(Tensor([1.0]), name='p')
    p.set_data(Tensor([2.0]))
    return y


def taped(net):
    with ms.Tape() as seen:
        found = ms.grad(net)(X)
    assert str(seen)
    return found


@pytest.mark.parametrize('kind', KINDS.values(), ids=KINDS)
@pytest.mark.parametrize('ask', ASK)
def test_a_bprop_may_be_anything_that_is_called(kind, ask):
    net = odd(kind())
    ran = Ran(lambda: ASK[ask](net))
    due = [1, 1, 1] if ask == 'a second gradient' else [1, 2, 3]
    assert not ran.told and (ask == 'check_bprop' or right(ran.value, due)), f'{ran.value}: {ran.texts}'


@pytest.mark.parametrize('what', [5, 'dout', (1, 2), True, ms.ops, {'x': 1}, X], ids=lambda w: type(w).__name__)
@pytest.mark.parametrize('ask', ['grad', 'after a write', 'a Tape', 'check_bprop'])
def test_a_bprop_that_is_no_function_is_named(what, ask):
    def program():
        net = odd(what)
        if ask != 'check_bprop':
            ASK[ask](net)
        elif not (found := ms.check_bprop(net, X)).ok:  # a malformed bprop is a verdict
            raise MinicellError(str(found))

    with refused(MinicellError, 'Odd', 'bprop'):
        program()


# ---- what it may return ----------------------------------------------------------------------------------------------

ONES = Tensor([1.0, 1.0, 1.0])
PAIR = collections.namedtuple('PAIR', 'dx')


def net(bprop):
    """x * x, with a bprop of x, out, dout."""
    return cell(lambda self, x: x * x, lambda self, *given: bprop(*given))


def twice(d):
    d *= 2
    return d


RETURNED = {
    'a named tuple': lambda x, out, d: PAIR(d * 2),
    'a class of its own': lambda x, out, d: (type('T', (Tensor,), {})(d * 2),),
    'a Parameter': lambda x, out, d: (Parameter(ONES * 2, name='p'),),
    'zeros': lambda x, out, d: (d * 0 + 2,),
    'dout twice as large, in place': lambda x, out, d: (twice(d),),
}


@pytest.mark.parametrize('bprop', RETURNED.values(), ids=RETURNED)
def test_results_that_are_right(bprop):
    quiet(lambda: ms.grad(lambda x: (net(bprop)(x) + x).sum())(X), [3, 3, 3])
