"""Gradients in each other and inside a construct, cotangents in a dict, Jacobians of anything."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import NotATensorError, SensError
from tests.hostile.said import Ran, X, cell, left, quiet, right, right_or_said
from tests.messages import refused

ONES = Tensor([1.0, 1.0, 1.0])
EMPTY = Tensor(np.zeros((0,), np.float32))
square = lambda x: x * x

# ---- a gradient inside the construct of a Cell with a bprop, that uses what is hidden there --------------------------

INSIDE = {  # construct, and its derivative
    'of the input by itself': (lambda x: ms.grad(lambda t: (t * x).sum())(x), lambda x: 1),
    'of a constant': (lambda x: ms.grad(lambda t: (t * x).sum())(ONES), lambda x: 1),
    'twice': (lambda x: ms.grad(lambda t: (t * t * x).sum())(x), lambda x: 4 * x),
    'in each other': (
        lambda x: ms.grad(lambda s: ms.grad(lambda t: (t * t * x).sum())(s).sum())(ONES),
        lambda x: 2,
    ),
    'a vjp': (lambda x: ms.vjp(lambda t: t * x, x)[1](x)[0], lambda x: 2 * x),
    'a jvp': (lambda x: ms.jvp(lambda t: t * x, x, x)[1], lambda x: 2 * x),
    'a Jacobian': (lambda x: ms.jacrev(lambda t: t * x)(x).sum(0), lambda x: 1),
    'a Jacobian by columns': (lambda x: ms.jacfwd(lambda t: t * x)(ONES).sum(0), lambda x: 1),
    'through a Cell with a bprop': (lambda x: ms.grad(lambda t: (PRODUCT(t, x)).sum())(ONES), lambda x: 1),
    'under a Tape': (lambda x: taped(lambda: ms.grad(lambda t: (t * x).sum())(ONES)), lambda x: 1),
}
VALUES = {'in each other': [2, 4, 6], 'twice': [2, 8, 18], 'a vjp': [1, 4, 9], 'a jvp': [1, 4, 9]}


PRODUCT = cell(lambda self, a, b: a * b, lambda self, a, b, out, dout: (dout * b, dout * a), 'Product')


def taped(program):
    with ms.Tape():
        return program()


@pytest.mark.parametrize('what', INSIDE)
@pytest.mark.parametrize('tape', [False, True], ids=['', 'Tape'])
def test_a_gradient_inside_a_construct_takes_what_is_hidden_as_a_constant(what, tape):
    compute, slope = INSIDE[what]

    net = cell(lambda self, x: compute(x), lambda self, x, out, dout: (dout * slope(x),))
    program = lambda: ms.value_and_grad(net)(X)
    quiet(lambda: taped(program) if tape else program(), (VALUES.get(what, [1, 2, 3]), X * 0 + slope(X)))
    assert not left()


DICT = lambda x: {'a': x * 2, 'b': x * 3}
LIKE = {'in its order': {'a': ONES, 'b': ONES * 100}, 'in another order': {'b': ONES * 100, 'a': ONES}}


@pytest.mark.parametrize('sens', LIKE.values(), ids=LIKE)
def test_a_cotangent_in_a_dict_goes_by_its_keys(sens):
    assert right(ms.vjp(DICT, X)[1](sens)[0], [302] * 3)
    assert right(ms.grad(DICT, sens_param=True)(X, sens), [302] * 3)
    nested = ms.vjp(lambda x: (DICT(x), [x]), X)[1]((sens, [ONES]))
    assert right(nested[0], [303] * 3)


@pytest.mark.parametrize('sens', [{'a': ONES, 'c': ONES}, {'a': ONES}], ids=['another key', 'too few'])
def test_a_cotangent_with_other_keys_is_refused(sens):
    with refused(SensError, f'{list(sens)}', "['a', 'b']"):
        ms.vjp(DICT, X)[1](sens)


jacobians = pytest.mark.parametrize('jacobian', [ms.jacrev, ms.jacfwd], ids=['jacrev', 'jacfwd'])
NO_JACOBIAN = {
    'nothing': (lambda x: None, 'nothing'),
    'a Bool Tensor': (lambda x: x > 1, 'a Bool Tensor'),
    'an int beside it': (lambda x: (x * x, 3), 'an int'),
    'a dict': (lambda x: {'a': x}, 'a dict'),
    'a string': (lambda x: 'x', 'a str'),
    'a nested tuple': (lambda x: (x, (x,)), 'a tuple'),
    'an array': (lambda x: np.ones(3), 'a ndarray'),
    'an empty tuple': (lambda x: (), 'nothing'),
}


@jacobians
@pytest.mark.parametrize('f, what', NO_JACOBIAN.values(), ids=NO_JACOBIAN)
def test_of_what_there_is_no_jacobian_is_said(jacobian, f, what):
    with refused(NotATensorError, jacobian, 'returned', f'{what},', 'has_aux', 'test_jacobians.py'):
        jacobian(f)(X)


@jacobians
def test_jacobians_of_lists_and_of_nothing(jacobian):
    squares, ones = jacobian(lambda x: [x * x, x])(X)
    assert right((squares, ones), (np.diag([2, 4, 6]), np.eye(3)))
    assert jacobian(square)(EMPTY).shape == (0, 0)
    assert jacobian(lambda x: x.sum())(EMPTY).shape == (0,)
    assert right(jacobian(lambda x: (x * x, 3), has_aux=True)(X)[0], np.diag([2, 4, 6]))


HESSIANS = [(a, b) for a in (ms.jacrev, ms.jacfwd) for b in (ms.jacrev, ms.jacfwd)]


@pytest.mark.parametrize('outer, inner', HESSIANS, ids=lambda f: f.__name__)
def test_jacobians_of_jacobians(outer, inner):
    found = outer(inner(lambda x: x * x * x))(X)
    due = np.zeros((3, 3, 3))
    due[[0, 1, 2], [0, 1, 2], [0, 1, 2]] = [6, 12, 18]
    assert right(found, due)


class PullsBack(nn.Cell):
    """Its bprop is the pull of a vjp that construct made, or that somebody made before."""

    def __init__(self, pull=None):
        super().__init__()
        self.pull = pull

    def construct(self, x):
        if self.pull is None:
            self.now = ms.vjp(square, x)[1]
        return x * x

    def bprop(self, x, out, dout):
        return (self.pull or self.now)(dout)


def test_a_pull_in_a_bprop():
    assert right(ms.grad(PullsBack(ms.vjp(square, X)[1]))(X), [2, 4, 6])
    assert right(ms.grad(PullsBack())(X), [2, 4, 6])
    net = PullsBack()
    twice = lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ONES)
    right_or_said(twice, [10] * 3, 'PullsBack', 'self.now')


def test_a_pull_hands_out_memory_of_its_own():
    sens = Tensor([1.0, 1.0, 1.0])
    _, back = ms.vjp(lambda x: x + 0, X)
    first = back(sens)[0]
    first[0] = 9.0
    assert right((sens, back(sens)[0]), ([1, 1, 1], [1, 1, 1]))
    sens[0] = 9.0
    assert right(first, [9, 1, 1])


def test_an_op_that_a_vjp_called_itself_has_no_line_of_the_users():
    """The line inside minicell would be no help."""
    out, back = ms.vjp(ops.exp, Tensor([0.0, 0.0, 0.0]))
    out[0] = 7.0
    ran = Ran(lambda: back(ONES))
    assert ran.says('gradient of Exp', 'written since') and 'differentiate.py' not in ran.texts[0], ran.texts
