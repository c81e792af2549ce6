"""What is said names the user's own line, and advice that works; the user's own errors stay theirs."""

import functools

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import MinicellError
from tests.hostile.said import X, cell, right
from tests.messages import refused, tells

HERE = 'line: test_users_line.py'

N = np.array([1.0, 2.0, 3.0])
OF_ONE = 'sum mean max min prod std var all any sin exp cumsum sort argsort argmax median linalg.norm ravel squeeze ptp'
OF_ONE += ' nansum nanmean round around abs transpose diff count_nonzero average amax amin'


def numpys(name: str):
    return functools.reduce(getattr, name.split('.'), np)


@pytest.mark.parametrize('f', [numpys(name) for name in OF_ONE.split()], ids=OF_ONE.split())
def test_numpy_of_a_tensor_is_numpys_number_and_in_a_gradient_refused(f):
    assert right(Tensor(np.asarray(f(X))), np.asarray(f(N), float))
    with refused(MinicellError, 'NumPy', 'gradient', 'minicell.ops', line='f(x)'):
        ms.grad(lambda x: Tensor(np.asarray(f(x))).sum() * 1.0)(X)


OF_TWO = {name: lambda x, name=name: numpys(name)(x, x) for name in ('dot', 'matmul', 'add', 'multiply', 'maximum')}
OF_TWO |= {name: lambda x, name=name: numpys(name)([x, x]) for name in ('concatenate', 'stack', 'vstack')}
OF_TWO |= {'where': lambda x: np.where(np.array([True, False, True]), x, x)}


@pytest.mark.parametrize('call', OF_TWO.values(), ids=OF_TWO)
def test_numpy_of_two_tensors_is_refused_at_the_users_own_line(call):
    with refused(MinicellError, 'NumPy', HERE):
        ms.grad(lambda x: Tensor(call(x)).sum())(X)


OPERATIONS = {
    '*': lambda x, v: x * v,
    'from the left': lambda x, v: v - x,
    'maximum': lambda x, v: ops.maximum(x, v),
    '@': lambda x, v: x @ v,
    '<': lambda x, v: x < v,
}
OPERANDS = {'str': 'a', 'NoneType': None, 'dict': {}, 'object': object(), 'function': len}


@pytest.mark.parametrize('value', OPERANDS.values(), ids=OPERANDS)
@pytest.mark.parametrize('op', OPERATIONS.values(), ids=OPERATIONS)
def test_what_no_tensor_can_be_made_of_is_not_to_be_put_into_one(op, value):
    with refused(MinicellError, HERE) as caught:
        op(X, value)
    assert 'Tensor(...) around' not in str(caught.value), f'Tensor({value!r}) is refused, too'


@pytest.mark.parametrize('kind', ['SGD', 'Adam', 'Momentum'])
def test_an_optimizer_speaks_of_itself(kind):
    make = getattr(nn, kind)
    with refused(MinicellError, kind, HERE) as caught:
        make([X], 0.1, 0.9) if kind == 'Momentum' else make([X], 0.1)
    assert 'ParameterTuple' not in str(caught.value)


AXES = {
    'sum': lambda: ops.sum(X, 5),
    'x.sum': lambda: X.sum(5),
    'mean': lambda: X.mean(3),
    'max': lambda: X.max(4),
    'transpose': lambda: ops.transpose(X, (1, 0)),
    'x.transpose': lambda: X.transpose(1, 2),
    'squeeze': lambda: ops.squeeze(X, 4),
    'expand_dims': lambda: ops.expand_dims(X, 7),
    'softmax': lambda: ops.softmax(X, 3),
    'concat': lambda: ops.concat((X, X), 2),
    'stack': lambda: ops.stack((X, X), 4),
}


@pytest.mark.parametrize('ask', AXES.values(), ids=AXES)
def test_a_wrong_axis_is_called_an_axis(ask):
    with refused(MinicellError, 'ax', HERE) as caught:
        ask()
    assert 'do not fit' not in str(caught.value)


WITH_A_LINE = {
    'X[5]': lambda: X[5],
    'X[0, 0]': lambda: X[0, 0],
    'X["a"]': lambda: X['a'],
    'a write': lambda: X.copy().__setitem__(9, 1.0),
    'gather': lambda: ops.gather(X, Tensor([7]), 0),
    'gather along no axis': lambda: ops.gather(X, Tensor([0]), 4),
    'an index of a Tensor': lambda: X[Tensor([7])],
    'a hook of another shape': lambda: ms.grad(lambda x: hooked(x, lambda g: g[:1]))(X),
    'a hook of no Tensor': lambda: ms.grad(lambda x: hooked(x, lambda g: 'a'))(X),
    'a name as grad_position': lambda: ms.grad(lambda x: x, 'a'),
    'grad_position -1': lambda: ms.grad(lambda x: x, -1),
    'grad_position twice': lambda: ms.grad(lambda x, y: x, (0, 0)),
    'value_and_grad': lambda: ms.value_and_grad(lambda x: x, 1.5),
    'no grad_position and no weights': lambda: ms.grad(lambda x: x, None),
    'jacrev': lambda: ms.jacrev(lambda x: x, 'a')(X),
    'float of three numbers': lambda: float(X),
    'len of a number': lambda: len(Tensor(1.0)),
    'a format': lambda: f'{X:.2f}',
}


def hooked(x, hook):
    y = x * 1
    y.register_hook(hook)
    return y


@pytest.mark.parametrize('ask', WITH_A_LINE.values(), ids=WITH_A_LINE)
def test_an_error_names_the_users_line(ask):
    with pytest.raises(Exception) as caught:
        ask()
    tells('\n'.join([str(caught.value), *getattr(caught.value, '__notes__', ())]), HERE)


def test_a_sens_that_is_missing_is_not_the_input():
    with refused(MinicellError, '0 arguments', 'sens'):
        ops.GradOperation(sens_param=True)(lambda x: x * 2)(X)


class Own(ValueError):
    pass


OWN = [ValueError('my own'), Own('my own'), TypeError('my own'), IndexError('my own'), ZeroDivisionError('my own')]


def fails(error):
    def f(*_):
        raise error

    return f


def primitive(**parts):
    return type('Mine', (ops.Primitive,), parts)()


once = lambda self, x: x * 1
PLACES = {
    'a kernel': lambda error: primitive(kernel=fails(error))(X),
    'a rule': lambda error: ms.grad(primitive(kernel=once, rule=fails(error)))(X),
    'construct': lambda error: ms.grad(cell(fails(error), fails(error)))(X),
    'bprop': lambda error: ms.grad(cell(once, fails(error)))(X),
    'a function': lambda error: ms.grad(fails(error))(X),
    'a graph': lambda error: ms.jit(fails(error))(X),
    'a hook': lambda error: ms.grad(lambda x: hooked(x, fails(error)))(X),
    'jvp': lambda error: ms.jvp(fails(error), X, X),
}


@pytest.mark.parametrize('own', OWN, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize('place', PLACES.values(), ids=PLACES)
def test_the_users_own_error_stays_what_it_is(place, own):
    with pytest.raises(Exception) as caught:
        place(own)
    error = caught.value
    assert type(error) is type(own) and str(error).startswith('my own'), repr(error)
    assert 'do not fit' not in '\n'.join([str(error), *getattr(error, '__notes__', ())])
