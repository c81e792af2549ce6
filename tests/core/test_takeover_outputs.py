"""What a bprop gets for several outputs, what it may return, and Cells beside each other."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.core.cells import Cube, Product, Scale, Split, Spy, returning

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])


def values(t):
    return t.asnumpy().tolist()


def same(t, due):
    np.testing.assert_array_equal(t.asnumpy(), due)


# ---- several outputs ---------------------------------------------------------------------------------------------


def test_an_unused_output_has_a_dout_of_zeros():
    cell = Split()
    same(ms.grad(lambda x: (cell(x)[1] * 3).sum())(X), 6 * X.asnumpy())
    out, dout = cell.seen
    assert type(out) is tuple and type(dout) is tuple and len(out) == len(dout) == 2
    same(dout[0], [0, 0, 0])
    same(dout[1], [3, 3, 3])
    same(out[0], 2 * X.asnumpy())


def test_both_outputs_used_and_one_used_twice():
    cell = Split()
    calls = []
    cell.register = calls.append
    got = ms.grad(lambda x: (lambda a, b: (a + a * b).sum())(*cell(x)))(X)
    a, b, x = 2 * X.asnumpy(), X.asnumpy() ** 2, X.asnumpy()
    same(got, (1 + b) * 2 + a * 2 * x)
    same(cell.seen[1][0], 1 + b)
    same(cell.seen[1][1], a)


@pytest.mark.filterwarnings('ignore::minicell.errors.ImplicitSumWarning')
def test_without_a_choice_all_outputs_are_summed():
    cell = Split()
    same(ms.grad(cell)(X), 2 + 2 * X.asnumpy())


def test_second_order_through_several_outputs():
    got = ms.grad(lambda x: ms.grad(lambda y: Split()(y)[1].sum())(x).sum())(X)
    same(got, [2, 2, 2])


class Nests(nn.Cell):
    """Nested outputs of all kinds, among them no Tensors and no floats."""

    def construct(self, x):
        return {'a': x * 2, 'more': (x * 3, None, [x > 1, 5]), 'int': x.astype(ms.int32), 'b': [x * 4]}

    def bprop(self, x, out, dout):
        self.seen = out, dout
        return (dout['a'] * 2 + dout['more'][0] * 3 + dout['b'][0] * 4,)


def test_dout_mirrors_out_with_none_for_what_is_no_tensor():
    cell = Nests()

    def f(x):
        out = cell(x)
        assert type(out) is dict and type(out['more'][2]) is list, 'the caller sees what construct returned'
        assert out['more'][1] is None and out['more'][2][1] == 5
        return (out['b'][0] * 10 + out['a']).sum()

    same(ms.grad(f)(X), [42, 42, 42])
    out, dout = cell.seen
    assert set(dout) == set(out) == {'a', 'more', 'int', 'b'}
    same(dout['a'], [1, 1, 1])
    same(dout['more'][0], [0, 0, 0])
    same(dout['b'][0], [10, 10, 10])
    assert dout['more'][1] is None and dout['more'][2][1] is None
    same(dout['int'], [0, 0, 0])
    same(dout['more'][2][0], [False] * 3)
    assert (dout['int'].dtype, dout['more'][2][0].dtype) == (ms.int32, ms.bool_)
    assert out['more'][2][1] == 5 and out['more'][1] is None
    assert type(out['more'][2]) is tuple, 'bprop sees tuples for lists'


def test_integer_and_bool_outputs_end_the_gradient():
    cell = returning(lambda *a: (a[-1] * 100,), construct=lambda self, x: x > 1.5)
    same(ms.grad(lambda x: (x * 2 + cell(x).astype(ms.float32)).sum())(X), [2, 2, 2])
    cell = returning(lambda *a: (a[-1] * 100,), construct=lambda self, x: x.astype(ms.int64))
    same(ms.grad(lambda x: (x * cell(x)).sum())(X), [1, 2, 3])


def test_no_tensor_at_all_as_output():
    for value in (None, 3.5, 'text', ()):
        cell = returning(lambda *a: (a[-1],), construct=lambda self, x, v=value: v)
        same(ms.grad(lambda x, c=cell: (x * 2, c(x))[0])(X), [2, 2, 2])
        assert ms.grad(lambda x, c=cell: c(x) if isinstance(c(x), Tensor) else x)(X).shape == (3,)


def test_an_input_that_is_the_output():
    cell = returning(lambda x, out, dout: (dout * 7,), construct=lambda self, x: x)
    same(ms.grad(cell)(X), [7, 7, 7])
    same(ms.grad(lambda x: cell(x) * 2 + x)(X), [15, 15, 15])
    pair = returning(lambda x, out, dout: (dout[0] * 7 + dout[1] * 5,), construct=lambda self, x: (x, x))
    same(ms.grad(lambda x: (lambda a, b: a * 2 + b)(*pair(x)))(X), [19, 19, 19])


def test_a_named_tuple_stays_one():
    from collections import namedtuple

    Pair = namedtuple('Pair', 'a b')
    cell = returning(lambda x, out, dout: (dout[0] * 2 + dout[1],), construct=lambda self, x: Pair(x * 2, x * 1))

    def f(x):
        out = cell(x)
        assert type(out) is Pair
        return (out.a * 3 + out.b).sum()

    same(ms.grad(f)(X), [7, 7, 7])


# ---- what may be returned ----------------------------------------------------------------------------------------


def test_a_list_of_the_right_length_is_accepted():
    same(ms.grad(returning(lambda x, out, dout: [dout * 3]))(X), [3, 3, 3])


def test_none_is_a_declared_absence():
    cell = returning(lambda x, y, out, dout: (None, dout * 3), 2)
    dx, dy = ms.grad(cell, (0, 1))(X, Y)
    assert (values(dx), values(dy)) == ([0] * 3, [3] * 3)
    same(ms.grad(lambda x: cell(x, Y) + x * 2)(X), [2, 2, 2])


@pytest.mark.parametrize('dtype', [ms.float16, ms.float64, ms.int64, ms.uint8])
def test_a_numeric_gradient_is_cast_to_the_inputs_dtype(dtype):
    got = ms.grad(returning(lambda x, out, dout: ((dout * 3).astype(dtype),)))(X)
    assert got.dtype == ms.float32
    same(got, [3, 3, 3])


def test_dout_has_the_dtype_and_shape_of_out():
    for dtype in (ms.float16, ms.float32, ms.float64):
        cell = Spy()
        x = X.astype(dtype)
        ms.grad(lambda x, c=cell: (c(x, x).astype(ms.float64) * Tensor(np.ones((2, 3)))).sum())(x)
        dout = cell.got[0][-1]
        assert (dout.dtype, dout.shape) == (dtype, (3,))
        same(dout, [2, 2, 2])


@pytest.mark.parametrize(
    ('loss', 'due'),
    [
        (lambda out: out.sum(), 1.0),
        (lambda out: out.mean(), 1 / 3),
        (lambda out: out, 1.0),
        (lambda out: out * 5, 5.0),
    ],
)
def test_what_dout_is(loss, due):
    cell = Spy()
    ms.grad(lambda x: loss(cell(x, Y)))(X)
    np.testing.assert_allclose(cell.got[0][-1].asnumpy(), [due] * 3, rtol=1e-6)


def test_sens_is_dout():
    cell = Spy()
    sens = Tensor([0.5, 1.5, 2.5])
    ops.GradOperation(sens_param=True)(cell)(X, Y, sens)
    same(cell.got[0][-1], sens.asnumpy())


def test_writing_into_dout_changes_no_other_path():
    """dout may be the very array that another branch gets."""

    class Greedy(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, x, out, dout):
            dout[0] = 100.0
            return (dout,)

    same(ms.grad(lambda x: Greedy()(x) + x)(X), [101, 2, 2])

    class GreedyOfTwo(nn.Cell):
        def construct(self, x):
            return x * 1, x * 1

        def bprop(self, x, out, dout):
            dout[0][0] = 100.0
            return (dout[0],)

    def f(x):
        first, second = GreedyOfTwo()(x)
        return first + x + second.sum() * 0

    same(ms.grad(f)(X), [101, 2, 2])


# ---- inside, outside, beside each other --------------------------------------------------------------------------


def test_an_outer_bprop_hides_an_inner_one():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Cube()

        def construct(self, x):
            return self.inner(x)

        def bprop(self, x, out, dout):
            return (dout * 1000,)

    same(ms.grad(Outer())(X), [1000] * 3)


def test_an_inner_bprop_counts_under_a_plain_cell():
    net = nn.SequentialCell(Cube(), returning(lambda x, out, dout: (dout * 10,)))
    np.testing.assert_allclose(ms.grad(net)(X).asnumpy(), 10 * 3 * X.asnumpy() ** 2)


def test_every_call_of_a_shared_cell_has_its_own_inputs():
    cell = Cube()

    def f(x):
        for _ in range(3):
            x = cell(x * 0.5)
        return x

    def by_hand(x):
        slope = 1.0
        for _ in range(3):
            x, slope = x * 0.5, slope * 0.5
            x, slope = x**3, slope * 3 * x**2
        return slope

    np.testing.assert_allclose(ms.grad(f)(X).asnumpy(), by_hand(X.asnumpy().astype(float)), rtol=1e-5)


def test_the_same_tensor_twice():
    same(ms.grad(lambda x: Product()(x, x))(X), 110 * X.asnumpy())


@pytest.mark.filterwarnings('ignore::minicell.errors.BypassWarning')
def test_construct_called_directly_is_autodiff():
    same(ms.grad(Product().construct)(X, Y), Y.asnumpy())
    same(ms.grad(lambda x: Product().construct(x, Y))(X), Y.asnumpy())


def test_neither_set_train_nor_the_phase_turns_bprop_off():
    cell = Product().set_train(False)
    same(ms.grad(cell)(X, Y), 10 * Y.asnumpy())


def test_a_bprop_given_to_the_instance_or_the_class_later_is_used():
    """MindSpore ignores both in silence."""

    class Late(nn.Cell):
        def construct(self, x):
            return x * 2

    cell = Late()
    cell.bprop = lambda x, out, dout: (dout * 50,)
    same(ms.grad(cell)(X), [50] * 3)
    other = Late()
    same(ms.grad(other)(X), [2] * 3)
    Late.bprop = lambda self, x, out, dout: (dout * 70,)
    same(ms.grad(other)(X), [70] * 3)


def test_static_and_inherited_bprops():
    class Static(nn.Cell):
        def construct(self, x):
            return x * 2

        @staticmethod
        def bprop(x, out, dout):
            return (dout * 30,)

    class Inherits(Static):
        def construct(self, x):
            return x * 5

    same(ms.grad(Static())(X), [30] * 3)
    same(ms.grad(Inherits())(X), [30] * 3)


# ---- Parameters --------------------------------------------------------------------------------------------------


def test_internal_params_adds_up_over_calls_and_direct_uses():
    cell = Scale(2.0)
    dx, dw = ms.grad(lambda x: (cell(x) + cell(x * 10) + cell.w * 7).sum(), 0, cell.w)(X)
    same(dx, [22] * 3)
    assert float(dw) == 6 + 60 + 21


def test_internal_params_by_key_in_any_order():
    """MindSpore goes by the order of the dict, and swaps the gradients in silence."""

    class Affine(nn.Cell):
        def __init__(self, turned):
            super().__init__()
            self.w = ms.Parameter(Tensor(2.0), name='w')
            self.b = ms.Parameter(Tensor(1.0), name='b')
            self.internal_params = [self.w, self.b]
            self.turned = turned

        def construct(self, x):
            return self.w * x + self.b

        def bprop(self, x, out, dout):
            pairs = [(self.w, (dout * x).sum()), (self.b, dout.sum())]
            return (dout * self.w,), dict(pairs[::-1] if self.turned else pairs)

    for turned in (False, True):
        cell = Affine(turned)
        dw, db = ms.grad(cell, None, [cell.w, cell.b])(X)
        assert (float(dw), float(db)) == (6.0, 3.0)


def test_internal_params_accepts_none_and_casts():
    class Half(Scale):
        def bprop(self, x, out, dout):
            return (dout,), {self.w: self.answer}

    cell = Half()
    cell.answer = None
    assert float(ms.grad(cell, None, cell.w)(X)) == 0.0
    cell.answer = Tensor(3.0, ms.float64)
    got = ms.grad(cell, None, cell.w)(X)
    assert (float(got), got.dtype) == (3.0, ms.float32)


def test_bprop_is_called_when_only_an_internal_parameter_needs_it():
    cell = Scale(2.0)
    dw = ms.grad(lambda _: cell(X).sum(), None, cell.w)(Tensor(0.0))
    assert float(dw) == 6.0


def test_a_parameter_as_input_of_a_custom_cell():
    w = ms.Parameter(Tensor([1.0, 2.0, 3.0]), 'w')
    (dw,) = ms.grad(lambda x: Product()(x, w).sum(), None, [w])(X)
    same(dw, 100 * X.asnumpy())


def test_a_parameter_may_be_read_in_bprop():
    cell = Scale(4.0)
    same(ms.grad(cell)(X), [4, 4, 4])
    dx_dw = ms.grad(lambda x: ms.grad(cell)(x).sum(), None, cell.w)(X)
    assert float(dx_dw) == 3.0
