"""Judges of answers that are words, numbers or an order.

Where the trial is a table that minicell has measured, what is due is the solution's own table: that the lesson measures
the truth is held by its own tests. Where several answers are right, or a hint speaks of what they do, it is worked out.
"""

from numbers import Real
from typing import Any

from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson06 import PAIRS, PROBES, suspect
from minicell.teach.lesson12 import ENOUGH, tried
from tests.lessons.judges.judge import Judge


def given(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a dict says, each key as a checker names it."""
    return {' or '.join(key) if isinstance(key, tuple) else str(key): word for key, word in answer.items()}


def table(name: str) -> Any:
    """The solution of an exercise that asks for words."""
    return run(exercise(name).solution, exercise(name).answer_name, name)


def number(due: float) -> Any:
    """Whether this number is said; True and False are none."""
    return lambda said: type(said) in (int, float) and said == due


class OfOrder(Judge):
    """A hint for an order explains what does not belong there, or else the lines in wrong places: all of them."""

    def explained(self, mistake: str, does: dict[str, Any], did: dict[str, Any], named: str) -> bool:
        """Whether the same lines do not belong there; or, if all belong there, whether each wrong place is the same."""
        due = self.due['order']
        here, there = did['order'], does['order']
        strange = lambda order: sorted(set(order) - set(due))
        if strange(here):
            return strange(here) == strange(there)
        return all(a == b for a, b, right in zip(here, there, due, strict=False) if b != right)


def cheapest(pair: tuple[str, str]) -> Any:
    """Which tests tell two bugs apart, on other variants than the checker's, with the fewest calls."""
    variants = ((21, 3.0), (22, 0.2), (23, 7.0))
    apart = [
        name
        for name, probe in PROBES.items()
        if all(len({probe.test(suspect(bug, factor, seed), seed) for bug in pair}) == 2 for seed, factor in variants)
    ]
    least = min(PROBES[name].calls for name in apart)
    return lambda said: said in apart and PROBES[said].calls == least


def rescued(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The accuracy with these settings, and what is to be said of them."""
    v, rate, epochs = (answer.get(name, ...) for name in ('v_threshold', 'learning_rate', 'epochs'))
    if not all(isinstance(each, Real) and not isinstance(each, bool) and each > 0 for each in (v, rate, epochs)):
        return {'settings': repr(answer)}
    if epochs != int(epochs):
        return {'settings': repr(answer)}
    product = 100 * v
    return {
        'accuracy': tried(float(v), float(rate), min(int(epochs), 15)),
        'longer': v == 1 and rate == 0.01 and epochs > 5,
        'shorter': v == 1 and rate == 0.01 and epochs < 5,
        'faster': v == 1 and rate > 0.01 and epochs == 5,
        'slower': v == 1 and rate < 0.01 and epochs == 5,
        'both': v == 1 and rate != 0.01 and epochs != 5,
        'nothing': (v, rate, epochs) == (1, 0.01, 5),
        'larger': v > 1,
        'halfway': 12 < product < 100,
        'impatient': 0.05 <= product <= 12 and (rate, epochs) != (0.01, 5),
    }


HINTED = ('longer', 'shorter', 'faster', 'slower', 'both', 'nothing', 'larger', 'halfway', 'impatient')
WORDS = '4b', '5a', '6a', '10b', '11b', '12d'


def judges() -> dict[str, Judge]:
    return {name: Judge(given({}, table(name)), given) for name in WORDS} | {
        '1a': OfOrder({'order': table('1a')}, lambda space, answer: {'order': list(answer)}),
        '6b': Judge({' or '.join(pair): cheapest(pair) for pair in PAIRS}, given),
        '8a': Judge({letter: number(due) for letter, due in table('8a').items()}, given),
        '12c': Judge({'accuracy': lambda found: found >= ENOUGH}, rescued, {name: [name] for name in HINTED}),
    }
