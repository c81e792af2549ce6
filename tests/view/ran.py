"""Who ran: rules and bprops counted where they are called, without a Tape's events."""

from collections import Counter
from contextlib import contextmanager
from unittest import mock

import authors

from minicell.core import cell, tape
from minicell.core.rules import Rule

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


def told(record):
    """The same from a Record: by rules and bprops, and by the lines of hooks."""
    acts = {(a.kind, a.name, a.reading, a.call, a.line) for a in authors.of(record)}
    own = Counter((kind, name) for kind, name, *_ in acts if kind != 'hook' and name not in SILENT)
    return own, Counter(line for kind, *_, line in acts if kind == 'hook')
