"""What is said of a takeover's gradients once they are judged: title, badges, and the numbers that are marked."""

import re
from typing import NamedTuple

import numpy as np

from ..ink import numbers, tiles
from ..ink.shapes import width
from ..judge.origin import lost, origins
from ..judge.verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict, apart
from ..story.record import Pass, Reading, Record, Value
from . import style
from .phrases import given, listed, missing, sentence, some

Said = tuple[str, str]


class Kind(NamedTuple):
    """How a verdict is said: beside a gradient, and its look; in a title, of one and of several; on the line of
    steps."""

    badge: str
    look: str
    one: str
    several: str
    mark: str


KINDS = {  # the gravest first
    WRONG: Kind('✗ {}', 'xx', 'is wrong, and nobody noticed', 'are wrong, and nobody noticed', '✗ wrong'),
    SURROGATE: Kind('a surrogate', 'bf', 'is a surrogate', 'are surrogates', 'surrogate'),
    UNKNOWN: Kind('cannot be known', 'dim', 'cannot be judged', 'cannot be judged', 'unknown'),
    KINK: Kind('✓ right, at a kink', '', 'is right, at a kink', 'are right, at a kink', '✓ right'),
    RIGHT: Kind('✓ right', '', 'is right', 'are right', '✓ right'),
    NOT_ASKED: Kind('nobody asked: not checked', 'dim', 'was not asked for', 'were not asked for', '✓ right'),
}
RANK = {kind: k for k, kind in enumerate(KINDS)}
SECOND = 'You see it only because this picture knows the true one.'
AGREE = 'This picture has worked out the true gradient too, without the bprop: they agree{}.'


def rank(v: Verdict) -> int:
    """How early a verdict is told: what is wrong comes first."""
    return RANK[v.verdict]


def worst_of(verdicts: tuple) -> int:
    """The same for all of a takeover."""
    return min(map(rank, verdicts))


def peers(record: Record, reading: Reading) -> list[Reading]:
    """The calls of the same bprop in the same gradient."""
    name = record.entries[reading.entry].name
    return [r for r in record.readings if r.run == reading.run and record.entries[r.entry].name == name and r.judge]


def calls(record: Record, reading: Reading) -> str:
    """In how many calls of a bprop the same is known: `in 2 of 3 calls`; '' of a single one."""
    found = peers(record, reading)
    if len(found) < 2 or len(found) > style.JUDGED:
        return ''
    return f'in {sum(worst_of(r.verdicts) == worst_of(reading.verdicts) for r in found)} of {len(found)} calls'


def said_of(kind: str, names: list[str]) -> str:
    """`dx and dy are right`."""
    return f'{some(names)} {KINDS[kind].several if names[1:] else KINDS[kind].one}'


def due(v: Verdict, name: str) -> Value | None:
    """The true gradient; a ? stands for a number that nobody knows."""
    return None if v.due is None else Value(name, v.due.shape, '', v.due, '?' * bool(np.isnan(v.due).any()))


def settled(v: Verdict | None, value: Value) -> Value:
    """A gradient as it is shown once it is judged: what its rounding alone tells from 0 is `≈ 0`."""
    if v is None or value.data is None or v.due is None or value.shape != v.due.shape:
        return value
    none = (value.data != 0) & (np.maximum(np.abs(value.data), np.abs(v.due)) <= v.room)
    return value._replace(data=np.where(none, numbers.ROUNDING, value.data.astype(np.float64))) if none.any() else value


def words(record: Record, number: int) -> Said:
    """Title and caption."""
    reading = record.readings[number]
    entry = record.entries[reading.entry]
    names = [g.name for g in given(record, entry, reading)]
    told = sorted(zip(names, reading.verdicts, strict=True), key=lambda pair: rank(pair[1]))
    groups = {kind: found for kind in KINDS if (found := [n for n, v in told if v.verdict == kind != NOT_ASKED])}
    said = [said_of(*group) for group in groups.items()]
    name, first = told[0]
    why, often = re.sub('^It ', f'{name} ', first.mistake) or first.why, calls(record, reading)
    if first.verdict == RIGHT:
        why = AGREE.format(f', {often}' * bool(often))
    elif often:
        why += f' So it is {often}.'
    run = record.passes[reading.run]
    if first.verdict == RIGHT and (wrong := lost(run)):
        said.append(f'but {said_of(WRONG, [*wrong])}')
        why = why_lost(record, run)
    if first.verdict == WRONG:
        more = f'It goes wrong in line {first.made.line}.' if first.made else SECOND
        more = ' '.join(origins(record, [number]).values()) or more
        why += f' {more}' * (more != SECOND or width(f'{why} {more}', 'h2') <= style.CAPTION)
    return f'{"Your" if entry.yours else f"{entry.name}’s"} {"; ".join(said)}', why


def why_lost(record: Record, run: Pass) -> str:
    """Why a gradient that has arrived is wrong, and where its way ends."""
    name, (a, v) = next(iter(lost(run).items()))
    why = v.why.replace(f': d{v.name}', f': {name}') if a.parts else f'{missing(a)}.'
    why = f'{"What the bprop returns is right, and yet " * (not run.outermost)}{why}'
    made = dict.fromkeys(f'line {s.mark.line} makes {s.value.name} from NumPy' for s in record.cuts.values())
    return f'{why} {sentence(f"{listed([*made])}: there the tape ends")}' if made and run.outermost else why


def badge(v: Verdict, asked: bool = False) -> Said:
    """A verdict in few words, and their look: of a wrong one how far it is off, or what it is instead of a number;
    asked: some call of the same bprop was asked for it."""
    kind, off = KINDS[v.verdict], 'wrong'
    if v.verdict == NOT_ASKED and asked:
        return 'not asked for in this call', kind.look
    if v.off is not None and np.isfinite(v.off):
        off = f'off by {"up to " * (v.due.size > 1)}{numbers.said(v.off)}'
    elif v.off is not None:
        off = numbers.said(v.given[v.worst])
    return kind.badge.format(off), kind.look


def marks(v: Verdict) -> tiles.Marks | None:
    """Which numbers of a wrong gradient differ, how far each is off, and the worst of them, which is dark. Of a
    surrogate no number is blamed."""
    if v.verdict != WRONG or v.yours is None or v.worst is None:
        return None
    off, top = tiles.folded(apart(v.yours, v.due)), v.off if np.isfinite(v.off) else 1.0
    part = np.minimum(np.where(np.isfinite(off), off, top) / top, 0.99)
    worst = tiles.cell_of(v.worst, v.due.shape)
    part[worst] = 1
    return tiles.Marks(tiles.folded(v.differs), worst, part)
