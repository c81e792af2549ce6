"""Which test reaches which mutant: a plugin of pytest, and what the marked source calls.

`run.py` lays this file beside a marked copy of minicell as `minicell/_reach.py`. There each place that a mutant would
change calls `hit` first, in the test's own process and in each kernel that it starts, since these inherit the variable
in which pytest says what is running. It is coverage by context, of 84 places alone, at the cost of a call each.
"""

import os
from typing import Any

OUT = os.environ.get('MINICELL_REACH', os.devnull)
seen: set[int] = set()


def hit(number: int) -> None:
    """Note once for each test of each process that a mutant's place was reached."""
    if number not in seen:
        seen.add(number)
        note('hit', number, os.environ.get('PYTEST_CURRENT_TEST', '*'))


def note(*parts: Any) -> None:
    """Append a line to the file that all processes share."""
    with open(OUT, 'a') as file:
        file.write('\t'.join(map(str, parts)) + '\n')


def pytest_runtest_logstart(nodeid: str) -> None:
    """What the last test reached says nothing about this one."""
    seen.clear()


def pytest_runtest_logreport(report: Any) -> None:
    """How long each test took, since the quick ones are tried first."""
    if 'PYTEST_XDIST_WORKER' in os.environ or not hasattr(report, 'node'):
        note('took', report.nodeid, report.when, round(report.duration, 4), report.outcome)
