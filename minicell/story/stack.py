"""What is open while events are told: calls of Cells, gradients that play or read back, readings, hooks."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .record import Pass
from .tensors import places, tensors


@dataclass(eq=False)
class Gradient:
    """One gradient, from its Begin on; a vjp's may be read several times."""

    key: object
    begin: Any  # its event; None where it began before the Tape did
    first: int  # how many entries there were when it began
    level: int = 0  # the tape that it began on
    last: int | None = None  # how many entries there were when its function had returned
    run: Pass | None = None  # the last Pass of it; None as long as nothing of it is told
    number: int | None = None  # the number of that Pass
    early: list = field(default_factory=list)  # its entries from before there was one

    @property
    def inputs(self) -> tuple:
        """The inputs and Parameters that it is taken with respect to."""
        return self.begin.inputs if self.begin is not None else ()


@dataclass(eq=False)
class Call:
    """A call of a Cell: the entry of one with its own bprop, the scope of one without."""

    cell: Any
    where: Any
    inputs: tuple = ()
    event: Any = None  # its Enter
    inside: bool = False  # a Cell with its own bprop hides it
    entry: int | None = None
    scope: int | None = None
    first: int = 0  # the place of its Enter among the events
    last: int = 0  # and of its Leave
    out: Any = None  # what construct returned


@dataclass(eq=False)
class Play:
    """A gradient whose function runs; `watched` if one around it follows what is computed here."""

    gradient: Gradient
    watched: bool = False


@dataclass(eq=False)
class ReadBack(Play):
    """A gradient that reads its tape back."""

    back: Any = None  # its event
    level: int = 0  # the tape that this writes on
    told: bool = True  # not where a Cell with its own bprop hides it
    turns: list = field(default_factory=list)  # the entries that it reads
    end: Any = None  # the event with its gradients
    contributions: dict[int, list] = field(default_factory=dict)  # id of a tensor -> what was handed out for it


@dataclass(eq=False)
class Turn:
    """Backward at one entry: what came in, what the hooks on its output made of that, what it handed out."""

    event: Any
    entry: int | None  # None where nobody knows it
    frame: ReadBack | None
    waits: bool = False  # a hook sees the cotangent first
    hooks: list = field(default_factory=list)  # (Hook, Hooked) of each hook that ran
    give: Any = None
    reading: int | None = None  # its number in the Record
    call: Call | None = None  # of a takeover: what it hid

    @property
    def known(self) -> bool:
        """Whether it can be told."""
        return self.entry is not None and not self.waits

    @cached_property
    def arrived(self) -> list[tuple]:
        """Each float output of the entry, and what came in for it, or None where nothing did."""
        given = self.event.cotangent if isinstance(self.event.cotangent, tuple | list) else (self.event.cotangent,)
        outs = (t for t in tensors(self.event.entry.out) if str(t.dtype).startswith(('Float', 'BFloat', 'Complex')))
        return list(zip(outs, given, strict=False))

    @cached_property
    def douts(self) -> list[str]:
        """What these are called: `dout`; of several outputs `dout['low']`, `dout[1]`."""
        called = dict(zip(map(id, tensors(self.event.entry.out)), places(self.event.entry.out, 'dout'), strict=True))
        return [called[id(t)] for t, _ in self.arrived]  # none comes for a mask

    @property
    def came(self) -> tuple:
        """What came in for each of them behind every hook."""
        found = {id(t): cotangent for t, cotangent in self.arrived}
        for hook, hooked in self.hooks:
            if hook.kind == 'tensor' and hooked.returned is not None and id(hook.owner) in found:
                found[id(hook.owner)] = hooked.returned
        return tuple(found.values())


@dataclass(eq=False)
class Hooking(Turn):
    """A hook that runs."""

    around: Turn | None = None  # the reading that it belongs to


class Stack:
    """What is open, the innermost last."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    def push(self, item: Any) -> None:
        """Something opens."""
        self.all.append(item)

    def pop(self, item: Any) -> None:
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

    def calls_here(self) -> list[Call]:
        """Those that run now, since the reading or the gradient began that everything here belongs to."""
        kind = Turn if self.innermost(Turn) else Play
        start = max((k for k, item in enumerate(self.all) if isinstance(item, kind)), default=-1)
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

    def turn_of(self, give: Any) -> Turn | None:
        """The reading that a Give ends."""
        found = (t for t in reversed(self.all) if isinstance(t, Turn) and not isinstance(t, Hooking))
        return next((t for t in found if t.event.entry is give.entry or t.event.entry.out is give.entry.out), None)

    @property
    def turn(self) -> Turn | None:
        """The innermost reading, or hook, that can be told."""
        for item in reversed(self.all):  # (asked at every op)
            if isinstance(item, Turn) and item.known:
                return item
        return None

    @property
    def reading(self) -> int | None:
        """Its number in the Record."""
        return getattr(self.turn, 'reading', None)

    @property
    def hider(self) -> int | None:
        """The entry of the outermost open Cell with its own bprop: what runs now is not taped."""
        for item in self.all:
            if isinstance(item, Call) and item.entry is not None:
                return item.entry
        return None

    @property
    def watched(self) -> bool:
        """Whether a gradient that opens now is followed by one around it."""
        if self.hider is not None:
            return False
        around = self.innermost(Play)
        return around is not None and (around.watched or not isinstance(around, ReadBack))

    @property
    def level(self) -> int:
        """The tape that what is recorded now goes to: what runs while one is read back goes to the next."""
        reading = self.innermost(ReadBack)
        return reading.level if reading is not None else 0

    @property
    def beside(self) -> int:
        """The tape beside which what is not recorded stands: the next only where a gradient around it watches."""
        reading = self.innermost(ReadBack)
        return reading.level if reading is not None and reading.watched else 0

    @property
    def root(self) -> Gradient | None:
        """The gradient on whose tape an entry stands that is written now: the innermost that nobody else watches."""
        frame = next((item for item in reversed(self.gradients()) if not item.watched), None)
        return frame.gradient if frame else None
