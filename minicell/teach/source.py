"""The source of a lesson: Markdown, with the code cells and the questions fenced in it.

    <!-- cell why -->                begins a Markdown cell, and names it
    ```python cell=run               begins a code cell, and names it; it ends with its fence
    ```predict cell=vote takeover    a question called takeover: the cell `vote` asks it (so do recall and sentence)
    {{truth: off(dx):.2f}}           in Markdown: a number, worked out after the cell `truth` has run, never typed

A fence without `cell=` is a listing in the text. What stands in a question, `question_text` tells.
"""

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minicell as ms

MARK = re.compile(r'<!-- cell ([a-z0-9-]+) -->\s*')
FENCE = re.compile(r'```python cell=([a-z0-9-]+)\s*')
QUESTION = re.compile(r'```(predict|recall|sentence) cell=([a-z0-9-]+) (\S.*?)\s*')
NUMBER = re.compile(r'\{\{\s*([a-z0-9-]+):\s*(.+?)\s*\}\}')
PACKAGE = Path(__file__).resolve().parents[1]


class Cell(NamedTuple):
    """A cell of a lesson. `kind` is 'markdown', 'code', or what asks: 'predict', 'recall', 'sentence'."""

    kind: str
    name: str
    text: str
    line: int  # of the source, where the text begins
    asks: str = ''  # the name of the question

    @property
    def code(self) -> str:
        """What stands in the notebook's code cell, '' for Markdown."""
        if self.kind == 'markdown':
            return ''
        return f'L.{self.kind}({self.asks!r})' if self.asks else self.text

    def numbers(self) -> list[tuple[str, str, str]]:
        """What is to be filled in: the placeholder, the cell that computes it, the expression."""
        if self.kind != 'markdown':
            return []
        return [(found[0], found[1], found[2]) for found in NUMBER.finditer(self.text)]


class SourceError(Exception):
    """Markdown of a lesson that cannot be read: the file, the line, and why, in one sentence."""

    def __init__(self, file: str, line: int, said: str) -> None:
        super().__init__(f'{file}, line {line}: {said}')


def path_of(lesson: str) -> Path | None:
    """The source of a lesson, in the package or in the checkout around it; None where there is no such lesson."""
    for folder in (PACKAGE / 'lessons' / 'source', PACKAGE.parent / 'lessons' / 'source'):
        for path in sorted(folder.glob(f'{lesson}_*.md')):
            return path
    return None


def said_of(path: Path) -> str:
    """A file as messages name it: `lessons/source/03_takeover.md`."""
    parts = path.parts
    return '/'.join(parts[parts.index('lessons') :]) if 'lessons' in parts else path.name


def paragraphs(text: str) -> str:
    """A text as paragraphs, each on one line."""
    return '\n\n'.join(' '.join(part.split()) for part in re.split(r'\n\s*\n', text.strip()))


def read(path: Path) -> list[Cell]:
    """The cells of a source file."""
    return parse(path.read_text(encoding='utf-8'), said_of(path))


def defined(lesson: str, names: str, beside: str = '', answer: str = '') -> list[Any]:
    """What the code cells of a lesson define under these names; nothing else of them runs.

    `beside`: what that stands on. The last definition counts: of what is an exercise, that of its solution, `answer`.
    """
    path, space = path_of(lesson), {'np': np, 'ms': ms, 'nn': ms.nn, 'ops': ms.ops, 'Parameter': ms.Parameter}
    cells = read(path)
    if answer:
        from .exercise_text import read as written  # which reads with what stands here

        cells.append(Cell('code', answer, written(path.with_suffix('') / f'{answer}.md').solution, 1))
    wanted, nodes = {*names.split(), *beside.split()}, {}
    for node in (each for cell in cells for each in ast.parse(re.sub(r'^%%.*', '', cell.code)).body):
        of = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
        if isinstance(node, ast.Assign):
            of = [each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)]
        nodes |= {name: node for name in of if name in wanted}
    for node in dict.fromkeys(nodes.values()):
        exec(compile(ast.Module([node], []), said_of(path), 'exec'), space)
    return [space[name] for name in names.split()]


def parse(text: str, file: str = 'the source') -> list[Cell]:
    """The cells of a source, in their order; raises SourceError where it cannot be read."""
    cells: list[Cell] = []
    kind, name, asks, begun, lines = 'markdown', '', '', 1, []

    def end() -> None:
        body = '\n'.join(lines).strip('\n')
        if body and not name:
            blank = next(k for k, line in enumerate(lines) if line)
            said = f'{lines[blank]!r} belongs to no cell: write <!-- cell NAME --> before it.'
            raise SourceError(file, begun + blank, said)
        if body or asks:
            cells.append(Cell(kind, name, body, begun, asks))
        lines.clear()

    for number, line in enumerate(text.splitlines(), 1):
        mark, fence, question = MARK.fullmatch(line), FENCE.fullmatch(line), QUESTION.fullmatch(line)
        if kind != 'markdown':
            if mark or fence or question:
                raise SourceError(file, number, f'the cell {name}, which begins at line {begun - 1}, has no end.')
            if line.rstrip() == '```':
                end()
                kind, name, asks, begun = 'markdown', '', '', number + 1
            else:
                lines.append(line)
        elif mark or fence or question:
            end()
            begun = number + 1
            if question:
                kind, name, asks = question.groups()
            else:
                kind, name = ('markdown', mark[1]) if mark else ('code', fence[1])
        elif re.match(r'```(predict|recall|sentence)\b', line):
            raise SourceError(file, number, f'a question is written ```{line[3:].split()[0]} cell=CELL NAME.')
        else:
            lines.append(line)
    if kind != 'markdown':
        raise SourceError(file, begun - 1, f'the cell {name} has no end.')
    end()
    checked(cells, file)
    return cells


def checked(cells: list[Cell], file: str) -> None:
    """Raise SourceError for a name that is there twice, and for a number that no cell computes."""
    seen: set[tuple[str, str]] = set()
    for cell in cells:
        what = 'sentence' if cell.kind == 'sentence' else 'question'
        for one in (('cell', cell.name), *([(what, cell.asks)] if cell.asks else ())):
            if one in seen:
                raise SourceError(file, cell.line - 1, f'there is a {" ".join(one)} already.')
            seen.add(one)
    code = {cell.name for cell in cells if cell.kind != 'markdown'}
    for cell in cells:
        for placeholder, of, _ in cell.numbers():
            if of not in code:
                at = cell.line + cell.text[: cell.text.index(placeholder)].count('\n')
                raise SourceError(file, at, f'{placeholder} wants a code cell {of}, and there is none.')
