"""Random Tensors: their shapes and dtypes, where they lie, and what makes them come again."""

import numpy as np
import pytest

import minicell as ms
from minicell import ops


def test_shapes_and_dtypes():
    for made, shape, dtype in [
        (ops.rand(2, 3), (2, 3), ms.float32),
        (ops.rand((2,), dtype=ms.float64), (2,), ms.float64),
        (ops.randn([2, 1]), (2, 1), ms.float32),
        (ops.randn(), (1,), ms.float32),
        (ops.standard_normal((4,)), (4,), ms.float32),
        (ops.randint(0, 5, (3,)), (3,), ms.int64),
        (ops.randint(0, 5, (3,), dtype=ms.int32), (3,), ms.int32),
    ]:
        assert (made.shape, made.dtype) == (shape, dtype)


def test_where_they_lie():
    ms.set_seed(0)
    uniform, normal, whole = ops.rand(4000).numpy(), ops.randn(4000).numpy(), ops.randint(2, 5, (4000,)).numpy()
    assert 0 <= uniform.min() < 0.01 and 0.99 < uniform.max() < 1
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1 and set(np.unique(whole)) == {2, 3, 4}


def test_a_seed_makes_them_come_again():
    ms.set_seed(3)
    first = ops.randn(3).tolist()
    assert first != ops.randn(3).tolist()
    ms.set_seed(3)
    assert ops.randn(3).tolist() == first
    assert ops.rand(3, seed=1).tolist() == ops.rand(3, seed=1).tolist() != ops.rand(3, seed=2).tolist()


@pytest.mark.parametrize(
    ('make', 'kind', 'says'),
    [
        (lambda: ops.randn('a'), TypeError, "a shape is an int, or a tuple or list of them, but got 'a'"),
        (lambda: ops.rand(2, dtype=ms.int32), ValueError, 'rand takes lengths of at least 0 and a float dtype'),
        (lambda: ops.randn(-1), ValueError, 'randn takes lengths of at least 0'),
        (lambda: ops.randint(5, 0, (3,)), ValueError, 'no integer is at least 5 and below 0'),
    ],
)
def test_what_is_refused(make, kind, says):
    with pytest.raises(kind, match=rf'(?s){says}.*your line: test_random'):
        make()
