"""How much is tried: a sample on each push, thousands at night, by one and the same test.

MINICELL_FUZZ=20000 tries ten times as much at night. A test that takes `many` is run with both numbers.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

FULL = int(os.environ.get('MINICELL_FUZZ', 2000))
ALL = pytest.param(FULL, id='all', marks=pytest.mark.nightly)
DEPTHS = pytest.mark.parametrize('many', [pytest.param(10, id='some', marks=pytest.mark.slow), ALL])


def examples(many: float) -> settings:
    """So many examples, on top of the profile of all tests; the sample is the same in each run."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=max(10, round(many)), derandomize=many <= 10, suppress_health_check=slow)
