"""A frame on a projector: the line that runs and the cards it is about, so large that the last row can read them.

The same frames as in `picture`, and the same words and numbers. There is no room for the whole tape at that size, so it
is a row of names, and one entry has its cards. Sizes follow from shapes and names alone: nothing moves while stepping.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from . import as_svg, caption, chips, sheet
from .metrics import width, wrap
from .model import Frame, Look, Mark, Record
from .shapes import BACKWARD, HIGHLIGHT, INK, MUTED, PANEL, RULE, Box, Path, Shape, Text, text
from .sheet import LEAST, WIDTH

SCALE = 2.0  # 11 pixels become 22
FIRST, ROW = 36, 15  # the first line of the caption, and from line to line
CODE_H = 22
GAP = 7
MOST_ROWS = 3  # of the caption
HIGH = 285  # both cards of an entry stand on the picture where they leave it below this
SAYING = 11.5  # the caption's font size
MEASURED = 200  # steps whose captions are measured
on = False  # whether a presentation shows what is made now


@contextmanager
def presenting() -> Iterator[None]:
    """Whatever is made inside is for a projector, unless it says otherwise."""
    global on
    was, on = on, True
    try:
        yield
    finally:
        on = was


class Plan:
    """Where things stand: the same at every step of a record."""

    def __init__(self, record: Record, look: Look) -> None:
        steps = range(len(record.steps))
        room = WIDTH - 4
        said = (caption.step_words(record, i)[1] for i in steps) if len(steps) <= MEASURED else ('',)
        many = max((len(wrap(words, room, SAYING, MOST_ROWS)) for words in said if words), default=MOST_ROWS)
        self.rows = many
        self.code = FIRST + (many - 1) * ROW + 9
        self.chips = self.code + CODE_H + GAP
        levels = record.depth + 1
        self.cards = self.chips + levels * chips.PITCH + GAP
        ahead = [sheet.forward(record, i, look, len(steps)) for i in range(len(record.entries))]
        self.forward = max(map(sheet.height, ahead), default=0.0)
        back = [sheet.height(card) for i in range(len(record.readings)) for card in sheet.either(record, i, look)]
        self.backward = max(back, default=0.0)
        self.both = bool(back) and self.cards + self.forward + GAP + self.backward <= HIGH
        ends = max((sheet.height(sheet.arrivals(record, run, len(steps))) for run in record.passes), default=0.0)
        cards = self.forward + GAP + self.backward if self.both else max(self.forward, self.backward)
        self.height = self.cards + max(cards, ends) + 4


@lru_cache(maxsize=16)
def planned(record: Record, look: Look) -> Plan:
    """The layout of a record."""
    return Plan(record, look)


def compose(frame: Frame) -> tuple[list[Shape], tuple[float, float]]:
    """The shapes of a frame, and the size of the picture, in pixels that SCALE enlarges."""
    record = frame.record
    if not record.steps:
        return heading(frame, 1, MOST_ROWS), (WIDTH, 90.0)
    plan = planned(record, frame.look._replace(turn=None))
    step = record.steps[frame.step]
    out = heading(frame, len(record.steps), plan.rows)
    out += code(record, step.mark, plan.code)
    out += chips.rows(frame, plan.chips)
    return out + cards(frame, plan), (WIDTH, plan.height)


def heading(frame: Frame, total: int, rows: int) -> list[Shape]:
    """Title, caption, and which step of how many."""
    said = f'step {frame.step + 1} of {total}'
    room = width(said, LEAST) + 2
    out: list[Shape] = [
        text(2, 17, WIDTH - room - 12, frame.title, 14.5, bold=True),
        text(WIDTH - 2, 17, room, said, LEAST, MUTED, 'end'),
    ]
    lines = wrap(frame.caption, WIDTH - 4, SAYING, rows)
    return out + [text(2, FIRST + i * ROW, WIDTH - 4, line, SAYING) for i, line in enumerate(lines)]


def code(record: Record, mark: Mark | None, y: float) -> list[Shape]:
    """The line of the user's code that runs; it points back where backward reads what that line had written."""
    lines = [x.text for x in record.code if mark and x.file == mark.file and mark.line <= x.number <= mark.last]
    if mark is None or not lines:
        said = '' if record.code else 'The source of this program is not at hand.'
        return [Box(1, y, WIDTH - 2, CODE_H, PANEL, RULE, 1, 4), text(12, y + 15, WIDTH - 20, said, LEAST, MUTED)]
    foot, tip = (17, 8) if mark.back else (8, 17)
    number = str(mark.line)
    left = 28 + width(number, LEAST, mono=True)
    words = ' '.join([lines[0].strip(), *(line.strip() for line in lines[1:])])
    return [
        Box(1, y, WIDTH - 2, CODE_H, HIGHLIGHT, INK, 1.5, 4, '5 3' if mark.back else ''),
        Path((((foot, y + 6), (foot, y + 16), (tip, y + 11)),), fill=BACKWARD if mark.back else INK),
        text(22, y + 15, left - 24, number, LEAST, mono=True),
        text(left + 4, y + 15, WIDTH - left - 12, words, 12, bold=True, mono=True),
    ]


def cards(frame: Frame, plan: Plan) -> list[Shape]:
    """What the step is about: gradients that arrive, or an entry's cards."""
    record, at = frame.record, frame.step
    step, y = record.steps[at], plan.cards
    run = record.passes[step.run] if step.run is not None else None
    if run is not None and (step.kind == 'arrive' or (step.kind == 'add' and step.entry is None)):
        return sheet.draw(sheet.arrivals(record, run, at), y)
    number = chips.focus(record, at)
    reading = sheet.reading_at(record, number, at)
    now = step.kind in ('enter', 'hidden', 'write')
    ahead = sheet.forward(record, number, frame.look, at)
    back = sheet.backward(record, number, reading, frame.look, at)
    if plan.both:
        low = y + plan.forward + GAP
        return sheet.draw(ahead, y, plan.forward, now) + sheet.draw(back, low, plan.backward, not now)
    shown = ahead if now or reading is None else back
    return sheet.draw(shown, y)


def enlarged(shapes: list[Shape], wide: float) -> list[Shape]:
    """A picture `wide` pixels wide, its small print large enough for a screen, in narrower letters if need be."""
    least = LEAST * wide / WIDTH
    return [larger(shape, least) if isinstance(shape, Text) and shape.size < least else shape for shape in shapes]


def larger(shape: Text, size: float) -> Text:
    """A text in a larger size, in the same room."""
    x, _, room, _ = shape.box
    narrow = room - 3 if width(shape.text, size, shape.bold, shape.mono) > room else 0
    return shape._replace(size=size, box=(x, shape.y - size, room, size * 1.3), narrow=narrow)


def svg(frame: Frame, prefix: str = '', scale: float = SCALE) -> str:
    """A frame for a projector as SVG text."""
    shapes, size = compose(frame)
    name = f'{prefix}tape-{frame.step + 1}'
    return as_svg.document(shapes, size, frame.title, caption.alt(frame), name, scale)
