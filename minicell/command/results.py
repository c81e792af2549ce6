"""How far a class has come: the files of its learners, which notebooks and the site keep alike, read into a table."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from minicell.teach.about import START, Stop, stops
from minicell.teach.progress import Kept, place

from .lessons import Trouble

MISSED = 5  # of the questions that most have answered wrongly


class Learner(NamedTuple):
    """What a file says. `states`: of each lesson, what is answered; `trouble`: what cannot be read, or ''."""

    name: str
    states: list[dict[str, str]]
    trouble: str


def lessons() -> list[Stop]:
    """Those that ask something."""
    return [stop for stop in stops() if stop.number != START]


def read(path: Path) -> Learner:
    """A learner's file."""
    kept = [Kept(stop.number, {*stop.asks, *stop.tries}, path=path) for stop in lessons()]
    trouble = kept[0].trouble
    if not trouble and not any(each.told for each in kept):
        trouble = f'{path} holds no answers to these lessons.'
    return Learner(path.stem, [each.states for each in kept], trouble)


def own() -> list[Path]:
    """One's own file, where there is one."""
    try:
        return [path for path in [place()] if path.is_file()]
    except RuntimeError:  # there is no saying which folder is the home
        return []


def table(folder: Path | None) -> Iterator[str]:
    """The lines of the table; without a folder, of one's own file. Raises Trouble where there is nothing to read."""
    try:
        paths = own() if folder is None else sorted([*folder.glob('*.json'), *folder.glob('*.jsonl')])
    except OSError as error:
        raise Trouble(f'{folder} cannot be read: {error.strerror}.') from None
    if folder is None and not paths:
        raise Trouble('nothing has been answered in a notebook on this machine.')
    if not paths:
        raise Trouble(f'there is no file of results in {folder}: each is one learner’s, and its name ends in .json.')
    of, learners = lessons(), [read(path) for path in paths]
    rows = [['', *(stop.number for stop in of), 'all']]
    total = sum(len(stop.asks + stop.tries) for stop in of)
    for learner in learners:
        counts = [stop.done(states) for stop, states in zip(of, learner.states, strict=True)]
        cells = [f'{n}/{len(stop.asks + stop.tries)}' if n else '·' for stop, n in zip(of, counts, strict=True)]
        rows.append([learner.name, *cells, f'{100 * sum(counts) // total} %'])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield '  '.join([name.ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(cells, widths[1:], strict=True))])
    yield from missed(of, learners)
    yield from (learner.trouble for learner in learners if learner.trouble)
    if folder is None:
        yield f'To hand it in, send {paths[0]}.'


def missed(of: list[Stop], learners: list[Learner]) -> Iterator[str]:
    """The questions that most have answered wrongly, in a line each."""
    wrong: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for learner in learners:
        for stop, states in zip(of, learner.states, strict=True):
            answered.update(f'{stop.number} {name}' for name in stop.asks if name in states)
            wrong.update(f'{stop.number} {name}' for name in stop.asks if states.get(name) == 'failed')
    if wrong:
        yield 'Most often answered wrongly:'
    yield from (f'  {asked}: {count} of {answered[asked]}' for asked, count in wrong.most_common(MISSED))
