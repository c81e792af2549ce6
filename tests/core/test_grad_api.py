"""MindSpore's ways to ask for a gradient, and what they refuse."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from minicell.core.errors import GradArgumentError, GradPositionError, NotATensorError, SensError
from tests.core.cells import Product, Split

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])


def f(x, y):
    return x * x * y


DX, DY = [20, 80, 180], [1, 4, 9]


def values(t):
    if isinstance(t, (tuple, list)):
        return type(t)(map(values, t))
    return t.asnumpy().tolist() if isinstance(t, Tensor) else t


@pytest.mark.parametrize(
    ('position', 'due'),
    [(0, DX), (1, DY), ((0,), DX), ((1,), DY), ((0, 1), (DX, DY)), ((1, 0), (DY, DX))],
)
def test_grad_position(position, due):
    """An int and a tuple of one give a Tensor, more give a tuple in that order."""
    assert values(ms.grad(f, position)(X, Y)) == due
    out, got = ms.value_and_grad(f, position)(X, Y)
    assert values(got) == due and values(out) == [10, 80, 270]


@pytest.mark.parametrize(
    ('position', 'error', 'says'),
    [
        ([0], TypeError, r'grad_position is an int, a tuple of ints, or None, but got \[0\]'),
        ('0', TypeError, "but got '0'"),
        (1.0, TypeError, 'but got 1.0'),
        ((0, '1'), TypeError, 'grad_position'),
        (-1, GradArgumentError, 'counts from 0 and names each argument once, but got -1'),
        ((0, 0), GradArgumentError, r'names each argument once, but got \(0, 0\)'),
        (None, GradArgumentError, '`grad_position` and `weight` can not be None at the same time'),
    ],
)
def test_a_grad_position_that_is_none(position, error, says):
    for ask in (ms.grad, ms.value_and_grad):
        with pytest.raises(error, match=says):
            ask(f, position)


def test_a_position_out_of_range():
    with pytest.raises(
        GradPositionError,
        match=r'(?s)Position index 5 is exceed input size\. f was called with 2 arguments, '
        r'so that grad_position goes from 0 to 1\..*your line: test_grad_api\.py',
    ):
        ms.grad(f, 5)(X, Y)
    with pytest.raises(RuntimeError):
        ms.grad(f, (0, 2))(X, Y)
    with pytest.raises(RuntimeError, match=r'(?s)grad_position is \(\): name an argument, or write None.*your line'):
        ms.grad(f, ())(X, Y)


@pytest.mark.parametrize(
    ('arguments', 'says'),
    [
        ((3.0, Y), 'argument 0 of f is a float, not a Tensor'),
        ((np.ones(3), Y), 'argument 0 of f is a ndarray, not a Tensor'),
        (((X, X), Y), 'argument 0 of f is a tuple, not a Tensor'),
        (([X], Y), 'argument 0 of f is a list'),
        ((None, Y), 'argument 0 of f is a NoneType'),
        ((Tensor([1, 2, 3]), Y), r'argument 0 of f is an Int64 Tensor, and only floats have gradients'),
        ((Tensor([True] * 3), Y), 'argument 0 of f is a Bool Tensor'),
    ],
)
def test_nothing_to_differentiate(arguments, says):
    """Where MindSpore returns an empty tuple in silence."""
    for ask in (ms.grad(f), ms.value_and_grad(f), ops.GradOperation()(f)):
        with pytest.raises(
            NotATensorError, match=rf'(?s)There is nothing to differentiate: {says}.*your line: test_grad'
        ):
            ask(*arguments)
    assert issubclass(NotATensorError, TypeError)


def test_complex_numbers_have_no_rules():
    z = Tensor([1 + 2j])
    for ask in (ms.grad(lambda z: z * z), ops.GradOperation(get_all=True)(lambda z: z * z)):
        with pytest.raises(TypeError, match=r'(?s)is a Complex128 Tensor: the rules are for real numbers.*your line'):
            ask(z)


def test_no_argument_at_all():
    with pytest.raises((RuntimeError, TypeError), match='0 arguments'):
        ms.grad(lambda: X.sum())()
    with pytest.raises(TypeError, match='There is nothing to differentiate'):
        ops.GradOperation(get_all=True)(lambda: X.sum())()


def test_a_lambda_and_a_cell_are_called_by_their_names():
    with pytest.raises(TypeError, match='argument 0 of <lambda> is a float'):
        ms.grad(lambda x: x)(3.0)
    with pytest.raises(TypeError, match='argument 0 of Product is a float'):
        ms.grad(Product())(3.0, X)


def test_other_arguments_and_keywords_pass_through():
    def g(x, factor, *, power=1):
        return x**power * factor

    assert values(ms.grad(g)(X, 3)) == [3, 3, 3]
    assert values(ms.grad(g)(X, 3, power=2)) == [6, 12, 18]


def test_the_gradient_function_looks_like_the_function():
    assert ms.grad(f).__name__ == 'f'


class Lin(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), name='w')
        self.b = Parameter(Tensor([0.5, -0.5]), name='b')

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


ROW = Tensor([[1.0, 2.0, 3.0]])
DROW, DW, DB = [[3, 7, 11]], [[1, 1], [2, 2], [3, 3]], [1, 1]


def test_weights():
    net = Lin()
    both = net.trainable_params()
    assert values(ms.grad(net, None, both)(ROW)) == (DW, DB)
    assert values(ms.grad(net, None, ParameterTuple(both))(ROW)) == (DW, DB)
    assert values(ms.grad(net, None, net.b)(ROW)) == DB
    assert values(ms.grad(net, 0, both)(ROW)) == (DROW, (DW, DB))
    assert values(ms.grad(net, 0, net.b)(ROW)) == (DROW, DB)
    assert values(ms.grad(net, None, [])(ROW)) == ()
    assert values(ms.grad(net, (0,), both)(ROW)) == (DROW, (DW, DB))


def test_weights_that_are_no_parameters():
    for bad in (X, [X], ['w'], 3.0, [None]):
        with pytest.raises(TypeError, match='weights holds Parameters, but got'):
            ms.grad(f, 0, bad)


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_an_unused_weight_has_zeros():
    unused = Parameter(Tensor([1.0, 2.0]), 'unused')
    assert values(ms.grad(f, None, [unused])(X, Y)) == ([0, 0],)


@pytest.mark.filterwarnings('ignore::minicell.errors.ImplicitSumWarning')
def test_outputs_with_several_numbers_and_several_outputs_are_summed():
    assert values(ms.grad(lambda x: (x * x, x * 3))(X)) == [5, 7, 9]
    assert values(ms.grad(lambda x: [x * x, {'a': x * 3}])(X)) == [5, 7, 9]


def test_has_aux():
    def g(x, y):
        return (x * y).sum(), x + y, y

    total, summed = float((X * Y).sum()), values(X + Y)
    assert values(ms.grad(g, has_aux=True)(X, Y)) == (values(Y), (summed, values(Y)))
    assert values(ms.value_and_grad(g, has_aux=True)(X, Y)) == ((total, summed, values(Y)), values(Y))
    with pytest.raises(ValueError, match='has_aux=True needs more than one output, but f returned one'):
        ms.grad(f, has_aux=True)(X, Y)


def test_return_ids_and_get_grad():
    net = Lin()
    got = ms.grad(net, 0, net.trainable_params(), return_ids=True)(ROW)
    assert values(got) == ((0, DROW), (('w', DW), ('b', DB)))
    assert values(ms.get_grad(got, 0)) == DROW and values(ms.get_grad(got, net.b)) == DB
    several = ms.grad(f, (0, 1), return_ids=True)(X, Y)
    assert values(several) == ((0, DX), (1, DY)) and values(ms.get_grad(several, 1)) == DY
    with pytest.raises(RuntimeError, match='Can not find the gradient for position or Parameter 1'):
        ms.get_grad(got, 1)


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_an_input_that_is_not_used_has_zeros():
    assert values(ms.grad(lambda x, y: x * 2, (0, 1))(X, Y)) == ([2] * 3, [0] * 3)
    assert values(ms.grad(lambda x: Y * 2)(X)) == [0] * 3


def test_gradoperation():
    net = Lin()
    by_list = ops.GradOperation(get_by_list=True)
    assert values(ops.GradOperation()(f)(X, Y)) == DX
    assert values(ops.GradOperation(get_all=True)(f)(X, Y)) == (DX, DY)
    assert values(ops.GradOperation(get_all=True)(lambda x: x * 2)(X)) == ([2] * 3,)
    assert values(ops.GradOperation(get_all=True)(lambda x, k: x * k)(X, 5)) == ([5] * 3,)
    assert values(by_list(net)(ROW)) == (DW, DB)
    assert values(by_list(net, [net.b])(ROW)) == (DB,)
    assert values(ops.GradOperation(get_all=True, get_by_list=True)(net, [net.b])(ROW)) == ((DROW,), (DB,))
    assert ms.GradOperation is ops.GradOperation and ms.grad is ops.grad


def test_gradoperation_refuses_what_is_no_bool():
    for name in ('get_all', 'get_by_list', 'sens_param'):
        with pytest.raises(TypeError, match=f"'{name}' is a bool, but got an int"):
            ops.GradOperation(**{name: 1})


def test_sens():
    sens = Tensor([1.0, 10.0, 100.0])
    asked = ops.GradOperation(get_all=True, sens_param=True)(f)
    due = tuple((np.array(d) * sens.asnumpy()).tolist() for d in (DX, DY))
    assert values(asked(X, Y, sens)) == due
    assert values(asked(X, Y, sens=sens)) == due
    two = ops.GradOperation(sens_param=True)(Split())
    assert values(two(X, (sens, ops.zeros_like(sens)))) == (2 * sens).tolist()


@pytest.mark.parametrize(
    ('sens', 'says'),
    [
        (Tensor([1.0]), r'sens is Float32 \(1,\), but the output it belongs to is Float32 \(3,\)'),
        (Tensor([1.0, 2.0, 3.0], ms.float64), r'sens is Float64 \(3,\), but the output it belongs to is Float32'),
        ((X, X), 'sens has 2 Tensors, but there are 1 float output'),
        (3.0, 'sens has 0 Tensors'),
    ],
)
def test_a_sens_that_does_not_fit(sens, says):
    with pytest.raises(SensError, match=rf'(?s){says}.*your line: test_grad_api'):
        ops.GradOperation(sens_param=True)(f)(X, Y, sens)


def test_a_missing_sens():
    with pytest.raises(SensError, match='the last argument is sens, but there is none'):
        ops.GradOperation(sens_param=True)(f)()


def test_vjp():
    out, back = ms.vjp(f, X, Y)
    assert values(out) == [10, 80, 270]
    assert values(back(ops.ones_like(out))) == (DX, DY)
    assert values(back(Tensor([1.0, 0.0, 0.0]))) == ([20, 0, 0], [1, 0, 0]), 'the tape can be read again'
    assert values(ms.vjp(lambda x: x * x, X)[1](ops.ones_like(X))) == ([2, 4, 6],)


def test_vjp_uses_a_cells_own_bprop():
    _, back = ms.vjp(Product(), X, Y)
    assert values(back(ops.ones_like(X))) == ((10 * Y).tolist(), (100 * X).tolist())


def test_jvp():
    assert values(ms.jvp(lambda x: x * x, X, Tensor([1.0, 10.0, 100.0]))) == ([1, 4, 9], [2, 40, 600])
    out, along = ms.jvp(f, (X, Y), (ops.ones_like(X), Tensor([0.0, 0.0, 1.0])))
    assert values(out) == [10, 80, 270] and values(along) == [20, 80, 189]


def test_vjp_and_jvp_can_be_differentiated():
    def by_vjp(x):
        return ms.vjp(lambda y: y * y * y, x)[1](ops.ones_like(x))[0]

    def by_jvp(x):
        return ms.jvp(lambda y: y * y * y, x, ops.ones_like(x))[1]

    for slope in (by_vjp, by_jvp):
        assert values(ms.grad(lambda x, slope=slope: slope(x).sum())(X)) == [6, 12, 18]


def test_a_vjp_that_is_read_after_a_write_is_refused():
    p = Parameter(Tensor([1.0, 1.0, 1.0]), 'p')
    _, back = ms.vjp(lambda x: x * p, X)
    p.set_data(Tensor([5.0, 5.0, 5.0]))
    with pytest.raises(ms.errors.WriteAfterUseError, match='Mul'):
        back(ops.ones_like(X))
    assert values(ms.grad(lambda x: x * p)(X)) == [5, 5, 5]
