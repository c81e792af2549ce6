"""Settings for all tests."""

import os

import hypothesis
import pytest

# before anything imports pyplot: no test opens a window
os.environ['MPLBACKEND'] = 'Agg'

# A busy machine is no failure, and a run on CI is the same as the last one; elsewhere each run tries new examples.
hypothesis.settings.register_profile('here', deadline=None)
hypothesis.settings.register_profile('ci', deadline=None, derandomize=True)
hypothesis.settings.load_profile('ci' if os.environ.get('CI') else 'here')


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
