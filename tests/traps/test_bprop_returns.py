"""Part (c): what a bprop returns, and which Parameters it forgets (traps 1, 2, 5, 6, 7, 10, 15)."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import (
    BpropCountError,
    BpropShapeError,
    BpropSignatureError,
    BpropTupleError,
    BpropTypeError,
)
from minicell.errors import CapturedValueWarning, SwallowedParameterWarning
from tests.core.cells import returning
from tests.traps.said import refused, warned

X = Tensor([1.0, 2.0, 3.0])


class Affine(nn.Cell):
    """w·x + b, whose bprop returns the dict that it is given."""

    def __init__(self, gradients):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name='w')
        self.b = Parameter(Tensor([5.0]), name='b')
        self.internal_params = [self.w, self.b]
        self.gradients = gradients

    def construct(self, x):
        return self.w * x + self.b

    def bprop(self, x, out, dout):
        return (self.w * dout,), self.gradients(self, x, dout)


def weights_of(cell):
    return [g.asnumpy().tolist() for g in ms.grad(cell, None, cell.trainable_params())(Tensor([3.0]))]


# ---- 1: the dict of weights ----------------------------------------------------------------------------------------


@pytest.mark.parametrize('order', [('w', 'b'), ('b', 'w')])
def test_weights_are_matched_by_key_whatever_their_order(order):
    """MindSpore assigns by the order of the dict: w would get 100, and b 3."""
    due = {'w': lambda x, dout: x * dout, 'b': lambda x, dout: dout * 100}
    cell = Affine(lambda self, x, dout: {getattr(self, k): due[k](x, dout) for k in order})
    assert weights_of(cell) == [[3.0], [100.0]]


def test_a_missing_or_unknown_key_is_named():
    with refused(BpropCountError, 'Affine.bprop returned no gradient for the Parameter b', 'None, if it has none'):
        weights_of(Affine(lambda self, x, dout: {self.w: dout}))
    stranger = Parameter(Tensor([1.0]), name='stranger')
    with refused(BpropCountError, 'a gradient for the Parameter stranger, which is not in internal_params'):
        weights_of(Affine(lambda self, x, dout: {self.w: dout, self.b: dout, stranger: dout}))
    with refused(
        BpropCountError, 'Affine.bprop returned no gradient for the Parameter w', line='return [g.asnumpy().tolist()'
    ):
        weights_of(Affine(lambda self, x, dout: {'w': dout, 'b': dout}))


def test_internal_params_without_a_dict_is_said():
    cell = type('Plain', (Affine,), {'bprop': lambda self, x, out, dout: (dout,)})(None)
    with refused(BpropTupleError, 'Plain.bprop has internal_params (w, b)', 'return (dx,), {self.w: dw}'):
        weights_of(cell)


# ---- 2: a Parameter that a custom Cell swallows --------------------------------------------------------------------


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
    text = said.one(SwallowedParameterWarning)
    assert text.startswith('The Parameter w is used inside Swallows, whose own bprop returns no gradient for it')
    assert 'self.internal_params' in text and '{parameter: its gradient}' in text
    assert 'net(x) + net.w' in said.line
    assert dw.asnumpy().tolist() == [1.0], 'its use outside the Cell counts'


def test_a_swallowed_parameter_that_nothing_else_uses_has_no_path_either():
    net = Swallows()
    with warned() as said:
        ms.value_and_grad(net, None, net.trainable_params())(Tensor([3.0]))
    assert [w.category.__name__ for w in said.caught] == ['SwallowedParameterWarning', 'NoPathWarning']


@pytest.mark.parametrize('watched', [False, True])
@pytest.mark.parametrize('way', ['a closure', 'self', 'a number of the shape'])
def test_a_differentiated_tensor_that_construct_uses_and_that_is_no_input_is_named(way, watched):
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

    with warned() as said:
        if watched:
            with ms.Tape():
                ms.grad(f)(Tensor([1.0, 2.0, 3.0]))
        else:
            ms.grad(f)(Tensor([1.0, 2.0, 3.0]))
    text = said.one(CapturedValueWarning)
    assert text.startswith('construct of Scale uses a Tensor of shape') and 'none of its inputs' in text
    assert 'Make it an input' in text and 'ops.stop_gradient' in text
    assert 'scale(x).sum()' in said.line


def test_an_input_in_two_places_and_what_construct_makes_itself_are_not_captured():
    class Twice(nn.Cell):
        def construct(self, x, pair):
            self_made = x * 2 + pair[0]
            return self_made * x + pair[1]

        def bprop(self, x, pair, out, dout):
            return dout * (4 * x + pair[0]), (dout * x, dout)

    with warned() as said:
        got = ms.grad(lambda x: Twice()(x, (x, x * 3)).sum())(Tensor([1.0, 2.0]))
    assert not said.caught
    np.testing.assert_allclose(got.asnumpy(), 4 * np.array([1, 2]) + np.array([1, 2]) + np.array([1, 2]) + 3)


@pytest.mark.parametrize('watched', [False, True])
def test_a_parameter_that_goes_in_as_an_input_is_not_swallowed(watched):
    p = Parameter(Tensor([2.0]), name='p')
    cell = returning(lambda x, y, out, dout: (dout * y, dout * x), inputs=2)
    with warned() as said:
        if watched:
            with ms.Tape():
                (dp,) = ms.grad(lambda x: cell(x, p), None, [p])(Tensor([3.0]))
        else:
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


# ---- 5: shapes -----------------------------------------------------------------------------------------------------


def test_a_gradient_of_another_shape_is_never_summed():
    """MindSpore sums a (2, 3) gradient down to (3,): [12, 14, 16]."""
    cell = returning(lambda x, out, dout: (ops.stack([x, x + 10]),), name='Bigger')
    parts = 'Bigger.bprop returned a gradient of shape (2, 3) for x, which has shape (3,)', 'its bprop: cells.py, line'
    with refused(BpropShapeError, *parts, line='ms.grad(lambda a: cell(a * 2))(X)'):
        ms.grad(lambda a: cell(a * 2))(X)
    with refused(BpropShapeError, 'shape (4,) for x, which has shape ()'):
        ms.grad(returning(lambda x, out, dout: (ops.ones((4,)),)))(Tensor(1.0))


# ---- 6: a call by keyword ------------------------------------------------------------------------------------------


def test_keywords_are_bound_by_the_signature_in_whatever_order():
    """MindSpore hands bprop (b, a) for n(y=b, x=a), and gives each the other's gradient."""
    cell = returning(lambda x, y, out, dout: (dout * y * 10, dout * x * 100), inputs=2)
    a, b = Tensor(2.0), Tensor(3.0)
    got = ms.grad(lambda a, b: cell(y=b, x=a), (0, 1))(a, b)
    assert [float(g) for g in got] == [30.0, 200.0]


# ---- 7: an error says where ----------------------------------------------------------------------------------------


def test_each_mistake_has_a_sentence_of_its_own_with_the_cell_and_how_to_write_it():
    """In MindSpore five mistakes share `Grad size should lager than forward inputs, but got 1 vs 2`."""
    mistakes = {
        'too few': (lambda x, y, out, dout: (x,), BpropCountError, 'returned 1 gradient for 2 inputs (x, y)'),
        'a bare Tensor': (lambda x, y, out, dout: x, BpropTupleError, 'returned a bare Tensor'),
        'nothing': (lambda x, y, out, dout: None, BpropTypeError, 'returned nothing'),
        'a float': (lambda x, y, out, dout: (1.0, x), BpropTypeError, 'returned a float as the gradient of x'),
    }
    sentences = set()
    for value, kind, said in mistakes.values():
        with refused(kind, f'Bad.bprop {said}', line="ms.grad(returning(value, inputs=2, name='Bad'))") as caught:
            ms.grad(returning(value, inputs=2, name='Bad'))(X, X)
        sentences.add(str(caught.value).split('\n')[0])
    assert len(sentences) == len(mistakes)


# ---- 10: too many, nested, None ------------------------------------------------------------------------------------


def test_too_many_and_nested_gradients_are_refused():
    with refused(BpropCountError, 'returned 2 gradients for 1 input (x): write `return (dx,)`'):
        ms.grad(returning(lambda x, out, dout: (x, x)))(X)
    with refused(BpropTypeError, 'returned a tuple of 1 as the gradient of x'):
        ms.grad(returning(lambda x, out, dout: ((x,),)))(X)


def test_none_is_a_declared_absence_and_the_tape_shows_it():
    cell = returning(lambda x, out, dout: (None,), name='Stops')
    with warned() as said, ms.Tape() as tape:
        got = ms.grad(lambda x: cell(x) + x * 5)(X)
    assert got.asnumpy().tolist() == [5.0, 5.0, 5.0]
    assert 'no gradient' in str(tape)
    with warned() as also:
        assert ms.grad(cell)(X).asnumpy().tolist() == [0.0, 0.0, 0.0]
        assert ms.grad(lambda x: cell(x * 2))(X).asnumpy().tolist() == [0.0, 0.0, 0.0]
    assert not said.caught and not also.caught, 'it was declared: nothing to say'


# ---- 15: one rule in both modes ------------------------------------------------------------------------------------

WRONG = {
    'shape': (lambda x, out, dout: (ops.stack([x, x]),), BpropShapeError),
    'too many': (lambda x, out, dout: (x, x), BpropCountError),
    'bare': (lambda x, out, dout: x, TypeError),
}


@pytest.mark.parametrize('what', WRONG)
@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_both_modes_refuse_the_same(what, mode):
    value, kind = WRONG[what]
    body = {'construct': lambda self, x: x * 2, 'bprop': lambda self, x, out, dout: value(x, out, dout)}
    cell = type('Bad', (nn.Cell,), body)()
    ms.set_context(mode=mode)
    try:
        with refused(kind, 'Bad.bprop'):
            ms.grad(cell)(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize('dtype', [ms.float64, ms.float16, ms.int64])
def test_both_modes_cast_to_the_inputs_dtype(dtype, mode):
    class Casts(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return ((dout * 3).astype(dtype),)

    cell = Casts()
    ms.set_context(mode=mode)
    try:
        got = [ms.grad(cell)(X * k) for k in (1, 2)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for g in got:
        assert g.dtype == ms.float32
        np.testing.assert_array_equal(g.asnumpy(), [3, 3, 3])


# ---- further rows of the table ---------------------------------------------------------------------------------------


def test_a_bprop_that_cannot_be_called_says_how_to_write_it():
    cell = type('Net', (nn.Cell,), {'construct': lambda self, x, y: x * y, 'bprop': lambda self, x, dout: (x,)})()
    with refused(BpropSignatureError, 'Net.bprop cannot be called', 'Write `def bprop(self, x, y, out, dout)`'):
        ms.grad(cell)(X, X)


def test_bprop_debug_reports_each_call_on_standard_error_and_in_a_tape(capsys):
    cell = returning(lambda x, out, dout: (dout * 2,), name='Net')
    cell.bprop_debug = True
    with ms.Tape() as tape:
        ms.grad(lambda x: cell(cell(x)))(Tensor([1.0]))
    out = capsys.readouterr()
    assert out.out == '' and out.err.count('Net.bprop(x=Tensor(') == 2 and out.err.count('returned (Tensor(') == 2
    assert str(tape).count('Net.bprop(x=Tensor(') == 2
