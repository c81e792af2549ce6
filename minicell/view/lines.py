"""The code panel: which lines to show."""

import linecache
from typing import NamedTuple

from ..story.record import Record
from ..story.source import Function, function
from . import style


class Line(NamedTuple):
    """A line of the code panel; `hidden` if what it runs is not recorded."""

    file: str
    number: int
    text: str
    hidden: bool = False
    indent: int = 0  # characters taken off its left


def shown(record: Record) -> list[Line]:
    """The lines of all functions that ran, with the first lines of their classes, and the marked lines outside of them.

    Files come in the order that a reader expects: what defines classes before what calls them.
    """
    found: dict[str, set[int]] = {}
    for code in record.ran:
        if told := function(code):
            found.setdefault(code.co_filename, set()).update(span(told), [told.owner.lineno] if told.owner else [])
    for mark in filter(None, (step.mark for step in record.steps)):
        found.setdefault(mark.file, set()).update(range(mark.line, min(mark.last, mark.line + style.MARKED) + 1))
    shaded = {(code.co_filename, n) for code in record.hides if (told := function(code)) for n in span(told)}
    out: list[Line] = []
    for file, numbers in found.items():
        source = linecache.getlines(file)
        texts = {n: source[n - 1].rstrip('\n').expandtabs(style.INDENT) for n in sorted(numbers) if n <= len(source)}
        indent = min((len(t) - len(t.lstrip()) for t in texts.values() if t.strip()), default=0)
        out += [Line(file, n, text[indent:].rstrip(), (file, n) in shaded, indent) for n, text in texts.items()]
    return out


def span(told: Function) -> range:
    """The lines of a function."""
    return range(told.node.lineno, (told.node.end_lineno or told.node.lineno) + 1)
