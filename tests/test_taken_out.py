"""What minicell does without says so by name."""

from operator import attrgetter

import pytest

import minicell as ms
from minicell.common import initializer  # noqa: F401 (loaded)
from tests.messages import refused

GONE = 'ops.randint', 'ops.AvgPool', 'nn.LIFNode', 'nn.get_activation', 'common.initializer.Orthogonal'


@pytest.mark.parametrize('name', GONE)
def test_a_name_that_went_says_so(name):
    where, _, last = name.rpartition('.')
    with refused(AttributeError, f'minicell.{where}', f'.{last} was', 'taken out', 'minicell keeps', 'MindSpore'):
        attrgetter(name)(ms)
    assert not hasattr(attrgetter(where)(ms), last)


@pytest.mark.parametrize('where', ['ops', 'nn', 'common.initializer', 'Tensor'])
def test_a_name_that_was_never_there_is_pythons_own_error(where):
    with pytest.raises(AttributeError, match="no attribute 'addd'"):
        attrgetter(f'{where}.addd')(ms)
