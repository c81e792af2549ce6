"""Who computed each gradient of a Record: an op's rule, a Cell's bprop, or a hook."""

from typing import NamedTuple

from minicell.view.model import Record, Value


class Author(NamedTuple):
    """One gradient that was handed out. kind: 'rule', 'bprop' or 'hook'; name: the op's, the Cell's, the hook's."""

    gradient: str
    kind: str
    name: str
    step: int
    reading: int
    call: int = 0  # which call of a hook at this reading
    value: Value | None = None
    line: int = 0  # where the user's own function begins


KINDS = {'op': 'rule', 'call': 'bprop', 'hook': 'hook'}


def of(record: Record) -> list[Author]:
    """An Author for each gradient handed out, in the order of time."""
    out = []
    for number, reading in enumerate(record.readings):
        entry = record.entries[reading.entry]
        line = entry.facts.start.line if entry.facts else 0
        for k, call in enumerate(reading.hooks):
            at = reading.given if reading.given is not None else reading.reached
            begin = call.facts.start.line if call.facts else 0
            out += [
                Author(v.name, 'hook', entry.name, at, number, k, v, begin)
                for v in (call.before if call.after is None else call.after)
            ]
        if reading.given is None or reading.hooks or entry.kind not in KINDS:
            continue
        # where a hook could hang and none was called, the op alone handed the gradient on
        kind = 'rule' if entry.kind == 'hook' else KINDS[entry.kind]
        out += [
            Author(g.name, kind, entry.name, reading.given, number, 0, g.value, line if kind == 'bprop' else 0)
            for g in reading.gave
        ]
    return out
