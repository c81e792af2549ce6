"""What a bprop gets for several outputs, what it may return, and Cells inside and beside each other."""

from collections import namedtuple

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.core.cells import Cube, Product, Scale, Split, Spy, close, made, returning, same, values
from tests.messages import warned

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
x = X.asnumpy()


def test_an_unused_output_has_a_dout_of_zeros():
    cell = Split()
    same(ms.grad(lambda x: (cell(x)[1] * 3).sum())(X), 6 * x)
    out, dout = cell.seen
    assert type(out) is tuple and type(dout) is tuple and len(out) == len(dout) == 2
    same(dout[0], [0, 0, 0])
    same(dout[1], [3, 3, 3])
    same(out[0], 2 * x)


def test_both_outputs_used_and_one_used_twice():
    cell = Split()
    got = ms.grad(lambda x: (lambda a, b: (a + a * b).sum())(*cell(x)))(X)
    a, b = 2 * x, x**2
    same(got, (1 + b) * 2 + a * 2 * x)
    same(cell.seen[1][0], 1 + b)
    same(cell.seen[1][1], a)


def test_second_order_through_several_outputs():
    same(ms.grad(lambda x: ms.grad(lambda y: Split()(y)[1].sum())(x).sum())(X), [2, 2, 2])


def test_dout_mirrors_out_with_none_for_what_is_no_tensor():
    def bprop(self, x, out, dout):
        self.seen = out, dout
        return (dout['a'] * 2 + dout['more'][0] * 3 + dout['b'][0] * 4,)

    cell = made(
        lambda self, x: {'a': x * 2, 'more': (x * 3, None, [x > 1, 5]), 'int': x.astype(ms.int32), 'b': [x * 4]}, bprop
    )

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


@pytest.mark.parametrize('value', [None, 3.5, 'text', ()])
def test_no_tensor_at_all_as_output(value):
    cell = returning(lambda *a: (a[-1],), construct=lambda self, x: value)
    same(ms.grad(lambda x: (x * 2, cell(x))[0])(X), [2, 2, 2])
    assert ms.grad(lambda x: cell(x) if isinstance(cell(x), Tensor) else x)(X).shape == (3,)


def test_an_input_that_is_the_output():
    cell = returning(lambda x, out, dout: (dout * 7,), construct=lambda self, x: x)
    same(ms.grad(cell)(X), [7, 7, 7])
    same(ms.grad(lambda x: cell(x) * 2 + x)(X), [15, 15, 15])
    pair = returning(lambda x, out, dout: (dout[0] * 7 + dout[1] * 5,), construct=lambda self, x: (x, x))
    same(ms.grad(lambda x: (lambda a, b: a * 2 + b)(*pair(x)))(X), [19, 19, 19])


def test_a_named_tuple_stays_one():
    Pair = namedtuple('Pair', 'a b')
    cell = returning(lambda x, out, dout: (dout[0] * 2 + dout[1],), construct=lambda self, x: Pair(x * 2, x * 1))

    def f(x):
        out = cell(x)
        assert type(out) is Pair
        return (out.a * 3 + out.b).sum()

    same(ms.grad(f)(X), [7, 7, 7])


@pytest.mark.parametrize('dtype', [ms.float16, ms.float32, ms.float64, ms.int8, ms.int32, ms.int64, ms.uint8], ids=str)
@pytest.mark.parametrize(
    ('kind', 'mode'),
    [(tuple, ms.PYNATIVE_MODE), (list, ms.PYNATIVE_MODE), (tuple, ms.GRAPH_MODE)],  # a list is refused in graph mode
    ids=['tuple', 'list', 'graph mode'],
)
def test_a_tuple_or_list_of_any_numbers_is_cast_to_the_inputs_dtype(kind, dtype, mode):
    cell = made(
        lambda self, x, y: x.sum() + y.sum(),
        lambda self, x, y, out, dout: kind(
            [(ops.ones_like(x) * 3).astype(dtype), (ops.ones_like(y) * 2).astype(dtype)]
        ),
    )
    inputs = [Tensor(np.ones(s, np.float32)) for s in ((2, 3), (3,))]
    ms.set_context(mode=mode)
    try:
        got = [ms.grad(cell, (0, 1))(*(t * k for t in inputs)) for k in (1, 2)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for each in got:
        assert [g.dtype for g in each] == [ms.float32] * 2
        same(each[0], np.full((2, 3), 3))
        same(each[1], np.full(3, 2))


def test_none_is_a_declared_absence_and_the_tape_shows_it():
    cell = returning(lambda x, out, dout: (None,), name='Stops')
    two = returning(lambda x, y, out, dout: (None, dout * 3), 2)
    with warned() as said:
        with ms.Tape() as tape:
            same(ms.grad(lambda x: cell(x) + x * 5)(X), [5, 5, 5])
        assert 'no gradient' in str(tape)
        same(ms.grad(cell)(X), [0, 0, 0])
        same(ms.grad(lambda x: cell(x * 2))(X), [0, 0, 0])
        assert values(ms.grad(two, (0, 1))(X, Y)) == ([0, 0, 0], [3, 3, 3])
        same(ms.grad(lambda x: two(x, Y) + x * 2)(X), [2, 2, 2])
    assert not said.caught, 'it was declared: nothing to say'


@pytest.mark.parametrize('dtype', [ms.float16, ms.float32, ms.float64], ids=str)
def test_dout_has_the_dtype_and_shape_of_out(dtype):
    cell = Spy()
    ms.grad(lambda x: (cell(x, x).astype(ms.float64) * Tensor(np.ones((2, 3)))).sum())(X.astype(dtype))
    dout = cell.got[0][-1]
    assert (dout.dtype, dout.shape) == (dtype, (3,))
    same(dout, [2, 2, 2])


def test_every_call_of_a_shared_cell_has_its_own_inputs():
    cell = Cube()

    def f(x):
        for _ in range(3):
            x = cell(x * 0.5)
        return x

    value, slope = x.astype(float), 1.0
    for _ in range(3):
        value, slope = value * 0.5, slope * 0.5
        value, slope = value**3, slope * 3 * value**2
    close(ms.grad(f)(X), slope, rtol=1e-5)


def test_neither_set_train_nor_the_phase_turns_bprop_off():
    same(ms.grad(Product().set_train(False))(X, Y), 10 * Y.asnumpy())


def test_internal_params_adds_up_over_calls_and_direct_uses():
    cell = Scale(2.0)
    dx, dw = ms.grad(lambda x: (cell(x) + cell(x * 10) + cell.w * 7).sum(), 0, cell.w)(X)
    same(dx, [22] * 3)
    assert float(dw) == 6 + 60 + 21


@pytest.mark.parametrize('turned', [False, True])
def test_weights_are_matched_by_key_whatever_their_order(turned):
    """MindSpore goes by the order of the dict, and swaps the gradients in silence."""

    class Affine(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor(2.0), name='w')
            self.b = ms.Parameter(Tensor(1.0), name='b')
            self.internal_params = [self.w, self.b]

        def construct(self, x):
            return self.w * x + self.b

        def bprop(self, x, out, dout):
            pairs = [(self.w, (dout * x).sum()), (self.b, dout.sum() * 100)]
            return (dout * self.w,), dict(pairs[::-1] if turned else pairs)

    cell = Affine()
    dw, db = ms.grad(cell, None, [cell.w, cell.b])(X)
    assert (float(dw), float(db)) == (6.0, 300.0)


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
    assert float(ms.grad(lambda _: cell(X).sum(), None, cell.w)(Tensor(0.0))) == 6.0


def test_a_parameter_may_be_read_in_bprop():
    cell = Scale(4.0)
    same(ms.grad(cell)(X), [4, 4, 4])
    assert float(ms.grad(lambda x: ms.grad(cell)(x).sum(), None, cell.w)(X)) == 3.0
