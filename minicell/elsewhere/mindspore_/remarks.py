"""What is to be said of the gradients that a bprop returned, as it returned them."""

from collections.abc import Sequence
from typing import Any

from mindspore import Tensor

from ...core.bprop_result import check_result
from ...core.errors import MinicellError
from ...core.tensor import wrap
from ..rule import LARGER
from .tensors import filled, is_float, numbers, tensors_in

SWALLOWED = (
    'It swallows the Parameter {0}: construct uses {0}, and internal_params does not name it, so that its gradient is '
    'lost.'
)
IGNORED = '{} returns {} gradients for {} inputs: MindSpore ignores what is too many.'


def remarks(rule: Any, returned: Sequence[tuple]) -> list[str]:
    """Notes on a Cell whose bprop was called once."""
    if not rule.custom or not returned or getattr(rule.rule, 'internal_params', None):
        return []
    _, given, found = returned[0]
    inputs, found = given[:-2], found if isinstance(found, tuple | list) else (found,)
    said = [IGNORED.format(rule.name, len(found), len(inputs))] if len(found) > len(inputs) else []
    names = iter(rule.names)
    for x, g in zip(inputs, found, strict=False):
        name = [next(names) for _ in tensors_in(x)][:1]
        if is_float(x) and isinstance(g, Tensor) and g.shape != x.shape:
            said.append(LARGER.format(rule.name, g.shape, name[0], x.shape, 'MindSpore'))
    return said


def malformed(error: Exception, returned: Sequence[tuple]) -> Exception:
    """What MindSpore raised, in minicell's words where it has some for what was returned."""
    for cell, given, found in returned:
        inputs, found = (filled(each, map(mine, tensors_in(each))) for each in (given[:-2], found))
        try:
            check_result(like(cell), inputs, found)
        except MinicellError as better:
            return better
        except Exception:  # of a kind that minicell does not know
            continue
    first, _, more = str(error).strip().partition('\n')
    return RuntimeError(first) if more else error  # (what C++ adds tells its developers where they are)


def mine(t: Tensor) -> Any:
    """A Tensor of minicell's with these numbers."""
    return wrap(numbers(t))


def like(cell: Any) -> Any:
    """What stands for a Cell of MindSpore's: its methods and its name are what minicell reads."""
    params = list(getattr(cell, 'internal_params', None) or ())
    return type(type(cell).__name__, (), {'_stands_for': cell, 'internal_params': params})()
