"""What TEACHING.md says of the lessons is so: jump codes, votes and their right answers, minutes, limits, links."""

import re
from functools import cache

import pytest

from minicell.teach.about import about
from minicell.teach.present import HEADING, beats, place
from tests.lessons.clock import minutes
from tests.lessons.kernels import ROOT
from tests.lessons.notebooks import NUMBERS, read

TEXT = (ROOT / 'lessons' / 'TEACHING.md').read_text(encoding='utf-8')
FOUND = {number: beats(number) for number in NUMBERS}
PART = re.compile(r'^### (\d\d) ([^\n]+)\n(.*?)(?=^##)', re.MULTILINE | re.DOTALL)
VOTE = re.compile(r'^\| `([^`]+)` \| (L\d\d-s\d+-x\d+) \| ([A-E]) \|', re.MULTILINE)
PARTS = {number: (title, body) for number, title, body in PART.findall(TEXT)}

# the headings of the plans, each with its minutes
PLANS = re.findall(r'^## (.* in \d+ minutes)$', TEXT, re.MULTILINE)


def plan(heading: str) -> str:
    """The table of a plan."""
    return re.search(rf'^## {heading}\n(.*?)^## ', TEXT, re.MULTILINE | re.DOTALL)[1]


def whole(heading: str) -> int:
    """The minutes of a plan."""
    return int(re.search(r'\d+', heading)[0])


def test_there_are_five_plans_and_the_second_day_has_the_last_lessons():
    assert list(map(whole, PLANS)) == [45, 90, 180, 180, 30]
    assert {number for number in NUMBERS if f'| L{number}-s' in plan(PLANS[3])} == {'10', '13', '14', '15'}


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


@cache
def sections(number: str) -> dict[int, float]:
    """The minutes of a lesson's sections, by the clock."""
    found: dict[int, float] = {}
    for cell in read(number).cells:
        section = len(found) + bool(cell.cell_type == 'markdown' and HEADING.match(cell.source))
        found[section] = found.get(section, 0) + minutes([cell])
    return found


def named(said: str) -> list[int]:
    """The sections that a text such as `s3 to s7, s9` names."""
    found = []
    for first, last in re.findall(r's(\d+)(?: to s(\d+))?', said):
        found += range(int(first), int(last or first) + 1)
    return found


@pytest.mark.parametrize('number', NUMBERS)
def test_the_minutes_of_a_lesson_are_those_of_the_clock(number):
    """Within a minute each, and no section of the lesson is left out but its title, its listings and its end."""
    said = ' '.join(PARTS[number][1].partition('|')[0].split())
    clock, told = sections(number), re.findall(r'\(([^()]*s\d[^()]*)\) (\d+)', said)
    for which, count in told:
        due = sum(clock[section] for section in named(which))
        assert abs(int(count) - due) <= 1, f'{which}: {due:.1f} by the clock'
    assert sorted(section for which, _ in told for section in named(which)) == list(range(2, len(clock) - 1))


@pytest.mark.parametrize('number', ['13', '14', '15'])
def test_a_mistake_to_vote_on_is_stored(number):
    """What a class without keyboards inserts and votes on is one of the lesson's common mistakes."""
    part = ' '.join(re.search('Without keyboards.*?\n\n', PARTS[number][1], re.DOTALL)[0].split())
    known = {mistake.misconception for each in about(number).exercises.values() for mistake in each.mistakes}
    quoted = re.findall('“(.*?)”', part)
    assert len(quoted) >= 2 and set(quoted) <= known


@pytest.mark.parametrize('heading', PLANS[1:])
def test_a_plan_leaves_enough_time(heading):
    """What a row of a plan shows of a lesson takes no longer than the row says, even by somebody alone."""
    rows = re.findall(r'^\| (\d+) \| L(\d\d)\S+ \| .*\(((?:s\d+(?: to |, )?)+)\).*\|$', plan(heading), re.MULTILINE)
    assert len(rows) >= min(6, whole(heading) // 10)
    for count, number, which in rows:
        due = sum(sections(number)[section] for section in named(which))
        assert round(due) <= int(count), f'lesson {number}, {which}: {due:.1f} by the clock'


@pytest.mark.parametrize('heading', PLANS)
def test_a_plan_adds_up(heading):
    rows = re.findall(r'^\| (\d+) \|', plan(heading), re.MULTILINE)
    assert sum(map(int, rows)) == whole(heading)


@pytest.mark.parametrize('heading', PLANS)
def test_a_plan_names_votes_where_they_are(heading):
    """A row that starts at a vote names it; and every vote that it names is one of that lesson."""
    for code, what in re.findall(r'^\| \d+ \| (L\S+) \| (.*) \|$', plan(heading), re.MULTILINE):
        for name in re.findall(r'[Vv]otes? `([^`]+)`', what):
            assert f'| `{name}` |' in PARTS[code[1:3]][1], f'{code}: {name}'


def test_what_it_promises_of_the_kit():
    teach = ROOT / 'minicell' / 'teach'
    words = ' '.join(path.read_text(encoding='utf-8') for path in [*teach.glob('*.py'), teach / 'card.js'])
    for button in ('Solution', 'Try a common mistake', 'Check', 'Unlock', 'Reset', 'Leave', 'Go to'):
        assert button in TEXT and button in words, button


def test_its_links_lead_to_files_and_headings():
    for target in re.findall(r'\]\(([^)\s]+)\)', TEXT):
        name, _, heading = target.partition('#')
        path = (ROOT / 'lessons' / name).resolve()
        assert path.is_file(), target
        heads = re.findall(r'^#+ (.+)$', path.read_text(encoding='utf-8'), re.MULTILINE) if heading else []
        assert not heading or heading in {head.lower().replace(' ', '-') for head in heads}, target
