"""A Cell with its own bprop swallows a Parameter, or a Tensor that its construct has from elsewhere: it is named."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import CapturedValueWarning, SwallowedParameterWarning
from tests.core.cells import LOOK, made, returning
from tests.messages import warned

X = Tensor([1.0, 2.0, 3.0])


class Swallows(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name='w')

    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        return (self.w * dout,)


def test_a_swallowed_parameter_is_named():
    """MindSpore gives it the gradient 0, and it never trains."""
    net = Swallows()
    with warned() as said:
        (dw,) = ms.grad(lambda x: net(x) + net.w, None, net.trainable_params())(Tensor([3.0]))
    facts = 'Parameter w', 'inside Swallows', 'self.internal_params', '{parameter: its gradient}'
    said.one(SwallowedParameterWarning, *facts)
    assert 'net(x) + net' in said.line
    assert dw.asnumpy().tolist() == [1.0], 'its use outside the Cell counts'


def test_a_swallowed_parameter_that_nothing_else_uses_has_no_path_either():
    net = Swallows()
    with warned() as said:
        ms.value_and_grad(net, None, net.trainable_params())(Tensor([3.0]))
    assert [w.category.__name__ for w in said.caught] == ['SwallowedParameterWarning', 'NoPathWarning']


@LOOK
@pytest.mark.parametrize('way', ['a closure', 'self', 'a number of the shape'])
def test_a_differentiated_tensor_that_construct_uses_and_that_is_no_input_is_named(way, look):
    """Its part of the gradient is lost, in MindSpore in silence."""

    def f(x):
        z = x * x

        class Scale(nn.Cell):
            def construct(self, y):
                return y * {'a closure': z, 'self': getattr(self, 'context', None), 'a number of the shape': z[0]}[way]

            def bprop(self, y, out, dout):
                return (dout * z,)

        scale = Scale()
        scale.context = z
        return scale(x).sum()

    with warned() as said, look():
        ms.grad(f)(X)
    said.one(CapturedValueWarning, 'Scale', '(3,)', 'its inputs', 'an input', 'ops.stop_gradient')
    assert 'scale(x).sum()' in said.line


def test_an_input_in_two_places_and_what_construct_makes_itself_are_not_captured():
    def construct(self, x, pair):
        self_made = x * 2 + pair[0]
        return self_made * x + pair[1]

    twice = made(construct, lambda self, x, pair, out, dout: (dout * (4 * x + pair[0]), (dout * x, dout)))
    with warned() as said:
        got = ms.grad(lambda x: twice(x, (x, x * 3)).sum())(Tensor([1.0, 2.0]))
    assert not said.caught
    np.testing.assert_allclose(got.asnumpy(), 4 * np.array([1, 2]) + np.array([1, 2]) + np.array([1, 2]) + 3)


@LOOK
def test_a_parameter_that_goes_in_as_an_input_is_not_swallowed(look):
    p = Parameter(Tensor([2.0]), name='p')
    cell = returning(lambda x, y, out, dout: (dout * y, dout * x), inputs=2)
    with warned() as said, look():
        (dp,) = ms.grad(lambda x: cell(x, p), None, [p])(Tensor([3.0]))
    assert not said.caught and dp.asnumpy().tolist() == [3.0]


def test_nothing_is_said_where_the_parameter_is_frozen_or_nobody_asks():
    net = Swallows()
    with warned() as said:
        net(X)
        ms.grad(net)(X)
        net.w.requires_grad = False
        ms.grad(net, 0, net.w)(X)
    assert not said.caught
