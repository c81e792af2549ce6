"""What stands in the questions of a lesson's source.

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
"""

import re

from .question import Choice, Question
from .source import Cell, paragraphs

ANSWER = re.compile(
    r'^- \[(?:(?P<right>x)| )\] (?P<text>\S.*)\n'
    r'(?P<reply>(?:  (?!Belief: ).*\n)+)(?(right)(?!  Belief)|  Belief: (?P<belief>(?:.*\n  )*.*\n))\n*',
    re.MULTILINE,
)
FORM = (
    'an answer is `- [x] the right one` or `- [ ] a wrong one`. Its reply stands below it, two blanks further in, and '
    'below that of a wrong one `Belief: ` with what somebody believes who chooses it.'
)


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
            raise source.wrong(FORM, stray.start())
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
