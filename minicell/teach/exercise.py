"""Exercises that check themselves: passed, not begun, or failed because of a misconception that has a name.

An exercise is a Markdown file (see `texts`) and a trial (see `trials`): a function that tries an answer. A new
common mistake is a few lines of text and no code: an answer is told that it suffers from a misconception when it does
what the stored mistake does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import words
from .trials import BLANK, ORDERS, Ended, Trial, executed, quiet, stopped

STANDS = {'open': 'fill in the `...`', 'failed': 'not yet', 'passed': 'passed'}  # some may be filled in already
UNSAID = 'told', 'kept', 'returned with it'  # the last check stands for them, with all else


class Mistake(NamedTuple):
    """A stored wrong answer."""

    name: str
    misconception: str
    hint: str
    code: str


class Check(NamedTuple):
    """Something that is looked at: in words, and whether it is so; None before an answer was tried."""

    said: str
    ok: bool | None = None


@dataclass(repr=False, eq=False)
class Verdict:
    """What `check` says: what the answer did, then the belief behind it. It prints as text."""

    state: str  # 'open', 'passed', 'failed'
    name: str  # of the exercise
    said: str = ''
    mistake: Mistake | None = None
    gradient: str = ''  # the gradient, or the word, in which it does what the mistake does; '': in all it does
    trial: Trial | None = None

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == 'passed'

    @property
    def belief(self) -> list[str]:
        """The sentence that names the misconception, and the part that shows it where the others do not; its hint."""
        if self.mistake is None:
            return []
        the = f'Look at `{self.gradient}`. The' if self.gradient else 'The'
        return [f'{the} belief behind it may be: **“{self.mistake.misconception}”**', self.mistake.hint]

    def __repr__(self) -> str:
        parts = [f'{words.SIGNS[self.state]} Exercise {self.name}: {STANDS[self.state]}', self.said, *self.belief]
        return words.plain('\n'.join(filter(None, parts)))


def run(code: str, name: str, where: str) -> Any:
    """Run learners' code, and return what it calls `name`."""
    space: dict[str, Any] = {'__name__': '__main__'}
    with quiet():
        executed(code, where, space)
    if name not in space:
        raise NameError(f'the code defines no {name}')
    return space[name]


@dataclass(repr=False, eq=False)
class Exercise:
    """One exercise: what is written of it, and how an answer is tried. `hints`: each says more than the one before."""

    name: str
    kind: str  # what is to be written: an expression, a rule, a program or a hunt
    title: str
    task: str
    hints: tuple[str, ...]
    start: str
    why: str
    solution: str
    mistakes: tuple[Mistake, ...]
    answer_name: str
    trial: Callable[..., Any]

    def tried(self, answer: Any) -> Trial:
        """Try an answer to the end, or as far as it goes."""
        try:
            with quiet():
                return self.trial(answer)
        except Ended as ended:
            return ended.trial
        except Exception as error:
            if 'ellipsis' in str(error):
                return BLANK
            raise

    @cached_property
    def known(self) -> list[tuple[Mistake, dict[str, Any]]]:
        """What each stored mistake does."""
        return [(m, self.tried(run(m.code, self.answer_name, m.name)).did) for m in self.mistakes]

    @cached_property
    def due(self) -> Trial:
        """What comes of trying the solution."""
        return self.tried(run(self.solution, self.answer_name, 'solution'))

    def checks(self, trial: Trial | None) -> list[Check]:
        """What is looked at in an answer: the lines that its trial says, or else its parts."""
        due = [line[2:] for line in self.due.said.splitlines() if line[:2] == f'{words.SIGNS["passed"]} ']
        if due:
            said = trial.said.splitlines() if trial else []
            told = [Check(line[2:], line[0] == words.SIGNS['passed']) for line in said if line[:2] in ('✓ ', '✗ ')]
            return told + [Check(line.partition(': ')[0]) for line in due[len(told) :]]
        parts = [
            Check(said, None if trial is None else same(trial.did.get(part), value))
            for part, value in self.due.did.items()
            if (said := named(part, value))
        ]
        return parts if self.due.words else [*parts, Check('all that it is tried on', trial and trial.passed)]

    def check(self, answer: Any = ...) -> Verdict:
        """Try an answer. Never raises: whatever goes wrong in the answer is what the verdict is about."""
        return self.judged(lambda: answer)

    def check_code(self, code: str) -> Verdict:
        """Check an answer that is text. Never raises."""
        return self.judged(lambda: run(code, self.answer_name, f'exercise {self.name}'))

    def judged(self, answer: Callable[[], Any]) -> Verdict:
        """The verdict on what is answered; an error on the way to it is one, too."""
        try:
            given = answer()
            trial = BLANK if given is ... else self.tried(given)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last of whoever stops a loop without an end
            return Verdict('failed', self.name, stopped(error))
        if not trial.attempted:
            return Verdict('open', self.name)
        if trial.passed:
            return Verdict('passed', self.name, trial.said, trial=trial)
        return Verdict('failed', self.name, trial.said, *self.diagnose(trial), trial)

    def diagnose(self, trial: Trial) -> tuple[Mistake | None, str]:
        """The stored mistake that does the same: as a whole, or else in the first part that is wrong.

        In that case the part, a gradient or a word, is named: the hint is not about the others. A part of another kind
        (how many were returned, say, or a higher order) counts only for a mistake that begins there. Where several
        mistakes do the same, it is the one that does least else.
        """
        did = trial.did
        for mistake, known in self.known:
            if known.keys() == did.keys() and all(same(known[part], did[part]) for part in did):
                return mistake, ''
        part = next(iter(self.wrong(did)), '')
        named = trial.words or isinstance(did.get(part), np.ndarray | type(None))
        like = [each for each in self.known if part in each[1] and same(each[1][part], did[part])]
        higher = part.rpartition(': ')[2] in ORDERS
        like = [each for each in like if (named and not higher) or self.wrong(each[1])[0] == part]
        if (
            trial.words
            and did.get(part) in (due := list(self.due.did.values()))
            and len(due) == len(set(map(str, due)))
        ):
            # each word is due once, so one wrong word makes two: who shares one with a mistake may mean another thing
            like = [each for each in like if all(same(did.get(other), each[1][other]) for other in self.wrong(each[1]))]
        if not like:
            return None, ''
        return min(like, key=lambda each: len(self.wrong(each[1])))[0], part if named else ''

    def wrong(self, did: dict[str, Any]) -> list[str]:
        """The parts in which an answer does not do what the solution does."""
        return [part for part, value in did.items() if not same(value, self.due.did.get(part))]


def named(part: str, value: Any) -> str:
    """What a part of an answer is called in the list of checks; '' for what only tells one mistake from another."""
    name = part.split()[-1]
    said = f'`{name}`' if isinstance(value, np.ndarray) and name.isidentifier() else name
    told = {'returned': 'what `bprop` returns', **{order: f'{order} order' for order in ORDERS}}
    return '' if part.rpartition(': ')[2] in UNSAID else part.removesuffix(name) + told.get(name, said)


def same(a: Any, b: Any) -> bool:
    """Whether two parts of what answers did are equal, up to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True))
    return type(a) is type(b) and a == b
