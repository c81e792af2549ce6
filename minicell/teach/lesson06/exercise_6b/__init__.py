"""Exercise 6b: the cheapest test that tells two bugs apart."""

from functools import cache
from typing import Any

from minicell.teach.exercise import Trial
from minicell.teach.lesson06.probes import PROBES
from minicell.teach.lesson06.suspects import suspect

TASK = (
    'For each pair of bugs, name the cheapest test that tells them apart: it gives another answer for the one than for '
    'the other. Your tests are run on suspects that you have not seen: other factors, other numbers.'
)
NAME = 'cheapest'
HINTS = (
    'A test tells two suspects apart when it says yes to one and no to the other. If it says no to both, it is no use '
    'here, however sharp it is.',
    'Look the two up in the figure of the tests: A scaled, B dout forgotten, C dx dropped, D flipped, E random dx, '
    'F plus one, G mean, H sign only. Take the first line, from the top, in which they differ.',
    'Two pairs need one call: use a `dout` that is zero, or zero but for one place. Three pairs need two calls. The '
    'two of one pair pass everything that does not know the truth.',
)
PAIRS = (
    ('scaled', 'flipped'),
    ('scaled', 'mean, not sum'),
    ('random dx', 'dx dropped'),
    ('dout forgotten', 'sign only'),
    ('dout forgotten', 'plus one'),
    ('sign only', 'mean, not sum'),
)
VARIANTS = {11: 2.0, 12: 0.5, 13: 10.0}  # seed of the numbers -> factor of 'scaled'
STEPS = 600  # of a training run, each with two products: construct and bprop of two layers


@cache
def outcome(bug: str, test: str, seed: int) -> bool | float:
    """What a test says of one hidden variant."""
    return PROBES[test].test(suspect(bug, VARIANTS[seed], seed), seed)


@cache
def apart(pair: tuple[str, str], test: str) -> bool:
    """Whether a test tells two bugs apart, on every hidden variant."""
    return all(outcome(pair[0], test, seed) != outcome(pair[1], test, seed) for seed in VARIANTS)


@cache
def least(pair: tuple[str, str]) -> int:
    """The calls of the cheapest test that does."""
    return min(probe.calls for test, probe in PROBES.items() if apart(pair, test))


def trial(answer: Any) -> Trial:
    """Run the tests that a dict of pairs names, on hidden variants."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no dict'}, said)
    did = {' or '.join(pair): answer.get(pair, ...) for pair in PAIRS}
    if all(test is ... for test in did.values()):
        return Trial(False, False, {}, '')
    verdicts = [judged(pair, answer.get(pair, ...)) for pair in PAIRS]
    rows = zip(PAIRS, verdicts, strict=True)
    said = '\n'.join(f'{"✓" if ok else "✗"} {" or ".join(pair)}: {why}' for pair, (ok, why) in rows)
    # of two tests that cost the same, and both do, either is right: they count as one
    did = {of: 'right' if ok else test for (of, test), (ok, _) in zip(did.items(), verdicts, strict=True)}
    return Trial(True, all(ok for ok, _ in verdicts), {of: test for of, test in did.items() if test is not ...}, said)


def judged(pair: tuple[str, str], test: Any) -> tuple[bool, str]:
    """Whether this is the cheapest test for a pair, and why not."""
    if test is ...:
        return False, 'no test yet.'
    if test == 'train':
        return False, f'{2 * 4 * STEPS} calls for the two runs; {least(pair)} would do.'
    if test not in PROBES:
        return False, f'there is no test {test!r}; there are {", ".join(PROBES)}.'
    if not apart(pair, test):
        a, b = (shown(outcome(bug, test, next(iter(VARIANTS)))) for bug in pair)
        return False, f'{test} says {a} and {b}' + ('.' if a == b else ', but not on every variant.')
    calls = PROBES[test].calls
    if calls > least(pair):
        return False, f'{test} tells them apart with {calls} calls; {least(pair)} would do.'
    return True, f'{test} tells them apart with {calls} call{"s" if calls > 1 else ""}.'


def shown(found: bool | float) -> str:
    """An outcome as a word."""
    return {True: 'yes', False: 'no'}.get(found, str(found)) if isinstance(found, bool) else str(found)
