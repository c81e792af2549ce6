"""The mistake of a wrong gradient: what `diagnose` says of a takeover, or of several trials of one."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from operator import is_

import numpy as np

from ..core.tensor import tensors_in
from ..replay.harmless import Harm
from ..replay.program import wide
from ..story.places import written
from .diagnose import Trial, diagnose
from .origin import lack
from .takeover import FEW, Takeover
from .verdict import WRONG, Verdict, differs

MOST = 8  # values of construct, which may be constants


def named(
    told: Sequence[Verdict], trials: Sequence[Takeover], repeated: dict[str, list] | None = None
) -> list[Verdict]:
    """Verdicts with the mistakes named, by further trials, too; repeated: what bprop returned, asked again."""
    if all(v.verdict != WRONG for v in told):
        return list(told)
    every = [*trials, *more(trials[0])]
    found = [of(v, every, repeated or {}) if v.verdict == WRONG and v.yours is not None else '' for v in told]
    told = [v._replace(mistake=mistake) for v, mistake in zip(told, found, strict=True)]
    return [v._replace(lack=lack(trials[0], v)) for v in told]


def of(told: Verdict, trials: Sequence[Takeover], repeated: dict[str, list]) -> str:
    """The mistake in one sentence, or ''. Where the rules do not see everything, one trial is known."""
    seen = [t for t in trials if t.program is not None and not t.blind and not told.unseen]
    found = [trial(t, told.place, repeated if t is trials[0] else {}) for t in seen]
    if found and (t := seen[0]) is trials[0]:
        with suppress(Harm):
            came = [None if g is None else g * g.dtype.type(2) for g in t.came]
            ask = lambda came: t.again.bprop(t.inputs, t.out, t.outs, came)[told.place]
            again = ask(t.came) if found[0].again is None else found[0].again
            found[0] = found[0]._replace(again=again, twice=ask(came))
    if not found and told.due is not None:
        once, answers = trials[0].yours[told.place], [each for answers in repeated.values() for each in answers]
        kept = once is not None and any(each[told.place] is told.yours for each in answers)  # wrong when asked again
        again = asked_again(repeated, told.place, once) if kept else {}
        found = [Trial(told.name, once if kept else told.given, told.due, values(trials[0]), {}, told.room, **again)]
    fine = [not differs(f.yours, f.due, f.room).any() for f in found if f.yours.dtype == np.float64]
    narrow = fine and all(fine)
    return diagnose([f._replace(wide=True) if narrow and f.yours.dtype != np.float64 else f for f in found])


def more(t: Takeover) -> list[Takeover]:
    """The same takeover for other cotangents, and on other inputs of the same signs; none where that would do harm."""
    rng, found, moved = np.random.default_rng(3), [], [not np.isin(x, (0, 1)).all() for x in t.xs]
    with suppress(Harm):
        same, t.again.stopped, t.again.stops = t.replay, None, False  # on other inputs, other numbers are stopped
        for reach in (0.0, 0.5):  # (a mask or a label stays one)
            given = zip(t.xs, t.asked, moved, strict=True)
            xs = [x * rng.uniform(1 - reach, 1 + reach, x.shape) if asked and moves else x for x, asked, moves in given]
            program = t.again.program(xs) if reach else same
            came = [None if g is None else rng.standard_normal(g.shape) for g in t.came]
            yours = t.again.bprop(xs, t.out, program.made, came)
            found.append(Takeover(t.name, t.names, xs, yours, came, t.asked, t.out, program, t.ask))
    return found


def trial(t: Takeover, place: int, repeated: dict[str, list]) -> Trial:
    """A trial as `diagnose` takes it."""
    due = t.due[place]
    yours = np.zeros(due.shape) if t.yours[place] is None else t.yours[place]
    others = {n: d for k, (n, d) in enumerate(zip(t.names, t.due, strict=True)) if k != place}
    return Trial(
        t.names[place], yours, due, values(t), others, t.rooms(place, FEW), partial(due_at, t, place),
        paths=paths(t, place), **asked_again(repeated, place, yours),
    )  # fmt: skip


def due_at(t: Takeover, place: int, changed: dict[str, np.ndarray]) -> np.ndarray | None:
    """What would be due if some inputs and cotangents were others; None where that cannot be had."""
    xs = [changed.get(n, x) for n, x in zip(t.names, t.xs, strict=True)]
    came = [None if g is None else changed.get(n, g) for n, g in zip(numbered('dout', t.came), t.came, strict=True)]
    with suppress(Exception):  # what it cannot be asked for, or what does not fit
        program = t.program if all(map(is_, xs, t.xs)) else t.again.program(xs)
        return program.read(came)[place]
    return None


def asked_again(repeated: dict[str, list], place: int, yours: np.ndarray) -> dict[str, np.ndarray]:
    """What was returned when it was asked the same again: where that is another, the one that is furthest."""
    found = {what: [wide(each[place]) for each in of if each[place] is not None] for what, of in repeated.items()}
    return {what: max(every, key=lambda g: np.sum(g != yours)) for what, every in found.items() if every}


def paths(t: Takeover, place: int) -> dict[str, np.ndarray]:
    """What would be due if a value that construct computes were a constant, or two of them: what comes late first."""
    found: dict[str, set[int]] = {}
    for op in reversed(t.program.ops):
        name = written(op.where).partition(' = ')[0]  # of its line, or what is written there
        if not name.startswith('(in ') and not name.endswith('...'):
            found.setdefault(name, set()).update({*map(id, tensors_in(op.out))} - {*map(id, t.program.outs)})
    names = sorted(filter(found.get, found), key=str.isidentifier, reverse=True)[:MOST]
    ways = {f'path through {n} is': found[n] for n in names}
    ways |= {f'paths through {m} and {n} are': found[m] | found[n] for n, m in combinations(names, 2)}
    return {said: t.program.read(t.came, but=ids)[place] for said, ids in ways.items()}


def values(t: Takeover) -> dict[str, np.ndarray]:
    """What a gradient may be made of, by name: the inputs, out and dout."""
    found = {name: x for name, x in zip(t.names, t.xs, strict=True) if x.dtype.kind == 'f'}
    outs = t.outs if t.program is None else t.program.made
    for name, given in (('out', outs), ('dout', t.came)):
        found |= {n: wide(g) for n, g in zip(numbered(name, given), given, strict=True) if g is not None}
    return found


def numbered(name: str, given: Sequence) -> list[str]:
    """What each of several is called."""
    return [f'{name}[{k}]' if len(given) > 1 else name for k, _ in enumerate(given)]
