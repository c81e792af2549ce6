"""Measuring: the same work in every way, checked against the limit, then timed in turns.

Times are CPU time of this process, which other work on the machine disturbs less than the clock on the wall. In every
round each way has its turn, in another order each time; a ratio is the median over the rounds of the ratios in a round.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable
from random import Random
from statistics import median
from types import ModuleType
from typing import NamedTuple

import numpy as np

from tests.bench import scale
from tests.bench.problems import Case, Training
from tests.bench.ways import LIMIT, Way

CLOSE = 1e-4  # of the largest number: what float32 leaves of an update that is small beside its weight
LENGTHS = 1_000, 1_000_000  # of the chains that show how time and memory grow
SAMPLE = 0.02  # seconds of work in one sample, at least


class WrongResult(Exception):
    """A peer's numbers are not those of the limit: it is not timed."""


class Work(NamedTuple):
    """What is timed; what `ready` returns is held meanwhile."""

    run: Callable[[], object]
    ready: Callable[[], object] = lambda: None


class Row(NamedTuple):
    """One case: what the limit takes, and each peer's ratio to it, or None where it was refused or is not there."""

    case: Case
    title: str
    seconds: float
    ratios: dict[str, float | None]
    off: float  # how far the results were from the limit's, at most
    refused: list[str]


class Look(NamedTuple):
    """What a Tape costs: times as ratios to the work without one, and bytes while it is kept and once it is not."""

    case: Case
    title: str
    seconds: float
    opened: float
    closed: float
    kept: int
    left: int


class Growth(NamedTuple):
    """Seconds an op in chains of each length, and bytes an op in the longest (0: this system does not say)."""

    label: str
    seconds: dict[int, float]
    size: float


def results(way: ModuleType, run: Callable, problem: object) -> list[np.ndarray]:
    """What one run gives; of weights, how they changed, because they hardly do."""
    found = [np.array(a) for a in way.numbers(run())]
    if isinstance(problem, Training) and not problem.along:
        found[1:] = [after - before for after, before in zip(found[1:], problem.weights, strict=True)]
    return found


def agree(who: str, title: str, got: list[np.ndarray], due: list[np.ndarray]) -> float:
    """How far the numbers are from the limit's, as a part of the largest. Raises WrongResult where that is too far."""
    shapes, wanted = [a.shape for a in got], [a.shape for a in due]
    if shapes != wanted:
        raise WrongResult(f'{who} is not timed on "{title}": the shapes of its results are {shapes}, not {wanted}.')
    off = float(np.max([abs(a - b).max() / abs(b).max() for a, b in zip(got, due, strict=True)]))
    if not off <= CLOSE:  # a NaN is no agreement, and np.max lets none pass
        raise WrongResult(
            f'{who} is not timed on "{title}": its results are off by {off:.1e} of the largest number, '
            f'and {CLOSE:.0e} is the most that float32 explains.'
        )
    return off


def sample(work: Work, times: int) -> float:
    """CPU seconds of one run."""
    held = work.ready()
    start = time.process_time()
    for _ in range(times):
        work.run()
    took = (time.process_time() - start) / times
    del held
    return took


def in_turns(
    works: dict[str, Work], rounds: int, seconds: float, done: Callable[[str], None]
) -> dict[str, list[float]]:
    """The times of each work, one sample a round, which takes at least so many seconds."""
    counts = {}
    for name, work in works.items():
        sample(work, 1)  # fills caches
        counts[name] = max(1, round(seconds / max(sample(work, 1), 1e-6)))
    times, order, shuffle = {name: [] for name in works}, list(works), Random(0).shuffle
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            if seconds:
                gc.collect()  # nobody pays for another's garbage
            times[name].append(sample(works[name], counts[name]))
            done(name)
    return times


def ratio(times: list[float], base: list[float]) -> float:
    return median(a / b for a, b in zip(times, base, strict=True))


def case_row(case: Case, peers: dict[str, Way], rounds: int, tiny: bool, done: Callable[[str], None]) -> Row:
    """One case, by the limit and by all peers that are installed."""
    problem, limit = case.make(tiny), LIMIT.load()
    works = {'limit': Work(getattr(limit, case.name)(problem))}
    due = results(limit, works['limit'].run, problem)
    furthest, refused = 0.0, []
    for name, peer in peers.items():
        if not peer.installed:
            continue
        way, same = peer.load(), case.make(tiny)  # each has a problem of its own to write into
        run = getattr(way, case.name)(same)
        try:
            furthest = max(furthest, agree(peer.label, problem.title, results(way, run, same), due))
        except WrongResult as wrong:
            refused.append(str(wrong))
        else:
            works[name] = Work(run)
    times = in_turns(works, rounds, 0 if tiny else SAMPLE, done)
    ratios = {name: ratio(times[name], times['limit']) if name in times else None for name in peers}
    return Row(case, problem.title, median(times['limit']), ratios, furthest, refused)


def look(case: Case, rounds: int, tiny: bool, done: Callable[[str], None]) -> Look:
    """minicell with a Tape open, and with one that is closed and kept, against no Tape at all."""
    import minicell as ms
    from tests.bench import minicell_way

    problem = case.make(tiny)
    run = getattr(minicell_way, case.name)(problem)

    def taped():
        with ms.Tape() as tape:
            run()
        return tape

    works = {'without': Work(run), 'open': Work(taped), 'closed': Work(run, ready=taped)}
    times = in_turns(works, rounds, 0 if tiny else SAMPLE, done)
    kept, left = memory(taped)
    base = times['without']
    return Look(case, problem.title, median(base), ratio(times['open'], base), ratio(times['closed'], base), kept, left)


def memory(make: Callable[[], object]) -> tuple[int, int]:
    """Bytes that what `make` returns keeps, and bytes that stay when it has gone."""

    def now() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    make()
    gc.collect()
    gc.freeze()  # what was there before is not looked through
    tracemalloc.start()
    try:
        before = now()
        made = make()
        kept = now() - before
        del made
        return kept, now() - before
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def growth(peers: dict[str, Way], tiny: bool, done: Callable[[str], None]) -> tuple[list[Growth], list[str]]:
    """How the chain grows, each length in a process of its own, for the limit and all peers that are installed."""
    lengths = (1_000, 2_000) if tiny else LENGTHS
    rows, refused, due = [], [], {}
    for name, way in {'limit': LIMIT, **peers}.items():
        if not way.installed:
            continue
        found = []
        try:
            for length in lengths:
                got = scale.fresh(length, way.file)
                done(name)
                slope = np.array(got['slope'])
                agree(way.label, f'chain of {length:,} ops', [slope], [due.setdefault(length, slope)])
                found.append(got)
        except WrongResult as wrong:
            refused.append(str(wrong))
        else:
            each = {got['length']: got['seconds'] / got['length'] for got in found}
            rows.append(Growth(way.label, each, got['bytes'] / length))
    return rows, refused
