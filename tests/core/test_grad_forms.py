"""What a gradient is asked for by name, with a cotangent, with further outputs, by one Parameter."""

import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from minicell.core.errors import GradArgumentError, NotATensorError

X, Y, S = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([10.0, 100.0])


def values(t):
    if isinstance(t, (tuple, list)):
        return type(t)(map(values, t))
    return t.asnumpy().tolist() if isinstance(t, Tensor) else t


def product(x, y):
    return x * y


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name='w')

    def construct(self, x, y=1.0):
        return x * self.w * y


def test_sens_param():
    for ask in (
        lambda *p: ms.grad(product, *p, sens_param=True),
        lambda *p: lambda *a, **k: ms.value_and_grad(product, *p, sens_param=True)(*a, **k)[1],
    ):
        assert values(ask(0)(X, Y, S)) == values(ask(0)(X, Y, sens=S)) == [30, 400]
        assert values(ask((0, 1))(X, Y, S)) == ([30, 400], [10, 200])
    assert values(ms.grad(lambda x: (x * 2, x * 3), sens_param=True)(X, (S, S))) == [50, 500]
    with pytest.raises(TypeError, match="For 'grad', 'sens_param' is a bool, but got an int"):
        ms.grad(product, sens_param=1)
    with pytest.raises(ValueError, match='the last argument is sens, but there is none'):
        ms.grad(product, sens_param=True)()


def test_an_argument_given_by_name_has_its_position():
    assert values(ms.grad(product, (0, 1))(X, y=Y)) == values(ms.grad(product, (0, 1))(y=Y, x=X)) == ([3, 4], [1, 2])
    assert values(ms.grad(product)(y=Y, x=X)) == [3, 4]
    assert values(ms.grad(Scale(), 1)(y=Y, x=X)) == [2, 6]
    assert values(ops.GradOperation(get_all=True)(product)(y=Y, x=X)) == ([3, 4], [1, 2])
    with pytest.raises(TypeError, match=r"(?s)product cannot be called like this: missing .*'y'.*your line: test_grad"):
        ms.grad(product, 1)(X)


@pytest.mark.parametrize('flag', ['has_aux', 'return_ids', 'sens_param'])
def test_flags_are_bools(flag):
    with pytest.raises(NotATensorError, match=rf"(?s)For 'grad', '{flag}' is a bool, but got a str.*your line"):
        ms.grad(product, **{flag: 'yes'})


@pytest.mark.parametrize('ask', [ms.grad, ms.value_and_grad, ops.GradOperation(), lambda f: ms.vjp(f, X)])
def test_a_function_is_due(ask):
    with pytest.raises(TypeError, match='takes a function or a Cell, but got an int'):
        ask(3)
    with pytest.raises(TypeError, match='jvp takes a function or a Cell, but got a NoneType'):
        ms.jvp(None, X, X)


def test_one_parameter_has_one_gradient():
    net = Scale()
    for weights, due in ((net.w, [10, 200]), ([net.w], ([10, 200],)), (ParameterTuple([net.w]), ([10, 200],))):
        assert values(ms.vjp(net, X, weights=weights)[1](S)) == (([20, 300],), due)
        assert values(ops.GradOperation(get_by_list=True, sens_param=True)(net, weights)(X, S)) == due
        both = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, weights)
        assert values(both(X, S)) == (([20, 300],), due)


def test_a_cell_is_no_weight():
    for ask in (lambda: ms.grad(Scale(), 0, Scale()), lambda: ms.vjp(Scale(), X, weights=[Scale()])):
        with pytest.raises(TypeError, match='weights holds Parameters, but got a Scale'):
            ask()
    with pytest.raises(TypeError, match="the 'variable' should be a Parameter, but got a Scale"):
        ops.assign(Scale(), X)


def test_get_all_keeps_the_places_of_integers():
    """A label has no slope; its place stays, with zeros of its dtype."""
    dx, di = ops.GradOperation(get_all=True)(lambda x, i: x * i)(X, Tensor([2, 2]))
    assert values(dx) == [2, 2] and values(di) == [0, 0] and di.dtype == ms.int64


def test_one_further_output_comes_by_itself():
    one, two = (lambda x: (x * x, x + 1)), (lambda x: (x * x, x + 1, x + 2))
    assert values(ms.vjp(one, X, has_aux=True)[2]) == values(ms.jvp(one, X, S, has_aux=True)[2]) == [2, 3]
    assert values(ms.vjp(two, X, has_aux=True)[2]) == values(ms.jvp(two, X, S, has_aux=True)[2]) == ([2, 3], [3, 4])
    for ask in (lambda: ms.vjp(lambda x: x, X, has_aux=True), lambda: ms.vjp(lambda x: (x,), X, has_aux=True)):
        with pytest.raises(GradArgumentError, match='has_aux=True needs more than one output'):
            ask()


def test_jvp_takes_lists_and_says_what_v_is():
    assert values(ms.jvp(product, [X, Y], [S, S])) == ([3, 8], [40, 600])
    with pytest.raises(ValueError, match=r'(?s)v holds Tensors, one for each input of product, but got 1.*your line'):
        ms.jvp(product, (X, Y), 1.0)


def test_get_grad_wants_a_position_or_a_parameter():
    found = ms.grad(product, (0, 1), return_ids=True)(X, Y)
    assert values(ms.get_grad(found, 1)) == [1, 2]
    for wrong in ('x', None, 1.0, Scale(), X):
        with pytest.raises(TypeError, match='get_grad takes a position'):
            ms.get_grad(found, wrong)


def test_stop_gradient_of_several():
    a, (b, *_), c = ops.stop_gradient((X, [Y, 3], 'text'))
    assert values(a) == [1, 2] and values(b) == [3, 4] and c == 'text' and ops.stop_gradient(None) is None
    assert values(ms.grad(lambda x: ops.stop_gradient((x, x * 2))[1] * x)(X)) == [2, 4]
