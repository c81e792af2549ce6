"""Tapes and pictures live as long as the module of tests that asked for them."""

import linecache

import pytest

from minicell.story import followed
from tests.view import gallery


@pytest.fixture(scope='module', autouse=True)
def let_go():
    """Forget the gallery, and the text of its cells."""
    yield
    gallery.run.cache_clear()
    gallery.picture.cache_clear()
    for file in [file for file in linecache.cache if file.startswith('<cell ')]:
        del linecache.cache[file]


@pytest.fixture
def as_a_reader(monkeypatch):
    """What cannot be followed is left out, and the line under the picture says so; in other tests it raises."""
    monkeypatch.delenv(followed.RAISES, raising=False)
