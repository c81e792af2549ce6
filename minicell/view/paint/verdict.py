"""How the gradients of a takeover compare with the true ones: number by number, and in words."""

import numpy as np

from ...judge.verdict import apart
from ...story.record import Gradient, Reading, Record
from . import numbers, tiles
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


def most(reading: Reading) -> float:
    """How far the worst number of all its gradients is off."""
    errors = (g.error for g in reading.gradients if g.ok is False and g.error is not None)
    return max(filter(np.isfinite, errors), default=0.0)


def differ(yours: np.ndarray, true: np.ndarray, top: float = 0, dark: bool = True) -> tiles.Marks:
    """Which numbers of yours are wrong, and the worst of them, which may be `dark`: it stands large beside the table.
    `top`: how far the worst of all gradients is off."""
    off_ = tiles.folded(apart(yours, true))
    off_ = np.where(np.isfinite(off_), off_, np.inf)
    with np.errstate(all='ignore'):
        wrong = off_ > 2e-3 * max(1e-6, float(np.max(np.abs(true), initial=0.0)))
    worst_ = tuple(int(n) for n in np.unravel_index(int(np.argmax(off_)), off_.shape))
    top = max(float(np.max(off_[np.isfinite(off_)], initial=0.0)), top, 1e-30)
    part = np.minimum(np.where(np.isfinite(off_), off_, top) / top, 0.99)
    if dark:
        part[worst_] = 1
    return tiles.Marks(wrong, worst_, part)


def worst(g: Gradient) -> tuple[tuple[int, ...], str, str] | None:
    """The worst number of a gradient: its place, what it is, and what it should be."""
    mine, true = g.value.data if g.value is not None else None, g.true
    if mine is None or true is None or mine.shape != true.shape or not true.size:
        return None
    flat = int(np.ravel_multi_index(differ(mine, true).worst, tiles.folded(true).shape))
    place, digits = tuple(map(int, np.unravel_index(flat, true.shape))), numbers.decimals([mine, true], 2)
    return place, tiles.shown(mine[place], digits), tiles.shown(true[place], digits)
