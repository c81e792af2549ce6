"""The films of a record: for each layout a frame for every step, and what is said at it."""

from functools import lru_cache

import numpy as np

from ..ink import metrics
from ..ink.film import Film, Step
from ..ink.line import Mark, step_line
from ..ink.shapes import Frame, cut, width, wrapped
from ..judge.verdict import SURROGATE, WRONG
from ..story import followed
from ..story.record import Record
from . import style, touch, verdict, words
from .board import Board
from .moment import Shot, Story, shots

LOOKS = {'takeover': 'bf', 'second tape': 'ff', 'error': 'xx'}  # of the names under the line of steps


def films(
    record: Record, compare: bool = True, most: int = style.MOST_STEPS, only: int | None = None, asked: bool = True
) -> list[Film]:  # fmt: skip
    """The films of a record: for a screen and for a phone. `compare`: with the true gradient beside that of a bprop;
    `most`: steps; `only`: the one layout that is wanted; `asked`: each number with its account."""
    story, *boards = layouts(record)
    found = shots(record, compare, most) if record.steps else []
    told = [step(story, shot) for shot in found] or [Step(*words.UNTOLD if record.unknown else words.EMPTY)]
    marks = of_note(record, found, told)
    out = []
    for board in boards if only is None else (boards[only],):
        frames, high = board.frames(found) if found else ([Frame()], style.EMPTY)
        film = Film(board.w, high)
        film.frames = frames
        buttons = sum(width(jump, 'b') + style.BUTTON for jump in {s.jump for s in told} if jump)
        rail = style.RAIL_NARROW if board.narrow else max(style.RAIL - buttons, style.RAIL_LEAST)
        film.line, places = step_line(len(told), marks, rail, 'Step of the tape')
        film.steps = [said._replace(at=at) for said, at in zip(told, places, strict=True)]
        out.append(film)
    if len(record.entries) <= style.TOUCHED:
        shown = {shape.attrs.get('v') for film in out for frame in film.frames for shape in frame.values()}
        out[0].links, out[0].accounts = touch.answers(record, story, shown - {None}, asked)
    for film in out:
        film.lost = followed.line(record)
    return out


@lru_cache(maxsize=2)  # a picture that is too large is painted again, with fewer steps
def layouts(record: Record) -> tuple[Story, Board, Board]:
    """What a record says, and its layouts for a screen and for a phone."""
    story = Story(record)
    return story, Board(story, narrow=False), Board(story, narrow=True)


def of_note(record: Record, found: list[Shot], told: list[Step]) -> list[Mark]:
    """The steps that the line names, the most telling first: what is wrong, what a button leads to, where forward and
    backward begin."""
    wrong, loud, quiet = [], [], []
    for n, (shot, said) in enumerate(zip(found, told, strict=False)):
        now, name = record.steps[shot.step], said.jump.lower()
        result = record.passes[now.run] if name == 'result' else None
        judged = record.readings[shot.compare] if shot.compare is not None else result
        if judged is not None and judged.verdicts:
            first = min(judged.verdicts, key=verdict.rank).verdict
            mark = Mark(n, verdict.KINDS[first].mark, 'xx' if first == WRONG else 'on', n)
            (wrong if mark.look == 'xx' else loud).extend([mark] * (mark.look == 'xx' or bool(name)))
        elif name:
            loud.append(Mark(n, name * all(mark.name != name for mark in loud), LOOKS.get(name, 'on')))
        way = 'backward' if now.reading is not None or now.kind in ('start', 'arrive', 'add') else 'forward'
        quiet += [Mark(n, way)] * all(mark.name != way for mark in quiet)
    return [*reversed(wrong), *loud, *quiet]


def step(story: Story, shot: Shot) -> Step:
    """What is said at a step, in a caption of a few lines on a screen, and what a press leads here from."""
    record, now = story.record, story.record.steps[shot.step]
    if shot.compare is not None:
        reading = record.readings[shot.compare]
        title, caption = verdict.words(record, shot.compare)
        odd = any(v.verdict in (WRONG, SURROGATE) for v in reading.verdicts)
        card, jump = f'r{reading.entry}', 'Compare' * (odd or not record.passes[reading.run].nested)
    else:
        title, caption = words.step_words(record, shot.step)
        card = f'{"r" if now.reading is not None else "e"}{now.entry}' * (now.entry is not None)
        jump = story.jumps.get(shot.step, '')
    rows = wrapped(metrics.clean(caption), style.CAPTION, 'h2', style.CAPTION_ROWS)
    short = ' '.join(cut(row, style.CAPTION, 'h2', end=True) for row in rows)
    return Step(title, short, go=tuple(filter(None, (card, now.mark and f'line {now.mark.line}'))), jump=jump)


def first_nan(record: Record, compare: bool) -> int | None:
    """The step that first shows a NaN or an infinity."""
    for n, shot in enumerate(shots(record, compare)):
        step = record.steps[shot.step]
        values = [*record.entries[step.entry].outputs] if step.kind == 'write' else []
        values += [g.value for g in record.readings[step.reading].gave] if step.kind == 'give' else []
        known = (v.data for v in values if v is not None and v.data is not None)
        if any(data.dtype.kind == 'f' and not np.isfinite(data).all() for data in known):
            return n
    return None
