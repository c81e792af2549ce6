"""Who computed each gradient: counted where rules and bprops are called, and as a Record tells it."""

from collections import Counter
from contextlib import contextmanager
from typing import NamedTuple
from unittest import mock

from minicell.core import cell, tape
from minicell.core.rules import Rule
from minicell.story.record import Record, Value
from tests.view import gallery

SILENT = ('TupleGetItem', 'Leaf', 'HookIn', 'HookOut', 'InsertGradientOf', 'HookBackward')


def kinds(kind=Rule):
    """All classes of rules."""
    return {kind, *(k for sub in kind.__subclasses__() for k in kinds(sub))}


@contextmanager
def counting():
    """A Counter of ('rule', op) and ('bprop', Cell): each counts once it has returned gradients, if a Tape looks.

    What runs inside a construct that is not taped does not count.
    """
    counts, hidden, running = Counter(), [], []

    def counted(vjp):
        def wrapped(self, g, mark, x, y, out):
            if not tape.looking or any(s is self and o is out for s, o in running[-1:]):
                return vjp(self, g, mark, x, y, out)
            running.append((self, out))
            try:
                gave = tuple(vjp(self, g, mark, x, y, out))
            finally:
                running.pop()
            if gave and not hidden and self.name not in SILENT and not hasattr(self, 'inner'):
                own = self.name == 'Takeover'
                counts[('bprop', type(y).__name__) if own else ('rule', self.name)] += 1
            return gave

        return wrapped

    def hide(*args):
        hidden.append(None)
        try:
            return original(*args)
        finally:
            hidden.pop()

    original = tape.hide
    changed = {k: k.__dict__['vjp'] for k in kinds() if 'vjp' in k.__dict__}
    assert cell.tape is tape
    with mock.patch.object(tape, 'hide', hide):
        for kind, vjp in changed.items():
            kind.vjp = counted(vjp)
        try:
            yield counts
        finally:
            for kind, vjp in changed.items():
                kind.vjp = vjp


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


def authors(record: Record) -> list[Author]:
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


def told(record):
    """The same counts from a Record: by rules and bprops, and by the lines of hooks."""
    acts = {(a.kind, a.name, a.reading, a.call, a.line) for a in authors(record)}
    own = Counter((kind, name) for kind, name, *_ in acts if kind != 'hook' and name not in SILENT)
    return own, Counter(line for kind, *_, line in acts if kind == 'hook')


def run(source, name):
    """The tape of a program, who ran, and the lines of the hooks that ran (None where it does not say)."""
    with counting() as counts:
        space = gallery.space_of(source, name)
    lines = source.splitlines()
    hooks = Counter(next(n for n, text in enumerate(lines, 1) if f'def {h}(' in text) for h in space.get('calls', ()))
    return space['tape'], counts, hooks if 'calls' in space else None
