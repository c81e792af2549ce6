"""The source of a lesson: Markdown, with the code cells fenced in it. Plain to read, to write and to compare.

    <!-- cell why -->                begins a Markdown cell, and names it
    ```python cell=run               begins a code cell, and names it; it ends with its fence
    {{truth: off(dx):.2f}}           in Markdown: a number, worked out after the cell `truth` has run, never typed

A fence without `cell=` is a listing in the text.
"""

import re
from typing import NamedTuple

MARK = re.compile(r'<!-- cell ([a-z0-9-]+) -->\s*')
FENCE = re.compile(r'```python cell=([a-z0-9-]+)\s*')
NUMBER = re.compile(r'\{\{\s*([a-z0-9-]+):\s*(.+?)\s*\}\}')


class Cell(NamedTuple):
    """A cell of a lesson. `kind` is 'markdown' or 'code'."""

    kind: str
    name: str
    text: str

    def numbers(self) -> list[tuple[str, str, str]]:
        """What is to be filled in: the placeholder, the cell that computes it, the expression."""
        if self.kind == 'code':
            return []
        return [(found[0], found[1], found[2]) for found in NUMBER.finditer(self.text)]


class SourceError(Exception):
    """A lesson's source that cannot be read."""


def parse(text: str) -> list[Cell]:
    """The cells of a source, in their order; raises SourceError, with the line, where it cannot be read."""
    cells: list[Cell] = []
    kind, name, lines = 'markdown', '', []

    def end() -> None:
        body = '\n'.join(lines).strip('\n')
        if body and not name:
            raise SourceError(f'text without a cell: {body.splitlines()[0]!r} (write <!-- cell NAME --> before it)')
        if body:
            cells.append(Cell(kind, name, body))
        lines.clear()

    for number, line in enumerate(text.splitlines(), 1):
        mark, fence = MARK.fullmatch(line), FENCE.fullmatch(line)
        if kind == 'code':
            if mark or fence:
                raise SourceError(f'line {number}: the code cell {name} has no end')
            if line.rstrip() == '```':
                end()
                kind, name = 'markdown', ''
            else:
                lines.append(line)
        elif mark or fence:
            end()
            kind, name = ('markdown', mark[1]) if mark else ('code', fence[1])
        else:
            lines.append(line)
    if kind == 'code':
        raise SourceError(f'the code cell {name} has no end')
    end()
    names = [cell.name for cell in cells]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SourceError(f'cells of the same name: {", ".join(sorted(twice))}')
    code = {cell.name for cell in cells if cell.kind == 'code'}
    for cell in cells:
        for placeholder, of, _ in cell.numbers():
            if of not in code:
                raise SourceError(f'{placeholder} in the cell {cell.name}: there is no code cell {of}')
    return cells
