"""Gradients of gradients: closed forms, autograd where it is installed, inside Cells, and of a bprop."""

import math

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from tests.core.cells import Cube, Product, Scale, close, made, same, values

X = np.array([0.3, -1.2, 2.0])


def f64(value) -> Tensor:
    return Tensor(np.asarray(value, float))


def total(f):
    return lambda *x: f(*x).sum()


def nth(f, order: int):
    """The n-th derivative of an elementwise function."""
    for _ in range(order):
        f = ms.grad(total(f))
    return f


CLOSED = {
    'x**5': (lambda x: x**5, [lambda x: 5 * x**4, lambda x: 20 * x**3, lambda x: 60 * x**2, lambda x: 120 * x]),
    'products': (lambda x: x * x * x * x, [lambda x: 4 * x**3, lambda x: 12 * x**2, lambda x: 24 * x]),
    'exp': (lambda x: ops.exp(2 * x), [lambda x, n=n: 2**n * np.exp(2 * x) for n in (1, 2, 3, 4)]),
    'sin': (ops.sin, [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
    'tanh': (
        ops.tanh,
        [
            lambda x: 1 - np.tanh(x) ** 2,
            lambda x: -2 * np.tanh(x) * (1 - np.tanh(x) ** 2),
            lambda x: (1 - np.tanh(x) ** 2) * (6 * np.tanh(x) ** 2 - 2),
        ],
    ),
    'log(x*x+1)': (
        lambda x: ops.log(x * x + 1),
        [
            lambda x: 2 * x / (x**2 + 1),
            lambda x: 2 * (1 - x**2) / (x**2 + 1) ** 2,
            lambda x: 4 * x * (x**2 - 3) / (x**2 + 1) ** 3,
        ],
    ),
    '1/(1+x*x)': (lambda x: 1 / (1 + x * x), [lambda x: -2 * x / (1 + x**2) ** 2]),
    'a custom cube': (Cube(), [lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6 + 0 * x, lambda x: 0 * x]),
    'sin of a custom cube': (
        lambda x: ops.sin(Cube()(x)),
        [
            lambda x: 3 * x**2 * np.cos(x**3),
            lambda x: 6 * x * np.cos(x**3) - 9 * x**4 * np.sin(x**3),
            lambda x: (6 - 27 * x**6) * np.cos(x**3) - 54 * x**3 * np.sin(x**3),
        ],
    ),
}


@pytest.mark.parametrize(('name', 'order'), [(n, k) for n, (_, due) in CLOSED.items() for k in range(1, len(due) + 1)])
def test_closed_forms(name, order):
    f, due = CLOSED[name]
    close(nth(f, order)(f64(X)), due[order - 1](X), rtol=1e-9, atol=1e-9)


def test_the_sixth_derivative_of_the_eighth_power():
    assert float(nth(lambda x: x**8, 6)(f64(1.0))) == math.factorial(8) / 2


def test_value_and_grad_of_value_and_grad():
    value, slope = ms.value_and_grad(lambda x: ms.value_and_grad(lambda y: y**3)(x)[1])(f64(2.0))
    assert (float(value), float(slope)) == (12.0, 12.0)


A = np.random.default_rng(0).standard_normal((3, 3))


def quadratic(x):
    return 0.5 * (x * (f64(A) @ x)).sum()


def test_a_hessian_vector_product():
    v = np.array([1.0, -2.0, 0.5])
    got = ms.grad(lambda x: (ms.grad(quadratic)(x) * f64(v)).sum())(f64(X))
    close(got, (A + A.T) / 2 @ v)


def test_a_whole_hessian_and_a_third_derivative_agree_with_autograd():
    autograd = pytest.importorskip('autograd', reason='autograd is not installed')
    anp = pytest.importorskip('autograd.numpy')

    def ours(x):
        return (ops.tanh(f64(A) @ x) * ops.exp(x)).sum()

    def theirs(x):
        return anp.sum(anp.tanh(anp.dot(A, x)) * anp.exp(x))

    rows = [ms.grad(lambda x, k=k: ms.grad(ours)(x)[k])(f64(X)).asnumpy() for k in range(3)]
    np.testing.assert_allclose(rows, autograd.hessian(theirs)(X), rtol=1e-9)
    v = np.array([0.2, 0.7, -1.0])
    along = lambda x: (ms.grad(ours)(x) * f64(v)).sum()
    third = ms.grad(lambda x: (ms.grad(along)(x) * f64(v)).sum())
    their_along = lambda x: anp.sum(autograd.grad(theirs)(x) * v)
    due = autograd.grad(lambda x: anp.sum(autograd.grad(their_along)(x) * v))(X)
    close(third(f64(X)), due, rtol=1e-8)


def test_mixed_partials_are_the_same_in_either_order():
    f = lambda x, y: ops.sin(x * y) + x * x * y
    xy = ms.grad(lambda x, y: ms.grad(f, 0)(x, y), 1)(f64(0.5), f64(1.5))
    yx = ms.grad(lambda x, y: ms.grad(f, 1)(x, y), 0)(f64(0.5), f64(1.5))
    due = np.cos(0.75) - 0.75 * np.sin(0.75) + 2 * 0.5
    np.testing.assert_allclose([float(xy), float(yx)], due)


def test_perturbations_are_not_confused():
    """d/dx x·d(x+y)/dy at x = 1 is 1."""
    assert float(ms.grad(lambda x: x * ms.grad(lambda y: x + y)(f64(1.0)))(f64(1.0))) == 1.0
    assert float(ms.grad(lambda x: x * ms.grad(lambda y: x * y)(f64(2.0)))(f64(3.0))) == 6.0


def test_one_object_in_two_positions_of_a_custom_cell():
    a = Tensor([2.0])
    da, db = ms.grad(Product(), (0, 1))(a, a)
    assert (float(da), float(db)) == (20.0, 200.0)
    assert float(ms.grad(lambda x: Product()(x, x))(a)) == 220.0


def test_a_parameter_as_argument_and_as_weight():
    w = Parameter(Tensor([3.0]), 'w')
    dx, dw = ms.grad(lambda x: (x * x * w).sum(), 0, w)(w)
    assert (float(dx), float(dw)) == (18.0, 9.0)


def test_an_inner_gradient_does_not_see_the_outers_other_inputs():
    f = lambda x, y: ms.grad(lambda z: z * z * y)(x)
    dx, dy = ms.grad(f, (0, 1))(f64(3.0), f64(5.0))
    assert (float(dx), float(dy)) == (10.0, 6.0)


def test_a_cell_that_is_called_twice_adds_up():
    cell = nn.Dense(1, 1, weight_init=3, bias_init=1)
    net = lambda x: cell(cell(x)).sum()
    dx, (dw, db) = ms.grad(net, 0, cell.trainable_params())(Tensor([[2.0]]))
    assert (float(dx), float(dw), float(db)) == (9.0, 2 * 3 * 2 + 1, 4.0)


def test_weights_inside_weights():
    """An inner gradient by the weights, inside an outer gradient by the same weights: d/dw (d/dw w³x) = 6wx."""
    w = Parameter(f64([2.0, 3.0]), 'w')
    x = f64([5.0, 7.0])
    inner = lambda x: ms.grad(lambda x: (w * w * w * x).sum(), None, [w])(x)[0].sum()
    (got,) = ms.grad(inner, None, [w])(x)
    close(got, 6 * np.array([2.0, 3.0]) * [5, 7])
    dx, (dw,) = ms.grad(inner, 0, [w])(x)
    close(dx, 3 * np.array([4.0, 9.0]))
    same(dw, got.asnumpy())
    assert w.at == -1


def test_a_weight_used_inside_and_outside_the_inner_gradient():
    """d/dw [w · d/dx(w x²)] = d/dw 2w²x = 4wx."""
    w = Parameter(f64(3.0), 'w')
    dw = ms.grad(lambda x: w * ms.grad(lambda y: w * y * y)(x), None, w)
    assert float(dw(f64(5.0))) == 4 * 3 * 5


def test_a_step_of_descent_inside_the_function():
    """Meta-learning: d/dw of the loss after one step. loss = (w x - 1)², step = w - a·dw."""
    w, x, a = Parameter(f64(0.5), 'w'), 2.0, 0.1

    def loss(v):
        return (v * x - 1) ** 2

    def after_a_step(_):
        return loss(w - a * ms.grad(loss)(w * 1.0))

    got = float(ms.grad(after_a_step, None, w)(f64(0.0)))
    h = 1e-6

    def by_hand(v):
        v = v - a * 2 * (v * x - 1) * x
        return (v * x - 1) ** 2

    np.testing.assert_allclose(got, (by_hand(0.5 + h) - by_hand(0.5 - h)) / (2 * h), rtol=1e-6, atol=1e-9)


def test_a_weight_without_requires_grad_is_a_constant():
    w = Parameter(Tensor([2.0]), 'w', requires_grad=False)
    dx, (dw,) = ms.grad(lambda x: (x * w).sum(), 0, [w])(Tensor([5.0]))
    assert (float(dx), float(dw)) == (2.0, 0.0)


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_a_weight_named_twice_and_one_that_is_not_used():
    w, u = Parameter(Tensor([2.0]), 'w'), Parameter(Tensor([1.0, 1.0]), 'u')
    got = ms.grad(lambda x: (x * w).sum(), None, (*ParameterTuple([w, u]), w))(Tensor([5.0]))
    assert [g.asnumpy().tolist() for g in got] == [[5.0], [0.0, 0.0], [5.0]]


def test_a_gradient_penalty():
    w = Parameter(f64([1.0, 2.0]), 'w')

    def penalized(x):
        g = ms.grad(lambda x: (ops.sin(x) * w * w).sum())(x)
        return (g * g).sum()

    dx, dw = ms.grad(penalized, 0, w)(f64([0.3, 0.4]))
    x, v = np.array([0.3, 0.4]), np.array([1.0, 2.0])
    close(dx, -2 * np.cos(x) * np.sin(x) * v**4)
    close(dw, 4 * np.cos(x) ** 2 * v**3)


class SlopeInBprop(nn.Cell):
    """bprop asks for the gradient of an inner Cell."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x)

    def bprop(self, x, out, dout):
        return (dout * ms.grad(total(self.inner))(x),)


@pytest.mark.parametrize('inner', [Cube(), made(lambda self, x: x * x * x)], ids=['custom', 'plain'])
@pytest.mark.parametrize('order', [1, 2, 3])
def test_a_gradient_inside_bprop(inner, order):
    due = {1: 3 * X**2, 2: 6 * X, 3: 6 + 0 * X}[order]
    close(nth(SlopeInBprop(inner), order)(f64(X)), due)


@pytest.mark.parametrize('inner', [lambda y: y * y * y, SlopeInBprop(Cube())], ids=['ops', 'a gradient in a bprop'])
def test_a_gradient_inside_construct_of_a_custom_cell(inner):
    """It has a list of entries of its own, which is hidden; the outer gradients go on with theirs."""
    cell = made(lambda self, x: ms.grad(total(inner))(x), lambda self, x, out, dout: (dout * 6 * x,))
    close(cell(f64(X)), 3 * X**2)
    close(nth(cell, 1)(f64(X)), 6 * X)
    close(nth(lambda x: cell(x) * x * x, 1)(f64(X)), 6 * X * X * X + 3 * X**2 * 2 * X)
    close(nth(lambda x: cell(x) * x, 2)(f64(X)), 6 * X * 2 + 6 * X)


def test_higher_orders_go_through_out_and_dout():
    """bprop written with out (exp), and one that is not linear in dout: MindSpore's documented numbers."""

    exp = made(lambda self, x: ops.exp(x), lambda self, x, out, dout: (dout * out,))
    for order in (1, 2, 3):
        close(nth(exp, order)(f64(X)), np.exp(X))

    n = made(lambda self, x: x * x, lambda self, x, out, dout: (dout * dout * x,))
    close(nth(lambda x: 3 * n(x), 1)(f64(X)), 9 * X)
    close(nth(lambda x: 3 * n(x), 2)(f64(X)), 9 + 0 * X)
    close(nth(lambda x: n(x) * x, 2)(f64(X)), 3 * X**2 + X)


def test_the_gradient_of_a_weight_through_internal_params_can_be_differentiated():
    cell = Scale(3.0)
    dw_dx = ms.grad(lambda x: ms.grad(total(cell), None, cell.w)(x))
    same(dw_dx(Tensor([5.0, 7.0])), [1, 1])


def test_an_ignored_dout_is_used_verbatim():
    """5·net(x) gets the gradient of net: MindSpore's documented number, at first and second order."""
    double = made(lambda self, x: x * x, lambda self, x, out, dout: (2 * x,))
    assert float(ms.grad(lambda x: 5 * double(x))(Tensor(3.0))) == 6.0
    assert float(ms.grad(ms.grad(lambda x: 5 * double(x)))(Tensor(3.0))) == 2.0


def test_the_listing_of_relu6():
    """ops.grad(ops.grad(net))(x) of the document's ReLU6, and the third order."""

    relu = ops.ReLU()
    net = made(lambda self, x: ops.ReLU6()(x), lambda self, x, out, dout: (relu(x),))
    x = Tensor([-1.0, 0.0, 0.5, 6.5])
    assert values(net(x)) == [0, 0, 0.5, 6]
    assert values(ops.grad(net)(x)) == [0, 0, 0.5, 6.5]
    assert values(ops.grad(ops.grad(net))(x)) == [0, 0, 1, 1]
    assert values(ops.grad(ops.grad(ops.grad(net)))(x)) == [0, 0, 0, 0]
