"""Exercise 13g: engines with one line changed, and the trial of a function that tells what is wrong with them."""

from types import ModuleType
from typing import Any

from minicell.teach.trials import Trial, hunted

from .engine import module, so_far

WORDS = ('right', 'first', 'no sum', 'leaf', 'off the tape')
IN_RECORD, IN_WALK = 'if any(x.at >= 0 for x in inputs):', 'if x.at >= 0:'
SUM = 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx'
LEAF = '(dout,), (x,), x.array'

# what stands in the stored engine, what stands there instead, and what that engine is
HIDDEN = (
    (SUM, 'arrived[x.at] = Tensor(arrived[x.at].array + dx.array) if x.at in arrived else dx', 'off the tape'),
    (IN_RECORD, 'if any(x.at > 0 for x in inputs):', 'first'),
    (IN_RECORD, 'if max(x.at for x in inputs) != -1:', 'right'),
    (SUM, 'arrived[x.at] = dx', 'no sum'),
    (LEAF, '(dout,), (Tensor(x.array),), x.array', 'leaf'),
    (IN_WALK, 'if x.at > 0:', 'first'),
    (SUM, 'arrived.setdefault(x.at, dx)', 'no sum'),
    (SUM, 'arrived[x.at] = dx + arrived[x.at] if x.at in arrived else dx', 'right'),
)


def changed(old: str, new: str) -> ModuleType:
    """The stored engine with another piece of code in one place, and an empty tape."""
    before, found, after = so_far(6).rpartition(old)  # the last one: a later step writes anew what an earlier one wrote
    if not found:
        raise ValueError(f'{old!r} does not stand in the stored engine')
    space: dict[str, Any] = {}
    exec(compile(f'{before}{new}{after}', 'an engine of exercise 13g', 'exec'), space)
    return module('engine', space)


def hunt(answer: Any) -> Trial:
    """Ask a function about engines that the learner has not seen, each with a tape that nobody has used."""
    due = [('', word) for *_, word in HIDDEN]
    return hunted(answer, lambda: [answer(changed(old, new)) for old, new, _ in HIDDEN], due, WORDS, 'Engine')
