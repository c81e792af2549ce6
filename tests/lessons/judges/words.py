"""Judges of answers that are words, numbers or an order: there are no other inputs to try them on.

Where a hint speaks of what such an answer does, it is worked out.
"""

from functools import partial
from numbers import Real
from typing import Any

from minicell.teach import lesson01, lesson06
from minicell.teach.about import exercise
from minicell.teach.lesson12 import ENOUGH, tried
from minicell.teach.trials import Trial
from tests.lessons.judges.judge import Judge


class OfOrder(Judge):
    """A hint for an order explains what does not belong there, or else the lines in wrong places: all of them."""

    def explained(self, mistake: str, does: dict[str, Any], did: dict[str, Any], named: str) -> bool:
        """Whether the same lines do not belong there; or, if all belong there, whether each wrong place is the same."""
        due, here, there = lesson01.right(), did['their order'], does['their order']
        strange = lambda order: sorted(set(order) - set(due))
        if strange(here):
            return strange(here) == strange(there)
        return all(a == b for a, b, right in zip(here, there, due, strict=False) if b != right)


def rescued(answer: Any) -> Trial:
    """The accuracy with these settings, and what is to be said of them."""
    v, rate, epochs = (answer.get(name, ...) for name in ('v_threshold', 'learning_rate', 'epochs'))
    known = all(isinstance(each, Real) and not isinstance(each, bool) and each > 0 for each in (v, rate, epochs))
    if not known or epochs != int(epochs):
        return Trial(True, False, {'settings': repr(answer)}, '')
    product = 100 * v
    accuracy = tried(float(v), float(rate), min(int(epochs), 15))
    did = {
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
    return Trial(True, accuracy >= ENOUGH, did, f'{accuracy:.3f}')


HINTED = ('longer', 'shorter', 'faster', 'slower', 'both', 'nothing', 'larger', 'halfway', 'impatient')
WORDS = '4b', '5a', '6a', '8a', '10b', '11b', '12d'
VARIANTS = (21, 3.0), (22, 0.2), (23, 7.0)  # of the suspects of 6b


def judges() -> dict[str, Judge]:
    return {name: Judge(exercise(name).trial) for name in WORDS} | {
        '1a': OfOrder(lesson01.order),
        '6b': Judge(partial(lesson06.cheapest, variants=VARIANTS)),
        '12c': Judge(rescued, {name: [name] for name in HINTED}),
    }
