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
    teller = Teller(tape)
    for event in teller.book.walk:
        teller.tell(event)
    return teller.finish()


class Teller:
    """One teller for each kind of event, all with the same book."""

    def __init__(self, tape: Any) -> None:
        self.book = book = Book(tape)
        self.errors = Errors(book)
        forward, gradients, readings = Forward(book), Gradients(book), Readings(book)
        hooks = Hooks(book, forward, readings)
        self.tellers = {
            'Enter': forward.enter, 'Leave': forward.leave, 'Op': forward.op, 'Call': forward.call,
            'Write': forward.overwrite, 'Begin': gradients.begin, 'Back': gradients.back, 'End': gradients.end,
            'Pull': readings.pull, 'Give': readings.give, 'Hook': hooks.hook,
            'Hooked': hooks.hooked, 'Fail': self.errors.fail, 'Report': lambda event: None,
        }  # fmt: skip
        self.unknown: dict[str, None] = {}

    def tell(self, event: Any) -> None:
        """Take in one event."""
        kind = type(event).__name__
        if kind not in self.tellers:
            self.unknown.setdefault(kind)
            return
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
