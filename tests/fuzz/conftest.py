"""How much is tried, and a line in the log that says how much it was."""

import os
from collections import Counter

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get('MINICELL_FUZZ', 2000))
tried: Counter[str] = Counter()


def examples(share: float = 1.0) -> settings:
    """So many of EXAMPLES, on top of the profile of all tests; what is slow is given a smaller share."""
    slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    return settings(max_examples=max(1, round(EXAMPLES * share)), suppress_health_check=slow)


def pytest_terminal_summary(terminalreporter) -> None:
    for what, many in tried.items():
        terminalreporter.write_line(f'fuzz: {many:,} examples of {what}')
