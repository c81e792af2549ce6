"""A primitive of one's own: kernel, rule, every order, and the sentences for what is wrong with it."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, errors, ops
from tests.messages import refused

X = Tensor([0.5, -1.5, 2.0], ms.float64)


class Cube(ops.Primitive):
    def kernel(self, x):
        return x * x * x

    def rule(self, g, out, x):
        return (g * 3 * x * x,)


class Scaled(ops.Primitive):
    """Two inputs and a setting."""

    def __init__(self, factor):
        self.factor = factor

    def kernel(self, x, y):
        return self.factor * np.sin(x) * y

    def rule(self, g, out, x, y):
        cos = ops.cos(x) if isinstance(x, Tensor) else np.cos(x)
        sin = ops.sin(x) if isinstance(x, Tensor) else np.sin(x)
        return g * (cos * y * self.factor), g * (sin * self.factor)


def test_kernel_and_rule_to_third_order():
    cube, x = Cube(), X.asnumpy()
    np.testing.assert_allclose(cube(X).asnumpy(), x**3)
    for order, due in ((1, 3 * x**2), (2, 6 * x), (3, 6 + 0 * x)):
        f = cube
        for _ in range(order):
            f = ms.grad(f)
        np.testing.assert_allclose(f(X).asnumpy(), due, err_msg=f'order {order}')


def test_two_inputs_and_a_setting_agree_with_ops():
    own, y = Scaled(3.0), Tensor([2.0, 0.5, -1.0], ms.float64)
    plain = lambda x, y: ops.sin(x) * y * 3.0
    for f in (lambda f: ms.grad(f, (0, 1)), lambda f: ms.grad(ms.grad(f, 0), (0, 1))):
        for mine, theirs in zip(f(own)(X, y), f(plain)(X, y), strict=True):
            np.testing.assert_allclose(mine.asnumpy(), theirs.asnumpy(), rtol=1e-12)


def test_it_is_one_entry_with_the_caller_s_line():
    cube = Cube()
    with ms.Tape() as tape:
        ms.grad(lambda x: cube(x))(X)
    (op,) = [e for e in tape.events if type(e).__name__ == 'Op' and e.state == 'recorded']
    assert (op.rule.name, op.where.expression) == ('Cube', 'cube(x)')


def test_without_a_rule_it_has_no_gradient():
    class Bare(ops.Primitive):
        def kernel(self, x):
            return x + 1

    assert np.array_equal(Bare()(X).asnumpy(), X.asnumpy() + 1)
    with refused(errors.NoRuleError, 'Bare', 'no rule'):
        ms.grad(Bare())(X)


def test_without_a_kernel_it_cannot_be_called():
    class Nothing(ops.Primitive):
        pass

    with refused(errors.PrimitiveError, 'Nothing', 'no kernel', keep=False):  # it points into the standard library
        Nothing()(X)


@pytest.mark.parametrize(
    ('returned', 'facts'),
    [
        (lambda g: g, ('returned a', '1 input')),
        (lambda g: (g, g), ('2 cotangents', '1 input')),
        (lambda g: (g.sum(),), ('shape () for', 'input 0', (3,))),
        (lambda g: None, ('a NoneType', '1 input')),
    ],
    ids=['bare', 'two', 'shape', 'None'],
)
def test_a_rule_is_held_to_its_inputs(returned, facts):
    class Wrong(ops.Primitive):
        def kernel(self, x):
            return x * 2

        def rule(self, g, out, x):
            return returned(g)

    with refused(errors.PrimitiveError, *facts):
        ms.grad(Wrong())(X)


def test_a_write_between_is_noticed():
    cube, p = Cube(), ms.Parameter(X, name='p')

    def f():
        y = cube(p)
        p.set_data(Tensor([0.0, 0.0, 0.0], ms.float64))
        return y

    with refused(errors.WriteAfterUseError, 'Cube', 'p.set_data'):
        ms.grad(f, None, [p])()
