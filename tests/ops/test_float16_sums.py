"""What adds up Float16 numbers computes in Float32, forward and backward."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.hostile.said import right

half = lambda value: Tensor(np.array(value, np.float16))
SUMS = {  # many small numbers, or few large ones: in Float16, the sum stands still at 2048, or is infinite
    'bias_add': (
        lambda: ms.grad(lambda b: (ops.bias_add(half(np.zeros((5000, 2))), b) * 1e-2).sum())(half([0, 0])),
        [50, 50],
    ),
    'tile': (lambda: ms.grad(lambda b: (ops.tile(b, (5000,)) * 1e-2).sum())(half([0, 0])), [50, 50]),
    'cumsum': (lambda: ops.cumsum(half(np.ones(3000)), 0)[-1], 3000),
    'the slope of cumsum': (lambda: ms.grad(lambda x: (ops.cumsum(x, 0) * 1e-3).sum())(half(np.ones(3000)))[-1], 1e-3),
    'gather': (lambda: ms.grad(lambda w: (w[Tensor([0] * 5000)] * 1e-2).sum())(half([0, 0])), [50, 0]),
    'segments': (lambda: ops.unsorted_segment_sum(half(np.ones(5000)), Tensor([0] * 5000), 1), [5000]),
    'avg_pool2d': (lambda: ops.avg_pool2d(half(np.full((1, 1, 4, 4), 6000)), 4, 4), [[[[6000]]]]),
    'LayerNorm': (lambda: nn.LayerNorm((4,), dtype=ms.float16)(half([[-1000, -500, 500, 1000]])).abs().sum(), 3.795),
    'BatchNorm1d': (lambda: nn.BatchNorm1d(1).set_train()(half([[-1000], [-500], [500], [1000]])).abs().sum(), 3.795),
    'clip_by_global_norm': (lambda: ops.clip_by_global_norm((half(np.full(300, 30)),), 1.0)[0][0], 0.05774),
    'cross_entropy': (
        lambda: ms.grad(lambda z: ops.cross_entropy(z, Tensor([0] * 70000)) * 1000)(half(np.zeros((70000, 2))))[0],
        [-7.143e-3, 7.143e-3],
    ),
    'nll_loss': (lambda: ops.nll_loss(half(np.full((70000, 2), -0.5)), Tensor([0] * 70000)), 0.5),
    'class weights': (
        lambda: ops.cross_entropy(half(np.zeros((70000, 2))), Tensor([0] * 70000), half([1.0, 2.0])),
        0.6931,
    ),
}


@pytest.mark.parametrize(('program', 'due'), SUMS.values(), ids=SUMS)
def test_what_adds_up_float16_computes_in_float32(program, due):
    got = program()
    assert got.dtype is ms.float16 and right(got, due, near=2e-3), got
