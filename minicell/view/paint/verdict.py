"""How the gradients of a takeover compare with the true ones, in words."""

import numpy as np

from ..model import Gradient, Reading, Record
from . import numbers
from .phrases import some

Said = tuple[str, str]


class Verdict:
    """How the gradients of one takeover compare with the true ones."""

    def __init__(self, record: Record, number: int) -> None:
        self.reading = record.readings[number]
        self.entry = record.entries[self.reading.entry]
        self.judged = [g for g in self.reading.gradients if g.ok is not None]
        self.wrong = [g for g in self.judged if not g.ok]
        asked = {a.of for run in record.passes for a in run.arrivals if not a.parts}
        # Parameters whose gradient was asked for, and that this takeover cut off
        self.cut = [w.name for w in self.entry.wires if not w.whole and w.name in asked]

    def words(self) -> Said:
        """Title and caption."""
        told_ = self.wrong or self.judged
        names, be = some([g.name for g in told_]), 'are' if len(told_) > 1 else 'is'
        whose = 'Your' if self.entry.yours else f'{self.entry.name}’s'
        second = 'You see it only because this picture has worked out the true gradient too, without your bprop.'
        if not self.judged:
            return f'{whose} gradient cannot be compared', next((g.why for g in self.reading.gradients if g.why), '')
        if surrogate(self.reading):
            return f'{whose} {names} replaces a gradient of zero', (
                'The true gradient is 0 everywhere, so nothing would be learned from it. This one is a surrogate.'
            )
        if self.wrong:
            return f'{whose} {names} {be} wrong, and nobody noticed', second
        if self.cut:
            name = self.cut[0]
            return f'{whose} {names} {be} right, but {name} gets no gradient', (
                f'construct uses {name}, and internal_params does not name it: no bprop answers for it.'
            )
        return (
            f'{whose} {names} {be} right',
            'This picture has worked out the true gradient too, without the bprop: they agree.',
        )


def badge(reading: Reading, g: Gradient) -> Said | None:
    """What is said of a gradient when it is compared: words, and their look."""
    return ('a surrogate', 'bf') if surrogate(reading) else said(g)


def said(g: Gradient) -> Said | None:
    """Whether a gradient is right, in words, and their look; None where nobody can say."""
    if g.ok is None:
        return None
    return ('✓ right', '') if g.ok else (f'✗ {off(g)}', 'xx')


def surrogate(reading: Reading) -> bool:
    """Whether the true gradient is zero everywhere and this one is not: a slope put in the place of a step."""
    true = [g.true for g in reading.gradients if g.true is not None]
    wrong = any(g.ok is False for g in reading.gradients)
    return wrong and bool(true) and not any(np.any(t) for t in true)


def off(g: Gradient) -> str:
    """How far a gradient is off."""
    if g.error is None:
        return 'wrong'
    return f'off by {"" if g.true.size == 1 else "up to "}{numbers.said(g.error)}'
