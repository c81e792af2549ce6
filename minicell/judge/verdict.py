"""A Verdict: what is known of one gradient that a bprop handed out, and how it is known."""

from typing import Any, NamedTuple

import numpy as np

from ..ink.numbers import said

RIGHT, WRONG, SURROGATE, KINK = 'right', 'wrong', 'surrogate', 'kink'
NOT_ASKED, UNKNOWN = 'not asked', 'unknown'


class Verdict(NamedTuple):
    """What is known of the gradient with respect to one input, or one Parameter, of a Cell."""

    cell: str  # the name of its class; of what was checked without a bprop, the function's
    name: str  # of the input or Parameter: 'x', 's[0]', 'w'
    place: int  # among all Tensors of the inputs, in the order of construct's arguments, and then internal_params
    asked: bool  # whether the gradient that was read leads to it
    yours: np.ndarray | None  # what the bprop returned; None where it returned None
    due: np.ndarray | None  # what is true; None where nobody knows, NaN at single numbers that nobody knows
    by: str  # 'rules', 'differences', 'rules and differences', or ''
    verdict: str  # one of the six above
    why: str = ''  # in one sentence
    mistake: str = ''  # of a wrong one: what kind of mistake it is, where that is known
    room: np.ndarray | float = 0.0  # how far each number may be off by rounding
    unseen: str = ''  # what happens in construct that no rule sees
    lack: Any = None  # of a wrong one: the Lack, where one op of construct is known to be the one that it is about
    made: Any = None  # the Mark of the variable of the bprop which alone would have to be another

    def __str__(self) -> str:
        """In a line."""
        sign = '✓' if self.ok else '✗' if self.verdict == WRONG else '○'
        said = f'agrees with {self.by.replace(" and ", " and with ")}' if self.verdict == RIGHT else self.verdict
        return f'{sign} d{self.name}: {said}. {self.mistake or self.why}'.rstrip()

    @property
    def ok(self) -> bool:
        """Whether it agrees with the truth."""
        return self.verdict in (RIGHT, KINK)

    @property
    def differs(self) -> np.ndarray | None:
        """Which numbers are off by more than rounding; None where nobody can say."""
        if self.due is None or (self.yours is not None and self.yours.shape != self.due.shape):
            return None
        return differs(self.given, self.due, self.room)

    @property
    def given(self) -> np.ndarray | None:
        """What counts as returned: None counts as zero."""
        return self.yours if self.yours is not None or self.due is None else np.zeros_like(self.due)

    @property
    def off(self) -> float | None:
        """The largest difference."""
        place = self.worst
        return None if place is None else float(apart(self.given, self.due)[place])

    @property
    def numbers(self) -> str:
        """The numbers there, in a sentence."""
        at = self.worst
        (yours, due), where = written(self.given[at], self.due[at]), f'd{self.name}{list(at) if at else ""}'
        start = f'None counts as zero, and {where}' if self.yours is None else f'{where} is {yours}, and'
        return f'{start} should be {due}.'

    @property
    def worst(self) -> tuple[int, ...] | None:
        """Where the number stands that is off furthest; None where there is no such number."""
        if self.differs is None or not self.due.size:
            return None
        off = apart(self.given, self.due)
        off = np.where(np.isfinite(off), off, np.where(np.isnan(self.due), -1.0, np.inf))
        off = np.where(self.differs, off, -1.0) if self.differs.any() else off
        return tuple(int(n) for n in np.unravel_index(int(np.argmax(off)), off.shape))


def written(*pair: float) -> list[str]:
    """Two numbers as they are written everywhere; with more decimals where they would look alike."""
    every = [[said(n, digits) for n in pair] for digits in (None, *range(3, 13))]
    return next((each for each in every if each[0] != each[1]), every[0])


def apart(yours: np.ndarray, due: np.ndarray) -> np.ndarray:
    """How far each number is from the due one; 0 where both are the same infinity, or both NaN."""
    with np.errstate(all='ignore'):
        difference = np.abs(yours.astype(np.float64) - due)
        return np.where((yours == due) | ((yours != yours) & (due != due)), 0.0, difference)


def differs(yours: np.ndarray, due: np.ndarray, room: np.ndarray | float) -> np.ndarray:
    """Which numbers are further apart than `room`; NaN and infinity differ from every number, none from an unknown."""
    return ~(((off := apart(yours, due)) <= room) & (off < np.inf)) & ~np.isnan(due)
