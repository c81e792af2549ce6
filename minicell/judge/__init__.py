"""What is true of a Record's gradients: a Verdict on each that a bprop has handed out, and on what was made of it."""

from functools import partial
from typing import Any

from ..story import tell
from ..story.record import Record


def judged(tape: Any) -> Record:
    """The Record of a tape, with verdicts on its gradients: these are made when someone looks."""
    return beside(tell(tape), tape)


def beside(record: Record, tape: Any) -> Record:
    """Put verdicts beside the gradients of each takeover, and of a gradient of a gradient."""
    for reading in record.readings:
        if reading.turn is not None and record.entries[reading.entry].kind == 'call':
            reading.judge = partial(interim, tape, reading.turn)
    return record


def interim(tape, turn):
    import numpy as np

    from .. import check
    from ..story import names
    from .verdict import Verdict

    event = turn.event
    true = check.truth(tape, event)
    called = names.parameters(event.entry.cell, len(event.entry.inputs))
    out = []
    for k, (t, g) in enumerate(turn.give.gradients):
        yours, due = None if g is None else np.asarray(g.asnumpy() if hasattr(g, 'asnumpy') else g), true[k]
        name = called[k] if k < len(called) else getattr(t, 'name', '')
        if due is None:
            out.append(Verdict('C', name, k, False, yours, None, '', 'not asked', 'it has no gradient'))
        elif isinstance(due, Exception):
            out.append(Verdict('C', name, k, True, yours, None, '', 'unknown', str(due)))
        else:
            v = Verdict('C', name, k, True, yours, due, 'rules', 'right', room=1e-4 * abs(due))
            if v.differs.any():
                v = v._replace(verdict='wrong' if any(np.any(d) for d in true) else 'surrogate', why='It differs.')
            out.append(v)
    return out
