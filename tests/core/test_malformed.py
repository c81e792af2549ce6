"""A malformed bprop is refused in one sentence: the Cell's name, what came, what was due, how to write it, the line."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import (
    BpropCountError,
    BpropShapeError,
    BpropSignatureError,
    BpropTupleError,
    BpropTypeError,
    DTypeError,
    MinicellError,
)
from tests.core.cells import Scale, returning

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
M = Tensor(np.ones((2, 3), np.float32))


def wrong(value, inputs=1, arguments=None):
    arguments = arguments or (X, Y, X)[:inputs]
    return lambda: ms.grad(returning(value, inputs))(*arguments)


# name -> (call, class, what the message says)
MALFORMED = {
    'nothing returned': (
        wrong(lambda x, out, dout: None),
        BpropTypeError,
        r'Bad\.bprop returned nothing\. End it with `return \(dx,\)`: one gradient per input\.',
    ),
    'nothing for two': (wrong(lambda *a: None, 2), BpropTypeError, 'returned nothing.*`return dx, dy`'),
    'too few': (
        wrong(lambda x, y, out, dout: (dout,), 2),
        BpropCountError,
        r'Bad\.bprop returned 1 gradient for 2 inputs \(x, y\): write `return dx, dy`, with None for an input that has',
    ),
    'too many': (
        wrong(lambda x, out, dout: (dout, dout)),
        BpropCountError,
        r'returned 2 gradients for 1 input \(x\): write `return \(dx,\)`',
    ),
    'too many, three for two': (
        wrong(lambda x, y, out, dout: (dout, dout, dout), 2),
        BpropCountError,
        r'returned 3 gradients for 2 inputs \(x, y\)',
    ),
    'an empty tuple': (wrong(lambda *a: ()), BpropCountError, r'returned 0 gradients for 1 input \(x\)'),
    'a list of the wrong length': (wrong(lambda *a: [a[-1]] * 2), BpropCountError, 'returned 2 gradients for 1 input'),
    'a bare Tensor for one': (
        wrong(lambda x, out, dout: dout),
        BpropTupleError,
        r'returned a bare Tensor, but a tuple is due, one gradient per input: write `return \(dx,\)`',
    ),
    'a bare Tensor for two': (
        wrong(lambda x, y, out, dout: dout, 2),
        BpropTupleError,
        'returned a bare Tensor, but a tuple is due.*`return dx, dy`',
    ),
    'a dict': (wrong(lambda x, out, dout: {'x': dout}), BpropTupleError, 'returned a dict, but a tuple is due'),
    'a number': (wrong(lambda *a: 1.0), BpropTupleError, 'returned a float, but a tuple is due'),
    'a generator': (wrong(lambda *a: (d for d in (a[-1],))), BpropTupleError, 'returned a generator, but a tuple'),
    'a nested tuple': (
        wrong(lambda x, out, dout: ((dout,),)),
        BpropTypeError,
        r'returned a tuple of 1 as the gradient of x: a Tensor is due \(or None\)',
    ),
    'a float in the tuple': (wrong(lambda *a: (1.0,)), BpropTypeError, 'returned a float as the gradient of x'),
    'a string in the tuple': (wrong(lambda *a: ('dx',)), BpropTypeError, 'returned a str as the gradient of x'),
    'an array in the tuple': (
        wrong(lambda *a: (a[-1].asnumpy(),)),
        BpropTypeError,
        'returned a ndarray as the gradient of x: a Tensor is due',
    ),
    'a smaller shape': (
        wrong(lambda *a: (Tensor([1.0]),)),
        BpropShapeError,
        r'returned a gradient of shape \(1,\) for x, which has shape \(3,\)\. A gradient has the shape of its input; '
        r'it is never summed or broadcast into place\. Write ops\.broadcast_to\(\.\.\., \(3,\)\) if that is meant\.',
    ),
    'a scalar': (wrong(lambda *a: (a[-1].sum(),)), BpropShapeError, r'shape \(\) for x, which has shape \(3,\)'),
    'a bigger shape': (
        wrong(lambda *a: (M,)),
        BpropShapeError,
        r'shape \(2, 3\) for x, which has shape \(3,\).*Write \.sum\(0\) if the sum is meant\.',
    ),
    'a shape bigger by two axes': (
        wrong(lambda *a: (M.reshape(1, 2, 3),)),
        BpropShapeError,
        r'Write \.sum\(\(0, 1\)\) if the sum is meant\.',
    ),
    'transposed': (
        wrong(lambda *a: (a[-1].T,), arguments=(M,)),
        BpropShapeError,
        r'shape \(3, 2\) for x, which has shape \(2, 3\).*It looks transposed: try \.T\.',
    ),
    'another shape': (wrong(lambda *a: (Tensor([1.0, 2.0]),)), BpropShapeError, r'shape \(2,\) for x'),
    'the second input, wrong shape': (
        wrong(lambda x, y, out, dout: (dout, dout.sum()), 2),
        BpropShapeError,
        r'shape \(\) for y, which has shape \(3,\)',
    ),
    'bool': (
        wrong(lambda x, out, dout: (x > 0,)),
        DTypeError,
        r'returned a Bool Tensor as the gradient of x: write \.astype\(x\.dtype\) if that is meant\.',
    ),
    'too few parameters': (
        lambda: ms.grad(
            type('Bad', (nn.Cell,), {'construct': lambda self, x: x, 'bprop': lambda self, x, dout: (dout,)})()
        )(X),
        BpropSignatureError,
        r'cannot be called: .*positional arguments.*Write `def bprop\(self, x, out, dout\)`',
    ),
    'too many parameters': (
        lambda: ms.grad(
            type('Bad', (nn.Cell,), {'construct': lambda self, x: x, 'bprop': lambda self, x, y, out, dout: (dout,)})()
        )(X),
        BpropSignatureError,
        r'cannot be called: .*Write `def bprop\(self, x, out, dout\)`',
    ),
}


@pytest.mark.parametrize('name', MALFORMED)
@pytest.mark.parametrize('watched', [False, True])
@pytest.mark.parametrize('order', [1, 2])
def test_a_malformed_bprop(name, watched, order):
    """The same sentence at every order, with and without a Tape, and the next gradient is clean."""
    call, error, says = MALFORMED[name]
    run = call if order == 1 else (lambda: ms.grad(lambda z: z * call().sum())(Tensor(1.0)))
    with pytest.raises(error, match=rf'(?s){says}') as caught:
        if watched:
            with ms.Tape() as tape:
                run()
        else:
            run()
    said = str(caught.value)
    assert said.startswith('Bad.bprop ')
    assert 'its bprop: ' in said and 'your line: ' in said and 'test_malformed.py, line' in said
    assert isinstance(caught.value, MinicellError)
    if watched:
        assert tape.error is caught.value
        assert 'Bad.bprop ' in str(tape).splitlines()[-1] + ''.join(str(tape).splitlines()[-3:])
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


@pytest.mark.parametrize(
    ('name', 'mindspores'),
    [
        ('nothing returned', TypeError),
        ('too few', RuntimeError),
        ('a bare Tensor for two', RuntimeError),
        ('a bare Tensor for one', TypeError),
        ('a smaller shape', RuntimeError),
        ('a string in the tuple', TypeError),
        ('an array in the tuple', TypeError),
        ('an empty tuple', RuntimeError),
        ('too few parameters', TypeError),
    ],
)
def test_it_is_also_the_class_that_mindspore_raises(name, mindspores):
    with pytest.raises(mindspores):
        MALFORMED[name][0]()


def test_the_place_of_the_bprop_is_its_own_file_and_line():
    import inspect

    class Here(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return dout

    with pytest.raises(BpropTupleError) as caught:
        ms.grad(Here())(X)
    line = inspect.getsourcelines(Here.bprop)[1]
    assert f'its bprop: test_malformed.py, line {line}' in str(caught.value)


def test_a_static_bprop_is_placed_too():
    class Static(nn.Cell):
        def construct(self, x):
            return x

        @staticmethod
        def bprop(x, out, dout):
            return dout

    with pytest.raises(BpropTupleError, match=r'Static\.bprop returned a bare Tensor.*'):
        ms.grad(Static())(X)


# ---- internal_params ---------------------------------------------------------------------------------------------


def scale_returning(value):
    class Bad(Scale):
        def bprop(self, x, out, dout):
            return value(self, x, dout)

    return Bad()


@pytest.mark.parametrize(
    ('value', 'error', 'says'),
    [
        (
            lambda s, x, d: (d * s.w,),
            BpropTupleError,
            r'has internal_params \(w\), so it returns a tuple and a dict, as in `return \(dx,\), \{self\.w: dw\}`, '
            'but it returned a tuple of 1',
        ),
        (lambda s, x, d: None, BpropTupleError, 'but it returned nothing'),
        (lambda s, x, d: (d, d), BpropTupleError, 'returns a tuple and a dict'),
        (lambda s, x, d: ({s.w: d.sum()}, (d,)), BpropTupleError, 'returns a tuple and a dict'),
        (lambda s, x, d: ((d,), (d.sum(),)), BpropTupleError, 'returns a tuple and a dict'),
        (lambda s, x, d: ((d,), {}), BpropCountError, 'returned no gradient for the Parameter w of internal_params'),
        (
            lambda s, x, d: ((d,), {'w': d.sum()}),
            BpropCountError,
            'returned no gradient for the Parameter w of internal_params: the dict needs a key for it',
        ),
        (
            lambda s, x, d: ((d,), {s.w: d.sum(), ms.Parameter(1.0, 'u'): d}),
            BpropCountError,
            'returned a gradient for the Parameter u, which is not in internal_params',
        ),
        (lambda s, x, d: (d, {s.w: d.sum()}), BpropTupleError, 'returned a bare Tensor, but a tuple is due'),
        (lambda s, x, d: ((), {s.w: d.sum()}), BpropCountError, r'returned 0 gradients for 1 input \(x\)'),
        (
            lambda s, x, d: ((d,), {s.w: d}),
            BpropShapeError,
            r'returned a gradient of shape \(3,\) for w, which has shape \(\).*Write \.sum\(0\) if the sum is meant',
        ),
        (lambda s, x, d: ((d,), {s.w: 1.0}), BpropTypeError, 'returned a float as the gradient of w'),
        (lambda s, x, d: ((d,), {s.w: d.sum() > 0}), DTypeError, 'returned a Bool Tensor as the gradient of w'),
    ],
)
def test_a_malformed_answer_for_internal_params(value, error, says):
    with pytest.raises(error, match=rf'(?s)Bad\.bprop .*{says}'):
        ms.grad(scale_returning(value))(X)


@pytest.mark.parametrize(
    ('internal', 'says'),
    [
        (lambda w: w, 'internal_params'),
        (lambda w: ['w'], 'internal_params'),
        (lambda w: [Tensor(1.0)], 'internal_params'),
    ],
    ids=['a bare Parameter', 'a name', 'a Tensor'],
)
def test_internal_params_that_are_no_list_of_parameters(internal, says):
    """MindSpore ignores them in silence: the weight would never train."""
    cell = Scale()
    with pytest.raises(TypeError, match=rf'(?s)Scale.*{says}.*your line: test_malformed'):
        cell.internal_params = internal(cell.w)


# ---- a bprop that raises -----------------------------------------------------------------------------------------


class Mine(Exception):
    """The user's own."""


@pytest.mark.parametrize('error', [Mine('exactly this'), TypeError('exactly this'), ValueError('exactly this')])
@pytest.mark.parametrize('watched', [False, True])
def test_the_users_own_exception_leaves_unchanged_with_a_note(error, watched):
    def raises(*args):
        raise error

    cell = returning(raises, name='Explodes')
    with pytest.raises(type(error)) as caught:
        if watched:
            with ms.Tape():
                ms.grad(cell)(X)
        else:
            ms.grad(cell)(X)
    assert caught.value is error
    assert str(error) == 'exactly this'
    assert error.__notes__[-1] == 'This came from the bprop of the Cell Explodes.'
    error.__notes__.clear()


def test_a_type_error_from_inside_bprop_is_not_called_a_signature_error():
    cell = returning(lambda x, out, dout: (dout + object(),))
    with pytest.raises(TypeError, match='Add takes Tensors and numbers'):
        ms.grad(cell)(X)
    cell = returning(lambda x, out, dout: (len(3),))
    with pytest.raises(TypeError, match='has no len') as caught:
        ms.grad(cell)(X)
    assert not isinstance(caught.value, BpropSignatureError)


def test_notes_name_every_bprop_on_the_way():
    class Inner(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            raise Mine('deep')

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            return self.inner(x)

        def bprop(self, x, out, dout):
            return (ms.grad(self.inner)(x),)

    with pytest.raises(Mine) as caught:
        ms.grad(Outer())(X)
    assert [n.split()[-1] for n in caught.value.__notes__] == ['Inner.', 'Outer.']


def test_an_op_error_inside_bprop_names_op_shapes_line_and_cell():
    cell = returning(lambda x, out, dout: (dout @ M,), name='Multiplies')
    with pytest.raises(
        ValueError, match=r'(?s)MatMul: shapes \(3,\) and \(2, 3\).*your line: test_malformed'
    ) as caught:
        ms.grad(cell)(X)
    assert caught.value.__notes__ == ['This came from the bprop of the Cell Multiplies.']


def test_the_first_order_rule_without_a_second_says_so_and_names_no_cell():
    with pytest.raises(RuntimeError, match='ReLU6Grad') as caught:
        ms.grad(ms.grad(nn.ReLU6()))(X)
    assert not getattr(caught.value, '__notes__', [])
    assert ops.relu6(X).shape == (3,)
