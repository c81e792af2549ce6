"""What the tests of the lessons start from."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minicell.teach.progress import place
from tests.lessons.executed import Executed
from tests.lessons.executed import executed as once
from tests.lessons.kernels import ROOT, execute
from tests.lessons.notebooks import NUMBERS

KERNELS = {'run', 'executed', 'lived'}  # fixtures that start a kernel


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Whatever starts a kernel is slow, where it says nothing else."""
    for item in items:
        ours = item.path.parent == Path(__file__).parent and KERNELS & set(item.fixturenames)
        if ours and not any(item.iter_markers('nightly')):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def no_progress_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests write nothing into anybody's folders."""
    monkeypatch.setenv('MINICELL_PROGRESS', 'off')


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., list[Any]]:
    """Run a notebook in a fresh kernel: run(notebook, *extra cells) -> its code cells."""
    return lambda notebook, *extra: execute(notebook, tmp_path, extra)


@pytest.fixture(scope='session')
def executed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Executed]:
    """executed(number) -> what came of a lesson, of which there is one execution in a run.

    The processes of a run share a folder; several runs share $MINICELL_EXECUTED, where it is set.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if 'PYTEST_XDIST_WORKER' in os.environ else base
    return partial(once, folder=Path(os.environ.get('MINICELL_EXECUTED') or shared / 'executed'))


@pytest.fixture(scope='module', params=NUMBERS)
def lived(request: pytest.FixtureRequest, executed: Callable[[str], Executed]) -> Executed:
    """Each lesson in its turn: pytest runs all tests of one before those of the next."""
    return executed(request.param)


@pytest.fixture
def lesson_03() -> Any:
    """Lesson 03 as committed."""
    return nbformat.read(ROOT / 'lessons' / '03_takeover.ipynb', as_version=4)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table of the mutants, where its tests ran."""
    reports = terminalreporter.getreports('passed') + terminalreporter.getreports('failed')
    rows = [row for report in reports for name, row in report.user_properties if name == 'mutants']
    if rows:
        from tests.lessons.test_mutants import HEAD

        terminalreporter.section('mutants of the solutions (*: answers of reviews), and what the checks made of them')
        terminalreporter.write_line('\n'.join([HEAD, *rows]))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a learner who has none yet."""
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(tmp_path / 'data'))
    monkeypatch.delenv('MINICELL_PROGRESS')
    assert place() == tmp_path / 'data' / 'minicell' / 'progress.json'
    return place()
