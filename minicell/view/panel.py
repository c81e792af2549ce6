"""The code panel: the user's own source, and the line that runs now, marked three times."""

from collections.abc import Sequence
from typing import NamedTuple

from .layout import LINE_H, PANEL_W, PANEL_X
from .metrics import MONO_ADVANCE
from .model import Line, Mark
from .shapes import BACKWARD, FAINT, HIGHLIGHT, INK, MUTED, PANEL, RULE, Box, Path, Shape, hatch, text

NUMBER_X = PANEL_X + 34  # the right end of the line numbers
CODE_X = PANEL_X + 39
CODE_W = PANEL_X + PANEL_W - 5 - CODE_X
COLUMNS = int(CODE_W / (12 * MONO_ADVANCE))
HEAD = 14
MOST_ROWS = 4  # of one line
MOST_INDENT = 8  # of the rest of a long line, in characters


class Row(NamedTuple):
    """A line of the panel: a line of code, or the rest of one that is too long."""

    line: Line
    words: str
    first: bool


def rows(lines: Sequence[Line]) -> list[Row]:
    """The lines of code, long ones broken."""
    return [Row(line, words, i == 0) for line in lines for i, words in enumerate(broken(line.text))]


def broken(words: str) -> list[str]:
    """A line in pieces that fit, broken after a comma or a space where there is one."""
    out = []
    indent = ' ' * min(len(words) - len(words.lstrip()) + 2, MOST_INDENT)
    while len(words) > COLUMNS and len(out) < MOST_ROWS - 1:
        half = (len(indent) + COLUMNS) // 2
        found = [words.rfind(c, len(indent) + 4, COLUMNS) + 1 for c in (' ', '(', '.')]
        cut = next((c for c in found if c > half), next((c for c in found if c), COLUMNS))
        out.append(words[:cut].rstrip())
        words = indent + words[cut:].lstrip()
    return [*out, words]


def window(all_rows: Sequence[Row], mark: Mark | None, room: int) -> tuple[int, int]:
    """Which rows to show: all, or as many as fit, around the executing line."""
    if len(all_rows) <= room:
        return 0, len(all_rows)
    at = next((i for i, row in enumerate(all_rows) if is_marked(row, mark)), 0)
    first = min(max(at - room // 2, 0), len(all_rows) - room)
    return first, first + room


def is_marked(row: Row, mark: Mark | None) -> bool:
    """Whether a row belongs to the statement that runs now."""
    return mark is not None and row.line.file == mark.file and mark.line <= row.line.number <= mark.last


def panel(
    lines: Sequence[Line], mark: Mark | None, y: float, bottom: float, hidden: bool
) -> tuple[list[Shape], float | None]:
    """The panel's shapes, and the height of the executing line."""
    out: list[Shape] = [Box(PANEL_X, y, PANEL_W, bottom - y, PANEL, RULE, 1, 6)]
    if not lines:
        out.append(text(PANEL_X + 16, y + 30, PANEL_W - 32, 'The source of this program is not at hand.', 12, MUTED))
        return out, None
    legend = 30 if any(line.hidden for line in lines) else 0
    room = max(int((bottom - y - 2 * HEAD - legend) // LINE_H), 1)
    all_rows = rows(lines)
    first, last = window(all_rows, mark, room)
    shown = all_rows[first:last]
    top = y + HEAD
    out += [gap(top + i * LINE_H) for i, r in enumerate(shown) if i and r.first and r.line.gap]
    marked = [i for i, r in enumerate(shown) if is_marked(r, mark)]
    if mark and marked:
        out += cursor(top + marked[0] * LINE_H, len(marked) * LINE_H, mark.back)
    for i, r in enumerate(shown):
        out += code(r, top + i * LINE_H, i in marked, hidden)
    if legend and hidden:
        y_legend = bottom - 26
        out.append(hatch(PANEL_X + 14, y_legend, 18, 12, '#7F868E', 6))
        out.append(Box(PANEL_X + 14, y_legend, 18, 12, stroke=FAINT))
        out.append(text(CODE_X, y_legend + 10, PANEL_W - 60, 'hatched: runs, is not recorded', 11, MUTED))
    return out, top + (marked[0] + 0.5) * LINE_H if marked else None


def cursor(y: float, h: float, back: bool) -> list[Shape]:
    """Arrow and box of the executing line. It points back where backward reads what the line had written."""
    x = PANEL_X + 7
    foot, tip = (x + 12, x + 3) if back else (x + 3, x + 12)
    return [
        Box(x - 2, y, PANEL_W - 8, h, HIGHLIGHT, INK, 1.5, 4, '5 3' if back else ''),
        Path((((foot, y + 5), (foot, y + 15), (tip, y + 10)),), fill=BACKWARD if back else INK),
    ]


def gap(y: float) -> Shape:
    """Lines were left out here."""
    return Path((((NUMBER_X - 14, y), (PANEL_X + PANEL_W - 12, y)),), RULE, 1, dash='2 3')


def code(row: Row, y: float, marked: bool, hidden: bool) -> list[Shape]:
    """One row: its number, its gutter, its text."""
    out: list[Shape] = []
    if row.line.hidden and hidden:
        out.append(hatch(PANEL_X + 1, y, 6, LINE_H, '#5F666E', 5))
    if row.first:
        number = str(row.line.number)
        out.append(text(NUMBER_X, y + 14, 22, number, 11, INK if marked else MUTED, 'end', mono=True))
    colour = INK if marked or not row.line.hidden else MUTED
    if row.words:
        out.append(text(CODE_X, y + 14, CODE_W, row.words, 12, colour, bold=marked, mono=True))
    return out
