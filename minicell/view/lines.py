"""The code panel: which lines to show."""

import linecache
from types import CodeType

from ..story.record import Line, Mark, Record
from ..story.source import Function, function
from . import style


def shown(record: Record) -> list[Line]:
    """The lines to show: whole classes where there is room, else the functions that matter."""
    marks = [step.mark for step in record.steps if step.mark]
    whole = _listing(record.ran, record.hides, marks, True)
    return whole if len(whole) <= style.ROOMY_CODE else _listing(record.ran, record.hides, marks, False)


def _listing(codes: list[CodeType], hidden: list[CodeType], marks: list[Mark], whole: bool) -> list[Line]:
    """Each function with its class (or that's first line), and the marked lines outside of functions.

    Files come in the order that a reader expects: what defines classes before what calls them.
    """
    marked: dict[str, set[int]] = {}
    for mark in marks:
        marked.setdefault(mark.file, set()).update(range(mark.line, min(mark.last, mark.line + style.MARKED) + 1))
    shown: dict[str, set[int]] = {file: set() for file in marked}
    shaded: set[tuple[str, int]] = set()
    defines: set[str] = set()
    for code in codes:
        if found := function(code):
            near = marked.get(code.co_filename, set())
            shown.setdefault(code.co_filename, set()).update(_lines(found, near, whole))
            defines.add(code.co_filename)
    for code in hidden:
        if found := function(code):
            last = found.node.end_lineno or found.node.lineno
            shaded.update((code.co_filename, n) for n in range(found.node.lineno, last + 1))
    for file, lines in marked.items():
        shown[file] |= lines
    files = sorted(shown, key=lambda f: f not in defines)
    return [line for file in files for line in _file(file, shown[file], shaded)]


def _lines(found: Function, marked: set[int], whole: bool) -> set[int]:
    node = found.owner if whole and found.owner else found.node
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    if len(lines) > style.LONG_FUNCTION:
        lines = {n for n in lines if n == node.lineno or any(abs(n - m) <= style.AROUND_MARK for m in marked)}
    if found.owner:
        lines.add(found.owner.lineno)
    return lines


def _file(file: str, numbers: set[int], shaded: set[tuple[str, int]]) -> list[Line]:
    source = [line.rstrip('\n').expandtabs(style.INDENT) for line in linecache.getlines(file)]
    wanted = [n for n in sorted(numbers) if n <= len(source)]
    texts = [source[n - 1] for n in wanted]
    indent = min((len(t) - len(t.lstrip()) for t in texts if t.strip()), default=0)
    return [Line(file, n, source[n - 1][indent:].rstrip(), (file, n) in shaded, indent) for n in wanted]
