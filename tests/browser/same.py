"""Whether Python in the browser says the same as Python here: text for text, and number for number.

What was measured on one machine is left out, and a number may differ in its last digits: NumPy's wheel for the browser
has another exp, log and tanh.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

# How long something took, and how much memory it held.
MEASURED = re.compile(r'\d+(\.\d+)? ?(µs|ms|s|seconds)\b|(?<=memory for )\d+')
# Which operation made a NaN: NumPy notices no division by zero in a browser, where numbers have no flags.
MADE_IT = re.compile(r'(?<=A gradient holds NaN or infinity\. ).*')
NUMBER = re.compile(r' *([−-]?\d+(?:\.\d*)?(?:e[−+-]?\d+)?) *')  # an array is padded to its longest


def differences(got: Any, due: Any, at: str = '') -> Iterator[str]:
    """Each place where two things made of lists, dicts, texts and numbers are not the same."""
    if isinstance(got, dict) and isinstance(due, dict) and got.keys() == due.keys():
        for name in due:
            yield from differences(got[name], due[name], f'{at}.{name}')
    elif isinstance(got, list) and isinstance(due, list) and len(got) == len(due):
        for k, (one, other) in enumerate(zip(got, due, strict=True)):
            yield from differences(one, other, f'{at}[{k}]')
    elif isinstance(got, str) and isinstance(due, str):
        parts, others = (NUMBER.split(MEASURED.sub('…', MADE_IT.sub('…', text))) for text in (got, due))
        if parts[::2] != others[::2] or not all(map(close, map(number, parts[1::2]), map(number, others[1::2]))):
            yield f'{at}: {got!r} is not {due!r}'
    elif not (isinstance(got, int | float) and isinstance(due, int | float) and close(got, due)) and got != due:
        yield f'{at}: {got!r} is not {due!r}'


def number(text: str) -> float:
    """The number that a text shows."""
    return float(text.replace('−', '-'))


def close(one: float, other: float) -> bool:
    """Whether two numbers are the same but for their last digits."""
    return math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)
