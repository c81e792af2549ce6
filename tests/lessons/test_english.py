"""The English of the lessons: turns of phrase that no careful native writer has, and what stands in their place."""

import re

import pytest

from minicell.teach.source import paths, read
from tests.lessons.kernels import ROOT
from tests.lessons.notebooks import NUMBERS

WRITING = (ROOT / 'lessons' / 'WRITING.md').read_text(encoding='utf-8')
# what is found -> a sentence in which it is, for those of WRITING.md
HABITS = {
    'in the backward pass': r'\b(?:in backward|in forward|by forward)\b',
    'again': r'\banew\b',
    'random numbers, seed': r'(?<!new-)\bdice\b|\b(?:throws|threw) (?:again|random|the)\b',
    'distance, step': r'\bdivided by a way\b|\blonger way\b',
    'the documentation': r"\b(?:the|MindSpore's) document\b(?! “)",
    'tested on': r'\b(?:is|are) tried on\b|\btried on version\b',
    'returns': r'\bhand(?:s|ed)? (?:it |the mask )?out\b',
    'as well': r', too(?=[.:;,)?]| (?:and|but)\b)',
    'hides': r'\bke(?:eps|pt|ep) back\b',
    'is not an': r'\b(?:is|are) no (?:example|mistake) of\b',
}


def prose(text: str) -> str:
    """A text without its code, in one line."""
    bare = re.sub(
        r'^```(?:python|diff|text)?(?: .*)?\n.*?^``` *$|`[^`\n]*`|\{\{.*?\}\}|“[^”]*”', '', text, flags=re.M | re.S
    )
    return ' '.join(re.sub(r'^> ?', '', bare, flags=re.M).split())


def habits(text: str) -> list[str]:
    """What a text says that it should not, with what comes before."""
    said = prose(text)
    return [
        f'{said[max(0, found.start() - 40) : found.end()]} => {better}'
        for better, pattern in HABITS.items()
        for found in re.finditer(pattern, said, re.IGNORECASE)
    ]


@pytest.mark.parametrize('number', NUMBERS)
def test_the_texts_have_none_of_the_habits(number):
    path = paths()[number]
    texts = [cell.text for cell in read(path) if cell.kind != 'code']
    texts += [each.read_text(encoding='utf-8') for each in sorted(path.with_suffix('').glob('*.md'))]
    assert [found for text in texts for found in habits(text)] == []


def test_the_page_shows_each_habit_and_what_is_better():
    rows = re.findall(r'^\| ([^|]+) \| ([^|]+) \|$', WRITING, re.M)[2:]
    assert {better for better in HABITS if any(better in found for row in rows for found in habits(row[0]))} == {
        *HABITS
    }
    assert [better for _, better in rows if habits(better)] == []
