"""A takeover: the lines of the bprop that backward goes into, and what each of them has made by now."""

from ..ink import tiles
from ..ink.boxes import Box, Card, Column, Row, Space, Text
from ..judge.verdict import WRONG
from ..story.record import Value
from . import style
from .columns import TAGS
from .lines import Line
from .now import Now
from .program import Code, Listing

TAPES = ('', *TAGS[1:])  # in keys of what stands beside them


def frame_key(level: int) -> str:
    """The frame around the lines of a bprop, beside the tape on which it stands."""
    return 'own' + TAPES[level]


def row_key(line: int, level: int) -> str:
    """The row of one of them."""
    return f'rowo{TAPES[level]}{line}.0'


def begun(now: Now, level: int | None = None) -> bool:
    """Whether backward has gone into the lines that are shown, beside one of the tapes."""
    own = now.own(level)
    return now.taken is not None and own is now.entry_of(now.taken)


def own_lines(now: Now, listing: Listing, rows: int, level: int = 0) -> Box:
    """The lines of the bprop, in a frame from when backward comes to them."""
    entry, key, w = now.own(level), frame_key(level), listing.w
    lines: list[Line] = listing.of(entry)
    if not lines:
        return Space(w, 0, key=key)
    mark = None if now.over else now.told.mark
    always = {(x.file, x.number) for x in (lines[0], lines[-1])}
    if now.compare:  # and those that made what is wrong
        reading = now.record.readings[now.shot.compare]
        wrong = {g.name for g, v in zip(reading.gave, reading.verdicts, strict=True) if v.verdict == WRONG}
        always |= {(lines[0].file, line) for line, name, *_ in made(now) if name in wrong}
    look, told = '', ''
    if begun(now, level):
        look, told = ('mine' if now.running else 'mine0'), entry.facts.dout
    code = Code(listing.window(lines, rows, mark, always), f'o{TAPES[level]}', w, mark, told=told)
    return Card(code, look, (0, style.PAD), key=key, at=(0, 0), rx=style.CARD_ROUND, layer=0)


def made(now: Now) -> list[tuple[int, str, Value, bool]]:
    """(line, name, value, whether it is this step's) of what the lines have made, in the order in which they ran."""
    if now.taken is None:
        return []
    record, reading = now.record, now.record.readings[now.taken]
    found: dict[tuple[int, str], tuple[int, str, Value, bool]] = {}
    for n in range(reading.reached, now.step + 1):
        step = record.steps[n]
        value, mark, what = step.value, step.mark, step.what
        if step.kind == 'write' and step.entry is not None and record.entries[step.entry].by == now.taken:
            entry = record.entries[step.entry]
            value, mark, what = (entry.outputs[0] if entry.outputs else None), entry.mark, entry.source
        elif step.kind != 'inside' or step.reading != now.taken:
            continue
        if value is None or value.data is None or mark is None:
            continue
        name = value.name or what
        found.pop((mark.line, name), None)
        found[mark.line, name] = mark.line, name, value, n == now.step and not now.compare
    return list(found.values())


def values(now: Now, room: float) -> Box:
    """What the lines have made, as many of the last as there is room for."""
    boxes: list[Box] = []
    gap = style.GAP + style.APIECE
    left = room + gap
    for line, name, value, here in reversed(made(now)):
        how = tiles.plate(value, *style.MADE)
        words = Column(Text(f'line {line}', 'dim'), Text(name, 'm on' if here else 'm', style.NAMES[0]), gap=0)
        picture = tiles.Tile(value, how=how, key=f'm{now.taken}.{line}.{name}', classes=' on' if not here else ' gave')
        one = Row(words, picture, gap=style.PAD)
        left -= one.size[0] + gap
        if left < 0 and boxes:
            break
        boxes.insert(0, one)
    return Row(*boxes, gap=gap, key='made')


def unread(now: Now) -> str:
    """That no line uses dout, where that is so."""
    entry = now.own()
    deaf = begun(now) and entry.facts and not entry.facts.reads_dout
    return f'no line uses {entry.facts.dout}' if deaf else ''
