"""An exception: the card where it was raised. What came before it stays."""

from typing import Any

from .book import Book
from .events import TORN
from .followed import printed


class Errors:
    """Tells Fail."""

    def __init__(self, book: Book) -> None:
        self.book, self.record = book, book.record
        self.told: dict[int, BaseException] = {}

    def fail(self, event: Any) -> None:
        """An exception passes; the first place that it passes is where it was raised."""
        if id(event.error) not in self.told:
            self.torn(event.error, event.where)

    def last(self, error: BaseException | None) -> None:
        """The one that ended the tape."""
        if error is not None and id(error) not in self.told:
            self.torn(error, None)

    def torn(self, error: BaseException, where: Any) -> None:
        """The card of an error."""
        self.told[id(error)] = error
        message = printed(error)
        reading = self.book.stack.reading
        entry = self.record.readings[reading].entry if reading is not None else None
        mark = self.book.places.mark(where)
        if mark is None and entry is not None:
            facts = self.record.entries[entry].facts
            mark = facts.end if facts else self.record.entries[entry].mark
        if entry is None:
            entry = self.book.walk.new(TORN, type(error).__name__, 'torn', mark)
            made = self.book.place(entry, ())
            made.source, made.error = getattr(where, 'expression', '') if mark else '', message
        self.book.step('fail', entry=entry, reading=reading, mark=mark, what=message)
        if reading is not None:
            self.record.readings[reading].error = message
