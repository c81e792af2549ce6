"""The one place that catches everything: what cannot be told is left out, and a line under the picture says so.

In minicell's own tests it raises instead. What is the user's own, such as a `__repr__`, may raise whatever it likes.
"""

import os
from collections.abc import Callable
from typing import Any

RAISES = 'MINICELL_RAISES'  # where this is set, as in the tests, what cannot be followed is raised
MANY = 3  # of what could not be followed so many stand in the line


def tried(call: Callable, *given: object) -> tuple[Any, Exception | None]:
    """What a call returns, or else what it raises."""
    try:
        return call(*given), None
    except Exception as error:
        return None, error


def follow(record: Any, what: str, call: Callable, *given: object, otherwise: Any = None) -> Any:
    """What a call returns. Where it raises: `otherwise`, and the record notes `what` could not be followed."""
    found, error = tried(call, *given)
    if error is None:
        return found
    note(record, what, error)
    return otherwise


def note(record: Any, what: str, error: Exception) -> None:
    """Note on a record what could not be followed, and why; or raise the error, where that is asked for."""
    if os.environ.get(RAISES):
        raise error
    words = f'{what} ({" ".join(printed(error).split())})'
    record.unknown += (words,) * (words not in record.unknown)


def line(record: Any) -> str:
    """The line under the picture, '' where all could be followed."""
    found = record.unknown
    more = f' and {len(found) - MANY} more' * (len(found) > MANY)
    return f'minicell could not follow {"; ".join(found[:MANY])}{more}: please report it.' if found else ''


def said(thing: object, how: Callable[[Any], str] = repr) -> str:
    """What a user's own object says of itself; '' where it raises."""
    return (tried(how, thing)[0] or '').strip()


def called(function: object) -> str:
    """The name of a user's function, or of the class of an object that can be called."""
    return tried(getattr, function, '__name__')[0] or type(function).__name__


def printed(error: BaseException) -> str:
    """An exception as Python prints it."""
    words = said(error, str)
    return f'{type(error).__name__}: {words}' if words else type(error).__name__
