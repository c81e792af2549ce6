"""What MindSpore takes in another way, or not at all: rows of MINDSPORE.md about how things are asked for."""

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import BpropCountError, BpropTupleError
from minicell.errors import GraphValueError
from tests.traps.said import refused

A, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
X, Y = Tensor([2.0]), Tensor([3.0])


@pytest.mark.parametrize(
    ('f', 'due'),
    [(lambda x: (x * x.T).sum(), 2), (lambda x: ops.matmul(x, x).sum(), 4), (lambda x: (x @ x.T).sum(), 4)],
)
def test_a_second_derivative_goes_through_a_transpose(f, due):
    assert ms.grad(ms.grad(f))(A).tolist() == [[due] * 2] * 2
    mixed = ms.grad(ms.grad(lambda x, y: ops.matmul(x, y).sum(), 0), 1)
    assert mixed(A, B).tolist() == [[2, 2], [2, 2]]


def test_an_argument_given_by_name_keeps_its_position():
    assert ms.grad(lambda x, y: x * y * y)(y=Y, x=X).tolist() == [9]


def test_further_outputs_may_be_anything():
    for further in (3, None, 'text'):
        slope, rest = ms.grad(lambda x, further=further: (x * x, further), has_aux=True)(X)
        assert slope.tolist() == [4] and rest == (further,)


def test_an_integer_has_zeros_in_its_place():
    dx, di = ops.GradOperation(get_all=True)(lambda x, i: x * i)(X, Tensor([5]))
    assert dx.tolist() == [5] and di.tolist() == [0] and di.dtype == ms.int64


@pytest.mark.parametrize('name', ['elu', 'gelu', 'softmax', 'log_softmax'])
def test_these_have_second_derivatives(name):
    op = getattr(ops, name)
    slope = ms.grad(lambda x: (op(x) ** 2 * Tensor([1.0, 2.0])).sum())
    x, step = Tensor([0.3, -0.5], ms.float64), 1e-6
    found = ms.grad(lambda x: slope(x)[0])(x)[0].item()
    there, here = (float(slope(x + Tensor([s, 0.0], ms.float64))[0]) for s in (step, -step))
    assert found == pytest.approx((there - here) / (2 * step), rel=1e-4)


class Takes(nn.Cell):
    def __init__(self, give):
        super().__init__()
        self.give = give

    def construct(self, pair):
        return pair[0] * pair[1]

    def bprop(self, pair, out, dout):
        return self.give(dout)


def test_an_input_that_is_a_tuple_has_a_tuple():
    def ask(give):
        return [g.tolist() for g in ms.grad(lambda x, y: Takes(give)((x, y)), (0, 1))(X, Y)]

    assert ask(lambda d: ((d * 5, d * 7),)) == [[5], [7]] and ask(lambda d: (None,)) == [[0], [0]]
    with refused(BpropCountError, 'returned 2 gradients for 1 input (pair)', line='ms.grad(lambda x, y: Takes'):
        ask(lambda d: (d * 5, d * 7))


def test_an_out_of_one_has_a_dout_of_one():
    class One(nn.Cell):
        def construct(self, x):
            return (x * 2,)

        def bprop(self, x, out, dout):
            assert type(out) is type(dout) is tuple and len(out) == len(dout) == 1
            return (dout[0] * 10,)

    assert ms.grad(lambda x: One()(x)[0] * 3)(X).tolist() == [30]


def test_a_backward_hook_is_differentiated_too():
    cell = nn.Tanh()
    cell.register_backward_hook(lambda c, i, g: (i[0] * 2,))
    plain = ms.grad(ms.grad(ops.tanh))(X).item()
    assert ms.grad(ms.grad(cell))(X).item() == pytest.approx(2 * 2 * plain)


def test_a_list_of_cells_one_by_one():
    assert len(nn.CellList(nn.ReLU(), nn.Tanh())) == 2


def test_the_rate_that_is_printed_is_the_one_that_was_given():
    assert repr(nn.Dropout2d(p=0.2)) == 'Dropout2d(p=0.2)'
    assert ops.dropout(X, 1.0).tolist() == [0]


def test_a_branch_on_a_value_is_refused_in_any_graph():
    @ms.jit
    def f(x):
        if x.sum() > 2:
            return x * 10
        return x

    with refused(GraphValueError, 'bool() of a Tensor inside the graph of f', line='if x.sum() > 2'):
        f(X)


def test_a_bprop_may_be_a_jit_function():
    class Net(nn.Cell):
        def construct(self, x):
            return x * x

        @ms.jit
        def bprop(self, x, out, dout):
            return (dout * 50,)

    assert ms.grad(Net())(X).tolist() == [50]


def test_a_tuple_given_to_a_graph_has_its_gradients():
    @ms.jit
    def product(pair):
        return pair[0] * pair[1]

    assert [g.tolist() for g in ms.grad(lambda x, y: product((x, y)), (0, 1))(X, Y)] == [[3], [2]]


def test_stop_gradient_in_a_graph_holds_for_every_order():
    f = ms.jit(lambda x: (ops.stop_gradient(x) * x).sum())
    assert ms.grad(f)(X).tolist() == [2]
    assert ms.grad(ms.grad(f))(X).tolist() == [0]


@pytest.mark.parametrize(
    'give',
    [
        lambda w, x, d: (d * w, x * d),
        lambda w, x, d: ((d * w,), (x * d,)),
        lambda w, x, d: ([d * w], [x * d]),
        lambda w, x, d: ((d * w,), {'w': x * d}),
    ],
    ids=['flat', 'two tuples', 'two lists', 'a name as the key'],
)
def test_gradients_of_weights_come_in_a_dict_of_parameters(give):
    class Scale(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([2.0]), name='w')
            self.internal_params = [self.w]

        def construct(self, x):
            return x * self.w

        def bprop(self, *args):
            x, _, dout = args
            return give(self.w, x, dout)

    net = Scale()
    with pytest.raises((BpropTupleError, BpropCountError), match=r'(?s)Scale\.bprop .*your line: test_forms'):
        ms.grad(net, 0, net.trainable_params())(X)
