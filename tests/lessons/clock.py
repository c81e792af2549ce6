"""The clock of the lessons: how long one takes, alone and with everything in it, counted from its notebook.

The first line of its source says the same.

It is a rule of thumb for people who program, and no measurement of a class: so many words and lines of code a minute,
as two readers counted who timed the course, and so long for a question, a step of a tape, a figure and an exercise.
How long an exercise takes, the kind says that stands in its first line.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from minicell.teach.about import about

WORDS, LINES, STEP = 130, 12, 0.1  # a minute; of a minute
EACH = {'predict': 0.75, 'recall': 0.75, 'sentence': 1.0, 'figure': 1.5}  # minutes
KINDS = {'expression': 2.0, 'rule': 6.0, 'program': 12.0, 'hunt': 12.0}  # minutes to write it
ASKED = re.compile(rf"^L\.({'|'.join(EACH)}|check)\('([^']+)'", re.MULTILINE)
LONGEST, PART = 60, 45  # minutes: a lesson that takes longer has breaks, and no part of it is longer than this
BREAK = re.compile(r'\*\*A break\.\*\* This part takes about (\d+) minutes, the next about (\d+)\. ')


def prose(source: str) -> str:
    """Markdown without its listings and inline code."""
    return re.sub(r'`[^`]*`', ' ', re.sub(r'```.*?```', ' ', source, flags=re.DOTALL))


def minutes(cells: Iterable[Any]) -> float:
    """How long so many cells of a notebook take: their words and their code, and what is to be done in them."""
    spent = 0.0
    for cell in cells:
        source, words, code = ''.join(cell['source']), 0.0, ''
        if cell['cell_type'] == 'markdown':
            words = len(prose(source).split())
            if not cell['id'].endswith('-home'):  # the listings of other frameworks are to take home
                code = ''.join(re.findall(r'```\w*\n(.*?)```', source, re.DOTALL))
        else:
            asked = ASKED.findall(source)
            code = source if not asked or asked[0][0] == 'check' else ''
            for kind, name in asked:
                more, read = called(cell, kind, name)
                spent, words = spent + more, words + read
            if not asked and re.search('^tape$', source, re.MULTILINE):
                spent += STEP * (' '.join(map(told, cell['outputs'])).count('\n') + 1)
        spent += words / WORDS + sum(bool(line.strip()) for line in code.splitlines()) / LINES
    return spent


def called(cell: Any, kind: str, name: str) -> tuple[float, float]:
    """What a cell asks for: the minutes that it takes to do it, and how many words there are to be read."""
    lesson = about(cell['id'][1:3])
    if kind == 'check':
        exercise = lesson.exercises[name]
        return KINDS[exercise.kind], len(prose(exercise.task).split())
    if kind not in ('predict', 'recall'):
        return EACH[kind], 0.0
    asked = lesson.questions[name]
    replies = [len(choice.reply.split()) for choice in asked.choices]
    words = len(' '.join([asked.ask, asked.after, *(choice.text for choice in asked.choices)]).split())
    return EACH[kind], words + sum(replies) / len(replies)  # one reply is read, that to one's own answer


def parts(cells: Iterable[Any]) -> Iterator[list[Any]]:
    """The cells of a lesson, up to each of its breaks and to its end."""
    part: list[Any] = []
    for cell in cells:
        part.append(cell)
        if BREAK.match(''.join(cell['source'])):
            yield part
            part = []
    yield part


def rounded(cells: Iterable[Any]) -> int:
    """The same as it is told, in steps of five minutes."""
    return max(5, 5 * round(minutes(cells) / 5))


def told(output: Any) -> str:
    """What an output says as text."""
    return ''.join(output.get('data', {}).get('text/plain', ''))
