"""What is true of the gradients on a Tape: a Verdict on each that a bprop handed out, and on what was made of it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..core.tensor import Tensor, is_float, tensors_in
from ..replay.again import Again
from ..replay.leads import leading
from ..replay.program import Program
from ..story import names, tell
from ..story.events import Walk
from ..story.record import Record
from ..story.stack import Turn
from ..story.tensors import places
from . import decide, mistakes, second
from .origin import culprit
from .takeover import Takeover
from .verdict import Verdict as Verdict

judged_before: WeakKeyDictionary = WeakKeyDictionary()  # Tape -> the address of a reading -> its verdicts


def judged(tape: Any) -> Record:
    """The Record of a tape, with verdicts on its gradients: these are made when someone looks."""
    return beside(tell(tape), tape)


def beside(record: Record, tape: Any, every: bool = False) -> Record:
    """Put verdicts beside the gradients of each takeover, and those of a gradient of a gradient, or of `every` one."""
    calls = [r for r in record.readings if record.entries[r.entry].kind == 'call' and r.turn is not None]
    for reading in calls:
        reading.judge = partial(of_turn, tape, reading.turn)
    for number, run in enumerate(record.passes):
        through = [r for r in calls if r.run in around(record, number)]
        nest = run.around is None and any(r.run != number for r in through)  # it differentiated what bprops computed
        if run.ended is not None and (nest or (every and through)):
            run.judge = partial(second.verdicts, tape, run, through)
    return record


def around(record: Record, number: int) -> set[int]:
    """A gradient, and those that are nested in it."""
    found = {number}
    for k, run in enumerate(record.passes):  # (one that is around another began before it)
        found |= {k} if run.around in found else set()
    return found


def verdicts(tape: Any) -> list[Verdict]:
    """All of them: of the takeovers in the order in which they were read, and of each gradient of a gradient."""
    record = judged(tape)
    return [v for each in (*record.readings, *record.passes) for v in each.verdicts]


def of_turn(tape: Any, turn: Turn) -> tuple[Verdict, ...]:
    """The verdicts on what one reading of a bprop handed out: one for each Tensor that it answers for."""
    told = judged_before.setdefault(tape, {})
    if turn.event.at not in told:
        found = takeover(tape, turn)
        every = mistakes.named(decide.verdicts(found), [found])
        made = culprit(tape, turn, found, every)
        told[turn.event.at] = tuple(v._replace(made=made) for v in every)
    return told[turn.event.at]


def takeover(tape: Any, turn: Turn, ask: Callable[[], Again] | None = None, thorough: bool = False) -> Takeover:
    """A takeover as the judge sees it."""
    event, call, give = turn.event, turn.call, turn.give
    cell = getattr(event.entry.cell, '_stands_for', event.entry.cell)
    given, params = [t for t, _ in give.gradients], event.entry.cell.internal_params or ()
    at = lambda t, when: None if t is None else np.array(tape.value(t, when) if isinstance(t, Tensor) else t)
    named = zip(names.parameters(cell, len(event.entry.inputs)), event.entry.inputs, strict=True)
    program, began = None, event.entry.at
    if call is not None and call.event is not None and call.out is not None:
        began = tape.events[call.first].at
        own = *tensors_in(call.inputs), *params
        program = Program(tape, own, call.out, tape.events[call.first + 1 : call.last])
    return Takeover(
        name=type(cell).__name__,
        names=[*(each for name, t in named for each in places(t, name)), *(p.name for p in params)],
        inputs=[at(t, event.entry.at) for t in given],
        yours=[at(g, give.at) for _, g in give.gradients],
        came=[at(g, event.at) for g in turn.came],
        asked=leading(tape.events, turn.frame, given),
        out=event.entry.out,
        program=program,
        ask=ask or partial(Again, cell, event.entry.inputs, then=partial(tape.value, at=began)),
        thorough=thorough,
    )
