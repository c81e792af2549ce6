"""What minicell said, and whether it points at the user's own line."""

import linecache
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from minicell.core.errors import MinicellWarning


class Said:
    """The warnings of a block: their text, class and place."""

    def __init__(self) -> None:
        self.caught: list = []

    def one(self, kind: type[MinicellWarning]) -> str:
        """The text of the only warning, which is of this class."""
        assert [w.category for w in self.caught] == [kind], [str(w.message) for w in self.caught]
        return str(self.caught[0].message)

    @property
    def line(self) -> str:
        """The source of the line that the first warning points at: never one of minicell's own."""
        (first, *_) = self.caught
        assert '/minicell/' not in first.filename.replace('/tests/', '')
        return linecache.getline(first.filename, first.lineno).strip()


@contextmanager
def warned() -> Iterator[Said]:
    """All warnings of a block, each time they are given."""
    said = Said()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield said
        said.caught = caught


@contextmanager
def refused(kind: type[Exception], *parts: str, line: str = '') -> Iterator[pytest.ExceptionInfo]:
    """An error of this class whose text has these parts, and names this source line as the user's own."""
    with pytest.raises(kind) as caught:
        yield caught
    text = str(caught.value)
    for part in parts:
        assert part in text, text
    if line:
        place = re.search(r'(?:your line: |used: +|\()(test_\w+\.py), line (\d+)', text)
        assert place and line in text, text
