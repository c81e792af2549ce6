"""The old name of `encodings`, for tests/browser/test_typed.py."""

from tests.view.encodings import ENCODINGS, LONG  # noqa: F401
