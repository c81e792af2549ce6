"""The clock of the lessons: how long one takes, alone and with everything in it, counted from its notebook.

It is a rule of thumb for people who program, and no measurement of a class: so many words and lines of code a minute,
and so long for a question, a step of a tape, a figure and an exercise.
"""

import re
from collections.abc import Iterable
from typing import Any

WORDS, LINES = 160, 20  # a minute
QUESTION, SENTENCE, STEP, FIGURE, EXERCISE = 0.75, 1.0, 0.1, 1.5, 5.0  # minutes each
ASKED = re.compile(r'^L\.(predict|recall|sentence|figure|check|order)\(', re.MULTILINE)
EACH = {
    'predict': QUESTION,
    'recall': QUESTION,
    'sentence': SENTENCE,
    'figure': FIGURE,
    'check': EXERCISE,
    'order': EXERCISE,
}
TAPE = re.compile(r'^tape$', re.MULTILINE)


def prose(source: str) -> str:
    """Markdown without its listings and inline code."""
    return re.sub(r'`[^`]*`', ' ', re.sub(r'```.*?```', ' ', source, flags=re.DOTALL))


def minutes(cells: Iterable[Any]) -> float:
    """How long so many cells of a notebook take."""
    return sum(map(minutes_of, cells))


def rounded(cells: Iterable[Any]) -> int:
    """The same as it is told, in steps of five minutes."""
    return max(5, 5 * round(minutes(cells) / 5))


def minutes_of(cell: Any) -> float:
    """How long a cell takes: its words or its code, and what is to be done in it."""
    source = ''.join(cell['source'])
    if cell['cell_type'] == 'markdown':
        # the listings of other frameworks are to take home
        listed = '' if cell['id'].endswith('-home') else ''.join(re.findall(r'```\w*\n(.*?)```', source, re.DOTALL))
        return len(prose(source).split()) / WORDS + lines(listed) / LINES
    asked = ASKED.findall(source)
    said = ' '.join(''.join(out.get('data', {}).get('text/plain', '')) for out in cell['outputs'])
    if asked:
        read = said if asked[0] in ('predict', 'recall') else ''
        written = lines(source) / LINES if 'check' in asked else 0
        return sum(EACH[kind] for kind in asked) + len(read.split()) / WORDS + written
    steps = said.count('\n') + 1 if TAPE.search(source) else 0
    return lines(source) / LINES + STEP * steps


def lines(code: str) -> int:
    """The lines of code that say something."""
    return sum(bool(line.strip()) for line in code.splitlines())
