"""Learning rates of MindSpore's schedules: the numbers were run on both."""

import pytest

from minicell import nn
from tests.messages import refused


@pytest.mark.parametrize(
    ('rates', 'due'),
    [
        (nn.piecewise_constant_lr([2, 5, 6], [0.1, 0.05, 0.01]), [0.1, 0.1, 0.05, 0.05, 0.05, 0.01]),
        (nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1), [0.1, 0.1, 0.09, 0.09, 0.081, 0.081]),
        (nn.exponential_decay_lr(0.1, 0.9, 5, 1, 2, True), [0.1, 0.1, 0.09, 0.09, 0.081]),
        (nn.cosine_decay_lr(0.01, 0.1, 4, 1, 2), [0.1, 0.055, 0.01, 0.01]),
        (nn.warmup_lr(0.1, 4, 1, 2), [0.0, 0.05, 0.1, 0.1]),
    ],
)
def test_rates(rates, due):
    assert rates == pytest.approx(due)


@pytest.mark.parametrize(
    ('make', 'kind', 'facts'),
    [
        (lambda: nn.exponential_decay_lr(-0.1, 0.9, 6, 2, 1), ValueError, ("'learning_rate'", 'above 0.0')),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 0, 2, 1), ValueError, ("'total_step'", 'at least 1')),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 6.0, 2, 1), TypeError, ("'total_step'", 'an int')),
        (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.05]), ValueError, ('rising steps', 'a rate')),
        (lambda: nn.cosine_decay_lr(0.1, 0.01, 6, 2, 2), ValueError, ("'max_lr'", "'min_lr'")),
    ],
)
def test_settings_that_do_not_fit(make, kind, facts):
    with refused(kind, *facts, line='(lambda: nn.'):
        make()
