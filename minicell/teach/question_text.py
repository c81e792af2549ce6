"""What stands in the questions of a lesson's source, and where among the answers the right one is put.

    ```predict cell=vote takeover
    What is asked.

    - [x] The right answer, on one line.
      Its reply.
    - [ ] A wrong answer.
      Its reply.
      Belief: what somebody believes who chooses it

    What to do now, whatever was chosen.
    ```

The right answer may come first in the source: on the page the answers are shuffled, each time in the same way. A
`sentence` has two paragraphs: what is asked, and a model answer.
"""

import re
from random import Random

from .question import Choice, Question
from .source import Cell, SourceError, paragraphs

ANSWER = re.compile(r'- \[([ x])\] (\S.*)')
BELIEF = 'Belief: '


def questions(cells: list[Cell], lesson: str, file: str) -> dict[str, Question]:
    """The predictions and recalls of a lesson by their names; their answers are shuffled."""
    code = [cell for cell in cells if cell.kind != 'markdown']
    asked = [cell for cell in code if cell.kind in ('predict', 'recall')]
    read = {cell.asks: question(cell, file, waits(code, cell)) for cell in asked}
    places = right_places(lesson, [len(one.choices) for one in read.values()])
    return {
        name: one._replace(choices=shuffled(one.choices, place, f'{lesson} {name}'))
        for (name, one), place in zip(read.items(), places, strict=True)
    }


def waits(code: list[Cell], asked: Cell) -> bool:
    """Whether the reply waits for a result that a cell below shows, with no figure on the way to it."""
    for cell in code[code.index(asked) + 1 :]:
        first = cell.text.split('\n')[0]
        if first.startswith('L.figure(') or first == f'%%result {asked.asks}':
            return first.startswith('%%')
    return False


def question(cell: Cell, file: str, below: bool) -> Question:
    """One question, its answers as they stand in the source; `below`: a cell below shows what happened."""
    before: list[str] = []
    after: list[str] = []
    answers: list[tuple[int, bool, str, list[str]]] = []
    for number, line in enumerate(cell.text.split('\n'), cell.line):
        answer = ANSWER.fullmatch(line.rstrip())
        if answer and not after:
            answers.append((number, answer[1] == 'x', answer[2], []))
        elif line.startswith('- ['):
            raise SourceError(file, number, 'an answer is written `- [x] the right one` or `- [ ] a wrong one`.')
        elif line.startswith('  ') and answers and not after:
            answers[-1][3].append(line.strip())
        elif answers:
            after += [line] if line.strip() or after else []
        else:
            before.append(line)
    if not paragraphs('\n'.join(before)):
        raise SourceError(file, cell.line, f'the question {cell.asks} asks nothing before its answers.')
    rights = [number for number, right, *_ in answers if right]
    if len(rights) != 1:
        at = rights[1] if rights else cell.line
        said = f'the question {cell.asks} has {len(rights)} right answers: mark one of them, and no other, with [x].'
        raise SourceError(file, at, said)
    choices = tuple(choice(number, right, text, told, file) for number, right, text, told in answers)
    return Question(paragraphs('\n'.join(before)), choices, cell.kind.capitalize(), paragraphs('\n'.join(after)), below)


def choice(number: int, right: bool, text: str, told: list[str], file: str) -> Choice:
    """One answer, with its reply and the belief behind it."""
    at = next((k for k, line in enumerate(told) if line.startswith(BELIEF)), len(told))
    reply, belief = ' '.join(told[:at]), ' '.join(told[at:]).removeprefix(BELIEF)
    if not reply:
        raise SourceError(file, number, f'the answer “{text}” has no reply: write it below, two blanks further in.')
    if right and belief:
        raise SourceError(file, number, 'the right answer has a belief: beliefs are for wrong ones.')
    if not right and not belief:
        raise SourceError(file, number, f'the wrong answer “{text}” does not say which belief leads to it.')
    return Choice(text, reply, belief)


def sentences(cells: list[Cell], file: str) -> dict[str, tuple[str, str]]:
    """What is to be said in one sentence, and a model answer, by their names."""
    found = {}
    for cell in cells:
        if cell.kind == 'sentence':
            parts = paragraphs(cell.text).split('\n\n')
            if len(parts) != 2:
                said = f'the sentence {cell.asks} wants two paragraphs: what is asked, and a model answer.'
                raise SourceError(file, cell.line, said)
            found[cell.asks] = (parts[0], parts[1])
    return found


def right_places(lesson: str, sizes: list[int]) -> list[int]:
    """Where the right answer of each question stands: a place that this lesson has used least, drawn by lot."""
    lot, used = Random(f'places in lesson {lesson}'), [0] * max(sizes, default=0)
    places = [0] * len(sizes)
    # those with many answers first: they may stand anywhere, and not only where the others do not
    for k in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        least = min(used[: sizes[k]])
        places[k] = lot.choice([place for place in range(sizes[k]) if used[place] == least])
        used[places[k]] += 1
    return places


def shuffled(choices: tuple[Choice, ...], place: int, seed: str) -> tuple[Choice, ...]:
    """The right answer at its place, and the wrong ones in an order that depends on the seed alone."""
    wrong = [choice for choice in choices if not choice.right]
    Random(seed).shuffle(wrong)
    wrong[place:place] = [choice for choice in choices if choice.right]
    return tuple(wrong)
