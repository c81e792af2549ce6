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
from .source import Cell, Source, paragraphs

ANSWER = re.compile(r'^- \[([ x])\] (\S.*)\n((?:  .*\n)*)\n*', re.MULTILINE)
BELIEF = re.compile(r'^  Belief: ', re.MULTILINE)


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
    answers = [*ANSWER.finditer(source.text)]
    words, at = [], 0  # before, between and after the answers
    for answer in answers:
        words.append(source.part(at, answer.start()))
        at = answer.end()
    words.append(source.part(at))
    for each in words:
        if stray := re.search(r'^- \[', each.text, re.M):
            raise each.wrong('an answer is written `- [x] the right one` or `- [ ] a wrong one`.', stray.start())
    if not words[0].text.strip():
        raise source.wrong(f'the question {cell.asks} asks nothing before its answers.')
    rights = [answer.start() for answer in answers if answer[1] == 'x']
    if len(rights) != 1:
        said = f'the question {cell.asks} has {len(rights)} right answers: mark one of them, and no other, with [x].'
        raise source.wrong(said, rights[1] if rights else 0)
    for stray in words[1:-1]:
        if stray.text.strip():
            raise stray.wrong('between two answers stands what belongs to none: indent it by two blanks.')
    ask, after = (paragraphs(each.text) for each in (words[0], words[-1]))
    return Question(ask, tuple(choice(answer, source) for answer in answers), cell.kind.capitalize(), after, below)


def choice(answer: re.Match[str], source: Source) -> Choice:
    """One answer, with its reply and the belief behind it."""
    _, text, told = answer.groups()
    reply, *belief = (' '.join(part.split()) for part in BELIEF.split(told, maxsplit=1))
    said = ''
    if not reply:
        said = f'the answer “{text}” has no reply: write it below, two blanks further in.'
    elif answer[1] == 'x' and belief:
        said = 'the right answer has a belief: beliefs are for wrong ones.'
    elif answer[1] != 'x' and not belief:
        said = f'the wrong answer “{text}” does not say which belief leads to it.'
    if said:
        raise source.wrong(said, answer.start())
    return Choice(text, reply, *belief)


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
