"""The tape line: one bar an entry, up what forward wrote, down the gradient that reached it. It is also the slider."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .. import metrics
from . import kit

MIDDLE, TALLEST, LEAST = 32, 22, 2  # the axis; the tallest bar and the lowest, which still can be seen
FORWARD, BACKWARD = MIDDLE - 10, MIDDLE + 11  # where the dots of the two runs lie
PAD = 4  # right of the last bar
FEW = 4  # up to so many entries the heights are in proportion; beyond, each third of a bar is a power of ten
NAMED = 44  # a bar that is narrower has no name under it
DOTS = 9  # pixels a dot needs; where there is less, only the playhead is drawn


class Entry(NamedTuple):
    """One entry of the tape, as the line needs it."""

    name: str
    up: float  # how large the numbers are that it wrote: their root mean square
    down: float | None = None  # the same of the gradient that reached it; None if none did
    forward: Sequence[int] = ()  # the steps that tell of it, on the way forward
    backward: Sequence[int] = ()  # and on the way back
    note: str = ''  # 'takeover'
    wrong: int | None = None  # from this step on, it is known that its gradient is wrong
    nan: int | None = None  # from this step on, there is a NaN


def tape_line(
    entries: Sequence[Entry], steps: int, width: float = 456, height: float = 84, gutter: float = 84
) -> tuple[dict[str, Any], list[tuple[float, float]]]:
    """The line as plain data for the player, and where on it each step lies.

    A shape is [tag, attributes, step]: before that step it is pale. A gutter under 60 has marks in place of words.
    """
    room = width - gutter - PAD
    each = room / max(1, len(entries))
    shapes = gutter_words(gutter, height)
    shapes += bars(entries, gutter, room)
    shapes += words(entries, gutter, each, height)
    places = places_of(entries, steps, gutter, each)
    row = max((sum(y == run for _, y in places) for run in (FORWARD, BACKWARD)), default=0)
    return dict(w=width, h=height, mid=MIDDLE, shapes=shapes, dots=row * DOTS <= room), places


def gutter_words(gutter: float, height: float) -> list[list]:
    """What the two rows are. The marks say which way each fills: forward from the left, backward from the right."""
    if gutter < 60:
        return [text(2, FORWARD + 5, '›', 'ff b'), text(2, BACKWARD + 5, '‹', 'bf b')]
    x = gutter - 8
    return [text(x, FORWARD + 2, 'forward ›', 'ff end s12'), text(x, BACKWARD + 5, '‹ backward', 'bf end s12')]


def bars(entries: Sequence[Entry], left: float, room: float) -> list[list]:
    """Two bars an entry. Where an entry has less than 2 pixels, neighbours share a bar: the tallest of them stands."""
    count = min(len(entries), int(room // 2))
    ups = most(entry.up for entry in entries)
    downs = most(entry.down for entry in entries)
    step = room / max(1, count)
    wide = step - (3 if step > 12 else 1 if step > 4 else 0.3)
    out = []
    for i in range(count):
        group = entries[i * len(entries) // count : (i + 1) * len(entries) // count]
        x = round(left + i * step, 2)
        up = max(tall(entry.up, ups, len(entries)) for entry in group)
        down = max(tall(entry.down, downs, len(entries)) for entry in group)
        written = max((max(entry.forward) for entry in group if entry.forward), default=0)
        reached = min((min(entry.backward) for entry in group if entry.backward), default=0)
        for y, high, classes, since in ((MIDDLE - 1 - up, up, 'up', written), (MIDDLE + 1, down, 'dn', reached)):
            if high:
                box = dict(x=x, y=round(y, 2), width=round(wide, 2), height=round(high, 2))
                out.append(['rect', box | {'class': classes}, since])
    return out


def most(values: Iterable[float | None]) -> float:
    """The largest of the finite ones, never 0."""
    return max((v for v in values if v is not None and math.isfinite(v)), default=0) or 1.0


def tall(value: float | None, largest: float, count: int) -> float:
    """How tall the bar of a value is: 0 for none, and full for what is beyond all numbers."""
    if value is None:
        return 0
    if not math.isfinite(value):
        return TALLEST
    if value <= 0:
        return LEAST
    if count <= FEW:
        return 12 + (TALLEST - 12) * value / largest
    return max(LEAST, TALLEST * (1 + math.log10(value / largest) / 3))


def words(entries: Sequence[Entry], left: float, each: float, height: float) -> list[list]:
    """Under each bar its name and what is to be said of it; where there is no room for names, only the latter."""
    y = height - 12
    out: list[list] = []
    end = left  # of the words so far
    ticked: dict[str, float] = {}  # where the last tick of a colour is
    once: set[str] = set()  # what has been said under a narrow bar
    for i, entry in enumerate(entries):
        name = metrics.clean(entry.name)
        said = [(entry.note, 's12 bf later', next(iter(entry.backward), None))] if entry.note else []
        said += [('✗ wrong', 's12 xx later', entry.wrong)] if entry.wrong is not None else []
        said += [('NaN', 's12 xx later', entry.nan)] if entry.nan is not None else []
        wide = sum(kit.width(word, classes) + 8 for word, classes, _ in said)
        x = left + i * each + 2
        if each > NAMED:
            # all of its name, the name without its number, or the number alone: what stands beside it goes first
            words_ = (name, name.partition(' ')[2] or name, name.split(' ')[0])
            fits = next((w for w in words_ if kit.width(w, 's12') < each - wide - 4), None)
            while fits is None and said:
                wide -= kit.width(said[0][0], said[0][1]) + 8
                said = said[1:]
                fits = next((w for w in words_ if kit.width(w, 's12') < each - wide - 4), None)
            if fits:
                out.append(text(x, y, fits, 's12 dim later', min(entry.forward, default=0)))
                x += kit.width(fits, 's12') + 8
        elif said:
            middle = left + (i + 0.5) * each
            mark = tick(middle, said[-1])
            if middle - ticked.get(mark[1]['class'], -9) >= 2:
                out.append(mark)
                ticked[mark[1]['class']] = middle
            x = min(max(middle - wide / 2, left), left + each * len(entries) - wide)
            if x < end or said[-1][0] in once:
                continue  # the tick is left
            once.add(said[-1][0])
        for word, classes, since in said:
            out.append(text(x, y, word, classes, since or 0))
            x += kit.width(word, classes) + 8
            end = x
    return out


def tick(x: float, said: tuple[str, str, int | None]) -> list:
    """A mark under a bar that is too narrow for words."""
    _, classes, since = said
    box = dict(x=round(x - 1, 1), y=MIDDLE + TALLEST + 2, width=2, height=4)
    return ['rect', box | {'class': 'badk later' if 'xx' in classes else 'fatk'}, since or 0]


def text(x: float, y: float, words: str, classes: str, since: int = 0) -> list:
    """One text of the line."""
    return ['text', {'x': round(x, 1), 'y': y, 'T': words, 'class': classes}, since]


def places_of(entries: Sequence[Entry], steps: int, left: float, each: float) -> list[tuple[float, float]]:
    """Where each step lies: forward's dots run to the right, backward's to the left. What no entry tells of stays."""
    found: dict[int, tuple[float, float]] = {}
    bar = each - (3 if each > 12 else 0)
    for i, entry in enumerate(entries):
        x = left + i * each
        for k, step in enumerate(entry.forward):
            found[step] = round(x + bar * (k + 0.5) / len(entry.forward), 1), FORWARD
        for k, step in enumerate(entry.backward):
            found[step] = round(x + bar * (1 - (k + 0.5) / len(entry.backward)), 1), BACKWARD
    places, last = [], (round(left, 1), FORWARD)
    for step in range(steps):
        last = found.get(step, last)
        places.append(last)
    return places
