"""How a number is written: as few digits as show it as it is, and never one that is not there."""

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

MOST = 3  # decimals
LARGE = 1e6  # from here on with a power of ten


def decimals(arrays: Iterable[np.ndarray], most: int = MOST) -> int:
    """The fewest decimals at which every number of these arrays is exact to float32: then shown sums add up.

    Numbers that `most` decimals do not show exactly, such as sines, get two; one that stands alone and is below 1 gets
    three significant digits, as in a sentence.

    >>> decimals([np.array([0.5, 0.25])]), decimals([np.array([1.0, 2.0])]), decimals([np.sin(np.arange(1.0, 3.0))])
    (2, 0, 2)
    >>> decimals([np.sin(0.5)]), decimals([np.sin(0.05)]), decimals([np.array(1.23456)])
    (3, 4, 2)
    """
    arrays = list(arrays)
    flat = np.concatenate([np.asarray(a, np.float64).ravel() for a in arrays] or [np.zeros(0)])
    flat = flat[np.isfinite(flat)]
    scale = 2e-6 * np.maximum(1, np.abs(flat))
    with np.errstate(all='ignore'):  # a number near the largest float overflows while it is rounded
        for digits in range(most + 1):
            if np.all(np.abs(flat - np.round(flat, digits)) <= scale):
                return digits
    largest = float(np.max(np.abs(flat)))
    if all(np.size(a) == 1 for a in arrays) and 1e-4 <= largest < 1:
        return 2 - math.floor(math.log10(largest))
    return 2


def index(place: tuple[int, ...]) -> str:
    """The place of a number as Python writes it.

    >>> index((0, 2)), index(())
    ('[0, 2]', '')
    """
    return f'[{", ".join(map(str, place))}]' * bool(place)


def written(number: float, digits: int | None = None) -> str:
    """A number with so many decimals; three significant digits where that would leave nothing, or too much.

    >>> written(1.40, 2), written(-0.479, 2), written(0.0004, 2), written(123833.0, 0), written(-0.0, 0)
    ('1.40', '−0.48', '0.0004', '123833', '−0')
    """
    number = float(number)
    return _written(number, digits, math.copysign(1, number) < 0)


@lru_cache(maxsize=16384)
def _written(number: float, digits: int | None, negative: bool) -> str:  # −0.0 == 0.0, and yet it is another
    if number != number:
        return 'NaN'
    if number in (np.inf, -np.inf):
        return '∞' if number > 0 else '−∞'
    if digits is None:
        digits = decimals([np.array(number)])
    size = abs(number)
    if size >= LARGE or (size and size < 0.5 * 10.0**-digits):
        said = f'{number:.3g}' if not size or size >= 1e-4 else f'{number:.0e}'
        mantissa, _, power = said.partition('e')
        said = f'{mantissa}e{int(power)}' if power else said
    else:
        said = f'{number:.{digits}f}'
    return said.replace('-', '−')


def said(number: float) -> str:
    """A number in a sentence: three significant digits, or all of an exact one.

    >>> said(5.2000003), said(15.337), said(-0.4794255), said(123833.0), said(1.0)
    ('5.20', '15.337', '−0.479', '123833', '1')
    """
    number = float(number)
    if not np.isfinite(number) or abs(number) >= LARGE:
        return written(number)
    digits = next((d for d in range(4) if abs(number - round(number, d)) <= 2e-6 * max(1, abs(number))), None)
    if digits == 0:
        return written(number, 0)
    if digits is None:
        return f'{number:.3g}'.replace('-', '−') if abs(number) < 100 else written(number, 1)
    return written(number, max(digits, 2))
