"""What is true of a Record's gradients: beside each that a bprop has handed out, the one without any bprop."""

from functools import partial
from typing import Any

from ..story import tell
from ..story.record import Record
from . import verdict


def judged(tape: Any) -> Record:
    """The Record of a tape, with what its gradients should be: computed when someone looks."""
    return beside(tell(tape), tape)


def beside(record: Record, tape: Any) -> Record:
    """Put the true gradients beside those of each takeover, and of a gradient of a gradient."""
    for reading in record.readings:
        if reading.pull is not None and record.entries[reading.entry].kind == 'call':
            reading.truth = verdict.judged(tape, reading.pull)
    for number, run in enumerate(record.passes):
        if run.ended is not None and run.around is None and through_bprop(record, number):
            run.truth = partial(verdict.judged_again, tape, run.key)
    return record


def through_bprop(record: Record, number: int) -> bool:
    """Whether a gradient differentiated another one that a bprop had computed."""
    inside = {number}
    for k, run in enumerate(record.passes):  # (one that is around another began before it)
        inside |= {k} if run.around in inside else set()
    return any(r.run in inside - {number} and record.entries[r.entry].kind == 'call' for r in record.readings)
