"""A takeover at one moment: its gradients as far as they have come, and what is known of them."""

from ...judge.verdict import WRONG
from ...story.record import Entry, Gradient, Reading, Value
from . import phrases, verdict
from .moment import Moment


class Taken:
    """A takeover at one moment. `gave`: (place among the inputs, gradient), when compared the wrong ones first."""

    def __init__(self, m: Moment, entry: Entry, number: int) -> None:
        self.m, self.entry, self.number = m, entry, number
        self.reading: Reading = m.record.readings[number]
        self.begun = m.taken == number
        self.given = self.begun and self.reading.given is not None and self.reading.given <= m.step
        self.judged = number in m.shot.known  # they have been compared with the true ones, by now
        self.verdicts = self.reading.verdicts if self.judged else ()
        told = [g._replace(name=n) for g, n in zip(self.reading.gave, verdict.called(self.reading), strict=True)]
        self.gave = list(enumerate(told))
        if m.compare:
            self.gave.sort(key=lambda pair: verdict.rank(self.verdicts[pair[0]]))
        # a None that should have been a gradient is an answer too
        self.gave = [(k, g) for k, g in self.gave if g.value is not None or (m.compare and self.blamed(k))]
        self.names = [g.name for _, g in self.gave] or phrases.names_of(m.record, entry)
        self.inline = m.plan.results.h < 40  # there is no room for tables
        self.beside = not self.inline and not m.plan.narrow  # what is known stands at their left
        self.versus = self.beside and m.compare and bool(self.gave) and self.verdicts[self.gave[0][0]].due is not None

    def blamed(self, place: int) -> bool:
        """Whether it is wrong."""
        return self.verdicts[place].verdict == WRONG

    def made(self, place: int) -> bool:
        """Whether a gradient can be seen yet: once its line has run."""
        if self.given or not self.begun:
            return self.given
        m = self.m
        ran = (s for s in m.record.steps[self.reading.reached : m.step + 1] if s.reading == self.number)
        taped = (v for e in m.record.entries if e.by == self.number and (e.written or 0) <= m.step for v in e.outputs)
        names = {s.value.name for s in ran if s.value is not None} | {v.name for v in taped}
        return (self.reading.gave[place].name or None) in names

    def due(self, place: int) -> Value | None:
        """The true gradient, once somebody has asked for it: its scale is that of the comparison."""
        known = verdict.known(self.reading)
        return verdict.due(known[place], self.reading.gave[place].name) if known else None

    def alike(self, place: int, g: Gradient) -> bool:
        """Whether a gradient has the shape of the true one, once that is known: both share their scale."""
        true = self.due(place)
        return true is not None and g.value.data is not None and true.shape == g.value.data.shape

    @property
    def deaf(self) -> bool:
        """Whether no line of the bprop uses dout: then a number is right by chance, and not with another loss."""
        return bool(self.entry.facts and not self.entry.facts.reads_dout)

    @property
    def unused(self) -> str:
        """What is said of such a bprop."""
        return f'no line uses {self.entry.facts.dout}'

    def badge(self, place: int) -> verdict.Said | None:
        """What is known of a gradient, in words, and their look."""
        if self.judged:
            return verdict.badge(self.verdicts[place])
        return ('nobody checked', 'bf') if self.given and not self.beside else None

    def awaited(self, what: str) -> str:
        """Who will make the gradients."""
        kind, yours = self.entry.kind, self.entry.yours
        whose = 'your hook' if kind == 'hook' else 'your bprop' if yours else 'its bprop'
        return f'{whose} makes {what}' if self.begun else f'{phrases.displaced(self.entry)}, or {whose}?'
