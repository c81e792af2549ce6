"""The code that ran, as boxes: your program, the Cell whose bprop takes over, and the lines of that bprop.

A line that is too long is broken, and never cut; where there are more lines than there is room for, those around the
one that runs are shown, with the line itself whole, and with the lines that must not be missing: the one that asks for
the gradient, and the heads of loops and functions around it.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ..ink.boxes import Box, Canvas, Rect
from ..ink.shapes import fitting, width
from ..story.record import Entry, Mark, Record
from ..story.source import DEFS, LOOPS, holding, is_docstring
from . import style
from .lines import Line

LETTER = width('m', 'm')
Place = tuple[str, int]  # a line: its file and its number
WAVY, DUE = 'hx', 'pen bk'  # the looks of a line under an expression
AGAIN = "'"  # of the keys of another file's lines


class Row(NamedTuple):
    """A row of code: a part of a line, or, without a number, what stands for lines that are left out."""

    number: int
    text: str
    hidden: bool = False
    file: str = ''
    less: int = 0  # how many columns of the source are left out before it
    part: int = 0  # of a broken line, which one


class Listing:
    """Which lines of a record are shown, in the order in which a reader meets them, and their rows, so wide."""

    def __init__(self, record: Record, w: float) -> None:
        self.w = w
        marks = [step.mark for step in record.steps if step.mark]
        self.marked = {(m.file, n) for m in marks for n in range(m.line, min(m.last, m.line + style.MARKED) + 1)}
        self.own: dict[Place, list[Line]] = {}  # where a bprop begins -> its lines
        inside = set()
        for entry in record.entries:
            if entry.facts and entry.facts.start.line:
                start, end = entry.facts.start, entry.facts.end
                span = {(start.file, n) for n in range(start.line, end.last + 1)}
                lines = [x for x in record.code if (x.file, x.number) in span and x.text.strip()]
                self.own.setdefault((start.file, start.line), lines)
                inside |= span
        self.calls: list[Line] = []  # your other lines, each with the heads of what it stands in
        for line in record.code:
            place = line.file, line.number
            if place not in inside and line.text.strip() and (line.hidden or place in self.marked or computes(line)):
                around = {n.lineno for n in holding(*place) if isinstance(n, (*DEFS, ast.ClassDef))}
                heads = around - {x.number for x in self.calls if x.file == line.file}
                above = [x for x in record.code if x.file == line.file and x.number in heads]
                self.calls += [*(x for x in above if x.number < line.number), line]
        shown = {x: None for lines in (self.calls, *self.own.values()) for x in lines}
        self.rows = {line: broken(line, w) for line in shown}

    def of(self, entry: Entry | None) -> list[Line]:
        """The lines of an entry's bprop or hook."""
        if entry is None or not entry.facts:
            return []
        return self.own.get((entry.facts.start.file, entry.facts.start.line), [])

    def high(self, lines: list[Line]) -> int:
        """How many rows some lines take."""
        return sum(len(self.rows[line]) for line in lines)


def indent(text: str) -> int:
    """How far a line is indented."""
    return len(text) - len(text.lstrip())


def computes(line: Line) -> bool:
    """Whether a line of a function says what is computed: no docstring, and nothing that an `__init__` does."""
    around = holding(line.file, line.number)
    names = [n.name for n in around if isinstance(n, DEFS)]
    return bool(names) and '__init__' not in names and not any(map(is_docstring, around))


def runs(row: Row, now: Mark | None) -> bool:
    """Whether a row is of a line that runs."""
    return now is not None and row.file == now.file and now.line <= row.number <= now.last


def within(row: Row, mark: Mark) -> tuple[int, int] | None:
    """From where to where the very expression of a mark stands in a row."""
    if mark.span is None or row.file != mark.file or not mark.span[0] <= row.number <= mark.span[1]:
        return None
    first, last, column, end = mark.span
    a = max(indent(row.text), (column - row.less) * (row.number == first))
    b = min(len(row.text.rstrip()), end - row.less if row.number == last else len(row.text))
    return (a, b) if b > a else None


def wave(start: float, end: float, y: float, high: int) -> str:
    """A line that goes so far up and down."""
    points = range(int((end - start) // style.WAVE) + 1)
    return 'M' + 'L'.join(f'{start + style.WAVE * k:g},{y + (high if k % 2 else -high):g}' for k in points)


def window(lines: list[list[Row]], room: int, now: Mark | None, always: Collection[Place] = ()) -> list[Row]:
    """The lines that have room in so many rows, ⋯ where some are left out: the one that runs first of all, then those
    that must not be missing, the heads around it and what was not taped, then what stands nearest to it."""
    places = [(line[0].file, line[0].number) for line in lines]
    on = [i for i, line in enumerate(lines) if runs(line[0], now)]
    at = on[0] if on else 0
    around = holding(now.file, now.line) if now else ()
    heads = {(now.file, n.lineno) for n in around if isinstance(n, (*LOOPS, *DEFS)) and n.lineno < now.line}

    def wanted(i: int) -> tuple[int, int]:
        near = places[i] in heads or lines[i][0].hidden  # what a takeover hides is what its bprop stands for
        rank = 0 if i in on else 1 if places[i] in always else 2 if near else style.NEXT_TO
        return rank, abs(i - at) + (i < at)

    found: set[int] = set()
    shown: list[Row] = []
    for i in sorted(range(len(lines)), key=wanted):
        more = folded(lines, found | {i})
        if len(more) <= room or not found:
            found, shown = found | {i}, more
    return shown


def folded(lines: list[list[Row]], found: set[int]) -> list[Row]:
    """The rows of those lines, with one for those between them that are left out."""
    out: list[Row] = []
    for i, line in enumerate(lines):
        if i in found:
            out += line
        elif not out or out[-1].number:
            out.append(Row(0, '⋯'))
    return out


def broken(line: Line, w: float) -> list[Row]:
    """A line in as many rows as it takes, indented by half within its function: broken after a comma, a bracket, a sign
    or a space."""
    text, out, around = line.text.strip(), [], holding(line.file, line.number)
    outermost = next((n.col_offset - line.indent for n in around if isinstance(n, ast.stmt)), indent(line.text))
    deep = max(indent(line.text) - outermost, 0) // 2
    at = line.indent + indent(line.text)
    wide = int((w - style.GUTTER - style.PAD) // LETTER)  # letters in a row
    while text or not out:
        begins = deep + style.CONTINUED * bool(out)
        end = fitting(text, (wide - begins) * LETTER + 1, 'm')  # (some letters are twice as wide)
        if end < len(text):
            spaces, brackets = (max(text.rfind(sign, 0, end) for sign in signs) + 1 for signs in (' ,', '(['))
            best = spaces if spaces > end // 2 else max(spaces, brackets)
            end = best if best > end // style.NEXT_TO else end
        out.append(Row(line.number, ' ' * begins + text[:end], line.hidden, line.file, at - begins, len(out)))
        text, at = text[end:], at + end
    return out


class Code(Box):
    """Lines of code, `rows` of them or as many as have room. `mark`: the lines that run, on amber unless all is `over`,
    and their very expression on a darker one; `always`: lines that must not be missing; `quiet`: what was not taped is
    grey; `told`: a name that is marked wherever it stands; `under`: the look of the line under an expression."""

    def __init__(
        self, listing: Listing, lines: list[Line], rows: int, tag: str, mark: Mark | None, always: Collection[Place],
        over: bool, quiet: bool = False, told: str = '', under: Mapping[Mark, str] | None = None
    ) -> None:  # fmt: skip
        self.lines, self.tag, self.mark, self.always = [listing.rows[line] for line in lines], tag, mark, always
        self.now, self.quiet, self.told, self.under = None if over else mark, quiet, told, under or {}
        longest = max(
            (len(self.lines[n]) for n, x in enumerate(lines) if (x.file, x.number) in listing.marked), default=0
        )
        self.size = (listing.w, style.ROW * min(max(rows, longest + 2), listing.high(lines)))  # (2: ⋯ around it)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Row by row; each is found as `line 12` of its panel."""
        always = {*self.always, *((m.file, n) for m in self.under for n in range(m.line, m.last + 1))}
        found = window(self.lines, int(h // style.ROW), self.mark, always)
        files = list(dict.fromkeys(row.file for row in found if row.number))
        for n, row in enumerate(found):
            key = f'{row.number}{AGAIN * files.index(row.file)}.{row.part}' if row.number else str(n)
            self.row(to, row, f'{self.tag}{key}', x, y + n * style.ROW)

    def row(self, to: Canvas, row: Row, key: str, x: float, top: float) -> None:
        """A row, whose line can be pressed."""
        frame, left, base = to.frame, x + style.GUTTER, top + style.ROW * 0.7
        if not row.number:
            frame.text(f'lc{key}', left, base, row.text, 'm dim')
            return
        place = Rect(x, top, self.size[0], style.ROW)
        to.places[f'row{key}'] = place
        on = runs(row, self.now)
        if on:
            frame.rect(f'now{key}', *place, 'now', 1, rx=style.BLOCK_ROUND)
        for name, a, b, look, more in self.marked(row, key, on):
            chip = left + a * LETTER - more, top + 1, (b - a) * LETTER + 2 * more, style.ROW - 2
            frame.rect(name, *chip, look, 2, rx=2)
        for n, (mark, look) in enumerate(self.under.items()):
            if piece := within(row, mark):
                path = wave(*(left + k * LETTER for k in piece), top + style.ROW - 2, look == WAVY)
                frame.path(f'un{n}{key}', path, look, style.LIFTED)
        frame.rect(f'lr{key}', *place, 'row', 2, rx=style.BLOCK_ROUND, go=f'line {row.number}')
        if not row.part:
            frame.text(f'ln{key}', left - style.APIECE, base, str(row.number), 'ln on' if on else 'ln')
        look = 'm on' if on else 'm dim' if self.quiet and row.hidden else 'm'
        frame.text(f'lc{key}', left, base, row.text, look)

    def marked(self, row: Row, key: str, on: bool) -> Iterator[tuple[str, int, int, str, int]]:
        """What is marked in a row: its key, where it begins and ends, its look, and how far that goes beyond it."""
        if on and (piece := within(row, self.now)):
            yield f'piece{key}', *piece, 'piece cur', 1
        if self.told:
            for k, found in enumerate(re.finditer(rf'(?<!\w){re.escape(self.told)}(?!\w)', row.text)):
                yield f'dout{key}{k}', *found.span(), 'dout', 2
