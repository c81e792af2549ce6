"""construct of a Cell with its own bprop asks for a gradient: what it made before is a constant for that gradient."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import HiddenValueError, SwallowedParameterWarning

X = np.array([0.5, 2.0])


class Three(nn.Cell):
    def construct(self, x):
        return x * 3

    def bprop(self, x, out, dout):
        return (dout * 3,)


class Times(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y, dout * x


class Pair(nn.Cell):
    def construct(self, x, y):
        return x * y, x + y

    def bprop(self, x, y, out, dout):
        return dout[0] * y + dout[1], dout[0] * x + dout[1]


class Outer(nn.Cell):
    """construct is any function; its bprop says that the derivative is 6."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.w = Parameter(Tensor(2.0, ms.float64), name='w')

    def construct(self, x):
        return self.function(self, x)

    def bprop(self, x, out, dout):
        return (dout * 6,)


BODIES = {  # body(h, z), and the derivative with respect to z, at h = 2 z
    'an op': (lambda h, z: h * z, 2 * X),
    'an op of many': (lambda h, z: ops.concat((h, z * z)), 2 * X),
    'an op with attributes': (lambda h, z: h.reshape((2,)) * z, 2 * X),
    'a Cell of one input': (lambda h, z: Three()(h) * z, 6 * X),
    'a Cell of two inputs': (lambda h, z: Times()(h, z), 2 * X),
    'a Cell of two outputs': (lambda h, z: Pair()(h, z)[0] + Pair()(h, z)[1], 2 * X + 1),
}


@pytest.mark.parametrize('name', BODIES)
@pytest.mark.parametrize('before', [True, False], ids=['made before', 'an input'])
@pytest.mark.parametrize('watched', [False, True])
def test_a_value_made_before_is_a_constant(name, before, watched):
    body, due = BODIES[name]
    seen = []

    def construct(cell, x):
        h = x * 2 if before else x
        seen.append(ms.grad(lambda z: body(h, z).sum())(x))
        return seen[-1]

    x = Tensor(X, ms.float64)
    if watched:
        with ms.Tape():
            got = ms.grad(lambda x: Outer(construct)(x).sum())(x)
    else:
        got = ms.grad(lambda x: Outer(construct)(x).sum())(x)
    np.testing.assert_allclose(got.asnumpy(), [6, 6])
    if before:
        np.testing.assert_allclose(seen[0].asnumpy(), due)


def test_two_gradients_inside():
    seen = []

    def construct(cell, x):
        h = x * 2
        seen.append(ms.grad(lambda y: ms.grad(lambda z: (h * z * z * z).sum())(y).sum())(x))
        return seen[-1]

    got = ms.grad(lambda x: Outer(construct)(x).sum())(Tensor(X, ms.float64))
    np.testing.assert_allclose(seen[0].asnumpy(), 12 * X * X)
    np.testing.assert_allclose(got.asnumpy(), [6, 6])


def test_what_such_a_gradient_gives_is_hidden_too():
    kept = []

    def construct(cell, x):
        h = x * 2
        kept.append(ms.grad(lambda z: Times()(h, z).sum())(x))
        return kept[-1] * 1

    with pytest.raises(HiddenValueError, match='construct of Outer'):
        ms.grad(lambda x: (Outer(construct)(x) * kept[-1]).sum())(Tensor(X, ms.float64))


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_a_captured_parameter_belongs_to_the_outer_cell():
    def construct(cell, x):
        h = x * cell.w
        return ms.grad(lambda z: Three()(z).sum())(x) * h

    cell = Outer(construct)
    with pytest.warns(SwallowedParameterWarning, match='inside Outer'):
        ms.grad(lambda x: cell(x).sum(), None, cell.trainable_params())(Tensor(X, ms.float64))


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.parametrize('inside', [True, False], ids=['inside the Tape', 'after it'])
def test_a_cell_that_ran_under_a_tape_before(inside):
    """Its hidden address is that of the gradient, not one from before."""

    class Keeps(nn.Cell):
        def construct(self, x):
            self.kept = x * 2
            return self.kept * 1

        def bprop(self, x, out, dout):
            return (dout * 2,)

    cell, x = Keeps(), Tensor(X, ms.float64)
    lost = ms.grad(lambda x: (cell(x) * cell.kept).sum())
    with ms.Tape():
        cell(x)
        if inside:
            with pytest.raises(HiddenValueError):
                lost(x)
    if not inside:
        with pytest.raises(HiddenValueError):
            lost(x)


def test_a_cell_with_a_backward_hook():
    times, seen = Times(), []
    times.register_backward_hook(lambda cell, given, arrived: None)

    def construct(cell, x):
        h = x * 2
        seen.append(ms.grad(lambda z: times(h, z).sum())(x))
        return seen[-1]

    got = ms.grad(lambda x: Outer(construct)(x).sum())(Tensor(X, ms.float64))
    np.testing.assert_allclose(seen[0].asnumpy(), 2 * X)
    np.testing.assert_allclose(got.asnumpy(), [6, 6])


def test_another_input_of_the_cell_is_a_constant():
    """The function closes over y, which the Cell has for an input, and which is differentiated outside."""

    class Slope(nn.Cell):
        def construct(self, x, y):
            return ms.grad(lambda x: x * y)(x)

        def bprop(self, x, y, out, dout):
            return dout * 5, dout * 7

    out, (dx, dy) = ms.value_and_grad(lambda x, y: Slope()(x, y), (0, 1))(Tensor(2.0), Tensor(3.0))
    assert (out, dx, dy) == (3.0, 5.0, 7.0)
