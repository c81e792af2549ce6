"""The README: its map has all lessons, its pictures are there and say in words what they show, and are of today."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / '.github'
README = (ROOT / 'README.md').read_text(encoding='utf-8')
NOTEBOOKS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
FILE = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))


def load(path: Path):
    spec = importlib.util.spec_from_file_location(f'github_{path.stem}', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


course = load(GITHUB / 'lessons.py')


def images(text: str) -> list[tuple[str, str]]:
    """The alt text and the source of each image, in Markdown or HTML."""
    found = re.findall(r'!\[([^\]]*)\]\(([^)\s]+)\)', text)
    for tag in re.findall(r'<img\b[^>]*>', text):
        alt, source = (re.search(rf'{name}="([^"]*)"', tag) for name in ('alt', 'src'))
        found.append((alt[1] if alt else '', source[1]))
    return found


def steps_of_lesson_03() -> list[str]:
    """What the stills of lesson 03's tape say, as its notebook keeps them."""
    notebook = json.loads((ROOT / 'lessons/03_takeover.ipynb').read_text(encoding='utf-8'))
    (cell,) = (each for each in notebook['cells'] if each['id'] == 'l03-tape')
    (alt,) = (output['metadata']['image/png']['alt'] for output in cell['outputs'] if 'image/png' in output['data'])
    return re.split(r' (?=Step \d+ of )', alt)


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
    local = [source for _, source in images(README) if '://' not in source]
    assert [source for source in local if not (ROOT / source).is_file()] == []
    drawn = {str(file.relative_to(ROOT)) for file in GITHUB.rglob('*') if file.suffix in {'.png', '.gif'}}
    assert drawn == set(local), 'what no page shows is not kept'


def test_links_within_the_readme_lead_to_headings():
    headings = {re.sub(r'[^\w -]', '', line).strip().lower().replace(' ', '-') for line in README.splitlines()
                if line.startswith('#')}  # fmt: skip
    assert [name for name in re.findall(r'\]\(#([^)]+)\)', README) if name not in headings] == []


def test_the_moving_picture_has_all_steps_of_lesson_03_and_time_to_read_them():
    times = []
    with Image.open(GITHUB / 'takeover.gif') as moving:
        for frame in range(moving.n_frames):
            moving.seek(frame)
            times.append(moving.info['duration'])
    assert len(times) == int(re.match(r'Step 1 of (\d+)\.', steps_of_lesson_03()[0])[1])
    assert min(times) >= 1500 and times[-1] == max(times) > 2 * min(times)
    assert (GITHUB / 'takeover.gif').stat().st_size < 1_500_000


def test_the_moving_picture_is_described_with_the_numbers_of_the_lesson():
    takeover = next(step for step in steps_of_lesson_03() if 'bprop hands out' in step)
    due = set(re.findall(r'off by up to (\d+\.\d+)', takeover))
    alt = next(alt for alt, source in images(README) if source.endswith('takeover.gif'))
    assert due and set(re.findall(r'\d+\.\d+', alt)) == due


def test_the_citation_is_of_this_version_at_the_one_place():
    (entry,) = re.findall(r'^```bibtex\n(.*?)^```$', README, re.M | re.S)
    fields = dict(re.findall(r'^  (\w+) += \{+(.*?)\}+,$', entry, re.M))
    assert fields['version'] == FILE['project']['version']
    assert fields['url'] == f'https://github.com/{FILE["tool"]["minicell"]["repository"]}'
    assert fields['author'] == 'The minicell authors'
