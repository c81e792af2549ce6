"""Gradients inside Cells, and the higher orders of a bprop."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core.cells import Cube, Scale
from tests.core.test_nested import X, f64, nth, total


def test_a_gradient_penalty():
    w = Parameter(f64([1.0, 2.0]), 'w')

    def penalized(x):
        g = ms.grad(lambda x: (ops.sin(x) * w * w).sum())(x)
        return (g * g).sum()

    dx, dw = ms.grad(penalized, 0, w)(f64([0.3, 0.4]))
    x, v = np.array([0.3, 0.4]), np.array([1.0, 2.0])
    np.testing.assert_allclose(dx.asnumpy(), -2 * np.cos(x) * np.sin(x) * v**4)
    np.testing.assert_allclose(dw.asnumpy(), 4 * np.cos(x) ** 2 * v**3)


class SlopeInBprop(nn.Cell):
    """bprop asks for the gradient of an inner Cell."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x)

    def bprop(self, x, out, dout):
        return (dout * ms.grad(total(self.inner))(x),)


@pytest.mark.parametrize('inner', [Cube(), lambda x: x * x * x], ids=['custom', 'plain'])
@pytest.mark.parametrize('order', [1, 2, 3])
def test_a_gradient_inside_bprop(inner, order):
    due = {1: 3 * X**2, 2: 6 * X, 3: 6 + 0 * X}[order]
    wrapped = SlopeInBprop(inner) if isinstance(inner, nn.Cell) else SlopeInBprop(Plain(inner))
    np.testing.assert_allclose(nth(wrapped, order)(f64(X)).asnumpy(), due)


class Plain(nn.Cell):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def construct(self, x):
        return self.f(x)


class SlopeInConstruct(nn.Cell):
    """construct of a Cell with its own bprop asks for a gradient: it is computed, and its recording is hidden."""

    def construct(self, x):
        return ms.grad(total(lambda y: y * y * y))(x)

    def bprop(self, x, out, dout):
        return (dout * 6 * x,)


def test_a_gradient_inside_construct_of_a_custom_cell():
    cell = SlopeInConstruct()
    np.testing.assert_allclose(cell(f64(X)).asnumpy(), 3 * X**2)
    np.testing.assert_allclose(nth(cell, 1)(f64(X)).asnumpy(), 6 * X)
    np.testing.assert_allclose(nth(lambda x: cell(x) * x, 2)(f64(X)).asnumpy(), 6 * X * 2 + 6 * X)


def test_a_gradient_inside_bprop_inside_construct_of_a_custom_cell():
    """The innermost gradient has a list of entries of its own; the outer ones go on with theirs."""

    class Deep(SlopeInConstruct):
        def construct(self, x):
            return ms.grad(total(SlopeInBprop(Cube())))(x)

    cell = Deep()
    np.testing.assert_allclose(nth(cell, 1)(f64(X)).asnumpy(), 6 * X)
    np.testing.assert_allclose(nth(lambda x: cell(x) * x * x, 1)(f64(X)).asnumpy(), 6 * X * X * X + 3 * X**2 * 2 * X)
    np.testing.assert_allclose(nth(lambda x: cell(x) * x, 2)(f64(X)).asnumpy(), 6 * X * 2 + 6 * X)


def test_a_gradient_inside_construct_of_a_plain_cell():
    got = nth(Plain(ms.grad(total(lambda y: y * y * y))), 1)(f64(X))
    np.testing.assert_allclose(got.asnumpy(), 6 * X)


def test_a_custom_cell_inside_another_ones_bprop():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cube = Cube()

        def construct(self, x):
            return x * x * x * x

        def bprop(self, x, out, dout):
            return (dout * 4 * self.cube(x),)

    np.testing.assert_allclose(nth(Outer(), 2)(f64(X)).asnumpy(), 12 * X**2)
    np.testing.assert_allclose(nth(Outer(), 3)(f64(X)).asnumpy(), 24 * X)


def test_higher_orders_go_through_out_and_dout():
    """bprop written with out (exp), and one that is not linear in dout: MindSpore's documented numbers."""

    class Exp(nn.Cell):
        def construct(self, x):
            return ops.exp(x)

        def bprop(self, x, out, dout):
            return (dout * out,)

    for order in (1, 2, 3):
        np.testing.assert_allclose(nth(Exp(), order)(f64(X)).asnumpy(), np.exp(X))

    class Squared(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * dout * x,)

    n = Squared()
    np.testing.assert_allclose(nth(lambda x: 3 * n(x), 1)(f64(X)).asnumpy(), 9 * X)
    np.testing.assert_allclose(nth(lambda x: 3 * n(x), 2)(f64(X)).asnumpy(), 9 + 0 * X)
    np.testing.assert_allclose(nth(lambda x: n(x) * x, 2)(f64(X)).asnumpy(), 3 * X**2 + X)


def test_the_gradient_of_a_weight_through_internal_params_can_be_differentiated():
    cell = Scale(3.0)
    dw_dx = ms.grad(lambda x: ms.grad(total(cell), None, cell.w)(x))
    np.testing.assert_array_equal(dw_dx(Tensor([5.0, 7.0])).asnumpy(), [1, 1])


def test_an_ignored_dout_is_used_verbatim():
    """5·net(x) gets the gradient of net: MindSpore's documented number, at first and second order."""
    double = type(
        'Double', (nn.Cell,), {'construct': lambda self, x: x * x, 'bprop': lambda self, x, out, dout: (2 * x,)}
    )()
    assert float(ms.grad(lambda x: 5 * double(x))(Tensor(3.0))) == 6.0
    assert float(ms.grad(ms.grad(lambda x: 5 * double(x)))(Tensor(3.0))) == 2.0


def test_the_listing_of_relu6():
    """ops.grad(ops.grad(net))(x) of the document's ReLU6, and the third order."""

    class ReluNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu = ops.ReLU()

        def construct(self, x):
            return self.relu(x)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu6 = ops.ReLU6()
            self.relu = ReluNet()

        def construct(self, x):
            return self.relu6(x)

        def bprop(self, x, out, dout):
            return (self.relu(x),)

    x = Tensor([-1.0, 0.0, 0.5, 6.5])
    net = Net()
    assert net(x).asnumpy().tolist() == [0, 0, 0.5, 6]
    assert ops.grad(net)(x).asnumpy().tolist() == [0, 0, 0.5, 6.5]
    assert ops.grad(ops.grad(net))(x).asnumpy().tolist() == [0, 0, 1, 1]
    assert ops.grad(ops.grad(ops.grad(net)))(x).asnumpy().tolist() == [0, 0, 0, 0]
