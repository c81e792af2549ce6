"""What the tests of the lessons start from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.lessons.kernels import ROOT, execute


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
