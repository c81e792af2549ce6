"""The code that ran, as a place in the picture: your call, your Cell, and at a fixed height the lines of bprop."""

import ast
import linecache
from functools import lru_cache
from typing import NamedTuple

from ...ink.shapes import Frame, width
from ...story.record import Entry, Line, Mark, Record
from .plan import ROW

GUTTER = 32
LETTER = width('m' * 10, 'm') / 10


class Row(NamedTuple):
    """A line at its place; a heading has no number, a fold neither."""

    key: str
    y: float
    number: int
    text: str
    hidden: bool = False
    file: str = ''
    less: int = 0  # how many columns of the source are left out before it
    begins: int = 0  # of the rest of a line that is too long for one row: the column where it begins


class Listing:
    """Which lines of a record are shown, in the order in which a reader meets them."""

    def __init__(self, record: Record) -> None:
        marks = [step.mark for step in record.steps if step.mark]
        self.marked = {(m.file, n) for m in marks for n in range(m.line, min(m.last, m.line + 8) + 1)}
        self.own: dict[tuple[str, int], list[Line]] = {}  # where a bprop begins -> its lines
        inside = set()
        for entry in record.entries:
            if entry.facts and entry.facts.start.line:
                start, end = entry.facts.start, entry.facts.end
                span = {(start.file, n) for n in range(start.line, end.last + 1)}
                lines = [x for x in record.code if (x.file, x.number) in span and x.text.strip()]
                self.own.setdefault((start.file, start.line), lines)
                inside |= span
        self.calls: list[Line] = []  # your own lines, but those of the Cells with a bprop
        self.cells: dict[str, list[Line]] = {}  # those, by the name of the Cell
        own = {e.name for e in record.entries if e.kind == 'call'}
        for line in record.code:
            if (line.file, line.number) in inside or not line.text.strip():
                continue
            if line.hidden or (line.file, line.number) in self.marked:
                above = scopes(line.file, line.number)
                owner = next((name for _, name in above if name in own), None)
                # what runs inside a Cell with a bprop, but stands elsewhere, is shown with any of them
                into = self.cells.setdefault(owner or '', []) if owner or line.hidden else self.calls
                heads = {n for n, _ in above} - {x.number for x in into if x.file == line.file}
                into += [x for x in record.code if x.file == line.file and x.number in heads and x.number < line.number]
                into.append(line)
        shown = [*self.calls, *(x for lines in (*self.cells.values(), *self.own.values()) for x in lines)]
        self.depths = depths(shown)

    def beside(self, entry: Entry | None) -> tuple[list[Line], list[Line]]:
        """Your call, and the lines of the Cell whose bprop is shown."""
        found = self.cells.get(entry.name) if entry is not None else None
        if found is None:
            found = next((lines for name, lines in self.cells.items() if name), [])
        return self.calls, found + self.cells.get('', [])

    def of(self, entry: Entry | None) -> list[Line]:
        """The lines of an entry's bprop or hook."""
        if entry is None or not entry.facts:
            return []
        return self.own.get((entry.facts.start.file, entry.facts.start.line), [])


def indent(line: Line) -> int:
    """How far a line is indented."""
    return len(line.text) - len(line.text.lstrip())


def scopes(file: str, number: int) -> list[tuple[int, str]]:
    """(first line, name) of the classes and functions around a line, outermost first."""
    return [
        (first, name) for first, last, name in _scopes(file, len(linecache.getlines(file))) if first <= number <= last
    ]


@lru_cache(maxsize=64)
def _scopes(file: str, _: int) -> list[tuple[int, int, str]]:
    try:
        tree = ast.parse(''.join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return sorted((n.lineno, n.end_lineno or n.lineno, n.name) for n in ast.walk(tree) if isinstance(n, kinds))


def window(lines: list[Line], room: int, now: Mark | None) -> list[Line | None]:
    """As many lines as there is room for, around the one that runs; None where some are left out."""
    if len(lines) <= room:
        return list(lines)
    at = next((i for i, x in enumerate(lines) if now and (x.file, x.number) == (now.file, now.line)), 0)
    first = max(0, min(at - room // 2, len(lines) - room))
    shown: list[Line | None] = list(lines[first : first + room])
    if first and first < at:
        shown[0] = None
    if first + room < len(lines) and at < first + room - 1:
        shown[-1] = None
    return shown


def own_window(lines: list[Line], room: int, now: Mark | None) -> list[Line | None]:
    """The lines of a bprop: the first and the last always, and between them those around the one that runs."""
    if len(lines) <= room:
        return list(lines)
    return [lines[0], *window(lines[1:-1], room - 2, now), lines[-1]]


def rows(
    lines: list[Line | None], y: float, tag: str, depths: dict[tuple[str, int], int], w: float, spare: int = 0
) -> list[Row]:
    """Lines at their places, from the baseline of the first; long ones take two rows while there are some to spare."""
    out: list[Row] = []
    most = int((w - GUTTER - 10) // LETTER)
    for i, line in enumerate(lines):
        if line is None:
            out.append(Row(f'{tag}{i}', y, 0, '⋯'))
            y += ROW
            continue
        text = line.text.lstrip()
        less = line.indent + len(line.text) - len(text)
        deep = 2 * depths.get((line.file, line.number), 0)
        parts = broken(text, most - deep) if spare > 0 else [text]
        for n, part in enumerate(parts):
            begins = deep + 4 * (n > 0)
            at = less + n * len(parts[0])
            key, said = f'{tag}{i}{"m" * n}', ' ' * begins + part
            out.append(Row(key, y, line.number, said, line.hidden, line.file, at - begins, begins * (n > 0)))
            y += ROW
        spare -= len(parts) - 1
    return out


def broken(text: str, most: int) -> list[str]:
    """A line in two where it is too long for one row and fits two: after a comma, a bracket or a space."""
    if len(text) <= most:
        return [text]
    at = max(text.rfind(sign, 0, most) for sign in ' ,([') + 1
    return [text[:at], text[at:]] if at > most // 3 and len(text) - at <= most - 4 else [text]


def tall(lines: list[Line], depths: dict[tuple[str, int], int], w: float) -> int:
    """How many rows these lines would take."""
    return len(rows(lines, 0, '', depths, w, len(lines)))


def depths(lines: list[Line]) -> dict[tuple[str, int], int]:
    """How deep each line lies in others that are shown: a block whose head is not shown counts for nothing."""
    out: dict[tuple[str, int], int] = {}
    around: list[int] = []  # the indentations of the lines that hold the next one
    before: Line | None = None
    for line in sorted(lines, key=lambda x: (x.file, x.number)):
        deep = line.indent + indent(line)
        if before is None or before.file != line.file:
            around = []
        else:
            between = linecache.getlines(line.file)[before.number : line.number - 1]
            least = min((len(t) - len(t.lstrip()) for t in between if t.strip()), default=deep)
            around = [a for a in around if a < min(deep, max(least, 0) + (least >= deep))]
        out[line.file, line.number] = len(around)
        around.append(deep)
        before = line
    return out


def draw(frame: Frame, found: list[Row], x: float, w: float, now: Mark | None, quiet: bool) -> None:
    """The rows; the one that runs on amber, its columns on a darker one. `quiet`: what was not taped is grey."""
    most = int((w - GUTTER - 10) // LETTER)
    for row in found:
        if not row.number:
            frame.text(f'lc{row.key}', x + GUTTER, row.y, row.text, 'm dim')
            continue
        here = f'line {row.number}'
        on = now is not None and row.file == now.file and now.line <= row.number <= now.last
        span = getattr(now, 'span', None) if on else None
        text, shift = row.text, 0
        if span:
            span = (span[0], span[1], span[2] - row.less, span[3] - row.less)
        if len(text) > most:
            shift = max(0, min((span[2] if span else 0) - 6, len(text) - most)) if span and span[3] > most - 1 else 0
            text = ('…' if shift else '') + text[shift + bool(shift) :]
            text = text if len(text) <= most else text[: most - 1] + '…'
        if on:
            frame.rect(f'now{row.key}', x + 7, row.y - 14.5, w - 14, ROW, 'now', 1, rx=4)
            if span and span[0] == span[1] == row.number:
                a, b = max(row.begins, span[2] - shift), min(len(text.rstrip()), span[3] - shift)
                if b > a:
                    left, wide = x + GUTTER + a * LETTER - 1.5, (b - a) * LETTER + 3
                    frame.rect(f'piece{row.key}', left, row.y - 13, wide, ROW - 3, 'piece cur', 2, rx=3)
        frame.rect(f'lr{row.key}', x + 4, row.y - 14.5, w - 8, ROW, 'row', 2, rx=4, go=here)
        if not row.begins:
            frame.text(f'ln{row.key}', x + GUTTER - 8, row.y, str(row.number), 'ln on' if on else 'ln')
        frame.text(f'lc{row.key}', x + GUTTER, row.y, text, 'm on' if on else 'm dim' if quiet and row.hidden else 'm')
