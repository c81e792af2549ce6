"""What the examples in docstrings take for granted, as those of NumPy do: the names that every user imports."""

import pytest

import minicell as ms

pytest_plugins = ['tests.messages']


@pytest.fixture(scope='session', autouse=True)
def examples(doctest_namespace):
    """Give them these names."""
    doctest_namespace.update(ms=ms, Parameter=ms.Parameter, Tensor=ms.Tensor, nn=ms.nn, ops=ms.ops)
