"""Random Tensors: their shapes and dtypes, where they lie, and what makes them come again."""

import pytest

import minicell as ms
from minicell import ops
from tests.messages import refused


def test_shapes_and_dtypes():
    for made, shape, dtype in [
        (ops.randn(2, 3), (2, 3), ms.float32),
        (ops.randn((2,), dtype=ms.float64), (2,), ms.float64),
        (ops.randn([2, 1]), (2, 1), ms.float32),
        (ops.randn(), (1,), ms.float32),
    ]:
        assert (made.shape, made.dtype) == (shape, dtype)


def test_where_they_lie():
    ms.set_seed(0)
    normal = ops.randn(4000).numpy()
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1


def test_a_seed_makes_them_come_again():
    ms.set_seed(3)
    first = ops.randn(3).tolist()
    assert first != ops.randn(3).tolist()
    ms.set_seed(3)
    assert ops.randn(3).tolist() == first
    assert ops.randn(3, seed=1).tolist() == ops.randn(3, seed=1).tolist() != ops.randn(3, seed=2).tolist()


@pytest.mark.parametrize(
    ('make', 'kind', 'facts'),
    [
        (lambda: ops.randn('a'), TypeError, ('a shape', 'an int', "got 'a'")),
        (lambda: ops.randn(2, dtype=ms.int32), ValueError, ('randn', 'a float dtype')),
        (lambda: ops.randn(-1), ValueError, ('randn', 'at least 0')),
    ],
    ids=['shape', 'dtype', 'length'],
)
def test_what_is_refused(make, kind, facts):
    with refused(kind, *facts, line='(lambda: ops.randn('):
        make()
