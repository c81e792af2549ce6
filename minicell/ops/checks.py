"""Checks of what a user gives, each in one line; a refusal says what came instead, and ends with the user's line."""

from collections.abc import Callable

from ..core.errors import DTypeError, article, users_line
from ..errors import SettingError

NUMBER = int, float


def must(holds: object, error: type[Exception], said: str) -> None:
    """Raise this error with this sentence, unless something holds."""
    if not holds:
        raise error(f'{said}.{users_line()}')


def must_be(value: object, kinds: type | tuple, error: type[Exception], said: str, then: str = '') -> None:
    """Raise unless a value is of one of these kinds: `said`, what came instead, and `then`. A bool is no number."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise error(f'{said}, but got {article(type(value).__name__)}{then}.{users_line()}')


def numbers(due: str, fits: Callable[[float], bool], kinds: type | tuple = NUMBER) -> Callable:
    """A check(who, **settings): TypeError unless each is a number of these kinds, ValueError unless it fits."""

    def check(who: str, **settings: object) -> None:
        for what, value in settings.items():
            must_be(value, kinds, DTypeError, f"For '{who}', '{what}' is {'an int' if kinds is int else 'a float'}")
            must(fits(value), SettingError, f"For '{who}', '{what}' {due}, but got {value!r}")

    return check


positive_int = numbers('is at least 1', lambda n: n >= 1, int)
at_least_0, above_0 = numbers('is at least 0.0', lambda n: n >= 0), numbers('is above 0.0', lambda n: n > 0)


def only(who: str, usual: object, **settings: object) -> None:
    """Raise ValueError for settings of MindSpore's that minicell does without: each has to be as usual."""
    for what, value in settings.items():
        said = f"For '{who}', '{what}' is {usual!r} here, but got {value!r}: use MindSpore for others"
        must(value in (usual, (usual, usual), [usual, usual]), SettingError, said)
