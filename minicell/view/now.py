"""A record at one of its steps: what is written and read by then, which gradient reads which tape, what is in focus."""

from ..story.record import Entry, Pass, Reading, Step, Value
from .formula import TAKEN
from .moment import Shot, Story
from .phrases import root

WRITES = ('enter', 'hidden', 'write', 'fail')


class Now:
    """All that the boxes of one frame ask about the moment."""

    def __init__(self, story: Story, shot: Shot | None) -> None:  # None: before all
        self.story, self.shot, self.record, self.step = story, shot, story.record, shot.step if shot else -1
        self.compare = bool(shot) and shot.compare is not None
        self.told: Step = self.record.steps[shot.step] if shot else Step('before')
        told = None if self.compare else self.told.reading
        self.read: Reading | None = None if told is None else self.record.readings[told]  # what this step is about
        tapes = self.record.depth + 1
        self.taken = list(story.takeovers[shot.step]) if shot else [None] * tapes  # the reading that took over last
        self.focus = list(story.levels[shot.step]) if shot else [None] * tapes
        if self.compare:
            entry = self.record.readings[shot.compare].entry
            level = self.record.entries[entry].level
            self.focus[level], self.taken[level] = entry, shot.compare

    # ---- entries ----

    def done(self, i: int) -> bool:
        """Whether an entry is there by now."""
        entry = self.record.entries[i]
        when = entry.first if entry.kind == 'torn' else entry.written
        return when is not None and when <= self.step

    def writes(self, i: int) -> bool:
        """Whether this step is about writing it."""
        here = self.told.entry == i and self.told.kind in WRITES and not self.compare
        return here and (self.told.kind != 'fail' or self.told.reading is None)

    def reads(self, i: int) -> bool:
        """Whether this step is about reading it back."""
        return self.read is not None and self.read.entry == i

    def reading(self, i: int) -> Reading | None:
        """The reading of an entry that is shown: that of this step, else the last that has begun."""
        if self.reads(i):
            return self.read
        return self.story.reading(i, self.step, self.reader(self.record.entries[i].level))

    def given(self, reading: Reading | None) -> bool:
        """Whether a reading has handed out by now."""
        return reading is not None and reading.given is not None and reading.given <= self.step

    def entry_of(self, reading: int) -> Entry:
        """The entry that a reading reads."""
        return self.record.entries[self.record.readings[reading].entry]

    # ---- gradients ----

    def reader(self, level: int) -> Pass | None:
        """The gradient whose reading of a tape is shown: that of this step, if it is about an entry there, else the one
        that came to it last, of the nest that is told now; None if none has come."""
        about = self.record.readings[self.shot.compare] if self.compare else self.read
        if about is not None and self.record.entries[about.entry].level == level:
            return self.story.by(about)
        came = [(when, number) for number, when in self.story.comers[level].items() if when <= self.step]
        if self.record.depth and self.told.run is not None:
            nest = root(self.record, self.told.run)
            came = [each for each in came if root(self.record, each[1]) == nest]
        return self.record.passes[max(came)[1]] if came else None

    def whose(self, i: int) -> Pass | None:
        """The gradient whose reading of an entry is shown."""
        reading = self.reading(i)
        return self.story.by(reading) if reading is not None else self.reader(self.record.entries[i].level)

    def so_far(self, key: int, run: Pass | None) -> str:
        """Of a sum of several: whether all of it has come."""
        if not self.shot:  # as wide as it will be
            return ' so far' * (len(self.story.parts.get(key, ())) > 1)
        whole = self.story.cotangent(key, run)
        came = len(whole.parts(self.step)) if self.part(key) is None else 0
        return '' if len(whole.steps) < 2 or not came else ' so far' if came < len(whole.steps) else ' in all'

    def part(self, key: int) -> Value | None:
        """What this step hands out for a tensor: adding it to what has come before is a step of its own."""
        parts = self.story.parts.get(key, ()) if self.told.kind == 'give' else ()
        return next((value for _, value, reading in parts if reading is self.read), None)

    @property
    def over(self) -> bool:
        """Whether all has run, so that what it came to is the subject."""
        return self.compare or (self.told.kind == 'arrive' and self.step == self.story.last)

    # ---- code ----

    def own(self, level: int) -> Entry | None:
        """The takeover on a tape whose lines are shown: the one that is written or runs, else the last or the first."""
        told = self.record.entries[self.told.entry] if self.told.entry is not None and not self.compare else None
        by = self.entry_of(told.by) if told is not None and told.by is not None else None
        taken = self.entry_of(self.taken[level]) if self.taken[level] is not None else None
        found = (e for e in (told, by, taken) if e is not None and e.kind in TAKEN and e.level == level)
        return next(found, self.story.firsts.get(level))

    def handing(self, level: int) -> int | None:
        """The reading that hands out the gradients beside these lines."""
        return self.taken[level] if self.taken[level] is not None else self.story.first_read.get(level)

    def begun(self, level: int) -> bool:
        """Whether backward has gone into these lines."""
        return self.taken[level] is not None and self.own(level) is self.entry_of(self.taken[level])

    def running(self, level: int) -> bool:
        """Whether these lines run now, or backward has just come to them."""
        return not self.compare and self.taken[level] is not None and self.told.reading == self.taken[level]
