"""Pieces of Tensors, names for shapes, conversions: what they refuse, and what Tensor has of them."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ('call', 'kind', 'says'),
    [
        (lambda: ops.split(X, 0), ValueError, 'a piece has a length of at least 1, but got 0'),
        (lambda: ops.split(X, (1, 2)), ValueError, r'lengths of \(1, 2\) do not add up to 2'),
        (lambda: ops.split(X, 1, 5), ValueError, 'Split: shapes .*there is no axis 5'),
        (lambda: ops.chunk(X, 0), ValueError, 'there is at least 1 piece'),
        (lambda: ops.tile(X, 2), TypeError, 'dims is a tuple, but got an int'),
        (lambda: ops.tile(X, (-1,)), ValueError, 'numbers of at least 0'),
        (lambda: ops.cumsum(X, 5), ValueError, 'CumSum: shapes .*there is no axis 5'),
        (lambda: ops.triu(X[0]), ValueError, 'Triu takes a Tensor of at least two axes'),
        (lambda: ops.mm(X, X[0]), ValueError, 'mm takes two matrices'),
        (lambda: ops.concat(X), TypeError, 'Concat takes a tuple or list of Tensors, but got a Tensor'),
        (lambda: ops.stack((X, 1.0)), TypeError, 'Stack takes a Tensor, but got a float'),
        (lambda: ops.logsumexp(Tensor([1]), 0), TypeError, 'LogSumExp works on floats'),
        (lambda: ops.cast([1], ms.int32), TypeError, 'Cast takes a Tensor, but got a list'),
        (lambda: ops.sum(X, 1.0), TypeError, 'an axis is an int, or a tuple of them, but got 1.0'),
        (lambda: ops.zeros('a'), TypeError, "a shape is an int, or a tuple or list of them, but got 'a'"),
        (lambda: ops.arange(3, 0), ValueError, 'a step of 1 does not lead from 3 to 0'),
        (lambda: ops.arange(0, 3, 0), ValueError, 'a step of 0 does not lead'),
        (lambda: ops.gelu(Tensor([1])), TypeError, 'GeLU works on floats'),
        (lambda: ops.gelu(X, 'x'), ValueError, "approximate is 'none' or 'tanh'"),
        (lambda: ops.expand_dims(X, (0, 1)), TypeError, 'the axis is an int'),
        (lambda: ops.flatten(X, 1), TypeError, "order is 'C' or 'F', but got an int"),
        (lambda: Tensor.from_numpy([1]), TypeError, 'from_numpy takes a NumPy array, but got a list'),
        (lambda: Tensor([1, 2], ms.uint8) + 300, TypeError, r'Add: 300 is no UInt8: write x.astype\(minicell.int64\)'),
        (lambda: ops.std(Tensor(1.0), 0), ValueError, r'var: there is no axis 0 in shape \(\)'),
    ],
)
def test_what_is_refused(call, kind, says):
    with pytest.raises(kind, match=rf'(?s){says}.*your line: test_pieces'):
        call()


@pytest.mark.parametrize(
    'name', ['sin', 'abs', 'relu', 'isnan', 'sum', 'mean', 'prod', 'any', 'max', 'softmax', 'zeros_like']
)
@pytest.mark.parametrize('value', [1.5, [1.0], None])
def test_ops_of_one_tensor_take_a_tensor(name, value):
    with pytest.raises(
        TypeError, match=r'(?s)takes a Tensor, but got an? (float|list|NoneType).*your line: test_pieces'
    ):
        getattr(ops, name)(value)


def test_a_dtype_is_a_dtype_but_astype_takes_names():
    for call in (lambda d: ops.cast(X, d), lambda d: ops.zeros((1,), d), lambda d: ops.fill(d, (1,), 1)):
        for bad in ('float32', np.float32, float):
            with pytest.raises(TypeError, match='is not a dtype: use one of'):
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
    assert [t.dtype for t in (X.half(), X.float(), X.double(), X.int(), X.long(), X.bool())] == [
        ms.float16,
        ms.float32,
        ms.float64,
        ms.int32,
        ms.int64,
        ms.bool_,
    ]
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
    assert ops.linspace(0, 1, 3).tolist() == [0, 0.5, 1] and ops.full_like(Tensor([1, 2]), 3).tolist() == [3, 3]
    assert ops.stop_gradient((X, 2.0))[1] == 2.0 and ops.stop_gradient(None) is None


def test_primitives_print_as_mindspores():
    assert repr(ops.Add()) == 'Prim[Add]'
    assert repr(ops.ReduceSum(True)) == 'Prim[ReduceSum]<keep_dims=True, skip_mode=False>'
    assert repr(ops.MatMul(transpose_b=True)) == 'Prim[MatMul]<transpose_a=False, transpose_b=True>'
    assert repr(ops.Softmax()) == 'Prim[Softmax]<axis=(-1,)>' and repr(ops.LogSoftmax(1)) == 'Prim[LogSoftmax]<axis=1>'


def test_primitives_of_reductions():
    flags = Tensor([[True, False], [True, True]])
    assert ops.ReduceMax()(X, 1).tolist() == [3, 6] and ops.ReduceMin(keep_dims=True)(X).shape == (1, 1)
    assert ops.ReduceProd()(X).item() == 720
    assert ops.ReduceAll()(flags, 0).tolist() == [True, False] and ops.ReduceAny()(flags).item()
    assert ops.operations is ops.functional is ops


def test_the_axis_of_a_primitive_is_an_int():
    with pytest.raises(TypeError, match=r"For 'Softmax', 'axis' is an int, but got a str"):
        ops.Softmax('a')
