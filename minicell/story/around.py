"""Telling around what cannot be told: which events go with it, and what can then no longer be said."""

import numpy as np

from .record import Arrival, Pass, Record

CLOSED = {'Enter': 'Leave', 'Begin': 'End', 'Back': 'End', 'Pull': 'Give', 'Hook': 'Hooked'}
SAME = ('of', 'cell', 'function')  # what an event that opens has in common with the one that closes
LOST = 'a part of its way could not be followed'


def leave_out(events: list, number: int) -> set[int]:
    """The numbers of the events to leave out with one that cannot be told."""
    spans = [(a, b, type(events[a]).__name__) for a, b in stretches(events)]
    hidden = [s for s in spans if s[0] <= number <= s[1] and getattr(events[s[0]], 'custom', False)]
    own = next((s for s in spans if number in s[:2]), (number, number, ''))
    first, last, kind = min(hidden, default=own)  # a takeover is told as a whole
    if kind == 'Hook':  # it changes what comes to the entry that is read, or what that one hands out
        first, last, kind = next((s for s in spans if s[0] < first < s[1] and s[2] == 'Pull'), (first, last, kind))
    if kind == 'Enter' and not events[first].custom:  # what it runs stands on the tape one by one
        return {first, last}
    if kind == 'Back' and number == last:  # all but what arrives has been told
        return {last}
    out = set(range(first, last + 1))
    for a, b in sorted((a, b) for a, b, of in spans if of == 'Pull'):  # an entry goes with its readings, and so on
        if any(events[k] is events[a].entry for k in out):
            out |= set(range(a, b + 1))
    return out


def stretches(events: list) -> list[tuple[int, int]]:
    """From where to where each Cell runs, each gradient is taken and reads back, each entry is read, each hook runs.

    The inner ones first; what an exception has left open ends with what is around it.
    """
    found, opened = [], []
    for k, event in enumerate(events):
        kind = type(event).__name__
        closed = [i for i, a in enumerate(opened) if closes(event, events[a])]
        if closed:
            rest = closed[0 if kind == 'End' else -1]  # an End closes a Back and its Begin
            found += [(a, k) for a in reversed(opened[rest:])]
            del opened[rest:]
        elif kind in CLOSED:
            opened.append(k)
        elif kind == 'Call' and found and found[-1][1] == k - 1 and getattr(events[k - 1], 'cell', None) is event.cell:
            found[-1] = found[-1][0], k  # the entry that the call of a Cell leaves
    return found + [(a, len(events) - 1) for a in reversed(opened)]


def closes(event: object, opening: object) -> bool:
    """Whether an event closes what another one has opened."""
    same = all(getattr(event, key) is getattr(opening, key, None) for key in SAME if hasattr(event, key))
    return CLOSED[type(opening).__name__] == type(event).__name__ and same


def without_reasons(record: Record) -> None:
    """Take back what a record says because something did not happen: it may have, where a part cannot be told.

    What a gradient is added up from becomes what arrived; why there is none, and where a cotangent came from, are lost.
    """
    for run in record.passes:
        run.arrivals = tuple(arrived(run, a) for a in run.arrivals)
    starts = {(step.run, step.entry) for step in record.steps if step.kind == 'start'}
    for reading in record.readings:
        if reading.origin is None and (reading.run, reading.entry) not in starts:
            reading.origin = -1  # an entry that could not be told
        gave = (g._replace(when=g.when and reading.given) for g in reading.gave)
        reading.gave = tuple(g if g.value is not None else g._replace(why='') for g in gave)
    for k, step in enumerate(record.steps):
        if step.kind == 'add':  # what it adds up may not be all: only that it was handed out is sure
            record.steps[k] = step._replace(kind='give', entry=record.readings[step.reading].entry)


def arrived(run: Pass, arrival: Arrival) -> Arrival:
    """A gradient that has arrived as it is, wherever it came from."""
    total = arrival.total
    if total is None or total.data is None or not np.any(total.data):
        return arrival._replace(why=LOST)
    return arrival._replace(parts=((run.ended, total),), why='')
