"""What the tests of the lessons start from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.lessons.kernels import ROOT, execute

TABLE = pytest.StashKey[dict[str, str]]()


@pytest.fixture(autouse=True)
def no_progress_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests write nothing into anybody's folders."""
    monkeypatch.setenv('MINICELL_PROGRESS', 'off')


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., list[Any]]:
    """Run a notebook in a fresh kernel: run(notebook, *extra cells) -> its code cells."""
    return lambda notebook, *extra: execute(notebook, tmp_path, extra)


@pytest.fixture
def lesson_03() -> Any:
    """Lesson 03 as committed."""
    return nbformat.read(ROOT / 'lessons' / '03_takeover.ipynb', as_version=4)


@pytest.fixture(scope='session')
def mutation_table(request: pytest.FixtureRequest) -> dict[str, str]:
    """Where the rows of the table of mutants are kept until it is printed: exercise -> its row."""
    return request.config.stash[TABLE]


def pytest_configure(config: pytest.Config) -> None:
    """Make room for the table."""
    config.stash[TABLE] = {}


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table, where its test ran."""
    rows = config.stash.get(TABLE, {})
    if rows:
        from tests.lessons.test_mutants import HEAD

        terminalreporter.section(
            'mutants of the solutions (*: answers of the reviews), and what the checks made of them'
        )
        for line in (HEAD, *rows.values()):
            terminalreporter.write_line(line)
