"""What minicell does without says so by name."""

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.common import initializer
from tests.messages import refused


@pytest.mark.parametrize(
    ('where', 'said', 'name'),
    [
        (ops, 'minicell.ops', 'randint'),
        (ops, 'minicell.ops', 'AvgPool'),
        (nn, 'minicell.nn', 'LIFNode'),
        (nn, 'minicell.nn', 'get_activation'),
        (initializer, 'minicell.common.initializer', 'Orthogonal'),
    ],
)
def test_a_name_that_went_says_so(where, said, name):
    with refused(AttributeError, said, f'.{name} was', 'taken out', 'minicell keeps', 'MindSpore'):
        getattr(where, name)
    assert not hasattr(where, name)


@pytest.mark.parametrize('where', [ms, ops, nn, initializer, Tensor([1.0])])
def test_a_name_that_was_never_there_is_pythons_own_error(where):
    with pytest.raises(AttributeError, match="no attribute 'addd'"):
        getattr(where, 'addd')  # noqa: B009
