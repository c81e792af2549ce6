"""A tape's events, told one by one. What cannot be told is left out, and the Record says so."""

from typing import Any

from .around import leave_out, without_reasons
from .book import Book
from .followed import called, follow, note, tried
from .forward import Forward
from .gradients import Gradients
from .hooks import Hooks
from .readings import Readings
from .record import Record

MOST = 20  # parts of a tape that are left out one by one; behind the next, nothing is told


def tell(tape: Any) -> Record:
    """The Record of a tape. Where the telling fails, all is told anew without the part of the tape that it failed at.

    So a Record holds nothing of a telling that failed: it is that of a tape on which only the other parts are.
    """
    events, left_out, failures = list(tape.events), set(), []
    end = len(events)
    while True:
        teller = Teller(tape)
        at, error = teller.all(events[:end], left_out)
        if error is None:
            return teller.finish(failures)
        failures.append((events[at], error))
        if teller.walked == at or len(failures) > MOST:
            end = at
        else:
            left_out |= leave_out(events, at)


class Teller:
    """One teller for each kind of event, all with the same book."""

    def __init__(self, tape: Any) -> None:
        self.book = book = Book(tape)
        forward, gradients, readings = Forward(book), Gradients(book), Readings(book)
        hooks = Hooks(book, forward, readings)
        self.tellers = {
            'Enter': forward.enter, 'Leave': forward.leave, 'Op': forward.op, 'Call': forward.call,
            'Write': forward.overwrite, 'Begin': gradients.begin, 'Back': gradients.back, 'End': gradients.end,
            'Pull': readings.pull, 'Give': readings.give, 'Hook': hooks.hook, 'Hooked': hooks.hooked,
            'Fail': lambda event: book.fail(event.error, event.where), **dict.fromkeys(('Report', 'Asked'), id),
        }  # fmt: skip
        self.unknown: dict[str, None] = {}

    def all(self, events: list, left_out: set[int]) -> tuple[int, Exception | None]:
        """Tell the events but those that are left out; where this fails, at which of them, and with what."""
        walk = iter(self.book.walk)
        for k, event in enumerate(events):
            self.walked = k
            _, error = tried(next, walk)
            self.walked += error is None
            if error is None and k not in left_out:
                _, error = tried(self.tell, event)
            if error is not None:
                return k, error
        return len(events), None

    def tell(self, event: Any) -> None:
        """Take in one event."""
        kind = type(event).__name__
        if kind in self.tellers:
            self.tellers[kind](event)
        else:
            self.unknown.setdefault(kind)

    def finish(self, failures: list[tuple[Any, Exception]] = ()) -> Record:
        """Close the record: the error that ended it, the code to show, and what could not be told."""
        record = self.book.record
        record.unknown = tuple(self.unknown)
        follow(record, 'the error at the end', self.book.fail, getattr(self.book.tape, 'error', None))
        places = self.book.places
        record.ran, record.hides = ([code for _, code in found] for found in (places.codes, places.hides))
        for event, error in failures:
            note(record, self.naming(event), error)
        if failures:
            without_reasons(record)
        return record

    def naming(self, event: Any) -> str:
        """The entry that an event is about: its number and name, and the user's line."""
        of = getattr(event, 'entry', None) or event
        name = getattr(getattr(of, 'rule', None), 'name', '') or getattr(of, 'what', '')
        name = name or (f'hook {called(of.function)}' if hasattr(of, 'owner') else '')
        name = name or (type(of.cell).__name__ if hasattr(of, 'cell') else f'the event {type(of).__name__}')
        entry = self.book.walk.entry_of.get(id(of))
        number = '' if entry is None else self.book.record.entries[entry].label
        where = getattr(of, 'where', None)
        line = f', line {where.line}' if where is not None and not where.ours else ''
        return f'{number} {name}{line}'.strip()
