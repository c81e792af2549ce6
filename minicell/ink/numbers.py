"""How a number is written: everywhere the same, as few digits as show it as it is, and never one that is not there."""

import math
from functools import lru_cache

import numpy as np

MOST = 3  # decimals of a number that they show exactly
SMALL, LARGE = 1e-4, 1e6  # below and from here on with a power of ten
EXACT = 2e-6  # to float32
ROUNDING = 5e-324  # stands for a number that rounding alone tells from 0
WORDS = {np.inf: '∞', -np.inf: '−∞', ROUNDING: '≈ 0'}
DIGITS = 25_000  # with more digits than this has, a number is as float32 has it by chance


@lru_cache(maxsize=16384)
def exact(number: float) -> int | None:
    """The fewest decimals that show a number as it is; None where MOST are too few."""
    size = max(1.0, abs(number))
    fits = (d for d in range(MOST + 1) if abs(number - round(number, d)) <= EXACT * size)
    return next((d for d in fits if not d or size * 10**d <= DIGITS), None)


def said(number: float, digits: int | None = None) -> str:
    """A number: whole, or with the two or three decimals that show it exactly, or with three significant digits.

    What it is shown beside makes no difference, so that a number has one spelling in a picture. `digits` decimals are
    for two numbers that differ and would look the same.

    >>> said(5.2000003), said(15.337), said(-0.4794255), said(4.898979), said(123833.0), said(1.0), said(-0.0)
    ('5.20', '15.337', '−0.479', '4.90', '123833', '1', '0')
    >>> said(0.0004), said(1.5e-9), said(2e7), said(284.029), said(1.00004, 5), said(ROUNDING)
    ('0.000400', '1.5e−9', '2e7', '284.0', '1.00004', '≈ 0')
    """
    return _said(float(number) + 0.0, digits)  # (-0.0 + 0.0 is 0.0)


@lru_cache(maxsize=16384)
def _said(number: float, digits: int | None) -> str:
    if number != number or number in WORDS:
        return WORDS.get(number, 'NaN')
    size = abs(number)
    if size and not SMALL <= size < LARGE:
        mantissa, power = f'{number:.2e}'.split('e')
        shown = f'{mantissa.rstrip("0").rstrip(".")}e{int(power)}'
    else:
        if digits is None:
            digits = exact(number)
            digits = max(1, 2 - math.floor(math.log10(size))) if digits is None else 2 if digits == 1 else digits
        shown = f'{number:.{digits}f}'
    return shown.replace('-', '−')


def read(shown: str) -> float:
    """The number that is written.

    >>> read('−0.479'), read('1.5e−9'), read('−∞')
    (-0.479, 1.5e-09, -inf)
    """
    return float(shown.replace('−', '-').replace('∞', 'inf').removeprefix('≈ '))


def index(place: tuple[int, ...]) -> str:
    """The place of a number as Python writes it.

    >>> index((0, 2)), index(())
    ('[0, 2]', '')
    """
    return f'[{", ".join(map(str, place))}]' * bool(place)


def largest(array: np.ndarray) -> float:
    """The largest finite size among the numbers."""
    size = np.abs(np.asarray(array, np.float64))
    return float(np.max(size[np.isfinite(size)], initial=0.0))
