"""Settings for all tests, and the four tiers that they come in."""

import linecache
import os
import random
from collections import Counter

import hypothesis
import numpy as np
import pytest

# before anything imports pyplot: no test opens a window
os.environ['MPLBACKEND'] = 'Agg'
# what a picture cannot follow is raised, in processes that a test starts too
os.environ['MINICELL_RAISES'] = '1'

# Python 3.13 takes what a process of pytest-xdist was started with for the source of all code without a file.
linecache.cache.pop('<string>', None)

# A busy machine is no failure, and a run on CI is the same as the last one; elsewhere each run tries new examples.
hypothesis.settings.register_profile('here', deadline=None)
hypothesis.settings.register_profile('ci', deadline=None, derandomize=True)
hypothesis.settings.load_profile('ci' if os.environ.get('CI') else 'here')

# what runs unless told otherwise has no marker; a test has one tier
TIERS = {
    'slow': 'python -m pytest -m slow',
    'browser': 'python -m pytest -m browser',
    'nightly': 'bash .ci/run nightly',
}
DEFAULT = f'not ({" or ".join(TIERS)})'
left_out: Counter[str] = Counter()


def tier(item: pytest.Item) -> str:
    """The tier of a test; the default one has no name."""
    mine = {mark.name for mark in item.iter_markers()} & TIERS.keys()
    assert len(mine) <= 1, f'{item.nodeid} is marked {" and ".join(sorted(mine))}: a test has one tier'
    return next(iter(mine), '')


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the tiers before `-m` takes any of them away."""
    left_out.update(tier(item) for item in items)


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup() -> None:
    """Dice that nobody seeds fall as they did in the last run, whatever ran before."""
    random.seed(0)
    np.random.seed(0)


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """Say what this run leaves out, and how it is run."""
    if config.option.markexpr == DEFAULT:
        for name, command in TIERS.items():
            many = f'{left_out[name]:,} tests' if left_out[name] else 'tests'  # in other processes nobody counts here
            terminalreporter.write_line(f'left out: {many} of the tier {name} ({command})')


def _no_skip_in_ci(report):
    """A skip passes for a success: in CI it is a failure."""
    if os.environ.get('CI') and report.skipped and not hasattr(report, 'wasxfail'):
        report.outcome, report.longrepr = 'failed', f'skipped in CI: {report.longrepr}'
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _no_skip_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _no_skip_in_ci((yield))
