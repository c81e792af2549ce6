"""A record at one of its steps: which steps there are, what is written and read, where each gradient stands."""

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from ..judge.verdict import NOT_ASKED, WRONG
from ..story.record import Arrival, Pass, Reading, Record, Value
from . import strip, style, verdict
from .formula import TAKEN

TOLD = 'start', 'arrive', 'fail', 'inside'  # kinds of steps that are told of the longest tape


class Shot(NamedTuple):
    """A step of the picture: one of the record, or the comparison of a takeover (`compare`, a reading) at the end."""

    step: int
    compare: int | None = None
    known: frozenset[int] = frozenset()  # the readings that have been compared by then


def shots(record: Record, compare: bool, most: int = style.MOST_STEPS) -> list[Shot]:
    """The steps of the picture: at most about `most`. Where takeovers can be judged, each gradient that reads them ends
    with a comparison: of the worst of those that are wrong, else of the first that is not simply right."""
    every = [i for i, step in enumerate(record.steps) if step.kind]  # (without those that a zoom leaves out)
    keep = kept(record, every, most)
    ends: dict[int, int] = {}
    if compare:
        for run, reading in sorted(judged(record).items()):
            end = record.passes[run].ended
            ends[end if end is not None else every[-1]] = reading
        if len(ends) > most // style.ENDS:  # of many, those that are wrong, then what is different on purpose
            how = {end: verdict.worst_of(record.readings[ends[end]].verdicts) for end in ends}
            ends = {end: ends[end] for end in sorted(sorted(ends, key=how.get)[: most // style.ENDS])}
    out, known = [], frozenset()
    for before, i in pairwise([-1, *every]):
        again = i in ends and before in keep and nothing_new(record, before, i, ends[i])
        if (i in keep or i in ends) and not again:
            out.append(Shot(i, known=known))
        if i in ends:
            known |= {ends[i]}
            out.append(Shot(i, ends[i], known))
    return out or [Shot(0)]


def nothing_new(record: Record, before: int, end: int, number: int) -> bool:
    """Whether the end of a gradient shows what its takeover has handed out in the step before, and nothing else."""
    step, reading = record.steps[end], record.readings[number]
    if step.kind != 'arrive' or reading.given != before or record.passes[step.run].outermost:
        return False  # (the gradient of a gradient is what the picture is about)
    gave = {g.of for g in reading.gave if g.value is not None}
    return all(a.of in gave and len(a.parts) == 1 for a in record.passes[step.run].arrivals)


def judged(record: Record) -> dict[int, int]:
    """For each gradient that read takeovers the one to compare when it has arrived."""
    found: dict[int, list[int]] = {}
    for i, r in enumerate(record.readings):
        if record.entries[r.entry].kind == 'call' and r.run is not None and r.given is not None and r.judge:
            found.setdefault(r.run, []).append(i)
    out: dict[int, int] = {}
    for run, calls in found.items():
        told = {i: record.readings[i].verdicts for i in calls[: style.JUDGED]}
        asked = [i for i, verdicts in told.items() if any(v.verdict != NOT_ASKED for v in verdicts)]
        if asked:
            worst = min(verdict.worst_of(told[i]) for i in asked)
            alike = [i for i in asked if verdict.worst_of(told[i]) == worst]
            out[run] = alike[0 if worst == verdict.RANK[WRONG] else -1]  # the first that is wrong: its dout is right
    return out


def kept(record: Record, every: list[int], most: int) -> set[int]:
    """The steps to show of a long record: of a loop the first two turns and the last, then those at the ends, and where
    a gradient starts or ends, takeovers and errors."""
    if len(every) <= most:
        return set(every)
    units = [unit for level in range(record.depth + 1) for unit in strip.units(record, level)]
    skipped = {i for unit in units if 2 < unit.turn < unit.turns for i in unit.entries}
    found = [i for i in every if record.steps[i].entry not in skipped]
    if len(found) > most:
        steps = ((i, record.steps[i], record.steps[i].entry) for i in found)
        kinds = lambda entry: record.entries[entry].kind if entry is not None else ''
        odd = [i for i, step, entry in steps if step.kind in TOLD or kinds(entry) in (*TAKEN, 'torn')]
        rest = most - min(len(odd), most // 2)
        end, half = most // style.ENDS, rest // 2
        found = sorted({*odd[:end], *odd[-end:], *found[:half], *found[-half:]})
    return set(found)


class Story:
    """What a record says about each of its steps, found once."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.parts = self.contributions()
        self.sums: dict[object, Sum] = {}
        self.takeovers: list[tuple[int | None, ...]] = []  # of each step and tape: the reading that took over last
        self.last = max((i for i, step in enumerate(record.steps) if step.kind), default=-1)
        own = [e for e in reversed(record.entries) if e.kind in TAKEN]
        self.firsts = {e.level: e for e in own}  # of each tape
        reads = [(n, record.entries[r.entry]) for n, r in enumerate(record.readings)]
        self.first_read = {e.level: n for n, e in reversed(reads) if e is self.firsts.get(e.level)}
        self.reached: dict[int, list[Reading]] = {}  # entry -> its readings
        for reading in record.readings:
            self.reached.setdefault(reading.entry, []).append(reading)
        self.levels: list[tuple[int | None, ...]] = []  # of each step and tape: the entry that it was about last
        levels, takeovers = ([None] * (record.depth + 1) for _ in range(2))
        for step in record.steps:
            if step.entry is not None:
                entry = record.entries[step.entry]
                levels[entry.level] = step.entry
                if step.kind in ('reach', 'inside', 'give') and entry.kind in TAKEN:
                    takeovers[entry.level] = step.reading
            self.levels.append(tuple(levels))
            self.takeovers.append(tuple(takeovers))

    def reading(self, entry: int, step: int, run: Pass | None = None) -> Reading | None:
        """The last reading of an entry that has begun. Where a gradient is given that reads it, now or later, its own:
        what an earlier gradient found there is past."""
        which = self.reached.get(entry, ())
        own = [r for r in which if run is not None and self.by(r) is run]
        return next((r for r in reversed(own or which) if r.reached <= step), None)

    def by(self, reading: Reading) -> Pass | None:
        """The gradient that a reading belongs to."""
        return self.record.passes[reading.run] if reading.run is not None else None

    @cached_property
    def jumps(self) -> dict[int, str]:
        """The steps that a button leads to."""
        out = {}
        for i, step in enumerate(self.record.steps):
            if step.kind == 'reach' and self.record.entries[step.entry].kind in TAKEN:
                out[i] = 'Takeover'
            if step.kind == 'write' and self.record.entries[step.entry].level and 'Second tape' not in out.values():
                out[i] = 'Second tape'
            if step.kind == 'fail' and 'Error' not in out.values():
                out[i] = 'Error'
        ends = [p for p in self.record.passes if p.ended is not None and p.around is None and p.inside is None]
        nests = [p for p in ends if p.outermost or p.asked]
        if nests or (ends and not self.firsts):
            out.setdefault((nests or ends)[-1].ended, 'Result')  # with a takeover, the comparison is the end
        return out

    @cached_property
    def begins(self) -> dict[int, list[Pass]]:
        """Which gradients start at an entry: nobody hands its cotangent in."""
        out: dict[int, list[Pass]] = {}
        for reading in self.record.readings:
            run = self.by(reading)
            if run is not None and reading.origin is None and run.started is not None:
                out.setdefault(reading.entry, []).append(run)
        return out

    @cached_property
    def comers(self) -> list[dict[int, int]]:
        """For each tape the gradients that read it, and when each comes to it: where it starts there, or later."""
        out: list[dict[int, int]] = [{} for _ in range(self.record.depth + 1)]
        for number, run in enumerate(self.record.passes):
            if run.started is not None:
                entry = self.record.steps[run.started].entry
                level = self.record.entries[entry].level if entry is not None else max(run.level - 1, 0)
                out[min(level, self.record.depth)].setdefault(number, run.started)
        for level, found in enumerate(out):
            if not found:  # none starts there: those that go on to it from another one
                for reading in self.record.readings:
                    if self.record.entries[reading.entry].level == level and reading.run is not None:
                        found.setdefault(reading.run, reading.reached)
        return out

    def contributions(self) -> dict[int, list[tuple[int, Value, Reading]]]:
        """For each tensor (its key) what was handed out for it: (step, value, reading). Where that is added to what has
        come before, the step is the one that adds it."""
        out: dict[int, list[tuple[int, Value, Reading]]] = {}
        for reading in self.record.readings:
            for g in reading.gave:
                if g.when is not None:
                    out.setdefault(g.key, []).append((g.when, g.value, reading))
        return out

    def handed(self, reading: Reading) -> set[int]:
        """The tensors that a reading handed out gradients for."""
        return {g.key for g in reading.gave if g.when is not None}

    def cotangent(self, key: int, run: Pass | None) -> 'Sum':
        """The contributions to the gradient of a tensor: each reading back adds for itself."""
        if (key, id(run)) not in self.sums:
            self.sums[key, id(run)] = Sum((s, v) for s, v, r in self.parts.get(key, ()) if self.by(r) is run)
        return self.sums[key, id(run)]

    def arriving(self, arrival: Arrival) -> 'Sum':
        """The contributions to a gradient that was asked for."""
        if id(arrival) not in self.sums:
            self.sums[id(arrival)] = Sum((s, v) for s, v in arrival.parts if v is not None and v.data is not None)
        return self.sums[id(arrival)]


class Sum:
    """Contributions as they come, and their sum so far: each is added once, however many frames show it."""

    def __init__(self, parts: Iterable[tuple[int, Value]]) -> None:
        parts = sorted(parts, key=lambda part: part[0])
        self.steps, self.values = [step for step, _ in parts], [value for _, value in parts]

    @cached_property
    def totals(self) -> list[Value]:
        """What there is with each of them, added in double."""
        first, *others = self.values
        with np.errstate(all='ignore'):
            sums = accumulate((v.data for v in others), np.add, initial=first.data.astype(np.float64))
            found = [first._replace(data=np.asarray(each).astype(first.data.dtype)) for each in sums]
        return [first, *found[1:]]

    def parts(self, step: int) -> list[Value]:
        """Those that have come by a step."""
        return self.values[: bisect_right(self.steps, step)]

    def last(self, step: int) -> int:
        """When the last of them came; −1 if none has."""
        count = bisect_right(self.steps, step)
        return self.steps[count - 1] if count else -1

    def until(self, step: int) -> Value | None:
        """The sum of those that have come by a step; None if there is none."""
        count = bisect_right(self.steps, step)
        return self.totals[count - 1] if count else None
