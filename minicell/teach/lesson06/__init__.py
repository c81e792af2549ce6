"""Lesson 06: its figures of suspects and tests; trials of names, cheapest tests, and a network to be repaired."""

from functools import cache
from typing import Any

from minicell.teach.trials import Trial, dict_of

from .figures import FIGURES, outcomes
from .probes import PROBES
from .repair import repaired
from .suspects import BUGS, LETTERS, suspect


def bugs(answer: Any) -> Trial:
    """Compare a dict of letters and bugs with the truth. A is the example: it alone is no answer."""
    dict_of(answer, 'bugs', [letter for letter in LETTERS if letter != 'A'])
    did = {letter: answer.get(letter, ...) for letter in LETTERS}
    strange = [str(bug) for bug in did.values() if bug is not ... and bug not in (*BUGS, 'nothing')]
    if strange:
        there = ', '.join(map(repr, (*BUGS, 'nothing')))
        said = f'Not in the list: {", ".join(strange)}. There are: {there}.'
        return Trial(True, False, did, said)
    right = [letter for letter, bug in did.items() if bug == LETTERS[letter]]
    wrong = [letter for letter, bug in did.items() if bug is not ... and letter not in right]
    parts = [('Right', right), ('Look again at', wrong), ('Not named yet', [k for k, bug in did.items() if bug is ...])]
    said = '\n'.join(f'{head}: {", ".join(letters)}.' for head, letters in parts if letters)
    if wrong:
        said += f'\n{why_not(wrong[0], did[wrong[0]])}'
    return Trial(
        True, len(right) == len(LETTERS), {k: bug for k, bug in did.items() if bug is not ...}, said, words=True
    )


def why_not(letter: str, bug: str) -> str:
    """The first test that tells a suspect from another with this bug, and what it says of both."""
    here, other = outcomes(letter), outcomes('' if bug == 'nothing' else bug)
    test = next(test for test in PROBES if here[test] != other[test])
    of = 'the right bprop' if bug == 'nothing' else f'one that is “{bug}”'
    return f'The test {test} says {shown(here[test])} of {letter}, and {shown(other[test])} of {of}.'


# ---- 6b ------------------------------------------------------------------------------------------------------------

PAIRS = (
    ('scaled', 'flipped'),
    ('scaled', 'mean, not sum'),
    ('random dx', 'dx dropped'),
    ('dout forgotten', 'sign only'),
    ('dout forgotten', 'plus one'),
    ('sign only', 'mean, not sum'),
)
VARIANTS = ((11, 2.0), (12, 0.5), (13, 10.0))  # a seed of the numbers, and the factor of 'scaled'
STEPS = 600  # of a training run, each with two products: construct and bprop of two layers


@cache
def outcome(bug: str, test: str, seed: int, factor: float) -> bool | float:
    """What a test says of one hidden variant."""
    return PROBES[test].test(suspect(bug, factor, seed), seed)


@cache
def apart(pair: tuple[str, str], test: str, variants: tuple = VARIANTS) -> bool:
    """Whether a test tells two bugs apart, on every hidden variant."""
    return all(outcome(pair[0], test, *variant) != outcome(pair[1], test, *variant) for variant in variants)


@cache
def least(pair: tuple[str, str], variants: tuple = VARIANTS) -> int:
    """The calls of the cheapest test that does."""
    return min(probe.calls for test, probe in PROBES.items() if apart(pair, test, variants))


def cheapest(answer: Any, variants: tuple = VARIANTS) -> Trial:
    """Run the tests that a dict of pairs names, on hidden variants."""
    given = dict_of(answer, 'cheapest', PAIRS)
    verdicts = [judged(pair, given[pair], variants) for pair in PAIRS]
    rows = zip(PAIRS, verdicts, strict=True)
    said = '\n'.join(f'{"✓" if ok else "✗"} {" or ".join(pair)}: {why}' for pair, (ok, why) in rows)
    # of two tests that cost the same, and both do, either is right: they count as one
    tests = zip(PAIRS, given.values(), verdicts, strict=True)
    did = {' or '.join(pair): 'right' if ok else test for pair, test, (ok, _) in tests if ok or test is not ...}
    return Trial(True, all(ok for ok, _ in verdicts), did, said, words=True)


def judged(pair: tuple[str, str], test: Any, variants: tuple) -> tuple[bool, str]:
    """Whether this is the cheapest test for a pair, and why not."""
    if test is ...:
        return False, 'no test yet.'
    if test == 'train':
        return False, f'{2 * 4 * STEPS} calls for the two runs; {least(pair, variants)} would do.'
    if test not in PROBES:
        return False, f'there is no test {test!r}; there are {", ".join(PROBES)}.'
    if not apart(pair, test, variants):
        a, b = (shown(outcome(bug, test, *variants[0])) for bug in pair)
        return False, f'{test} says {a} and {b}' + ('.' if a == b else ', but not on every variant.')
    calls = PROBES[test].calls
    if calls > least(pair, variants):
        return False, f'{test} tells them apart with {calls} calls; {least(pair, variants)} would do.'
    return True, f'{test} tells them apart with {calls} call{"s" if calls > 1 else ""}.'


def shown(found: bool | float) -> str:
    """An outcome as a word."""
    return {True: 'yes', False: 'no'}.get(found, str(found)) if isinstance(found, bool) else str(found)


TRIALS = {'6a': bugs, '6b': cheapest, '6c': repaired}
