"""An exercise as it is written: one Markdown file, `lessons/source/NN_name/3a.md`.

    # 3a: The right bprop of a matrix product

    What is asked.

    1. A hint; there are three, each says more than the one before.

    ## start
    The unfinished code, in a ```python fence.

    ## solution
    Why it is right, then its code.

    ## mistake no-dout: What somebody believes who writes this.
    Its hint, then its code. `no-dout` is its name for good.

A solution shows only the lines in which it differs from the start, and a mistake those in which it differs from the
solution: in a ```diff fence, as `-` what stands there and `+` what takes its place. Lines that begin with a blank say
where; `@@` goes on to the next place. In a ```python fence an answer stands whole.

What is called at the end is the last name that the start defines. An exercise that has `## lines` (`- key: line`)
instead of a start asks for their order (see `order`).
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from .source import SourceError, paragraphs, said_of

ORDER = 'ORDER'  # what an answer is called that is an order of lines
TITLE = re.compile(r'# (\S+): (\S.*)')
FENCES = 'this fence stands alone: code begins with ```python or ```diff, and ends with ```.'
SECTION = re.compile(r'## (start|lines|solution|mistake ([a-z0-9-]+): (\S.*))')


class Mistake(NamedTuple):
    """A stored wrong answer."""

    name: str
    misconception: str
    hint: str
    code: str


class ExerciseText(NamedTuple):
    """All that is written of an exercise."""

    name: str
    title: str
    task: str
    hints: tuple[str, ...]
    lines: dict[str, str]  # key -> line, where an order is asked for
    start: str
    why: str
    solution: str
    mistakes: tuple[Mistake, ...]
    answer_name: str


class Section(NamedTuple):
    """A part of the file: its heading's line number, its words, and its fenced block."""

    line: int
    kind: str
    words: str
    fence: str  # 'python', 'diff', or '' where there is none
    code: list[str]
    code_line: int
    name: str = ''
    title: str = ''


def read(path: Path) -> ExerciseText:
    """The exercise that stands in a file."""
    return parse(path.read_text(encoding='utf-8'), path.stem, said_of(path))


def parse(text: str, name: str, file: str) -> ExerciseText:
    """The exercise that stands in a text; raises SourceError where it cannot be read."""
    head, *parts = sections(text, file)
    if head.name != name:
        raise SourceError(file, 1, f'the first line is `# {name}: what it is about`, with the name of the file.')
    by_kind = {part.kind: part for part in parts}
    for kind in ('lines' if 'lines' in by_kind else 'start', 'solution'):
        if kind not in by_kind:
            raise SourceError(file, len(text.splitlines()), f'the exercise has no `## {kind}`.')
    lines = listed(by_kind['lines'], file) if 'lines' in by_kind else {}
    start = f'{ORDER} = ...\n' if lines else answer(by_kind['start'], '', file)
    solution = answer(by_kind['solution'], start, file)
    mistakes: list[Mistake] = []
    for part in parts:
        if part.kind == 'mistake':
            if part.name in [mistake.name for mistake in mistakes]:
                raise SourceError(file, part.line, f'there is a mistake {part.name} already.')
            code = answer(part, solution, file)
            mistakes.append(Mistake(part.name, part.title.strip('“”" '), paragraphs(part.words), code))
    task, *hints = re.split(r'^\d+\. ', head.words, flags=re.M)
    about = (head.title, paragraphs(task), tuple(paragraphs(hint) for hint in hints))
    last = last_name(start, by_kind.get('start', head), file)
    return ExerciseText(name, *about, lines, start, by_kind['solution'].words, solution, tuple(mistakes), last)


def sections(text: str, file: str) -> list[Section]:
    """The file cut at its headings."""
    found: list[tuple[int, list[str]]] = []
    opened = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('#') and not opened:
            found.append((number, [line]))
        elif found:
            found[-1][1].append(line)
        if line.startswith('```') and (line.rstrip() == '```') != bool(opened):
            raise SourceError(file, opened or number, FENCES)
        if line.startswith('```'):
            opened = 0 if opened else number
    if opened:
        raise SourceError(file, opened, FENCES)
    if not found:
        raise SourceError(file, 1, 'there is no heading.')
    return [section(number, lines, first=k == 0, file=file) for k, (number, lines) in enumerate(found)]


def section(number: int, lines: list[str], first: bool, file: str) -> Section:
    """One part: its heading read, its words and its fence apart."""
    read = (TITLE if first else SECTION).fullmatch(lines[0].rstrip())
    if read is None:
        due = '`# 3a: a title`' if first else '`## start`, `## lines`, `## solution` or `## mistake name: a belief`'
        raise SourceError(file, number, f'{lines[0]!r} is no heading of an exercise; here stands {due}.')
    marks = [k for k, line in enumerate(lines) if line.startswith('```')]
    if len(marks) > 2:
        raise SourceError(file, number + marks[2], 'there is one fence under a heading.')
    begin, end = marks or (len(lines), len(lines))
    kind, name, title = ('head', read[1], read[2]) if first else (read[1].split()[0], read[2] or '', read[3] or '')
    fence = lines[begin][3:].strip() if marks else ''
    words, code = '\n'.join(lines[1:begin]).strip(), lines[begin + 1 : end]
    return Section(number, kind, words, fence, code, number + begin + 1, name, title)


def listed(part: Section, file: str) -> dict[str, str]:
    """The lines of an ordering: key -> line."""
    found = {}
    for number, line in enumerate(part.words.splitlines(), part.line + 2):
        key, colon, said = line.removeprefix('- ').partition(': ')
        if not line.startswith('- ') or not colon:
            raise SourceError(file, number, 'a line that is to be put into order is written `- key: the line`.')
        found[key] = said
    return found


def answer(part: Section, base: str, file: str) -> str:
    """The code of a part: as it stands, or the base with what differs in it."""
    if part.fence == 'python':
        return ''.join(f'{line}\n' for line in part.code)
    if part.fence == 'diff' and base:
        return patched(base, part, file)
    kinds = '```python or ```diff' if base else '```python'
    raise SourceError(file, part.line, f'`## {part.kind}` has no code in a {kinds} fence.')


def patched(base: str, part: Section, file: str) -> str:
    """The base with the lines of a diff exchanged. Each place is looked for after the one before it."""
    lines, made, at = base.splitlines(), [], 0
    hunks: list[tuple[int, list[str]]] = [(part.code_line, [])]
    for number, line in enumerate(part.code, part.code_line):
        if line.startswith('@@'):
            hunks.append((number + 1, []))
        elif line and line[0] not in ' +-':
            raise SourceError(file, number, f'{line!r} begins with none of -, + and a blank, as lines of a diff do.')
        else:
            hunks[-1][1].append(line or ' ')
    for number, hunk in hunks:
        old = [line[1:] for line in hunk if line[0] != '+']
        found = next((k for k in range(at, len(lines) - len(old) + 1) if lines[k : k + len(old)] == old), None)
        if found is None or not old:
            missing = next((line for line in old if line not in lines[at:]), old[0] if old else '')
            against = 'start' if part.kind == 'solution' else 'solution'
            said = f'{missing!r} is not there in the {against} (any more)' if old else 'it does not say where'
            raise SourceError(file, number, f'the diff does not fit: {said}.')
        made += lines[at:found] + [line[1:] for line in hunk if line[0] != '-']
        at = found + len(old)
    return ''.join(f'{line}\n' for line in made + lines[at:])


def last_name(code: str, part: Section, file: str) -> str:
    """What the last statement of the start that defines something defines."""
    try:
        statements = ast.parse(code).body
    except SyntaxError as error:
        at = part.code_line + (error.lineno or 1) - 1
        raise SourceError(file, at, f'the start is no Python: {error.msg}.') from None
    for node in reversed(statements):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            return node.name
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
    raise SourceError(file, part.line, 'the start defines nothing, so the answer has no name.')
