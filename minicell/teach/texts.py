"""What a lesson asks, as it is written: its questions, fenced in its source, and its exercises, a file each.

    ```predict cell=vote takeover
    What is asked.

    - [x] The right answer, on one line.
      Its reply.
    - [ ] A wrong answer.
      Its reply.
      Belief: what somebody believes who chooses it

    What to do now, whatever was chosen.
    ```

A `sentence` has two paragraphs: what is asked, and a model answer.

An exercise is one Markdown file, `lessons/source/NN_name/3a.md`.

    # 3a, a rule: The right bprop of a matrix product

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

What is called at the end is the last name that the start defines. `a rule` says how long the exercise takes.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .exercise import Exercise, Mistake
from .question import Choice, Question
from .source import Cell, Source, definitions, opened, paragraphs

ANSWER = re.compile(
    r'^- \[(?:(?P<right>x)| )\] (?P<text>\S.*)\n'
    r'(?P<reply>(?:  (?!Belief: ).*\n)+)(?(right)(?!  Belief)|  Belief: (?P<belief>(?:.*\n  )*.*\n))\n*',
    re.MULTILINE,
)
ANSWERED = (
    'an answer is `- [x] the right one` or `- [ ] a wrong one`. Its reply stands below it, two blanks further in, and '
    'below that of a wrong one `Belief: ` with what somebody believes who chooses it.'
)
PART = re.compile(
    r'^(?:# (?P<of>\w+), an? (?P<asked>expression|rule|program|hunt): (?P<title>\S.*)|## (?P<kind>start|solution)'
    r'|## mistake (?P<name>[a-z0-9-]+): (?P<belief>\S.*))\n'
    r'(?P<words>(?:(?!#|```).*\n)*)(?:```(?P<fence>python|diff) *\n(?P<code>(?:(?!```).*\n)*)``` *\n)?',
    re.MULTILINE,
)
FORM = (
    'a part begins with `# 3a, a rule: a title`, `## start`, `## solution` or `## mistake name: a belief`, and ends '
    'with its code, from ```python or ```diff to ```.'
)
Part = re.Match[str]


def questions(cells: list[Cell]) -> dict[str, Question]:
    """The predictions and recalls of a lesson by their names."""
    code = [cell for cell in cells if cell.kind != 'markdown']
    return {cell.asks: question(cell, waits(code, cell)) for cell in code if cell.kind in ('predict', 'recall')}


def waits(code: list[Cell], asked: Cell) -> bool:
    """Whether the reply waits for a result that a cell below shows, with no figure on the way to it."""
    for cell in code[code.index(asked) + 1 :]:
        first = cell.text.split('\n')[0]
        if first.startswith('L.figure(') or first == f'%%result {asked.asks}':
            return first.startswith('%%')
    return False


def question(cell: Cell, below: bool) -> Question:
    """One question, its answers as they stand in the source; `below`: a cell below shows what happened."""
    source = cell.source._replace(text=f'{cell.text}\n')
    bare = source.without(ANSWER)
    answers = [*ANSWER.finditer(source.text)]
    first, last = (answers[0].start(), answers[-1].end()) if answers else (0, 0)
    for stray in re.finditer(r'^(?:- \[|  Belief: ).*|\S.*', bare, re.M):
        if stray[0][:3] == '- [' or stray[0][:2] == '  ' or first < stray.start() < last:
            raise source.wrong(ANSWERED, stray.start())
    rights = [answer.start() for answer in answers if answer['right']]
    if len(rights) != 1:
        said = f'the question {cell.asks} has {len(rights)} right answers: mark one of them, and no other, with [x].'
        raise source.wrong(said, rights[1] if rights else 0)
    ask, after = paragraphs(bare[:first]), paragraphs(bare[last:])
    if not ask:
        raise source.wrong(f'the question {cell.asks} asks nothing before its answers.')
    said = [[' '.join((answer[part] or '').split()) for part in ('text', 'reply', 'belief')] for answer in answers]
    return Question(ask, tuple(Choice(*each) for each in said), cell.kind.capitalize(), after, below)


def sentences(cells: list[Cell]) -> dict[str, tuple[str, str]]:
    """What is to be said in one sentence, and a model answer, by their names."""
    found = {}
    for cell in (cell for cell in cells if cell.kind == 'sentence'):
        parts = paragraphs(cell.text).split('\n\n')
        if len(parts) != 2:
            said = f'the sentence {cell.asks} wants two paragraphs: what is asked, and a model answer.'
            raise cell.source.wrong(said)
        found[cell.asks] = (parts[0], parts[1])
    return found


def exercise(path: Path, trial: Callable[..., Any] | None) -> Exercise:
    """The exercise that stands in a file, with the trial of its answers; raises SourceError where it cannot be read."""
    source = opened(path)
    if stray := re.search(r'\S', source.without(PART)):
        raise source.wrong(FORM, stray.start())
    parts: dict[str, Part] = {}
    for part in PART.finditer(source.text):
        name = part['of'] or part['kind'] or part['name']
        if name in parts:
            raise source.wrong(f'there is a part {name} already.', part.start())
        parts[name] = part
    head = parts.pop(path.stem, None)
    if head is None or head.start():
        raise source.wrong(f'the first line is `# {path.stem}, a rule: what it is about`, with the name of the file.')
    for kind in ('start', 'solution'):
        if kind not in parts:
            raise source.wrong(f'the exercise has no `## {kind}`.')
    start, solution = parts.pop('start'), parts.pop('solution')
    begun = code(source, start, '')
    solved = code(source, solution, begun)
    mistakes = tuple(
        Mistake(name, part['belief'].strip('“”" '), paragraphs(part['words']), code(source, part, solved))
        for name, part in parts.items()
    )
    task, *hints = map(paragraphs, re.split(r'^\d+\. ', head['words'], flags=re.M))
    kind, why, called = head['asked'], solution['words'].strip(), last_name(source, start)
    return Exercise(path.stem, kind, head['title'], task, tuple(hints), begun, why, solved, mistakes, called, trial)


def code(source: Source, part: Part, base: str) -> str:
    """The code of a part: as it stands, or the base with what differs in it."""
    if part['fence'] == 'python':
        return part['code']
    if part['fence'] == 'diff' and base:
        return patched(base, source, part)
    kinds = '```python or ```diff' if base else '```python'
    raise source.wrong(f'`## {part["kind"] or part["name"]}` has no code in a {kinds} fence.', part.start())


def patched(base: str, source: Source, part: Part) -> str:
    """The base with the lines of a diff exchanged. Each place is looked for after the one before it."""
    made = ''
    for hunk in re.split(r'^@@.*\n', part['code'], flags=re.M):
        for line in hunk.splitlines():
            if line and line[0] not in ' +-':
                said = f'{line!r} begins with none of -, + and a blank, as lines of a diff do.'
                raise source.wrong(said, part.start('code') + part['code'].index(f'{line}\n'))
        old, new = (''.join(f'{line[1:]}\n' for line in hunk.splitlines() if line[:1] != way) for way in '+-')
        before, found, after = f'\n{base}'.partition(f'\n{old}')
        if not found or not old:
            there = base.splitlines()
            missing = next((line for line in old.splitlines() if line not in there), old.partition('\n')[0])
            against = 'start' if part['kind'] else 'solution'
            said = f'{missing!r} is not there in the {against} (any more)' if old else 'it does not say where'
            raise source.wrong(f'the diff does not fit: {said}.', part.start('code') + part['code'].index(hunk))
        made += f'{before}\n'[1:] + new
        base = after
    return made + base


def last_name(source: Source, start: Part) -> str:
    """What the last statement of the start that defines something defines."""
    try:
        found = [*definitions(start['code'])]
    except SyntaxError as error:
        line = source.line_of(start.start('code')) + (error.lineno or 1) - 1
        raise source._replace(line=line).wrong(f'the start is no Python: {error.msg}.') from None
    if not found:
        raise source.wrong('the start defines nothing, so the answer has no name.', start.start())
    return found[-1]
