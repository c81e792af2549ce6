"""Gradients inside Cells, and the higher orders of a bprop."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core.cells import Cube, Scale, close, made, same, values
from tests.core.test_nested import X, f64, nth, total


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


def test_a_gradient_inside_construct_of_a_plain_cell():
    close(nth(made(lambda self, x: ms.grad(total(lambda y: y * y * y))(x)), 1)(f64(X)), 6 * X)


def test_a_custom_cell_inside_another_ones_bprop():
    cube = Cube()
    outer = made(lambda self, x: x * x * x * x, lambda self, x, out, dout: (dout * 4 * cube(x),))
    close(nth(outer, 2)(f64(X)), 12 * X**2)
    close(nth(outer, 3)(f64(X)), 24 * X)


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
