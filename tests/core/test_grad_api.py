"""MindSpore's ways to ask for a gradient, and what they refuse."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from minicell.core.errors import GradArgumentError, GradPositionError, NotATensorError, SensError
from tests.core.cells import Product, Split, values
from tests.messages import refused

X, Y, SENS = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0]), Tensor([1.0, 10.0, 100.0])
DX, DY = [20, 80, 180], [1, 4, 9]
BY_ALL = ops.GradOperation(get_all=True)


def f(x, y):
    return x * x * y


def times(dx) -> list:
    return (np.array(dx) * SENS.asnumpy()).tolist()


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
    ('position', 'error', 'facts'),
    [
        ([0], TypeError, ['tuple of ints', 'got [0]']),
        ('0', TypeError, ["got '0'"]),
        (1.0, TypeError, ['got 1.0']),
        ((0, '1'), TypeError, ["(0, '1')"]),
        (True, TypeError, ['tuple of ints', 'got True']),  # GradOperation's get_all is meant
        (False, TypeError, ['got False']),
        (-1, GradArgumentError, ['from 0', 'got -1']),
        ((0, 0), GradArgumentError, ['once', 'got (0, 0)']),
        (None, GradArgumentError, ['`weight`', 'can not', 'None']),
    ],
    ids=['list', 'string', 'float', 'a string in it', 'True', 'False', 'negative', 'twice', 'None'],
)
def test_a_grad_position_that_is_none(position, error, facts):
    for ask in (ms.grad, ms.value_and_grad):
        with refused(error, 'grad_position', *facts):
            ask(f, position)


def test_a_position_out_of_range():
    with refused(GradPositionError, 'index 5', '2 arguments', '0 to 1', line='ms.grad(f, 5)(X, Y)'):
        ms.grad(f, 5)(X, Y)
    with refused(RuntimeError, 'index 2'):
        ms.grad(f, (0, 2))(X, Y)
    with refused(RuntimeError, 'grad_position is ()', line='ms.grad(f, ())(X, Y)'):
        ms.grad(f, ())(X, Y)


@pytest.mark.parametrize(
    ('arguments', 'facts'),
    [
        ((3.0, Y), ['is a float', 'Tensor(...)']),
        ((np.ones(3), Y), ['is a ndarray', 'Tensor(...)']),
        (((X, X), Y), ['is a tuple']),
        (([X], Y), ['is a list', 'Tensor(...)']),
        (({'x': X}, Y), ['is a dict', 'Tensor(...)']),
        ((None, Y), ['is a NoneType']),
        ((Tensor([1, 2, 3]), Y), ['an Int64 Tensor']),
        ((Tensor([True] * 3), Y), ['a Bool Tensor']),
    ],
    ids=['float', 'array', 'tuple', 'list', 'dict', 'None', 'integers', 'bools'],
)
def test_a_gradient_of_nothing_says_what_came(arguments, facts):
    """Where MindSpore returns an empty tuple in silence."""
    for ask in (ms.grad(f), ms.value_and_grad(f), ops.GradOperation()(f)):
        with refused(NotATensorError, 'nothing to differentiate', 'argument 0', 'of f', *facts, line='ask(*arguments)'):
            ask(*arguments)
    assert issubclass(NotATensorError, TypeError)


def test_complex_numbers_have_no_rules():
    for ask in (ms.grad(lambda z: z * z), BY_ALL(lambda z: z * z)):
        with refused(TypeError, 'Complex128 Tensor', 'real numbers', line='ask(Tensor([1 + 2j]))'):
            ask(Tensor([1 + 2j]))


def test_no_argument_at_all():
    with refused(RuntimeError, '0 arguments', line='ms.grad(lambda: X.sum())()'):
        ms.grad(lambda: X.sum())()
    with refused(TypeError, 'nothing to differentiate'):
        BY_ALL(lambda: X.sum())()


def test_a_lambda_and_a_cell_are_called_by_their_names():
    with refused(TypeError, 'argument 0', '<lambda>', 'a float'):
        ms.grad(lambda x: x)(3.0)
    with refused(TypeError, 'argument 0', 'Product', 'a float'):
        ms.grad(Product())(3.0, X)


def test_an_argument_given_by_name_keeps_its_position():
    by_name = {'y': Y, 'x': X}
    assert values(ms.grad(f, (0, 1))(X, y=Y)) == values(ms.grad(f, (0, 1))(**by_name)) == (DX, DY)
    assert values(ms.grad(f)(**by_name)) == DX
    assert values(ms.grad(Product(), 1)(**by_name)) == [100, 200, 300]
    assert values(BY_ALL(f)(**by_name)) == (DX, DY)
    with refused(TypeError, 'f cannot', 'missing', "'y'", line='ms.grad(f, 1)(X)'):
        ms.grad(f, 1)(X)


def test_other_arguments_and_keywords_pass_through():
    def g(x, factor, *, power=1):
        return x**power * factor

    assert values(ms.grad(g)(X, 3)) == [3, 3, 3]
    assert values(ms.grad(g)(X, 3, power=2)) == [6, 12, 18]


@pytest.mark.parametrize(
    'ask',
    [ms.grad, ms.value_and_grad, ops.GradOperation(), lambda f: ms.vjp(f, X), lambda f: ms.jvp(f, X, X)],
    ids=['grad', 'value_and_grad', 'GradOperation', 'vjp', 'jvp'],
)
def test_a_function_is_due(ask):
    for bad, said in ((3, 'an int'), (None, 'a NoneType')):
        with refused(TypeError, 'a function', 'a Cell', said):
            ask(bad)


@pytest.mark.parametrize('flag', ['has_aux', 'return_ids', 'sens_param'])
def test_flags_are_bools(flag):
    for bad, said in (('yes', 'a str'), (1, 'an int')):
        with refused(NotATensorError, "'grad'", f"'{flag}'", 'a bool', said, line='ms.grad(f, **{flag: bad})'):
            ms.grad(f, **{flag: bad})


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


def test_one_parameter_has_one_gradient():
    net, sens = Lin(), Tensor([[1.0, 10.0]])
    for weights, due in ((net.b, [1, 10]), ([net.b], ([1, 10],)), (ParameterTuple([net.b]), ([1, 10],))):
        assert values(ms.vjp(net, ROW, weights=weights)[1](sens)) == (([[21, 43, 65]],), due)
        assert values(ops.GradOperation(get_by_list=True, sens_param=True)(net, weights)(ROW, sens)) == due
        both = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, weights)
        assert values(both(ROW, sens)) == (([[21, 43, 65]],), due)


def test_weights_that_are_no_parameters():
    for bad, kind in ((X, 'Tensor'), ([X], 'Tensor'), (['w'], 'str'), (3.0, 'float'), ([None], 'None'), (Lin(), 'Lin')):
        with refused(TypeError, 'weights', 'Parameters', kind):
            ms.grad(f, 0, bad)
    with refused(TypeError, 'weights', 'a Lin'):
        ms.vjp(Lin(), ROW, weights=[Lin()])
    with refused(TypeError, "'variable'", 'a Parameter', 'a Lin'):
        ops.assign(Lin(), X)


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_what_is_not_used_has_zeros():
    unused = Parameter(Tensor([1.0, 2.0]), 'unused')
    assert values(ms.grad(f, None, [unused])(X, Y)) == ([0, 0],)
    assert values(ms.grad(lambda x, y: x * 2, (0, 1))(X, Y)) == ([2] * 3, [0] * 3)
    assert values(ms.grad(lambda x: Y * 2)(X)) == [0] * 3


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


def test_one_further_output_comes_by_itself():
    one, two = (lambda x: (x * x, x + 1)), (lambda x: (x * x, x + 1, x + 2))
    for g, due in ((one, [2, 3, 4]), (two, ([2, 3, 4], [3, 4, 5]))):
        assert values(ms.vjp(g, X, has_aux=True)[2]) == values(ms.jvp(g, X, SENS, has_aux=True)[2]) == due


HAS_AUX = {
    'grad': lambda out: ms.grad(out, has_aux=True)(X),
    'value_and_grad': lambda out: ms.value_and_grad(out, has_aux=True)(X),
    'vjp': lambda out: ms.vjp(out, X, has_aux=True),
    'jvp': lambda out: ms.jvp(out, X, X, has_aux=True),
}


@pytest.mark.parametrize('ask', HAS_AUX.values(), ids=HAS_AUX)
def test_has_aux_of_a_function_with_one_output_is_refused(ask):
    for out in (lambda x: x.sum(), lambda x: x * x, lambda x: (x.sum(),)):
        with refused(GradArgumentError, 'has_aux=True', '<lambda> returned one'):
            ask(out)


def test_return_ids_and_get_grad():
    net = Lin()
    got = ms.grad(net, 0, net.trainable_params(), return_ids=True)(ROW)
    assert values(got) == ((0, DROW), (('w', DW), ('b', DB)))
    assert values(ms.get_grad(got, 0)) == DROW and values(ms.get_grad(got, net.b)) == DB
    several = ms.grad(f, (0, 1), return_ids=True)(X, Y)
    assert values(several) == ((0, DX), (1, DY)) and values(ms.get_grad(several, 1)) == DY
    with refused(RuntimeError, 'not find', 'Parameter 1'):
        ms.get_grad(got, 1)
    for wrong in ('x', None, 1.0, net, X):
        with refused(TypeError, 'get_grad', 'a position'):
            ms.get_grad(several, wrong)


def test_gradoperation():
    net = Lin()
    by_list = ops.GradOperation(get_by_list=True)
    assert values(ops.GradOperation()(f)(X, Y)) == DX
    assert values(BY_ALL(f)(X, Y)) == (DX, DY)
    assert values(BY_ALL(lambda x: x * 2)(X)) == ([2] * 3,)
    assert values(BY_ALL(lambda x, k: x * k)(X, 5)) == ([5] * 3,)
    assert values(by_list(net)(ROW)) == (DW, DB)
    assert values(by_list(net, [net.b])(ROW)) == (DB,)
    assert values(ops.GradOperation(get_all=True, get_by_list=True)(net, [net.b])(ROW)) == ((DROW,), (DB,))
    assert ms.GradOperation is ops.GradOperation and ms.grad is ops.grad


def test_gradoperation_refuses_what_is_no_bool():
    for name in ('get_all', 'get_by_list', 'sens_param'):
        with refused(TypeError, f"'{name}'", 'a bool', 'an int'):
            ops.GradOperation(**{name: 1})


@pytest.mark.parametrize(
    'ask',
    [
        lambda f, *p: ms.grad(f, *p, sens_param=True),
        lambda f, *p: lambda *a, **k: ms.value_and_grad(f, *p, sens_param=True)(*a, **k)[1],
        lambda f, *p: ops.GradOperation(get_all=p != (0,), sens_param=True)(f),
    ],
    ids=['grad', 'value_and_grad', 'GradOperation'],
)
def test_sens(ask):
    assert values(ask(f, 0)(X, Y, SENS)) == values(ask(f, 0)(X, Y, sens=SENS)) == times(DX)
    assert values(ask(f, (0, 1))(X, Y, SENS)) == values(ask(f, (0, 1))(X, Y, sens=SENS)) == (times(DX), times(DY))
    assert values(ask(Split(), 0)(X, (SENS, ops.zeros_like(SENS)))) == (2 * SENS).tolist()
    assert values(ask(lambda x: (x * 2, x * 3), 0)(X, (SENS, SENS))) == (5 * SENS).tolist()
    with refused(SensError, 'sens', 'none'):
        ask(f, 0)()


@pytest.mark.parametrize(
    ('sens', 'facts'),
    [
        (Tensor([1.0]), ['Float32 (1,)', 'Float32 (3,)']),
        (Tensor([1.0, 2.0, 3.0], ms.float64), ['Float64 (3,)', 'Float32 (3,)']),
        ((X, X), ['2 Tensors', '1 float output']),
        (3.0, ['0 Tensors']),
    ],
    ids=['shape', 'dtype', 'number', 'no Tensor'],
)
def test_a_sens_that_does_not_fit_is_one_kind_of_error(sens, facts):
    with refused(SensError, 'sens', *facts, line='ops.GradOperation(sens_param=True)'):
        ops.GradOperation(sens_param=True)(f)(X, Y, sens)


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
    assert values(ms.jvp(lambda x: x * x, X, SENS)) == ([1, 4, 9], [2, 40, 600])
    for inputs, along in (((X, Y), (X, Y)), ([X, Y], [X, Y])):
        assert values(ms.jvp(f, inputs, along)) == ([10, 80, 270], [30, 240, 810])
    out, along = ms.jvp(f, (X, Y), (ops.ones_like(X), Tensor([0.0, 0.0, 1.0])))
    assert values(out) == [10, 80, 270] and values(along) == [20, 80, 189]
    with refused(ValueError, 'v holds Tensors', 'input of f', 'got 1', line='ms.jvp(f, (X, Y), 1.0)'):
        ms.jvp(f, (X, Y), 1.0)


def test_vjp_and_jvp_can_be_differentiated():
    def by_vjp(x):
        return ms.vjp(lambda y: y * y * y, x)[1](ops.ones_like(x))[0]

    def by_jvp(x):
        return ms.jvp(lambda y: y * y * y, x, ops.ones_like(x))[1]

    for slope in (by_vjp, by_jvp):
        assert values(ms.grad(lambda x, slope=slope: slope(x).sum())(X)) == [6, 12, 18]


def test_stop_gradient_of_several():
    a, (b, *_), c = ops.stop_gradient((X, [Y, 3], 'text'))
    assert values(a) == [1, 2, 3] and values(b) == [10, 20, 30]
    assert c == 'text' and ops.stop_gradient(None) is None
    assert values(ms.grad(lambda x: ops.stop_gradient((x, x * 2))[1] * x)(X)) == [2, 4, 6]
