"""What is said of a takeover's gradients once they are judged: title, badges, and the numbers that are marked."""

import re
from typing import NamedTuple

import numpy as np

from ..ink import numbers, tiles
from ..ink.shapes import width
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict, apart, written
from ..story.record import Entry, Reading, Record, Value
from . import style
from .phrases import flat, given, listed, some

Said = tuple[str, str]


class Kind(NamedTuple):
    """How a verdict is said: beside a gradient, and its look; in a title, of one and of several; on the line of steps;
    and beside what was asked for and is made of it."""

    badge: str
    look: str
    one: str
    several: str
    mark: str
    asked: str


KINDS = {  # the gravest first
    WRONG: Kind('✗ {}', 'xx', 'is wrong, and nobody noticed', 'are wrong, and nobody noticed',
                '✗ wrong', '✗ made with {}’s {}'),
    SURROGATE: Kind('a surrogate, on purpose', 'bf', 'is a surrogate', 'are surrogates',
                    'surrogate', 'different on purpose: {} is a surrogate'),
    UNKNOWN: Kind('cannot be known', 'dim', 'cannot be judged', 'cannot be judged', 'unknown', 'cannot be judged'),
    KINK: Kind('✓ right, at a kink', '', 'is right, at a kink', 'are right, at a kink', '✓ right', '✓ right'),
    RIGHT: Kind('✓ right', '', 'is right', 'are right', '✓ right', '✓ right'),
    NOT_ASKED: Kind('not asked for', 'dim', 'was not asked for', 'were not asked for', '✓ right', '✓ right'),
}  # fmt: skip
RANK = {kind: k for k, kind in enumerate(KINDS)}
SECOND = 'You see it only because this picture knows the true one.'
AGREE = 'This picture has worked out the true gradient too, without the bprop: they agree.'


def rank(v: Verdict) -> int:
    """How early a verdict is told: what is wrong comes first."""
    return RANK[v.verdict]


def worst_of(verdicts: tuple) -> int:
    """The same for all of a takeover."""
    return min(map(rank, verdicts))


def note(verdicts: tuple) -> Said:
    """A takeover's verdict as the line of steps marks it."""
    first = min(verdicts, key=rank).verdict
    return KINDS[first].mark, 'xx' if first == WRONG else 'on'


def known(reading: Reading) -> tuple:
    """Its verdicts, if somebody has asked for them: nothing is judged for a frame that shows no verdict."""
    return vars(reading).get('verdicts', ())


def due(v: Verdict, name: str) -> Value | None:
    """The true gradient; a ? stands for a number that nobody knows."""
    return None if v.due is None else Value(name, v.due.shape, '', v.due, '?' * bool(np.isnan(v.due).any()))


def settled(v: Verdict | None, value: Value | None) -> Value | None:
    """A gradient as it is shown once it is judged: what its rounding alone tells from 0 is `≈ 0`."""
    if v is None or value is None or value.data is None or v.due is None or value.shape != v.due.shape:
        return value
    room = np.broadcast_to(v.room, v.due.shape)
    none = (value.data != 0) & (np.abs(value.data) <= room) & (np.abs(v.due) <= room)
    return value._replace(data=np.where(none, numbers.ROUNDING, value.data.astype(np.float64))) if none.any() else value


def words(record: Record, number: int) -> Said:
    """Title and caption."""
    reading = record.readings[number]
    entry = record.entries[reading.entry]
    names = [g.name for g in given(record, entry, reading)]
    told = sorted(zip(names, reading.verdicts, strict=True), key=lambda pair: rank(pair[1]))
    groups = {kind: found for kind in KINDS if (found := [n for n, v in told if v.verdict == kind])}
    groups[NOT_ASKED] = unasked(entry, reading)
    said = [f'{some(n)} {KINDS[kind].several if n[1:] else KINDS[kind].one}' for kind, n in groups.items() if n]
    name, first = told[0]
    why = AGREE if first.verdict == RIGHT else re.sub('^It ', f'{name} ', first.mistake) or first.why
    if first.verdict == WRONG:
        why += f' {SECOND}' * (width(f'{why} {SECOND}', 'h2') <= style.CAPTION)
    elif first.verdict == SURROGATE:
        what, whose = flat(entry), 'your' if entry.yours else 'its'
        why = f'{what} has no slope, so the true gradient is 0.' if what else why
        why += f' {whose.capitalize()} bprop gives it a slope on purpose.'
    elif cut := cut_off(record, entry):
        said[0] += f', but {listed(cut)} {"get" if cut[1:] else "gets"} no gradient'
        named = any(w.name == cut[0] for w in entry.wires)
        past = 'and internal_params does not name it' if named else 'which is none of its inputs'
        why = f'construct uses {cut[0]}, {past}: no bprop answers for it.'
    return f'{"Your" if entry.yours else f"{entry.name}’s"} {"; ".join(said)}', why


def unasked(entry: Entry, reading: Reading) -> list[str]:
    """Whose gradients nobody asked for: of floats, as an integer has none."""
    inputs = [v for v in entry.inputs if v.data is not None]
    whole = {k for k, v in enumerate(inputs) if 'Float' not in v.dtype}
    verdicts = enumerate(zip(reading.gave, reading.verdicts, strict=True))
    return [f'{g.of}’s' for k, (g, v) in verdicts if v.verdict == NOT_ASKED and k not in whole]


def cut_off(record: Record, entry: Entry) -> list[str]:
    """What was asked for, and gets no gradient, because construct uses it, or what was made of it, past its inputs."""
    used = made_of(record, captured(entry))
    return [a.of for run in record.passes for a in run.arrivals if not a.parts and a.key in used]


def made_of(record: Record, keys: set[int]) -> set[int]:
    """These tensors, and all that they were made of."""
    found = set(keys)
    for entry in reversed(record.entries):
        if not found.isdisjoint(entry.made):
            found.update(entry.keys)
    return found


def captured(entry: Entry) -> set[int]:
    """What construct uses that is none of its inputs, nor in internal_params."""
    owned = {wire.name for wire in entry.wires if wire.whole}
    used = (each for g in entry.ghosts for each in zip(g.keys, g.places, g.inputs, strict=True))
    return {key for key, place, v in used if place is None and v.name not in owned}


def badge(v: Verdict) -> Said:
    """A verdict in few words, and their look: of a wrong one how far it is off, or what it is instead of a number."""
    kind, off = KINDS[v.verdict], 'wrong'
    if v.off is not None and np.isfinite(v.off):
        digits = off_by(*written(v.given[v.worst], v.due[v.worst]), v.off)
        off = f'off by {"up to " * (v.due.size > 1)}{digits}'
    elif v.off is not None:
        off = numbers.said(v.given[v.worst])
    return kind.badge.format(off), kind.look


def off_by(one: str, other: str, gap: float) -> str:
    """How far apart two numbers are, with as many digits as agree with these as they are written.

    >>> off_by('0.909', '0.548', 0.36164), off_by('−7.53', '0.674', 8.2011), off_by('3', '1', 2.0)
    ('0.36', '8.20', '2')
    """
    said = numbers.said
    rest = abs(numbers.read(one) - numbers.read(other))
    fewer = range(len(said(gap).partition('.')[2]), -1, -1)
    return next((said(gap, n) for n in fewer if said(gap, n) == said(rest, n) != '0'), said(gap))


def marks(v: Verdict, verdicts: tuple, dark: bool) -> tiles.Marks | None:
    """Which numbers of a wrong gradient differ, and the worst of them, which may be `dark`: it stands large beside the
    table. The worst of all the `verdicts` says how red each is. Of a surrogate no number is blamed."""
    if v.verdict != WRONG or v.yours is None or v.worst is None:
        return None
    top = max((o.off for o in verdicts if o.verdict == WRONG and np.isfinite(o.off or np.nan)), default=0.0)
    off_ = tiles.folded(apart(v.yours, v.due))
    part = np.minimum(np.where(np.isfinite(off_), off_, top) / (top or 1.0), 0.99)
    worst = tiles.cell_of(v.worst, v.due.shape)
    if dark:
        part[worst] = 1
    return tiles.Marks(tiles.folded(v.differs), worst, part)


def worst(v: Verdict) -> tuple[tuple[int, ...], str, str] | None:
    """The worst number of a wrong gradient: its place, what it is, and what it should be."""
    if v.yours is None or v.worst is None:
        return None
    return v.worst, *written(v.yours[v.worst], v.due[v.worst])
