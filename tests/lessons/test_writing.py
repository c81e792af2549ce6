"""lessons/WRITING.md leads to a lesson: its three files, as they stand on the page, ask, draw, check and complain."""

import re
import sys
from pathlib import Path

import pytest

import minicell.teach
from minicell.teach import build, lesson, source
from minicell.teach.about import about, exercise
from minicell.view.picture import WORDS
from tests.lessons.kernels import ROOT
from tests.messages import refused

PAGE = (ROOT / 'lessons' / 'WRITING.md').read_text(encoding='utf-8')
FILES = dict(re.findall(r'^\*\*`(.+?)`\*\*\n\n````\w+\n(.*?)^````$', PAGE, re.M | re.S))
TEXT, EXERCISE, PYTHON = FILES


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Lay the files of the page into a checkout of their own: files(name, old, new) changes one of them before."""
    monkeypatch.setattr(source, 'PACKAGE', tmp_path / 'minicell')
    monkeypatch.setattr(minicell.teach, '__path__', [*minicell.teach.__path__, str(tmp_path / 'minicell' / 'teach')])

    def lay(name: str = '', old: str = '', new: str = '') -> Path:
        for path, text in FILES.items():
            if path == name and old not in text:
                raise LookupError(f'{old!r} is not in {name}')
            place = tmp_path / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text.replace(old, new, 1) if path == name else text, encoding='utf-8')
        return tmp_path / TEXT

    about.cache_clear()
    yield lay
    about.cache_clear()
    sys.modules.pop('minicell.teach.lesson16', None)


def test_three_files_and_no_more():
    folder = Path('lessons', 'source')
    assert [*map(Path, FILES)] == [
        folder / '16_square.md',
        folder / '16_square' / '16a.md',
        Path('minicell/teach/lesson16.py'),
    ]


def test_the_lesson_of_the_page_runs(files, capsys):
    cells = build.unexecuted(files()).cells
    here: dict = {}
    for cell in cells:
        if cell.cell_type == 'code':
            exec(re.sub(r'^%%result .*', '', cell.source), here)
    L = here['L']
    assert repr(L) == 'Lesson 16: The square' and L.seed == 16
    assert capsys.readouterr().out.endswith('[6.]\n')
    assert L.predict('forgotten').about.below, 'the reply waits for the cell that runs'
    figure = L.about.python.FIGURES['slope']()
    assert figure.film.steps[figure.opens].title == 'x = 1' and 'is −4.' in figure[-2.0].words
    assert [cell.id for cell in cells if cell.cell_type == 'code'] == [
        f'l16-{name}' for name in ('setup', 'vote', 'run', 'slope', 'exercise-16a', 'sentence-1')
    ]


def test_its_exercise_tells_three_mistakes_apart(files):
    files()
    asked = exercise('16a')
    told = [asked.check_code(mistake.code).mistake.name for mistake in asked.mistakes]
    assert told == ['no-dout', 'bare', 'half'] and asked.check_code(asked.solution).passed
    assert asked.check_code(asked.start).state == 'open'


RIGHT = re.search(r'- \[x\].*\n  .*\n', FILES[TEXT])[0]
COMPLAINTS = [
    (TEXT, RIGHT, '', ('question forgotten', '0 right answers')),
    (TEXT, '- [ ] 60', '- [x] 1\n  One.\n- [ ] 60', ('question forgotten', '2 right answers')),
    (TEXT, '- [x] 6', '- [ ] 6', ('an answer', '- [x]', 'Belief: ')),
    (TEXT, '- [ ] 60', '- [] 60', ('an answer', '- [x]')),
    (TEXT, '  Belief: dout is the gradient\n', '', ('an answer', 'a wrong one')),
    (TEXT, '  `bprop` never looks at `dout`, so the 10 gets lost.\n', '', ('an answer', 'Its reply')),
    (TEXT, 'gets lost.\n', 'gets lost.\n  Belief: none\n', ('an answer', 'the right one')),
    (TEXT, 'What is the gradient of `x`, for `x = 3`?\n', '', ('question forgotten', 'asks nothing')),
    (TEXT, '```predict cell=vote forgotten', '```predict forgotten', ('a question', '```predict cell=CELL')),
    (TEXT, '```python cell=slope', '```python cell=run', ('a cell run',)),
    (TEXT, '{{run:', '{{ran:', ('{{ran:', 'code cell ran')),
    (TEXT, '<!-- cell title: 10 minutes -->\n', '', ('# Lesson 16', 'no cell')),
    (TEXT, '# Lesson 16 · The square', '# The square', ('first heading', '# Lesson 16')),
    (TEXT, 'it returns 6.\n', 'it returns 6.\n```python cell=more\n', ('cell vote', 'line 17', 'no end')),
    (TEXT, '\n\nIt is all that', ' It is all that', ('sentence square', 'two paragraphs')),
    (EXERCISE, '# 16a, a', '# 16b, a', ('first line', '# 16a, ')),
    (EXERCISE, ', a rule:', ':', ('a part begins', 'a rule:')),
    (EXERCISE, '## solution', '## Solution', ('a part begins', '## solution')),
    (EXERCISE, '-        return ...', '-        return ?', ('return ?', 'in the start')),
    (EXERCISE, '+        return (2 * x,)', 'return (2 * x,)', ('return (2 * x,)', 'begins with')),
    (EXERCISE, '## mistake half', '## mistake bare', ('a part bare',)),
    (EXERCISE, '```diff\n', '', ('a part', '```python', '```diff')),
    (EXERCISE, '```\n\n## solution', '\n## solution', ('a part', 'its code')),
    (EXERCISE, '```diff', '```text', ('a part', 'or ```diff to')),
    (EXERCISE, 'class Square(nn.Cell):', 'class Square(nn.Cell:', ('start', 'no Python')),
    (PYTHON, "'16a'", "'16b'", ('minicell.teach.lesson16', 'no trial')),
]


@pytest.mark.parametrize(('name', 'old', 'new', 'facts'), COMPLAINTS, ids=[' '.join(facts) for *_, facts in COMPLAINTS])
def test_what_cannot_be_read_is_said_with_file_and_line(files, name, old, new, facts):
    root = files(name, old, new).parents[2]
    with refused(source.SourceError, *facts) as raised:
        lesson('16')
    file, line = re.fullmatch(r'(lessons/source/\S+\.md), line (\d+): .+', str(raised.value)).groups()
    assert file == (EXERCISE if name == PYTHON else name)
    # the line is where the fault is, or the heading of the part that has it
    assert 1 <= int(line) <= len((root / file).read_text(encoding='utf-8').splitlines())


def test_the_line_is_the_line_of_the_fault(files):
    """The answer is marked as right, and has a belief."""
    files(TEXT, '- [ ] 60', '- [x] 60')
    at = FILES[TEXT].splitlines().index('- [ ] 60: ten times the slope.') + 1
    with refused(source.SourceError, '16_square.md', f'line {at}: '):
        lesson('16')


def test_what_a_text_says_to_press_is_what_a_button_says():
    """**Next** is no sign that a reader has to guess."""
    texts = ''.join(path.read_text(encoding='utf-8') for path in (ROOT / 'lessons').rglob('*.md'))
    named = set(re.findall(r'(?:press|button)\s+\*\*([^*]+)\*\*', texts, re.I))
    assert {'Next', 'Takeover', 'Try a common mistake'} <= named
    made = ''.join(path.read_text(encoding='utf-8') for path in (ROOT / 'minicell').rglob('*.[pj][ys]'))
    buttons = {*re.findall(r"\b(?:button|folded)\((?:\w+, )?'([^']+)'", made), *(word.capitalize() for word in WORDS)}
    assert named - buttons == {'Play'}, 'everybody reads that sign'
