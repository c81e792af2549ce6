"""Pieces of Tensors, names for shapes, conversions: what they refuse, and what Tensor has of them."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.messages import refused, tells

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ('call', 'kind', 'facts'),
    [
        (lambda: ops.split(X, 0), ValueError, ('a length', 'at least 1', 'got 0')),
        (lambda: ops.split(X, (1, 2)), ValueError, ((1, 2), 'up to 2')),
        (lambda: ops.split(X, 1, 5), ValueError, ('Split: shapes', 'no axis 5')),
        (lambda: ops.chunk(X, 0), ValueError, ('at least 1',)),
        (lambda: ops.tile(X, 2), TypeError, ('dims', 'a tuple', 'an int')),
        (lambda: ops.tile(X, (-1,)), ValueError, ('at least 0',)),
        (lambda: ops.cumsum(X, 5), ValueError, ('CumSum: shapes', 'no axis 5')),
        (lambda: ops.triu(X[0]), ValueError, ('Triu', 'two axes')),
        (lambda: ops.mm(X, X[0]), ValueError, ('mm', 'two matrices')),
        (lambda: ops.concat(X), TypeError, ('Concat', 'a tuple', 'got a Tensor')),
        (lambda: ops.stack((X, 1.0)), TypeError, ('Stack', 'a Tensor', 'a float')),
        (lambda: ops.logsumexp(Tensor([1]), 0), TypeError, ('LogSumExp', 'floats')),
        (lambda: ops.cast([1], ms.int32), TypeError, ('Cast', 'a Tensor', 'a list')),
        (lambda: ops.sum(X, 1.0), TypeError, ('an axis', 'an int', 'got 1.0')),
        (lambda: ops.zeros('a'), TypeError, ('a shape', 'an int', "got 'a'")),
        (lambda: ops.arange(3, 0), ValueError, ('step of 1', '3 to 0')),
        (lambda: ops.arange(0, 3, 0), ValueError, ('step of 0',)),
        (lambda: ops.gelu(Tensor([1])), TypeError, ('GeLU', 'floats')),
        (lambda: ops.gelu(X, 'x'), ValueError, ('approximate', "'none'", "'tanh'")),
        (lambda: ops.expand_dims(X, (0, 1)), TypeError, ('the axis', 'an int')),
        (lambda: ops.flatten(X, 1), TypeError, ('order', "'C' or 'F'", 'an int')),
        (lambda: Tensor.from_numpy([1]), TypeError, ('from_numpy', 'NumPy array', 'a list')),
        (lambda: Tensor([1, 2], ms.uint8) + 300, TypeError, ('Add: 300', 'no UInt8', '.astype(minicell.int64)')),
        (lambda: ops.std(Tensor(1.0), 0), ValueError, ('var', 'no axis 0', 'shape ()')),
    ],
)
def test_what_is_refused(call, kind, facts):
    with refused(kind, *facts, line='(lambda: '):
        call()


@pytest.mark.parametrize(
    'name', ['sin', 'abs', 'relu', 'isnan', 'sum', 'mean', 'prod', 'any', 'max', 'softmax', 'zeros_like']
)
@pytest.mark.parametrize('value', [1.5, [1.0], None], ids=['float', 'list', 'None'])
def test_ops_of_one_tensor_take_a_tensor(name, value):
    with refused(TypeError, 'a Tensor', f'a {type(value).__name__}', line='getattr(ops, name)(value)'):
        getattr(ops, name)(value)


def test_a_dtype_is_a_dtype_but_astype_takes_names():
    for call in (lambda d: ops.cast(X, d), lambda d: ops.zeros((1,), d), lambda d: ops.fill(d, (1,), 1)):
        for bad in ('float32', np.float32, float):
            with refused(TypeError, 'not a dtype', keep=bad == 'float32'):
                call(bad)
    assert X.astype('int32').dtype == ms.int32 and X.astype(float).dtype == ms.float64
    assert ops.cast(2.5, ms.int32).item() == 2


def test_names_of_arguments_are_mindspores():
    y = ops.add(input=X, other=X)
    assert y.tolist() == ops.mul(input=X, other=2).tolist() and ops.abs(input=-X).tolist() == X.tolist()
    assert ops.sum(X, dim=1, keepdim=True).shape == X.sum(axis=1, keepdims=True).shape == (2, 1)
    assert ops.mean(x=X, axis=1, keep_dims=True).shape == X.mean(dim=1, keepdim=True).shape == (2, 1)
    assert ops.argmax(X, dim=1, keepdim=True).shape == X.argmax(axis=1, keepdims=True).shape == (2, 1)
    assert ops.prod(X, 1, True).shape == X.prod(dim=1, keepdim=True).shape == (2, 1)
    assert ops.reshape(input=X, shape=(6,)).shape == X.reshape(shape=(6,)).shape == (6,)
    assert ops.transpose(input=X, dims=(1, 0)).shape == (3, 2) and ops.expand_dims(input_x=X, axis=0).shape == (1, 2, 3)
    assert ops.ones(shape=(2,)).shape == ops.clamp(X, min=0.0)[0, :2].shape == (2,)
    assert ops.softmax(Tensor([1, 2]), dtype=ms.float32).dtype == X.sum(dtype=ms.float32).dtype == ms.float32


def test_sums_and_products_of_a_number_and_of_integers():
    one = Tensor(2.5)
    for reduce in (ops.sum, ops.mean, ops.prod, ops.amax):
        assert reduce(one, 0).item() == reduce(one, -1).item() == 2.5
    assert ops.any(one, 0).item() and ops.all(one, (0,)).item()
    assert ops.prod(Tensor([2, 3], ms.int32)).dtype == ops.prod(Tensor([True])).dtype == ms.int64
    assert ops.prod(Tensor([2, 3]), dtype=ms.float32).dtype == ms.float32
    assert ops.sum(Tensor([1.5, 1.5]), dtype=ms.int32).dtype == ms.int32
    assert ops.sqrt(Tensor([4])).tolist() == [2] and (Tensor([1, 2], ms.uint8) / 300).dtype == ms.float32
    assert (Tensor([200], ms.uint8) / 300).item() == pytest.approx(2 / 3)


def test_what_a_tensor_says_of_itself():
    assert (X.itemsize, X.nbytes, X.strides, X.dim(), X.numel()) == (4, 24, (12, 4), 2, 6)
    assert (ops.shape(X), ops.size(X)) == ((2, 3), 6)
    assert X.is_floating_point() and not Tensor([1]).is_floating_point()
    dtypes = [ms.float16, ms.float32, ms.float64, ms.int32, ms.int64, ms.bool_]
    assert [t.dtype for t in (X.half(), X.float(), X.double(), X.int(), X.long(), X.bool())] == dtypes
    assert 2.0 in X and 7.0 not in X and round(Tensor([1.4])).tolist() == [1] and (+X).tolist() == X.tolist()


def test_a_copy_is_new_memory_and_passes_a_gradient():
    y = X.copy()
    y[0] = 0.0
    assert X[0, 0].item() == 1 and ms.grad(lambda x: (x.copy() * x).sum())(Tensor([3.0])).item() == 6


def test_shapes_as_methods():
    assert X.view(3, 2).shape == X.transpose(0, 1).shape == X.t().shape == (3, 2)
    assert X.transpose((0, 1)).shape == (2, 3)  # one by one, two axes change places
    assert X[0].broadcast_to(2, -1).shape == X[0].broadcast_to((2, 3)).shape == (2, 3)
    assert ops.broadcast_to(X[0], (2, -1)).shape == (2, 3)
    assert X.unsqueeze(0).shape == (1, 2, 3) and X.cumsum().tolist()[-1] == 21
    assert Tensor([True, False, True]).cumsum(0).tolist() == [1, 1, 2]
    empty = ops.zeros((0, 3))
    assert [[t.shape for t in pieces] for pieces in (ops.chunk(empty, 2), ops.split(empty, 1))] == [[(0, 3)]] * 2
    assert ops.linspace(0, 1, 3).tolist() == [0, 0.5, 1] and ops.full_like(Tensor([1, 2]), 3).tolist() == [3, 3]
    assert ops.stop_gradient((X, 2.0))[1] == 2.0 and ops.stop_gradient(None) is None


def test_primitives_print_as_mindspores():
    assert repr(ops.Add()) == 'Prim[Add]'
    tells(repr(ops.ReduceSum(True)), 'Prim[ReduceSum]<', 'keep_dims=True', 'skip_mode=False>')
    tells(repr(ops.MatMul(transpose_b=True)), 'Prim[MatMul]<', 'transpose_a=False', 'transpose_b=True>')
    assert repr(ops.Softmax()) == 'Prim[Softmax]<axis=(-1,)>' and repr(ops.LogSoftmax(1)) == 'Prim[LogSoftmax]<axis=1>'


def test_primitives_of_reductions():
    flags = Tensor([[True, False], [True, True]])
    assert ops.ReduceMax()(X, 1).tolist() == [3, 6] and ops.ReduceMin(keep_dims=True)(X).shape == (1, 1)
    assert ops.ReduceProd()(X).item() == 720
    assert ops.ReduceAll()(flags, 0).tolist() == [True, False] and ops.ReduceAny()(flags).item()
    assert ops.operations is ops.functional is ops


def test_the_axis_of_a_primitive_is_an_int():
    with refused(TypeError, "'Softmax'", "'axis'", 'an int', 'a str'):
        ops.Softmax('a')
