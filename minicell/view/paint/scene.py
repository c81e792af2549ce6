"""The films of a record: for each layout a frame for every step, drawn part by part."""

import math
from typing import Any

import numpy as np

from .. import metrics
from ..model import Record, Value
from . import backward, forward, outcome, panel, program, verdict, words
from .film import Film, Step
from .kit import Frame, width
from .line import Entry, tape_line
from .moment import MOST, Moment, Shot, Story, shots
from .plan import plans
from .strip import TAKEN, Strip, name_of
from .touch import Touch, accounts

CAPTION = 880  # px of a caption's line
TOUCHED = 400  # entries; what is told of each number of a longer tape would not travel


def films(record: Record, tape: Any, compare: bool = True, most: int = MOST, only: int | None = None) -> list[Film]:
    """The films of a record: for a screen and for a phone. `compare`: with the true gradient beside that of a bprop;
    `most`: steps; `only`: the one layout that is wanted."""
    story, listing = Story(record), program.Listing(record)
    found = shots(record, compare, most) if record.steps else []
    longest = max((len(lines) for lines in listing.own.values()), default=0)
    calls = len(listing.calls) + max((len(lines) for lines in listing.cells.values()), default=0)
    told = [step(record, story, shot) for shot in found] or [Step(*words.EMPTY)]
    bars = on_the_line(record, story, found)
    out = []
    taken = [r for r in record.readings if record.entries[r.entry].kind in TAKEN]
    gave = [len([g for g in r.gave if g.value]) or 2 for r in taken]
    sizes = plans(longest, calls, record.depth > 0, max(gave) if gave else 2)
    for plan in sizes if only is None else (sizes[only],):
        film = Film(plan.w, plan.h)
        buttons = sum(width(s.jump, 'bb') + 32 for s in told if s.jump)
        size = dict(width=364, gutter=20) if plan.narrow else dict(width=max(620 - buttons, 340))
        film.line, places = tape_line(bars, len(told), **size)
        strips = [Strip(record, level, lane) for level, lane in enumerate(plan.lanes)]
        frames = [frame(Moment(story, plan, strips, listing, shot)) for shot in found] or [Frame()]
        for drawn, said, at in zip(frames, told, places, strict=True):
            film.add(drawn, said._replace(at=at))
        out.append(film)
    if len(record.entries) <= TOUCHED:
        out[0].links = Touch(record, story).all()
        out[0].accounts = accounts(record, story, tape) if tape is not None else {}
    return out


def on_the_line(record: Record, story: Story, found: list[Shot]) -> list[Entry]:
    """The tape line: each entry with how large its numbers are, and the steps that tell of it."""
    forward: dict[int, list[int]] = {}
    backward: dict[int, list[int]] = {}
    taped = set(on_tape(record))
    last = min(taped, default=0)
    wrong: dict[int, int] = {}
    for n, shot in enumerate(found):
        now = record.steps[shot.step]
        if shot.compare is not None:
            reading = record.readings[shot.compare]
            backward.setdefault(reading.entry, []).append(n)
            if any(g.ok is False for g in reading.gradients) and not verdict.surrogate(reading):
                wrong[reading.entry] = n
            continue
        back = now.reading is not None or now.kind in ('start', 'arrive', 'add')
        about = record.readings[now.reading].entry if now.reading is not None else now.entry
        if about is None or about not in taped:
            about = last
        last = about
        (backward if back and now.kind != 'write' else forward).setdefault(about, []).append(n)
    out = []
    for i in sorted(taped):
        entry = record.entries[i]
        number = story.reading(i, len(record.steps))
        douts = record.readings[number].douts if number is not None else ()
        nan = (
            next((n for n, shot in enumerate(found) if shot.step == entry.written), None)
            if infinite(entry.outputs)
            else None
        )
        note = {'call': 'takeover', 'hook': 'hook'}.get(entry.kind, '')
        said = f'{entry.label} {name_of(entry)}' if entry.kind != 'loose' else ''
        out.append(Entry(said, size_of(entry.outputs), size_of(douts) if douts else None,
                         forward.get(i, ()), backward.get(i, ()), note, wrong.get(i), nan))  # fmt: skip
    return out


def on_tape(record: Record) -> list[int]:
    """The entries that have a bar on the line: those that lie on a tape, and writes into memory."""
    return [i for i, e in enumerate(record.entries) if e.kind not in ('loose', 'torn') or e.label == '←']


def size_of(values: tuple[Value, ...]) -> float:
    """The root mean square of what is finite; 0 for nothing."""
    data = [v.data for v in values if v.data is not None and v.data.size]
    found = outcome.rms(data[0]) if data else 0.0
    return found if math.isfinite(found) else 0.0


def infinite(values: tuple[Value, ...]) -> bool:
    """Whether a NaN or an infinity is among the numbers."""
    return any(v.data is not None and v.data.dtype.kind == 'f' and not np.isfinite(v.data).all() for v in values)


def frame(m: Moment) -> Frame:
    """One frame."""
    panel.draw_code(m)
    if len(m.strips) > 1:
        panel.draw_second(m)
    for level, strip in enumerate(m.strips):
        if not strip.entries or (level and not m.story.has_second(m.step)):
            continue
        row, tag = strip.row(m.focus[level]), 'ab'[level]
        forward.draw(m, strip, row, tag)
        backward.draw(m, strip, row, tag)
    outcome.draw(m)
    panel.draw_voice(m)
    return m.frame


def step(record: Record, story: Story, shot: Shot) -> Step:
    """What is said at a step, and what a press leads here from."""
    now = record.steps[shot.step]
    line = (f'line {now.mark.line}',) if now.mark else ()
    if shot.compare is not None:
        reading = record.readings[shot.compare]
        judged = verdict.Verdict(record, shot.compare)
        title, caption = judged.words()
        return Step(
            title,
            short(caption),
            go=(f'r{reading.entry}',),
            jump='Compare' * (bool(judged.wrong) or record.most_order < 2),
        )
    title, caption = words.step_words(story, shot.step)
    card = (f'{"r" if now.reading is not None else "e"}{now.entry}',) if now.entry is not None else ()
    return Step(title, short(caption), go=(*card, *line), jump=story.jump(shot.step))


def short(caption: str) -> str:
    """A caption that is one line on a screen."""
    return metrics.fit(metrics.clean(caption), CAPTION, 15)


def first_nan(record: Record, compare: bool) -> int | None:
    """The step that first shows a NaN or an infinity."""
    for n, shot in enumerate(shots(record, compare)):
        now = record.steps[shot.step]
        shown = []
        if now.kind == 'write' and now.entry is not None:
            shown = record.entries[now.entry].outputs
        elif now.kind == 'give' and now.reading is not None:
            shown = tuple(g.value for g in record.readings[now.reading].gave if g.value is not None)
        if infinite(tuple(shown)):
            return n
    return None
