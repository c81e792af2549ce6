"""What TEACHING.md says of the lessons is so: jump codes, votes and their right answers, minutes, limits, links."""

import re

import pytest

from minicell.teach import train
from minicell.teach.about import about
from minicell.teach.beats import beats, place
from tests.lessons.kernels import ROOT
from tests.lessons.notebooks import NUMBERS, PATHS, read

TEXT = (ROOT / 'lessons' / 'TEACHING.md').read_text(encoding='utf-8')
FOUND = {number: beats(number, PATHS[number]) for number in NUMBERS}
PART = re.compile(r'^### (\d\d) ([^\n]+)\n(.*?)(?=^##)', re.MULTILINE | re.DOTALL)
VOTE = re.compile(r'^\| `([^`]+)` \| (L\d\d-s\d+-x\d+) \| ([A-E]) \|', re.MULTILINE)
PARTS = {number: (title, body) for number, title, body in PART.findall(TEXT)}


def plan(minutes: int) -> str:
    """One of the three plans."""
    return re.search(rf'^## The course in {minutes} minutes\n(.*?)^## ', TEXT, re.MULTILINE | re.DOTALL)[1]


def test_it_is_short_enough_to_be_read():
    assert len(TEXT.splitlines()) <= 400


@pytest.mark.parametrize('code', sorted(set(re.findall(r'L\d\d-s\d+-x\d+', TEXT))))
def test_a_jump_code_leads_somewhere(code):
    place(FOUND[code[1:3]], code)


def test_each_lesson_has_its_part_and_its_name():
    assert list(PARTS) == NUMBERS
    for number, (title, _) in PARTS.items():
        assert read(number).cells[0].source.startswith(f'# Lesson {number} · {title}\n'), number


@pytest.mark.parametrize('number', NUMBERS)
def test_each_vote_of_a_lesson_with_its_place_and_answer(number):
    asked = {
        name: beat.code
        for beat in FOUND[number]
        for part in beat.parts
        if part.kind == 'code'
        for name in re.findall(r"L\.predict\('([^']+)'", part.text)
    }
    told = VOTE.findall(PARTS[number][1])
    assert {name: code for name, code, _ in told} == asked
    for name, _, letter in told:
        choices = about(number).questions[name].choices
        assert choices['ABCDE'.index(letter)].right, f'{name}: {letter} is not the right answer'


@pytest.mark.parametrize('number', NUMBERS)
def test_the_sections_of_a_lesson_are_there(number):
    said = PARTS[number][1].partition('|')[0]
    sections = {beat.section for beat in FOUND[number]}
    assert {int(found) for found in re.findall(r'\bs(\d+)\b', said)} <= sections
    assert 15 <= sum(map(int, minutes(said))) <= 40


def minutes(said: str) -> list[str]:
    """The minutes of the beats."""
    return re.findall(r'\)\s+(\d+)\s*[·.]', said)


@pytest.mark.parametrize('whole', [45, 90, 180])
def test_a_plan_adds_up(whole):
    rows = re.findall(r'^\| (\d+) \|', plan(whole), re.MULTILINE)
    assert sum(map(int, rows)) == whole


@pytest.mark.parametrize('whole', [45, 90, 180])
def test_a_plan_names_votes_where_they_are(whole):
    """A row that starts at a vote names it; and every vote that it names is one of that lesson."""
    for code, what in re.findall(r'^\| \d+ \| (L\S+) \| (.*) \|$', plan(whole), re.MULTILINE):
        for name in re.findall(r'[Vv]otes? `([^`]+)`', what):
            assert f'| `{name}` |' in PARTS[code[1:3]][1], f'{code}: {name}'


def test_what_it_promises_of_the_kit():
    assert f'after {train.LIMIT:.0f} seconds' in TEXT
    words = ' '.join(path.read_text(encoding='utf-8') for path in (ROOT / 'minicell' / 'teach').glob('*.py'))
    for button in ('Insert the solution', 'Insert a common mistake', 'Unlock', 'Reset', 'Leave', 'Go to'):
        assert button in TEXT and button in words, button


def test_its_links_lead_to_files_and_headings():
    for target in re.findall(r'\]\(([^)\s]+)\)', TEXT):
        name, _, heading = target.partition('#')
        path = (ROOT / 'lessons' / name).resolve()
        assert path.is_file(), target
        heads = re.findall(r'^#+ (.+)$', path.read_text(encoding='utf-8'), re.MULTILINE) if heading else []
        assert not heading or heading in {head.lower().replace(' ', '-') for head in heads}, target
