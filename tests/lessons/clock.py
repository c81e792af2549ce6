"""The clock of the lessons: how long one takes, alone and with everything in it, counted from its notebook.

The first line of its source says the same.

It is a rule of thumb for people who program, and no measurement of a class: so many words and lines of code a minute,
and so long for a question, a step of a tape, a figure and an exercise.
"""

import re
from collections.abc import Iterable
from typing import Any

WORDS, LINES, STEP = 160, 20, 0.1  # a minute; of a minute
EACH = {'predict': 0.75, 'recall': 0.75, 'sentence': 1.0, 'figure': 1.5, 'check': 5.0, 'order': 5.0}  # minutes
ASKED = re.compile(rf'^L\.({"|".join(EACH)})\(', re.MULTILINE)


def prose(source: str) -> str:
    """Markdown without its listings and inline code."""
    return re.sub(r'`[^`]*`', ' ', re.sub(r'```.*?```', ' ', source, flags=re.DOTALL))


def minutes(cells: Iterable[Any]) -> float:
    """How long so many cells of a notebook take: their words and their code, and what is to be done in them."""
    spent = 0.0
    for cell in cells:
        source, words, code = ''.join(cell['source']), '', ''
        if cell['cell_type'] == 'markdown':
            words = prose(source)
            if not cell['id'].endswith('-home'):  # the listings of other frameworks are to take home
                code = ''.join(re.findall(r'```\w*\n(.*?)```', source, re.DOTALL))
        else:
            asked, said = ASKED.findall(source), ' '.join(map(told, cell['outputs']))
            words = said if asked[:1] in (['predict'], ['recall']) else ''
            code = source if not asked or 'check' in asked else ''
            spent += sum(EACH[kind] for kind in asked)
            spent += STEP * (said.count('\n') + 1) if not asked and re.search('^tape$', source, re.MULTILINE) else 0
        spent += len(words.split()) / WORDS + sum(bool(line.strip()) for line in code.splitlines()) / LINES
    return spent


def rounded(cells: Iterable[Any]) -> int:
    """The same as it is told, in steps of five minutes."""
    return max(5, 5 * round(minutes(cells) / 5))


def told(output: Any) -> str:
    """What an output says as text."""
    return ''.join(output.get('data', {}).get('text/plain', ''))
