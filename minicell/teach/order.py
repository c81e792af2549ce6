"""Parsons ordering: lines to be put into order, checked against an order that the lesson works out by really running.

An ordering is an exercise (see `exercise`) whose answer is a list of keys. Its Markdown has

    ## lines     `- key: the line that the learner reads`, as they are offered; some may belong nowhere

and its solution and mistakes are `ORDER = ['key', ...]`. Its trial takes nothing: it runs the real thing, and
returns the keys in their real order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import words
from .exercise import Check, Exercise, Mistake, Verdict, run
from .trials import Trial, over

ORDER = 'ORDER'  # what an answer is called


@dataclass(repr=False, eq=False)
class Ordering(Exercise):
    """An exercise whose answer is a list of keys of its `lines`. Its trial works out the real order."""

    lines: dict[str, str]

    @cached_property
    def places(self) -> int:
        """How many lines there are in the real order."""
        return len(self.trial())

    def tried(self, answer: Any) -> Trial:
        return over(self.compared, answer)

    def compared(self, answer: Any) -> Trial:
        """Compare an order with the real one: lines that belong nowhere first, then place by place."""
        if not isinstance(answer, list | tuple):
            said = f'check wants a list of keys, such as {list(self.lines)[:2]}; it got {type(answer).__name__}.'
            return Trial(True, False, {'given': type(answer).__name__}, said)
        given = [None if key is ... else key for key in answer]
        if all(key is None for key in given):
            return Trial(False, False, {}, '')
        due = list(self.trial())
        unknown = [repr(key) for key in given if key is not None and key not in list(self.lines)]
        if unknown:
            said = f'There is no line {", ".join(unknown)}. The lines are {", ".join(self.lines)}.'
            return Trial(True, False, {'unknown': True}, said)
        strangers = tuple(sorted({key for key in given if key is not None} - set(due)))
        did: dict[str, Any] = {'strangers': strangers, 'left out': tuple(sorted(set(due) - set(given)))}
        did |= {f'place {k}': key for k, key in enumerate(given, 1)}
        return Trial(True, given == due, did, told(given, due))

    def diagnose(self, trial: Trial) -> tuple[Mistake | None, str]:
        """The stored order that is the same; or has the same lines that belong nowhere; or whose wrong places it has.

        One slip that a stored order has among others is not enough: that order may come of another belief.
        """
        did = trial.did
        alike = lambda known, parts: all(part in did and known[part] == did[part] for part in parts)
        like = [each for each in self.known if each[1] == did]
        if not like and did.get('strangers'):
            like = [each for each in self.known if alike(each[1], ['strangers'])]
            like = [each for each in like if alike(each[1], ['left out'])] or like
            like = like if len(like) == 1 else []
        elif not like:
            like = [each for each in self.known if alike(each[1], self.wrong(each[1]))]
        return max(like, key=lambda each: len(self.wrong(each[1])), default=(None, {}))[0], ''

    def checks(self, trial: Trial | None) -> list[Check]:
        """None: which places are right is for the learner to find."""
        return []

    def untouched(self) -> Verdict:
        """The verdict on an order that nobody has begun."""
        return Verdict('open', f'Exercise {self.name}: not attempted yet. Choose the lines in their order.')

    def order(self, code: str) -> list[str]:
        """The keys that a stored file puts into order."""
        return run(code, ORDER, f'exercise {self.name}')

    def printed(self, code: str) -> str:
        """A stored order as numbered lines."""
        return '\n'.join(f'{k}. {self.plain_line(key)}' for k, key in enumerate(self.order(code), 1))

    def plain_line(self, key: str) -> str:
        """A line without marks."""
        return words.plain(self.lines[key]).replace('`', '')


def told(given: Sequence[str | None], due: Sequence[str]) -> str:
    """What was seen, without giving away more than where to look."""
    if list(given) == list(due):
        return f'All {len(due)} places agree with what really ran.'
    if len(given) != len(due):
        return f'There are {len(due)} places; {len(given)} were filled.'
    empty = [str(k) for k, key in enumerate(given, 1) if key is None]
    if empty:
        return f'Still empty: place {", ".join(empty)}.'
    hits = sum(a == b for a, b in zip(given, due, strict=True))
    first = next(k for k, (a, b) in enumerate(zip(given, due, strict=True), 1) if a != b)
    return f'{hits} of {len(due)} places agree with what really ran. The first that does not is place {first}.'
