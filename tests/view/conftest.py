"""Tapes and pictures live as long as the module of tests that asked for them."""

import linecache

import pytest

from tests.view import gallery


@pytest.fixture(scope='module', autouse=True)
def let_go():
    """Forget the gallery, and the text of its cells."""
    yield
    gallery.run.cache_clear()
    gallery.picture.cache_clear()
    for file in [file for file in linecache.cache if file.startswith('<cell ')]:
        del linecache.cache[file]
