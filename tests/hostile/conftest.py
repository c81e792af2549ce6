"""After each test nothing is left open; what was left is put back, so that one failure is one failure."""

import pytest

from tests.hostile import said


@pytest.fixture(autouse=True)
def nothing_is_left():
    said.tidy()
    yield
    found = said.left()
    said.tidy()
    assert not found, f'left behind: {found}'
