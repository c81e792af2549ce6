"""What is open while events are told: calls of Cells, gradients that play or read back, readings, hooks."""

from dataclasses import dataclass, field
from typing import Any

from .record import Pass


@dataclass(eq=False)
class Gradient:
    """One gradient, from its Begin on; a vjp's may be read several times."""

    key: object
    begin: Any  # its event; None where it began before the Tape did
    first: int  # how many entries there were when it began
    last: int | None = None  # how many entries there were when its function had returned
    run: Pass | None = None  # the last Pass of it; None as long as nothing of it is told
    number: int | None = None  # the number of that Pass
    early: list = field(default_factory=list)  # its entries from before there was one


@dataclass(eq=False)
class Open:
    """Something that is open."""


@dataclass(eq=False)
class Call(Open):
    """A call of a Cell: the entry of one with its own bprop, the scope of one without."""

    cell: Any
    where: Any
    inputs: tuple = ()
    entry: int | None = None
    scope: int | None = None
    veil: bool = False  # it has a bprop, but stands inside a Cell that has one, too


@dataclass(eq=False)
class Play(Open):
    """A gradient whose function runs; `watched` if one around it follows what is computed here."""

    gradient: Gradient
    watched: bool = False


@dataclass(eq=False)
class ReadBack(Play):
    """A gradient that reads its tape back."""

    level: int = 0  # the tape that this writes on, where it is watched
    told: bool = True  # not where a Cell with its own bprop hides it
    contributions: dict[int, list] = field(default_factory=dict)  # id of a tensor -> what was handed out for it
    waiting: Any = None  # a Pull whose cotangent a hook sees first


@dataclass(eq=False)
class Turn(Open):
    """A reading that has not handed out yet; its number is None where nobody knows the entry."""

    reading: int | None
    event: Any = None


@dataclass(eq=False)
class Hooking(Turn):
    """A hook that runs; `own` if the reading is the hook's alone."""

    own: bool = False


class Stack:
    """What is open, the innermost last."""

    def __init__(self) -> None:
        self.all: list[Open] = []

    def push(self, item: Open) -> None:
        """Something opens."""
        self.all.append(item)

    def pop(self, item: Open) -> None:
        """It closes, and whatever an exception has left open inside it."""
        if item in self.all:
            del self.all[self.all.index(item) :]

    def innermost(self, *kinds: type) -> Any:
        """The innermost one of these kinds, or None."""
        for item in reversed(self.all):  # (asked at every event)
            if isinstance(item, kinds):
                return item
        return None

    def calls(self) -> list[Call]:
        """All calls of Cells, outermost first."""
        return [item for item in self.all if isinstance(item, Call)]

    def calls_since(self, *kinds: type) -> list[Call]:
        """Those that began inside the innermost one of these kinds."""
        start = max((k for k, item in enumerate(self.all) if isinstance(item, kinds)), default=-1)
        return [item for item in self.all[start + 1 :] if isinstance(item, Call)]

    def call_of(self, cell: Any) -> Call | None:
        """The innermost call of this very Cell."""
        return next((c for c in reversed(self.all) if isinstance(c, Call) and c.cell is cell), None)

    def gradient_of(self, key: object, kind: type = Play) -> Any:
        """The innermost frame of the gradient with this key; a hand-made tape may name none."""
        found = (item for item in reversed(self.all) if isinstance(item, kind))
        return next((item for item in found if key is None or item.gradient.key is key), None)

    def gradients(self) -> list[Play]:
        """All open gradients, outermost first."""
        return [item for item in self.all if isinstance(item, Play)]

    @property
    def reading(self) -> int | None:
        """The innermost reading that somebody knows."""
        found = (item.reading for item in reversed(self.all) if isinstance(item, Turn))
        return next((number for number in found if number is not None), None)

    @property
    def hider(self) -> int | None:
        """The entry of the outermost open Cell with its own bprop: what runs now is not taped."""
        return next((c.entry for c in self.calls() if c.entry is not None), None)

    @property
    def watched(self) -> bool:
        """Whether a gradient that opens now is followed by one around it."""
        if self.hider is not None:
            return False
        around = self.innermost(Play)
        return around is not None and (around.watched or not isinstance(around, ReadBack))

    @property
    def level(self) -> int:
        """The tape that entries go to now: what a backward computes goes on one of its own, if another one watches."""
        reading = self.innermost(ReadBack)
        return reading.level if reading is not None and reading.watched else 0

    @property
    def root(self) -> Gradient | None:
        """The gradient on whose tape an entry stands that is written now: the innermost that nobody else watches."""
        frame = next((item for item in reversed(self.gradients()) if not item.watched), None)
        return frame.gradient if frame else None
