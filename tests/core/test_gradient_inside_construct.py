"""construct of a Cell with its own bprop asks for a gradient: what it made before is a constant for that gradient."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import HiddenValueError, SwallowedParameterWarning
from tests.core.cells import LOOK, close, made
from tests.messages import refused

X = np.array([0.5, 2.0])
three = made(lambda self, x: x * 3, lambda self, x, out, dout: (dout * 3,))
times = made(lambda self, x, y: x * y, lambda self, x, y, out, dout: (dout * y, dout * x))
pair = made(
    lambda self, x, y: (x * y, x + y), lambda self, x, y, out, dout: (dout[0] * y + dout[1], dout[0] * x + dout[1])
)


def x() -> Tensor:
    return Tensor(X, ms.float64)


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
    'a gradient at it': (lambda h, z: ms.grad(lambda t: (z * t * t).sum())(h), 4 * X),
    "a vjp's value and sens": (lambda h, z: ms.vjp(lambda t: z * t, h)[1](h)[0], 2 * X),
    'an op': (lambda h, z: h * z, 2 * X),
    'an op of many': (lambda h, z: ops.concat((h, z * z)), 2 * X),
    'an op with attributes': (lambda h, z: h.reshape((2,)) * z, 2 * X),
    'a Cell of one input': (lambda h, z: three(h) * z, 6 * X),
    'a Cell of two inputs': (lambda h, z: times(h, z), 2 * X),
    'a gradient': (lambda h, z: ms.grad(lambda t: (h * t * t * t).sum())(z), 12 * X * X),
    'a Cell of two outputs': (lambda h, z: pair(h, z)[0] + pair(h, z)[1], 2 * X + 1),
}


@pytest.mark.parametrize('name', BODIES)
@pytest.mark.parametrize('before', [True, False], ids=['made before', 'an input'])
@LOOK
def test_a_value_made_before_is_a_constant(name, before, look):
    body, due = BODIES[name]
    seen = []

    def construct(cell, x):
        h = x * 2 if before else x
        seen.append(ms.grad(lambda z: body(h, z).sum())(x))
        return seen[-1]

    with look():
        close(ms.grad(lambda x: Outer(construct)(x).sum())(x()), [6, 6])
    if before:
        close(seen[0], due)


@pytest.mark.parametrize('name', ['a Cell of two inputs', 'a gradient'])
def test_what_such_a_gradient_gives_is_hidden_too(name):
    body, kept = BODIES[name][0], []

    def construct(cell, x):
        h = x * 2
        kept.append(ms.grad(lambda z: body(h, z).sum())(x))
        return kept[-1] * 1

    with refused(HiddenValueError, 'construct of Outer'):
        ms.grad(lambda x: (Outer(construct)(x) * kept[-1]).sum())(x())


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_a_captured_parameter_belongs_to_the_outer_cell():
    def construct(cell, x):
        h = x * cell.w
        return ms.grad(lambda z: three(z).sum())(x) * h

    cell = Outer(construct)
    with pytest.warns(SwallowedParameterWarning, match='inside Outer'):
        ms.grad(lambda x: cell(x).sum(), None, cell.trainable_params())(x())


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.parametrize('inside', [True, False], ids=['inside the Tape', 'after it'])
def test_a_cell_that_ran_under_a_tape_before(inside):
    """Its hidden address is that of the gradient, not one from before."""

    def construct(self, x):
        self.kept = x * 2
        return self.kept * 1

    cell = made(construct, lambda self, x, out, dout: (dout * 2,))
    lost = ms.grad(lambda x: (cell(x) * cell.kept).sum())
    with ms.Tape():
        cell(x())
        if inside:
            with pytest.raises(HiddenValueError):
                lost(x())
    if not inside:
        with pytest.raises(HiddenValueError):
            lost(x())


def test_a_cell_with_a_backward_hook():
    times, seen = made(lambda self, x, y: x * y, lambda self, x, y, out, dout: (dout * y, dout * x)), []
    times.register_backward_hook(lambda cell, given, arrived: None)

    def construct(cell, x):
        h = x * 2
        seen.append(ms.grad(lambda z: times(h, z).sum())(x))
        return seen[-1]

    got = ms.grad(lambda x: Outer(construct)(x).sum())(x())
    close(seen[0], 2 * X)
    close(got, [6, 6])


def test_another_input_of_the_cell_is_a_constant():
    """The function closes over y, which the Cell has for an input, and which is differentiated outside."""

    slope = made(lambda self, x, y: ms.grad(lambda x: x * y)(x), lambda self, x, y, out, dout: (dout * 5, dout * 7))
    out, (dx, dy) = ms.value_and_grad(lambda x, y: slope(x, y), (0, 1))(Tensor(2.0), Tensor(3.0))
    assert (out, dx, dy) == (3.0, 5.0, 7.0)
