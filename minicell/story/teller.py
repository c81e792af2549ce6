"""A tape's events, told one by one. What a teller does not know is left out, and the Record says so."""

from typing import Any

from .book import Book
from .code import listing
from .errors import Errors
from .forward import Forward
from .gradients import Gradients
from .hooks import Hooks
from .readings import Readings
from .record import Record


def tell(tape: Any) -> Record:
    """The Record of a tape."""
    events = list(tape.events)
    teller = Teller(tape, read_outside(events))
    for k, event in enumerate(events):
        teller.tell(event, events[k + 1] if k + 1 < len(events) else None)
    return teller.finish()


def read_outside(events: list) -> set[int]:
    """The ids of entries that stand inside a Cell with its own bprop, and are read back outside of it by a vjp."""
    hidden: list[Any] = []
    inside, found = set(), set()
    for event in events:
        kind = type(event).__name__
        if kind == 'Enter' and getattr(event, 'custom', False):
            hidden.append(event.cell)
        elif kind == 'Leave' and hidden and event.cell is hidden[-1]:
            hidden.pop()
        elif kind in ('Op', 'Call') and hidden:
            inside.add(id(event))
        elif kind == 'Pull' and not hidden and id(event.entry) in inside:
            found.add(id(event.entry))
    return found


class Teller:
    """One teller for each kind of event, all with the same book."""

    def __init__(self, tape: Any, pulled: set[int]) -> None:
        self.book = book = Book(tape)
        self.errors = Errors(book)
        forward, gradients, readings = Forward(book, pulled), Gradients(book), Readings(book)
        hooks = Hooks(book, readings)
        self.tellers = {
            'Enter': forward.enter, 'Leave': forward.leave, 'Op': forward.op, 'Call': forward.call,
            'Write': forward.overwrite, 'Begin': gradients.begin, 'Back': gradients.back, 'End': gradients.end,
            'Pull': readings.pull, 'Give': readings.give, 'Hook': hooks.hook,
            'Hooked': hooks.hooked, 'Fail': self.errors.fail, 'Report': lambda event: None,
        }  # fmt: skip
        self.unknown: dict[str, None] = {}

    def tell(self, event: Any, then: Any) -> None:
        """Take in one event; `then` is the one behind it."""
        kind = type(event).__name__
        if kind not in self.tellers:
            self.unknown.setdefault(kind)
            return
        self.book.now, self.book.then = getattr(event, 'at', self.book.now), then
        try:
            self.tellers[kind](event)
        except Exception as error:
            self.unknown.setdefault(f'{kind} ({type(error).__name__}: {error})')

    def finish(self) -> Record:
        """Close the record: the error that ended it, and the code to show."""
        record = self.book.record
        self.errors.last(getattr(self.book.tape, 'error', None))
        marks = [step.mark for step in record.steps if step.mark]
        codes, hides = ([code for _, code in found] for found in (self.book.places.codes, self.book.places.hides))
        record.code = listing(codes, hides, marks)
        record.unknown = tuple(self.unknown)
        return record
