"""The code that ran, as boxes: your program, the Cell whose bprop takes over, and the lines of that bprop.

A line that is too long is broken, and never cut; where there are more lines than there is room for, those around the
one that runs are shown, with the line itself whole, and with the lines that must not be missing: the one that asks for
the gradient, and the heads of loops and functions around it.
"""

import ast
import linecache
import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from ..ink.boxes import Box, Canvas, Rect
from ..ink.shapes import fitting, width
from ..story.record import Entry, Mark, Record
from ..story.source import tree
from . import style
from .lines import Line

CALL = re.compile(r'\w+\.grad\(|\bgrad\(')  # a gradient that is taken
LETTER = width('m', 'm')
LOOPS = ast.For, ast.While, ast.AsyncFor
DEFS = ast.FunctionDef, ast.AsyncFunctionDef


class Row(NamedTuple):
    """A row of code; a fold has no number, and the rest of a broken line `begins` further right."""

    key: str
    number: int
    text: str
    hidden: bool = False
    file: str = ''
    less: int = 0  # how many columns of the source are left out before it
    begins: int = 0


class Listing:
    """Which lines of a record are shown, in the order in which a reader meets them."""

    def __init__(self, record: Record) -> None:
        marks = [step.mark for step in record.steps if step.mark]
        self.marked = {(m.file, n) for m in marks for n in range(m.line, min(m.last, m.line + style.MARKED) + 1)}
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
            if line.hidden or (line.file, line.number) in self.marked or computes(line):
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


def holding(file: str, number: int) -> list[ast.AST]:
    """The loops, functions and classes around a line, outermost first, and the docstring that it is a part of."""
    return _holding(file, number, len(linecache.getlines(file)))


@lru_cache(maxsize=style.LOOPS_KEPT)
def _holding(file: str, number: int, count: int) -> list[ast.AST]:
    return [node for node in _pieces(file, count) if node.lineno <= number <= (node.end_lineno or node.lineno)]


@lru_cache(maxsize=style.TREES)
def _pieces(file: str, _: int) -> list[ast.AST]:
    found = (
        n for n in ast.walk(tree(file)) if isinstance(n, (*LOOPS, *DEFS, ast.ClassDef, ast.Lambda)) or is_docstring(n)
    )
    return sorted(found, key=lambda n: (n.lineno, -n.end_lineno))


def is_docstring(node: ast.AST) -> bool:
    """Whether it is a text that stands for itself."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def scopes(file: str, number: int) -> list[tuple[int, str]]:
    """(first line, name) of the classes and functions around a line, outermost first."""
    return [(n.lineno, n.name) for n in holding(file, number) if isinstance(n, (*DEFS, ast.ClassDef))]


def computes(line: Line) -> bool:
    """Whether a line of a function says what is computed: no docstring, and nothing that an `__init__` does."""
    around = holding(line.file, line.number)
    names = [n.name for n in around if isinstance(n, DEFS)]
    return bool(names) and '__init__' not in names and not any(map(is_docstring, around))


def loop(mark: Mark | None) -> tuple[str, int] | None:
    """The innermost loop around a line, in its own function."""
    around = holding(mark.file, mark.line) if mark is not None else ()
    inner = [n for n in around if isinstance(n, (*LOOPS, *DEFS, ast.Lambda))][-1:]
    return next(((mark.file, n.lineno) for n in inner if isinstance(n, LOOPS) and n.lineno < mark.line), None)


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


def window(
    lines: list[Line], room: int, depths_: dict[tuple[str, int], int], w: float, now: Mark | None,
    always: set[tuple[str, int]] = frozenset()
) -> list[Line | None]:  # fmt: skip
    """The lines that have room in so many rows, None where some are left out: the one that runs first of all, then
    those that must not be missing, then what stands nearest to it."""
    high = [len(broken(line, depths_, w)) for line in lines]
    if sum(high) <= room:
        return list(lines)
    runs = [i for i, x in enumerate(lines) if now and x.file == now.file and now.line <= x.number <= now.last]
    at = runs[0] if runs else 0
    around = holding(now.file, now.line) if now else ()
    heads = {(now.file, n.lineno) for n in around if isinstance(n, (*LOOPS, *DEFS)) and n.lineno < now.line}

    def wanted(i: int) -> tuple[int, int]:
        key = lines[i].file, lines[i].number
        rank = 0 if i in runs else 1 if key in always else 2 if key in heads else style.NEXT_TO
        return rank, abs(i - at) + (i < at)

    found: set[int] = set()
    for i in sorted(range(len(lines)), key=wanted):
        rows = sum(1 if k is None else high[k] for k in folded(found | {i}, len(lines)))
        if rows <= room or not found:
            found.add(i)
    return [None if k is None else lines[k] for k in folded(found, len(lines))]


def folded(found: Collection[int], count: int) -> list[int | None]:
    """So many lines, with None where some that are not among those found are left out."""
    out: list[int | None] = []
    for i in range(count):
        if i in found or not out or out[-1] is not None:
            out.append(i if i in found else None)
    return out


def broken(line: Line, depths_: dict[tuple[str, int], int], w: float) -> list[str]:
    """A line in as many parts as it takes: after a comma, a bracket, a sign or a space."""
    text, deep = line.text.strip(), 2 * depths_.get((line.file, line.number), 0)
    wide, parts = int((w - style.GUTTER - style.PAD) // LETTER) - deep, []  # letters in a row
    room = wide
    while (most := fitting(text, room * LETTER + 1, 'm')) < len(text):  # (some letters are twice as wide)
        spaces, brackets = (max(text.rfind(sign, 0, most) for sign in signs) + 1 for signs in (' ,', '(['))
        at = spaces if spaces > most // 2 else max(spaces, brackets)
        at = at if at > most // style.NEXT_TO else most
        parts.append(text[:at])
        text, room = text[at:], wide - style.CONTINUED
    return [*parts, text]


def rows(lines: list[Line | None], tag: str, depths_: dict[tuple[str, int], int], w: float) -> list[Row]:
    """Lines as rows, long ones broken."""
    out: list[Row] = []
    files = {line.file: "'" * k for k, line in enumerate({x.file: x for x in lines if x is not None}.values())}
    for i, line in enumerate(lines):
        if line is None:
            out.append(Row(f'{tag}{i}', 0, '⋯'))
            continue
        text = line.text.lstrip()
        at = line.indent + len(line.text) - len(text)
        deep = 2 * depths_.get((line.file, line.number), 0)
        for n, part in enumerate(broken(line, depths_, w)):
            begins = deep + style.CONTINUED * (n > 0)
            key, less = f'{tag}{line.number}{files[line.file]}.{n}', at - begins
            out.append(Row(key, line.number, ' ' * begins + part, line.hidden, line.file, less, begins * (n > 0)))
            at += len(part)
    return out


class Code(Box):
    """Rows of code. `now`: the lines that run, on amber, and their very expression on a darker one; `quiet`: what was
    not taped is grey; `told`: a name that is marked wherever it stands; `nested`: lines in which one gradient may be
    taken of another: these have the colours of their tapes."""

    def __init__(
        self, found: list[Row], w: float, now: Mark | None = None, quiet: bool = False, told: str = '', key: str = '',
        nested: Collection[tuple[str, int]] = ()
    ) -> None:  # fmt: skip
        self.found, self.now, self.quiet, self.told, self.key, self.nested = found, now, quiet, told, key, nested
        self.size = (w, style.ROW * len(found))

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """Row by row; each is found as `line 12` of its panel."""
        for n, row in enumerate(self.found):
            self.row(to, row, x, y + n * style.ROW)

    def row(self, to: Canvas, row: Row, x: float, top: float) -> None:
        """A row, whose line can be pressed."""
        frame, left, base = to.frame, x + style.GUTTER, top + style.ROW * 0.7
        if not row.number:
            frame.text(f'lc{row.key}', left, base, row.text, 'm dim')
            return
        place = Rect(x, top, self.size[0], style.ROW)
        to.places[f'row{row.key}'] = place
        now = self.now
        on = now is not None and row.file == now.file and now.line <= row.number <= now.last
        if on:
            frame.rect(f'now{row.key}', *place, 'now', 1, rx=style.BLOCK_ROUND)
            self.piece(to, row, left, top)
        for k, found in enumerate(re.finditer(rf'(?<!\w){re.escape(self.told)}(?!\w)', row.text) if self.told else ()):
            a, b = found.span()
            chip = left + a * LETTER - 2, top + 1, (b - a) * LETTER + 2 * 2, style.ROW - 2
            frame.rect(f'dout{row.key}{k}', *chip, 'dout', 2, rx=2)
        calls = list(CALL.finditer(row.text)) if (row.file, row.number) in self.nested else []
        for call, ground in zip(calls, ('film rib', 'film'), strict=False) if len(calls) == 2 else ():
            wide = (len(call[0]) - 1) * LETTER
            chip = left + call.start() * LETTER - 2, top + 1, wide + 2 * 2, style.ROW - 2
            frame.rect(f'grad{row.key}{call.start()}', *chip, ground, 2, rx=2)
        frame.rect(f'lr{row.key}', *place, 'row', 2, rx=style.BLOCK_ROUND, go=f'line {row.number}')
        if not row.begins:
            frame.text(f'ln{row.key}', left - style.APIECE, base, str(row.number), 'ln on' if on else 'ln')
        look = 'm on' if on else 'm dim' if self.quiet and row.hidden else 'm'
        frame.text(f'lc{row.key}', left, base, row.text, look)

    def piece(self, to: Canvas, row: Row, left: float, top: float) -> None:
        """The expression that runs."""
        span = self.now.span
        if not span or not span[0] == span[1] == row.number:
            return
        *_, first, last = span
        a, b = max(row.begins, first - row.less), min(len(row.text.rstrip()), last - row.less)
        if b > a:
            place = left + a * LETTER - 1, top + 1, (b - a) * LETTER + 2, style.ROW - 2
            to.frame.rect(f'piece{row.key}', *place, 'piece cur', 2, rx=2)
