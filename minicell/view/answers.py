"""The gradients that were asked for: as numbers where they are few and small, else a row for each."""

from ..ink import tiles
from ..ink.boxes import Box, Column, Flow, Text
from ..judge.verdict import WRONG
from ..story.record import Pass, Value
from . import phrases, style, verdict
from .gradient import Shown, beside, box
from .now import Now

NO_PATH = 'no path leads to it', 'dim'


def arrivals(now: Now, run: Pass, level: int, w: float) -> Box:
    """The gradients that were asked for, as far as they have come. What a takeover hands out stands beside its
    lines, and not here once more."""
    beside = now.handing(level)
    gave = now.story.handed(now.record.readings[beside]) if beside is not None else ()
    places = [k for k, a in enumerate(run.arrivals) if a.key not in gave or len(a.parts) != 1]
    came, most = [now.story.arriving(run.arrivals[k]).last(now.step) for k in places], style.LIST_MOST
    latest = max(range(len(came)), key=came.__getitem__, default=0)
    first = max(0, min(latest - most // 2, len(came) - most))  # of many, those around the latest
    room = style.VALUES[0 if len(places) <= 2 else -1]
    few = lambda v: (style.SINGLE, 'num xxl') if phrases.single(v) else (style.TALL, 'num')
    plate = lambda v: tiles.plate(v, *room, *few(v), (w, room[1])) if len(places) <= 2 else tiles.plate(v, *room)
    boxes = [box(shown(now, run, k), w - style.ROOMY, plate, w) for k in places[first : first + most]]
    said = f'{first + 1}–{first + most} of {len(places)} gradients' * (len(places) > most)
    more = Text(said, 'dim', key='G') if said else None
    return Column(more, Flow(*boxes, room=w, gap=style.GAP, across='start'), gap=style.CLOSE, across='start')


def asked(now: Now, level: int) -> Pass | None:
    """The gradient whose arrivals are shown beside a tape: the last that has come to it of those that read no later
    one, and before one has, the first that will."""
    home = {n: (level, when) for level, found in enumerate(now.story.comers) for n, when in found.items()}
    runs = enumerate(now.record.passes)
    starts = [(*home.get(n, (now.record.depth, run.begun)), n) for n, run in runs if run.arrivals]
    found = [start for start in starts if start[0] == level]
    came = [each for each in found if each[1] <= now.step] or found[:1]
    return now.record.passes[max(came)[-1]] if came else None


def shown(now: Now, run: Pass, k: int) -> list[Shown]:
    """A gradient that was asked for, with what is known of it once it has come and is compared; and beside it what it
    should be, where that is something else."""
    arrival, key = run.arrivals[k], f'{now.record.passes.index(run)}.{k}'
    compared = run.outermost or any(now.story.by(now.record.readings[n]) is run for n in now.shot.known)
    v = run.verdicts[k] if compared and now.ended(run) and run.verdicts else None
    badge = v and (NO_PATH if not arrival.parts and v.ok else verdict.badge(v))
    name, sums = run.names.get(arrival.name, arrival.name), now.story.arriving(arrival)
    shape, came = arrival.total or Value(arrival.name, words='none'), sums.parts(now.step)
    value = shape if now.ended(run) else sums.until(now.step)
    if value is not None and len(arrival.parts) > 1:
        name += ' so far' if len(came) < len(arrival.parts) else ' in all'
    added = phrases.added(came) if len(came) > 1 and phrases.single(came[0]) else ''
    added = added if len(came) <= style.LIST_MOST else f'of {len(came)} parts'
    due = verdict.due(v, arrival.name) if v and v.verdict == WRONG else None
    mine = Shown(f'p{key}', name, shape, value, badge, note=added)
    return beside(mine, due, f'u{key}', 'should be')
