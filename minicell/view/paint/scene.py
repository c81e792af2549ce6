"""The films of a record: for each layout a frame for every step, drawn part by part."""

import numpy as np

from ...ink import metrics, tiles
from ...ink.film import Film, Step
from ...ink.line import Mark, step_line
from ...ink.shapes import Frame, width
from ...judge.verdict import SURROGATE, WRONG
from ...story.record import Record, Value
from . import arrivals, backward, forward, outcome, panel, program, verdict, words
from .moment import MOST, Moment, Shot, Story, shots
from .plan import CODE, Needs, plans
from .strip import TAKEN, Strip
from .touch import TOUCHED, Touch, accounts

CAPTION = 880  # px of a caption's line


def films(
    record: Record, compare: bool = True, most: int = MOST, only: int | None = None, asked: bool = True
) -> list[Film]:  # fmt: skip
    """The films of a record: for a screen and for a phone. `compare`: with the true gradient beside that of a bprop;
    `most`: steps; `only`: the one layout that is wanted; `asked`: each number with its account."""
    story, listing = Story(record), program.Listing(record)
    found = shots(record, compare, most) if record.steps else []
    told = [step(record, story, shot) for shot in found] or [Step(*words.EMPTY)]
    marks = of_note(record, found, told)
    out = []
    sizes = plans(needs(record, listing))
    for plan in sizes if only is None else (sizes[only],):
        film = Film(plan.w, plan.h)
        buttons = sum(width(s.jump, 'b') + 34 for s in told if s.jump)
        wide = 264 if plan.narrow else max(690 - buttons, 270)
        film.line, places = step_line(len(told), marks, wide, 'Step of the tape')
        strips = [Strip(record, level, lane) for level, lane in enumerate(plan.lanes)]
        frames = [frame(Moment(story, plan, strips, listing, shot)) for shot in found] or [Frame()]
        for drawn, said, at in zip(frames, told, places, strict=True):
            film.add(drawn, said._replace(at=at))
        out.append(film)
    if len(record.entries) <= TOUCHED:
        out[0].links = Touch(record, story).all()
        out[0].accounts = accounts(record, story) if asked else {}
    return out


def needs(record: Record, listing: program.Listing) -> Needs:
    """How much room a record asks for."""
    own = [program.tall(lines, listing.depths, CODE - 8) for lines in listing.own.values()]
    calls = program.tall(listing.calls, listing.depths, CODE - 8)
    cells = max((len(lines) for lines in listing.cells.values()), default=0)
    gave = [[g.value for g in r.gave] for r in record.readings if record.entries[r.entry].kind in TAKEN]
    rows = [tiles.folded(v.data).shape[0] for values in gave for v in values if v is not None and v.data is not None]
    return Needs(
        calls=calls + (0 if own else cells), cells=cells if own else 0, own=max(own, default=0),
        second=record.depth > 0,
        gradients=max(map(len, gave), default=2) or 2, tall=max(rows, default=2),
        arrivals=max((len(run.arrivals) for run in record.passes), default=2),
    )  # fmt: skip


def of_note(record: Record, found: list[Shot], told: list[Step]) -> list[Mark]:
    """The steps that the line names, the most telling first."""
    loud, quiet = [], []
    forth = None
    for n, (shot, said) in enumerate(zip(found, told, strict=False)):
        now = record.steps[shot.step]
        if shot.compare is not None:
            mark = Mark(n, *verdict.note(record.readings[shot.compare].verdicts), n)
            if mark.look == 'xx':
                loud.insert(0, mark)
            elif said.jump:
                loud.append(mark)
            continue
        if said.jump in ('Takeover', 'Second tape'):
            loud.append(Mark(n, said.jump.lower(), 'bf' if said.jump == 'Takeover' else 'ff'))
        if said.jump == 'Error':
            loud.append(Mark(n, '✗ error', 'xx'))
        if said.jump == 'Result':
            verdicts = record.passes[now.run].verdicts
            name, look = verdict.note(verdicts) if verdicts else ('result', 'on')
            loud.append(Mark(n, name, look, n * bool(verdicts)))
        if now.kind == 'write' and now.entry is not None and infinite(record.entries[now.entry].outputs):
            loud += [Mark(n, 'NaN', 'xx', n)] * all(mark.name != 'NaN' for mark in loud)
        back = now.reading is not None or now.kind in ('start', 'arrive', 'add')
        if back != forth and (back or now.kind in ('enter', 'hidden', 'write')) and len(quiet) < 2:
            quiet.append(Mark(n, 'backward' if back else 'forward'))
            forth = back
    return loud + quiet


def infinite(values: tuple[Value, ...]) -> bool:
    """Whether a NaN or an infinity is among the numbers."""
    return any(v.data is not None and v.data.dtype.kind == 'f' and not np.isfinite(v.data).all() for v in values)


def frame(m: Moment) -> Frame:
    """One frame."""
    panel.draw_code(m)
    code = set(m.frame)
    tape(m, 0)
    outcome.draw(m)
    if m.behind:
        m.frame.hush(m.frame.keys() - code)
    if len(m.strips) > 1:
        if m.story.has_second(m.step):
            tape(m, 1)
            arrivals.draw(m)
        else:
            panel.draw_question(m)
    return m.frame


def tape(m: Moment, level: int) -> None:
    """Forward and backward of one tape."""
    strip, tag, before = m.strips[level], 'ab'[level], set(m.frame)
    panel.draw_fields(m, level)
    if strip.entries:
        row = strip.row(m.focus[level])
        forward.draw(m, strip, row, tag)
        if m.compare and len(m.strips) == 1:  # what is wrong is the subject
            m.frame.hush(key for key in m.frame.keys() - before if key != 'aback0')
        backward.draw(m, strip, row, tag)


def step(record: Record, story: Story, shot: Shot) -> Step:
    """What is said at a step, and what a press leads here from."""
    now = record.steps[shot.step]
    line = (f'line {now.mark.line}',) if now.mark else ()
    if shot.compare is not None:
        reading = record.readings[shot.compare]
        title, captions = verdict.words(record, shot.compare)
        more = ' '.join(captions)
        caption = short(more) if short(more) == metrics.clean(more) else short(captions[0])
        odd = any(v.verdict in (WRONG, SURROGATE) for v in reading.verdicts)
        compare = 'Compare' * (odd or not record.passes[reading.run].nested)
        return Step(title, caption, go=(f'r{reading.entry}', *line), jump=compare)
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
