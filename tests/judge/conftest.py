"""Prints what the judge made of the pairs, where their tests ran."""

from collections import Counter, defaultdict
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line a kind, summed over the tests; the hard ones have a star."""
    reports = terminalreporter.getreports('passed') + terminalreporter.getreports('failed')
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, many in (row for report in reports for name, row in report.user_properties if name == 'verdicts'):
        counted[kind].update(many)
    if counted:
        from tests.judge.test_pairs import HEADS

        terminalreporter.section('verdicts of right and wrong bprops (*: the hard kind), and those that are false')
        total = sum(counted.values(), Counter())
        for kind, row in [('', {head: head for head in HEADS}), *counted.items(), ('all', total)]:
            terminalreporter.write_line(f'{kind:28}' + ''.join(f'{row[head]:>18}' for head in HEADS))
