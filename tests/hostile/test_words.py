"""W1, W4, S10: what is said names the user's own line, and advice that works."""

import functools
import re

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import MinicellError
from tests.hostile.said import X, right_or_said

HERE = r'your line: test_words\.py, line \d+'


def raised(program) -> Exception:
    """What it raises, with its notes in the text."""
    with pytest.raises(Exception) as caught:
        program()
    return caught.value


def text(error: Exception) -> str:
    return '\n'.join([str(error), *getattr(error, '__notes__', ())])


# ---- W1: NumPy ------------------------------------------------------------------------------------------------------

OF_ONE = [
    'sum',
    'mean',
    'max',
    'min',
    'prod',
    'std',
    'var',
    'all',
    'any',
    'sin',
    'exp',
    'cumsum',
    'sort',
    'argsort',
    'argmax',
    'median',
    'linalg.norm',
    'ravel',
    'squeeze',
    'ptp',
    'nansum',
    'nanmean',
    'round',
    'around',
    'abs',
    'transpose',
    'diff',
    'count_nonzero',
    'average',
    'amax',
    'amin',
]


def numpys(name: str):
    return functools.reduce(getattr, name.split('.'), np)


@pytest.mark.parametrize('name', OF_ONE)
def test_w1_numpy_of_a_tensor_is_numpys_number_or_an_error_of_ours(name):
    f = numpys(name)
    right_or_said(lambda: Tensor(np.asarray(f(X))), np.asarray(f(X.asnumpy()), float), 'NumPy')


@pytest.mark.parametrize('name', OF_ONE)
def test_w1_in_a_gradient_numpy_is_refused_at_the_users_own_line(name):
    """Or it is the op of that name, and right."""
    f = numpys(name)

    def of(x):
        found = f(x)
        return (found if isinstance(found, Tensor) else Tensor(np.asarray(found))).sum() * 1.0

    moved = [np.sum(f(N + e)) * 1.0 - np.sum(f(N - e)) * 1.0 for e in np.eye(3) * 1e-4]
    right_or_said(lambda: ms.grad(of)(X), np.array(moved) / 2e-4, 'NumPy', HERE, near=1e-3)


N = np.array([1.0, 2.0, 3.0])
TWO = ['concatenate', 'stack', 'vstack', 'dot', 'matmul', 'add', 'multiply', 'maximum', 'where']


@pytest.mark.parametrize('name', TWO)
def test_w1_numpy_of_two_tensors_is_refused_at_the_users_own_line(name):
    f = numpys(name)
    call = {
        'where': lambda x: f(np.array([True, False, True]), x, x),
        'concatenate': lambda x: f([x, x]),
        'stack': lambda x: f([x, x]),
        'vstack': lambda x: f([x, x]),
    }.get(name, lambda x: f(x, x))
    error = raised(lambda: ms.grad(lambda x: Tensor(call(x)).sum())(X))
    assert isinstance(error, MinicellError) and re.search(HERE, text(error)), text(error)


# ---- W4: advice that works, and a line ------------------------------------------------------------------------------

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
def test_w4_what_no_tensor_can_be_made_of_is_not_to_be_put_into_one(op, value):
    error = raised(lambda: op(X, value))
    assert isinstance(error, MinicellError) and re.search(HERE, text(error)), repr(error)
    assert 'Tensor(...) around' not in text(error), f'Tensor({value!r}) is refused, too'


@pytest.mark.parametrize('kind', ['SGD', 'Adam', 'Momentum', 'AdamWeightDecay'])
def test_w4_an_optimizer_speaks_of_itself(kind):
    if not hasattr(nn, kind):
        kind = 'SGD'
    make = getattr(nn, kind)
    error = raised(lambda: make([X], 0.1, 0.9) if kind == 'Momentum' else make([X], 0.1))
    assert kind in text(error) and 'ParameterTuple' not in text(error) and re.search(HERE, text(error)), text(error)


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
def test_w4_a_wrong_axis_is_called_an_axis(ask):
    error = raised(ask)
    assert 'ax' in text(error) and 'do not fit' not in text(error) and re.search(HERE, text(error)), text(error)


WITH_A_LINE = {
    'X[5]': lambda: X[5],
    'X[0, 0]': lambda: X[0, 0],
    'X["a"]': lambda: X['a'],
    'a write': lambda: X.copy().__setitem__(9, 1.0),
    'gather': lambda: ops.gather(X, Tensor([7]), 0),
    'gather along no axis': lambda: ops.gather(X, Tensor([0]), 4),
    'an index of a Tensor': lambda: X[Tensor([7])],
    'a hook of another shape': lambda: ms.grad(lambda x: hooked_with(x, lambda g: g[:1]))(X),
    'a hook of no Tensor': lambda: ms.grad(lambda x: hooked_with(x, lambda g: 'a'))(X),
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


def hooked_with(x, hook):
    y = x * 1
    y.register_hook(hook)
    return y


@pytest.mark.parametrize('ask', WITH_A_LINE.values(), ids=WITH_A_LINE)
def test_w4_an_error_names_the_users_line(ask):
    error = raised(ask)
    assert re.search(HERE, text(error)), repr(error)


# ---- has_aux --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('out', [lambda x: (x * x).sum(), lambda x: x[0] * 2, lambda x: x * x, lambda x: (x.sum(),)],
                         ids=['a number', 'one of them', 'a vector', 'a tuple of one'])  # fmt: skip
@pytest.mark.parametrize('ask', ['grad', 'value_and_grad', 'vjp', 'jvp', 'jacrev'])
def test_has_aux_of_a_function_with_one_output_is_refused_in_words(ask, out):
    calls = {
        'grad': lambda: ms.grad(out, has_aux=True)(X),
        'value_and_grad': lambda: ms.value_and_grad(out, has_aux=True)(X),
        'vjp': lambda: ms.vjp(out, X, has_aux=True),
        'jvp': lambda: ms.jvp(out, X, X, has_aux=True),
        'jacrev': lambda: ms.jacrev(out, has_aux=True)(X),
    }
    error = raised(calls[ask])
    assert isinstance(error, MinicellError) and 'has_aux' in str(error) and 'one' in str(error), repr(error)


# ---- S10: numbers that leave unsaid ---------------------------------------------------------------------------------

LEAVES = {
    'asnumpy': lambda x: float(x.asnumpy()),
    'item': lambda x: x.item(),
    'tolist': lambda x: x.tolist(),
    'int': lambda x: int(x),
    'bool': lambda x: 3.0 if x else 0.0,
}


@pytest.mark.parametrize('leave', LEAVES.values(), ids=LEAVES)
def test_s10_numbers_that_leave_the_tape_are_said(leave):
    """x times a number made of x at 3: 6 is due, or a word that its part is lost."""
    due = 3.0 if leave is LEAVES['bool'] else 6.0  # which way an `if` goes has no slope
    right_or_said(lambda: ms.grad(lambda x: x * leave(x))(Tensor(3.0)), due, 'constant|gradient')
