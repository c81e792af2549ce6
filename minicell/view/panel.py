"""The code panel: the user's own source, and the line that runs now, marked three times."""

from collections.abc import Sequence

from .layout import LINE_H, PANEL_W, PANEL_X
from .model import Line, Mark
from .shapes import BACKWARD, FAINT, HIGHLIGHT, INK, MUTED, PANEL, RULE, Box, Path, Shape, hatch, text

NUMBER_X = PANEL_X + 36  # the right end of the line numbers
CODE_X = PANEL_X + 42
HEAD = 14


def window(lines: Sequence[Line], mark: Mark | None, room: int) -> tuple[int, int]:
    """Which lines to show: all, or as many as fit, around the executing line."""
    if len(lines) <= room:
        return 0, len(lines)
    at = position(lines, mark) or 0
    first = min(max(at - room // 2, 0), len(lines) - room)
    return first, first + room


def position(lines: Sequence[Line], mark: Mark | None) -> int | None:
    """The place of the marked line among the lines."""
    if mark is None:
        return None
    return next((i for i, line in enumerate(lines) if (line.file, line.number) == (mark.file, mark.line)), None)


def panel(
    lines: Sequence[Line], mark: Mark | None, y: float, bottom: float, hidden: bool
) -> tuple[list[Shape], float | None]:
    """The panel's shapes, and the height of the executing line."""
    out: list[Shape] = [Box(PANEL_X, y, PANEL_W, bottom - y, PANEL, RULE, 1, 6)]
    legend = 30 if any(line.hidden for line in lines) else 0
    room = max(int((bottom - y - 2 * HEAD - legend) // LINE_H), 1)
    if not lines:
        out.append(text(PANEL_X + 16, y + 30, PANEL_W - 32, 'The source of this program is not at hand.', 12, MUTED))
        return out, None
    first, last = window(lines, mark, room)
    # a statement of several lines is marked as one
    marked = [
        i for i in range(first, last)
        if mark and lines[i].file == mark.file and mark.line <= lines[i].number <= mark.last
    ]  # fmt: skip
    top = y + HEAD
    out += [gap(top + (i - first) * LINE_H) for i in range(first + 1, last) if lines[i].gap]
    if marked:
        out += cursor(top + (marked[0] - first) * LINE_H, len(marked) * LINE_H, mark.back)
    for i in range(first, last):
        out += row(lines[i], top + (i - first) * LINE_H, i in marked, hidden)
    if legend:
        y_legend = bottom - 26
        out.append(hatch(PANEL_X + 14, y_legend, 18, 12, '#7F868E', 6))
        out.append(Box(PANEL_X + 14, y_legend, 18, 12, stroke=FAINT))
        out.append(text(CODE_X, y_legend + 10, PANEL_W - 60, 'hatched: runs, is not recorded', 11, MUTED))
    return out, top + (marked[0] - first + 0.5) * LINE_H if marked else None


def cursor(y: float, h: float, back: bool) -> list[Shape]:
    """Arrow and box of the executing line. It points back where backward reads what the line had written."""
    x = PANEL_X + 7
    tip = ((x + 12, y + 5), (x + 12, y + 15), (x + 3, y + 10)) if back else ((x + 4, y + 5), (x + 4, y + 15), (x + 13, y + 10))
    return [
        Box(x - 1, y, PANEL_W - 12, h, HIGHLIGHT, INK, 1.5, 4, '5 3' if back else ''),
        Path((tip,), fill=BACKWARD if back else INK),
    ]


def gap(y: float) -> Shape:
    """Lines were left out here."""
    return Path((((NUMBER_X - 14, y), (PANEL_X + PANEL_W - 12, y)),), RULE, 1, dash='2 3')


def row(line: Line, y: float, marked: bool, hidden: bool) -> list[Shape]:
    """One line: its number, its gutter, its text."""
    out: list[Shape] = []
    if line.hidden and hidden:
        out.append(hatch(PANEL_X + 1, y, 5, LINE_H, '#6F767E', 5))
    number = str(line.number)
    out.append(text(NUMBER_X, y + 14, 22, number, 11, INK if marked else MUTED, 'end', mono=True))
    colour = INK if marked or not line.hidden else MUTED
    if line.text:
        out.append(text(CODE_X, y + 14, PANEL_X + PANEL_W - 7 - CODE_X, line.text, 12, colour, bold=marked, mono=True))
    return out
