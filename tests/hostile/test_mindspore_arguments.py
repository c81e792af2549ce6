"""B3: arguments have MindSpore's names."""

import inspect

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.hostile.said import X, right

# ---- B3: names of arguments ----------------------------------------------------------------------------------------

M, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[[1.0, 2.0], [3.0, 4.0]]])
N = np.array([1.0, 2.0, 3.0])
LOG2 = M.asnumpy() - np.log(np.exp(M.asnumpy()).sum(1, keepdims=True))
NAMED = {
    'pow': (lambda: ops.pow(X, exponent=2), N**2),
    'sqrt': (lambda: ops.sqrt(x=X), np.sqrt(N)),
    'relu6': (lambda: ops.relu6(x=X * 3), [3, 6, 6]),
    'bmm': (lambda: ops.bmm(B, mat2=B), [[[7, 10], [15, 22]]]),
    'unstack': (lambda: ops.unstack(M, axis=1), ([1, 3], [2, 4])),
    'div': (lambda: ops.div(X, Tensor(2.0), rounding_mode='floor'), [0, 1, 1]),
    'subtract': (lambda: ops.subtract(X, X, alpha=2), -N),
    'softplus': (lambda: ops.softplus(X, beta=2), np.log1p(np.exp(2 * N)) / 2),
    'logsumexp': (lambda: ops.logsumexp(X, dim=0, keepdim=True), [np.log(np.exp(N).sum())]),
    'nll_loss': (
        lambda: ops.nll_loss(Tensor(LOG2), Tensor([0, 1], ms.int32), label_smoothing=0.1),
        -(0.9 * (LOG2[0, 0] + LOG2[1, 1]) / 2 + 0.1 * LOG2.mean(1).mean()),
    ),
    'permute': (lambda: ops.permute(M, axis=(1, 0)), [[1, 3], [2, 4]]),
    'swapdims': (lambda: ops.swapdims(M, dim0=0, dim1=1), [[1, 3], [2, 4]]),
    'true_divide': (lambda: ops.true_divide(dividend=X, divisor=X), [1, 1, 1]),
    'floor_div': (lambda: ops.floor_div(x=X, y=Tensor(2.0)), [0, 1, 1]),
    'gather': (lambda: ops.gather(X, Tensor([2]), 0, batch_dims=0), [3]),
    'relu': (lambda: ops.relu(X - 2, inplace=False), [0, 0, 1]),
    'amax': (lambda: ops.amax(X, initial=2.5, where=X < 2), 2.5),
    'Tensor.split': (lambda: X.split(split_size=2, dim=0), ([1, 2], [3])),
    'Tensor.chunk': (lambda: X.chunk(3, dim=0), ([1], [2], [3])),
    'Tensor.cumsum': (lambda: X.cumsum(dim=0), [1, 3, 6]),
    'Tensor.sub': (lambda: X.sub(X, alpha=2), -N),  # (ops.sub has no alpha)
    'Tensor.std': (lambda: X.std(dim=0), (2 / 3) ** 0.5),  # MindSpore's page says correction=1
    'Tensor.std, corrected': (lambda: X.std(dim=0, correction=1), 1.0),
    'Tensor.unsqueeze': (lambda: X.unsqueeze(dim=0), [[1, 2, 3]]),
    'Tensor.tile': (lambda: X.tile(reps=(2,)), [1, 2, 3, 1, 2, 3]),
    'Tensor.transpose': (lambda: M.transpose(dim0=0, dim1=1), [[1, 3], [2, 4]]),
    'Tensor.gather': (lambda: M.gather(1, Tensor([[1], [0]])), [[2], [3]]),
    'Tensor.bmm': (lambda: B.bmm(mat2=B), [[[7, 10], [15, 22]]]),
    'Tensor.register_hook': (lambda: X.copy().register_hook(hook=lambda g: g) and X, N),
}


@pytest.mark.parametrize('call, due', NAMED.values(), ids=NAMED)
def test_b3_arguments_have_mindspores_names(call, due):
    try:
        found = call()
    except AttributeError as error:  # what minicell does not have, it says that it does not have
        assert 'was taken out' in str(error), repr(error)
    else:
        assert right(found, due)


PUBLIC = sorted(n for n in dir(ops) if n.islower() and not n.startswith('_') and inspect.isfunction(getattr(ops, n)))


def test_b3_no_private_argument_stands_in_a_signature():
    """`up` says how many frames there are to the user's line: nobody outside gives it."""
    private = [name for name in PUBLIC if 'up' in inspect.signature(getattr(ops, name)).parameters]
    assert len(PUBLIC) > 100 and not private
