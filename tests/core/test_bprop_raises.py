"""An exception inside a bprop leaves as it is, with a note that names the Cell."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import BpropSignatureError, NoRuleError, ShapeError
from tests.core.cells import LOOK, made, returning
from tests.messages import refused, tells

X = Tensor([1.0, 2.0, 3.0])
M = Tensor(np.ones((2, 3), np.float32))


class Mine(Exception):
    """The user's own."""


@pytest.mark.parametrize('kind', [Mine, TypeError, ValueError, KeyError, ZeroDivisionError])
@LOOK
def test_the_users_own_exception_leaves_unchanged_with_a_note(kind, look):
    error = kind('boom')

    def raises(*args):
        raise error

    with pytest.raises(kind) as caught, look():
        ms.grad(returning(raises, name='Explodes'))(X)
    assert caught.value is error and error.args == ('boom',)
    tells(error.__notes__[-1], 'Explodes', 'bprop')


def test_a_type_error_from_inside_bprop_is_not_called_a_signature_error():
    with refused(TypeError, 'Add', 'Tensors'):
        ms.grad(returning(lambda x, out, dout: (dout + object(),)))(X)
    with pytest.raises(TypeError, match='has no len') as caught:
        ms.grad(returning(lambda x, out, dout: (len(3),)))(X)
    assert not isinstance(caught.value, BpropSignatureError)


def test_notes_name_every_bprop_on_the_way():
    def deep(self, x, out, dout):
        raise Mine('deep')

    inner = made(lambda self, x: x * 2, deep, name='Inner')
    outer = made(lambda self, x: inner(x), lambda self, x, out, dout: (ms.grad(inner)(x),), name='Outer')
    with pytest.raises(Mine) as caught:
        ms.grad(outer)(X)
    assert [n.split()[-1] for n in caught.value.__notes__] == ['Inner.', 'Outer.']


def test_an_op_error_inside_bprop_names_op_shapes_line_and_cell():
    cell = returning(lambda x, out, dout: (dout @ M,), name='Multiplies')
    with refused(ShapeError, 'MatMul', '(3,) and (2, 3)', line='dout @ M') as caught:
        ms.grad(cell)(X)
    (note,) = caught.value.__notes__
    tells(note, 'Multiplies', 'bprop')


def test_a_rule_without_a_second_order_says_so_and_names_no_cell():
    with refused(NoRuleError, 'ReLU6Grad', 'no rule', 'second derivative') as caught:
        ms.grad(ms.grad(nn.ReLU6()))(X)
    assert not getattr(caught.value, '__notes__', [])
    assert ops.relu6(X).shape == (3,)
