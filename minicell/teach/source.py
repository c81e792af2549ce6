"""The source of a lesson: Markdown, with the code cells and the questions fenced in it.

    <!-- cell why -->                begins a Markdown cell, and names it (the first also says the lesson's minutes)
    ```python cell=run               begins a code cell, and names it; it ends with its fence
    ```predict cell=vote takeover    a question called takeover: the cell `vote` asks it (so do recall and sentence)
    {{truth: off(dx):.2f}}           in Markdown: a number, worked out after the cell `truth` has run, never typed

A fence without `cell=` is a listing in the text. What stands in a question, `texts` tells.
"""

import ast
import re
import symtable
from pathlib import Path
from typing import NamedTuple

NAME = '[a-z0-9-]+'
ASKS = 'predict|recall|sentence'
MINUTES = r'(?:: \d+ minutes)?'
OPENS = rf'<!-- cell {NAME}{MINUTES} -->|```(?:python|{ASKS}) cell='
CELL = re.compile(
    rf'^<!-- cell (?P<words>{NAME}){MINUTES} --> *\n(?P<said>(?:(?!{OPENS}).*\n)*)'
    rf'|^```(?P<kind>python|{ASKS}) cell=(?P<name>{NAME})(?: (?P<asks>\S.*?))? *\n'
    rf'(?P<code>(?:(?!{OPENS}|``` *$).*\n)*)``` *\n',
    re.MULTILINE,
)
UNNAMED = re.compile(rf'^```({ASKS})\b(?! cell={NAME} \S)', re.MULTILINE)
STRAY = re.compile(rf'```\w+ cell=({NAME})|\S.*')
NUMBER = re.compile(rf'\{{\{{\s*({NAME}):\s*(.+?)\s*\}}\}}')
PACKAGE = Path(__file__).resolve().parents[1]


class Cell(NamedTuple):
    """A cell of a lesson. `kind` is 'markdown', 'code', or what asks: 'predict', 'recall', 'sentence'."""

    kind: str
    name: str
    source: 'Source'
    asks: str = ''  # the name of the question

    @property
    def text(self) -> str:
        """What stands in it."""
        return self.source.text

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


class Source(NamedTuple):
    """A text that knows where it stands: in which file, and from which line on."""

    text: str
    file: str
    line: int = 1

    def line_of(self, at: int) -> int:
        """The line of its file in which a character stands."""
        return self.line + self.text.count('\n', 0, at)

    def without(self, pattern: re.Pattern[str]) -> str:
        """What is left of it where a pattern does not match, each character in its place."""
        return pattern.sub(lambda found: re.sub(r'[^\n]', ' ', found[0]), self.text)

    def wrong(self, said: str, at: int = 0) -> SourceError:
        """What is to be raised about a place in it."""
        return SourceError(self.file, self.line_of(at), said)


def paths() -> dict[str, Path]:
    """The sources of the lessons by their numbers, in the package or in the checkout around it."""
    folders = (PACKAGE / 'lessons' / 'source', PACKAGE.parent / 'lessons' / 'source')
    return {path.name[:2]: path for folder in folders for path in sorted(folder.glob('[0-9][0-9]_*.md'))}


def opened(path: Path) -> Source:
    """A file as a text; messages name it `lessons/source/03_takeover.md`."""
    parts = path.parts
    file = '/'.join(parts[parts.index('lessons') :]) if 'lessons' in parts else path.name
    return Source(path.read_text(encoding='utf-8') + '\n', file)


def paragraphs(text: str) -> str:
    """A text as paragraphs, each on one line."""
    return '\n\n'.join(' '.join(part.split()) for part in re.split(r'\n\s*\n', text.strip()))


def read(path: Path) -> list[Cell]:
    """The cells of a source file."""
    return parse(opened(path))


def definitions(code: str) -> dict[str, ast.stmt]:
    """What a cell defines, assigns and imports: each name, with the last statement that does, in that order."""
    found: dict[str, ast.stmt] = {}
    for statement in ast.parse(re.sub(r'^%%.*', '', code)).body:
        for symbol in symtable.symtable(ast.unparse(statement), 'a cell', 'exec').get_symbols():
            if symbol.is_assigned() or symbol.is_imported():
                found.pop(symbol.get_name(), None)
                found[symbol.get_name()] = statement
    return found


def parse(source: Source) -> list[Cell]:
    """The cells of a source, in their order; raises SourceError where it cannot be read."""
    if found := UNNAMED.search(source.text):
        raise source.wrong(f'a question is written ```{found[1]} cell=CELL NAME.', found.start())
    if found := STRAY.search(source.without(CELL)):
        said = f'{found[0]!r} belongs to no cell: write <!-- cell NAME --> before it.'
        raise source.wrong(f'the cell {found[1]} has no end.' if found[1] else said, found.start())
    cells: list[Cell] = []
    for found in CELL.finditer(source.text):
        words, said, kind, name, asks, code = found.groups(default='')
        text = (said or code).strip('\n')
        if text or asks:
            kind = 'markdown' if words else kind.replace('python', 'code')
            body = Source(text, source.file, source.line_of(found.start()) + 1)
            cells.append(Cell(kind, words or name, body, asks))
    checked(cells)
    return cells


def checked(cells: list[Cell]) -> None:
    """Raise SourceError for a name that is there twice, and for a number that no cell computes."""
    seen: set[str] = set()
    code = {cell.name for cell in cells if cell.kind != 'markdown'}
    for cell in cells:
        asks = f'{"sentence" if cell.kind == "sentence" else "question"} {cell.asks}'
        for one in (f'cell {cell.name}', asks)[: 2 if cell.asks else 1]:
            if one in seen:
                raise SourceError(cell.source.file, cell.source.line - 1, f'there is a {one} already.')
            seen.add(one)
        for placeholder, of, _ in cell.numbers():
            if of not in code:
                said = f'{placeholder} wants a code cell {of}, and there is none.'
                raise cell.source.wrong(said, cell.text.index(placeholder))
