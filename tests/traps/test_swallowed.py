"""A Cell with its own bprop swallows a Parameter, or a Tensor that its construct has from elsewhere: it is named."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import CapturedValueWarning, SwallowedParameterWarning
from tests.core.cells import LOOK, made, returning, values
from tests.messages import tells, warned

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


cube, summed = (lambda z: z**3), (lambda z: (z**3).sum())


def kept_aside(x):
    kept = []
    ms.grad(lambda z: (kept.append(z * 2), summed(z))[1])(x)
    return kept[0] * x


# a gradient inside construct, of which construct uses more than the gradient; and the slope of it all by x
INNER = {
    'a value': (lambda x: ms.value_and_grad(summed)(x)[0], lambda x: 3 * x**2),
    'an energy and its force': (
        lambda x: sum(g.sum() for g in ms.value_and_grad(summed)(x)),
        lambda x: 3 * x**2 + 6 * x,
    ),
    'the value of a vjp': (lambda x: ms.vjp(cube, x)[0], lambda x: 3 * x**2),
    'the value of a vjp, twice': (lambda x: ms.vjp(cube, x)[0] * 2, lambda x: 6 * x**2),
    'the value of a jvp': (lambda x: ms.jvp(cube, x, x)[0] + x, lambda x: 3 * x**2 + 1),
    'what comes with a value': (
        lambda x: ms.value_and_grad(lambda z: (summed(z), z * z), has_aux=True)(x)[0][1] * 1,
        lambda x: 2 * x,
    ),
    'what a function kept aside': (kept_aside, lambda x: 4 * x),
    'a value in a gradient of a value': (
        lambda x: ms.value_and_grad(lambda z: ms.value_and_grad(summed)(z)[0])(x)[0] * 1,
        lambda x: 3 * x**2,
    ),
    'a gradient at a value': (lambda x: ms.value_and_grad(lambda z: z * z)(ms.vjp(cube, x)[0])[0], lambda x: 6 * x**5),
    'a value beside one': (lambda x: ms.vjp(cube, x)[0] * ms.vjp(cube, x)[0], lambda x: 6 * x**5),
}


@LOOK
@pytest.mark.parametrize('construct, slope', INNER.values(), ids=INNER)
def test_what_a_gradient_inside_construct_computes_is_not_captured(construct, slope, look):
    x = Tensor([1.0, 2.0])
    bprop = lambda self, x, out, dout: (dout * slope(x),)
    net = made(lambda self, x: construct(x), bprop)
    with warned() as said, look():
        got = ms.grad(lambda x: net(net(x)).sum())(x), ms.grad(lambda x: ms.grad(net)(x).sum())(x)
    assert not said.caught
    inner = ms.grad(lambda x: slope(x).sum())(x)
    np.testing.assert_allclose(got[1].asnumpy(), inner.asnumpy(), rtol=1e-5)


def test_a_vjp_that_construct_keeps_for_bprop_is_right_in_both_orders_and_captures_nothing():
    def construct(self, x):
        out, self.back = ms.vjp(cube, x)
        return out

    net = made(construct, lambda self, x, out, dout: self.back(dout))
    with warned() as said:
        got = values((ms.grad(net)(X), ms.grad(lambda x: ms.grad(net)(x).sum())(X)))
    assert got == ([3, 12, 27], [6, 12, 18])
    assert CapturedValueWarning not in [w.category for w in said.caught]


@LOOK
@pytest.mark.parametrize(
    'both', [lambda x, h: h, lambda x, h: (h, x * 1), lambda x, h: {'h': h}], ids=['it', 'two', 'a dict']
)
def test_what_another_construct_has_hidden_is_captured_by_one_that_returns_it(both, look):
    kept, dout = [], lambda d: sum(d.values() if isinstance(d, dict) else d if isinstance(d, tuple) else (d,)) * 0
    hides = made(lambda self, x: kept.append(x * 2) or x * 3, lambda self, x, out, dout: (dout * 3,))
    gives = made(lambda self, x: both(x, kept[-1]), lambda self, x, out, d: (dout(d),), 'Gives')
    first = lambda out: out['h'] if isinstance(out, dict) else out[0] if isinstance(out, tuple) else out
    for _ in range(2):  # what an ended gradient has hidden is a constant
        with warned() as said, look():
            ms.grad(lambda x: (hides(x) + first(gives(x))).sum())(X)
        assert [w.category for w in said.caught] == [CapturedValueWarning], [str(w.message) for w in said.caught]
        tells(said.caught[0].message, 'of Gives', '(3,)', keep=False)
    with warned() as said, look():
        ms.grad(lambda x: first(gives(x)).sum() + x.sum())(X)
    assert not said.caught, str(said.caught[0].message)


@LOOK
@pytest.mark.parametrize(
    'use',
    [
        lambda x, y: ms.value_and_grad(lambda z: (z * y).sum())(x)[0] * x,
        lambda x, y: ms.grad(lambda z: (z * y).sum())(x) * x,
        lambda x, y: ms.value_and_grad(summed)(x)[0] * y,
        lambda x, y: ms.value_and_grad(summed)(y)[0] * x,
        lambda x, y: ms.vjp(lambda z, c: z * c, x, y)[0],
    ],
    ids=['in the function', 'in that of a gradient', 'beside its value', 'at it', 'an argument'],
)
def test_what_a_gradient_inside_construct_takes_from_outside_is_captured(use, look):
    def f(x):
        y = x * x
        return made(lambda self, x: use(x, y), lambda self, x, out, dout: (dout * x,))(x).sum()

    with warned() as said, look():
        ms.grad(f)(X)
    assert [w.category for w in said.caught] == [CapturedValueWarning]
    tells(said.caught[0].message, 'of Mine', '(3,)', 'its inputs', keep=False)


@pytest.mark.parametrize('asked', [(0,), (0, None)], ids=['of x', 'of the Parameter'])
def test_a_parameter_in_the_function_of_a_gradient_inside_construct_is_swallowed(asked):
    w = Parameter(Tensor([2.0, 2.0, 2.0]), name='w')
    inner = ms.value_and_grad(lambda z: (z * w).sum(), asked[-1], w if asked[-1] is None else None)
    net = made(lambda self, x: inner(x)[0] * x, lambda self, x, out, dout: (dout * x,))
    with warned() as said:
        ms.grad(lambda x: (net(x) * w).sum(), 0, w)(X)
    assert [w.category for w in said.caught] == [SwallowedParameterWarning]
    tells(said.caught[0].message, 'Parameter w', 'inside Mine', keep=False)


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
