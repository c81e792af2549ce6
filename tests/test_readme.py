"""The README: its map has all lessons, its pictures are there and say in words what they show, and are of today."""

import base64
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from tests.test_address import load

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / '.github'
README = (ROOT / 'README.md').read_text(encoding='utf-8')
NOTEBOOKS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))


course = load(GITHUB / 'lessons.py')


def images(text: str) -> list[tuple[str, str]]:
    """The alt text and the source of each image, in Markdown or HTML."""
    found = re.findall(r'!\[([^\]]*)\]\(([^)\s]+)\)', text)
    for tag in re.findall(r'<img\b[^>]*>', text):
        alt, source = (re.search(rf'{name}="([^"]*)"', tag) for name in ('alt', 'src'))
        found.append((alt[1] if alt else '', source[1]))
    return found


# What the script of the moving picture sees: in a process of its own, for it starts IPython's shell.
LOOK = """\
import base64, json, runpy
script = runpy.run_path({script!r})
picture = script['of_first_page']()
film = picture.films[0]
texts = [str(shape.attrs['T']) for shape in film.frames[-1].values() if 'T' in shape.attrs]
said = [f'{{step.title}} {{step.caption}}' for step in film.steps[picture.place('takeover'):]]
print(json.dumps([texts, said, [base64.b64encode(script['moving'](picture, k)).decode() for k in (0, 1)]]))
"""


@pytest.fixture(scope='module')
def today() -> tuple[list[str], list[str], list[Image.Image]]:
    """What stands on the last step of the first page's picture, what its steps from the takeover on say, and the moving
    pictures, for a screen and a phone, as they would be drawn now."""
    done = subprocess.run(
        [sys.executable, '-c', LOOK.format(script=str(GITHUB / 'takeover.py'))],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    texts, said, moving = json.loads(done.stdout)
    return texts, said, [Image.open(io.BytesIO(base64.b64decode(each))) for each in moving]


def test_each_lesson_is_in_the_map_with_its_still():
    assert [lesson.notebook for lesson in course.lessons()] == NOTEBOOKS
    shown = {source for _, source in images(README)}
    assert {f'.github/lessons/{file.name[:2]}.png' for file in NOTEBOOKS} <= shown
    assert {file.name for file in (GITHUB / 'lessons').iterdir()} == {f'{file.name[:2]}.png' for file in NOTEBOOKS}


def test_the_map_is_what_its_script_writes():
    written = README.split(course.BEGIN)[1].split(course.END)[0]
    assert written == course.table(), 'run: python .github/lessons.py'


@pytest.mark.parametrize('lesson', course.lessons(), ids=lambda lesson: lesson.number)
def test_a_still_is_a_piece_of_its_notebook(lesson):
    with Image.open(GITHUB / f'lessons/{lesson.number}.png') as file:
        kept = file.convert('RGB')
    due = course.still(lesson)
    assert kept.size == due.size
    off, moved = difference(kept, due), difference(kept, ImageChops.offset(due, 3, 3))
    assert off < moved / 4, f'lesson {lesson.number} looks otherwise now: run python .github/lessons.py, and look'


def difference(one: Image.Image, other: Image.Image) -> float:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).rms)


def test_each_image_says_in_words_what_it_shows():
    assert [source for alt, source in images(README) if len(alt) < 20] == []
    assert images('![](a.png) <img src="b.png">') == [('', 'a.png'), ('', 'b.png')]


def test_pictures_of_the_readme_are_files_of_it():
    local = [source for _, source in images(README) if '://' not in source] + re.findall(r'srcset="([^"]+)"', README)
    assert [source for source in local if not (ROOT / source).is_file()] == []
    drawn = {str(file.relative_to(ROOT)) for file in GITHUB.rglob('*') if file.suffix in {'.png', '.gif'}}
    assert drawn == set(local), 'what no page shows is not kept'


def test_links_within_the_readme_lead_to_headings():
    lines = [line for line in README.splitlines() if line.startswith('#')]
    headings = {re.sub(r'[^\w -]', '', line).strip().lower().replace(' ', '-') for line in lines}
    assert [name for name in re.findall(r'\]\(#([^)]+)\)', README) if name not in headings] == []


@pytest.mark.slow
@pytest.mark.parametrize('which, name, most', [(0, 'takeover', 960), (1, 'takeover-narrow', 410)])
def test_the_moving_picture_is_of_today_moves_and_leaves_time_to_read_it(which, name, most, today):
    _, said, drawn = today
    due, times = drawn[which], []
    with Image.open(GITHUB / f'{name}.gif') as moving:
        assert (moving.n_frames, moving.size) == (due.n_frames, due.size)
        for frame in range(moving.n_frames):
            moving.seek(frame)
            due.seek(frame)
            times.append(moving.info['duration'])
            kept, now = moving.convert('RGB'), due.convert('RGB')
            off, moved = difference(kept, now), difference(kept, ImageChops.offset(now, 3, 3))
            assert off < moved / 4, 'the takeover looks otherwise now: run python .github/takeover.py, and look'
    still = [time for time in times if time > 100]  # between them it moves
    assert still == [250 * len(words.split()) for words in said], 'four words a second'
    assert min(still) >= 1800 and times[0] >= 5000 and sum(times) < 20_000 and len(times) > 5 * len(still)
    assert due.width < most, 'a phone shows it as large as it is, or nearly'
    assert (GITHUB / f'{name}.gif').stat().st_size < 1_500_000


@pytest.mark.slow
def test_the_moving_picture_is_described_with_its_numbers(today):
    texts, _, _ = today
    at = texts.index('should be')  # the two large numbers
    alt = next(alt for alt, source in images(README) if source.endswith('takeover.gif'))
    assert [float(n) for n in re.findall(r'\d+', alt)] == [float(n) for n in texts[at - 4 : at + 4] if n.isdigit()][:2]


def test_it_opens_on_the_picture_one_link_and_three_sentences():
    assert len(README.splitlines()) <= 120
    parts = [part for part in re.sub(r'^<!--.*-->\n', '', README.split('\n## ')[0], flags=re.M).split('\n\n') if part]
    title, picture, link, sentences = (part.strip() for part in parts)
    assert title == '# minicell'
    leads = re.fullmatch(r'\[<picture>.*</picture>\]\((.*)\)', picture)[1]
    assert re.findall(r'\]\((.*?)\)', link) == [leads], 'the picture leads where the link under it does'
    assert len(re.findall(r'[.](?= |$|\*)', sentences)) == 3
