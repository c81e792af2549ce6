"""What lessons/WHERE.md says of readers without Python: GitHub, which cleans what it shows, and nbconvert's page."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
PAGE = (ROOT / 'lessons/WHERE.md').read_text(encoding='utf-8')
# What https://github.com/gjtorikian/html-pipeline lets through: no script, no style, no svg, no field, no class.
TAGS = """h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot
    blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption abbr
    bdo cite dfn mark small span time wbr"""
GONE = re.compile(r'<(script|style|svg|select|textarea|button|iframe|object)\b.*?</\1>', re.S)


def outputs(path: Path) -> list[tuple[str, dict]]:
    """The cell and the data of each output of a notebook."""
    cells = json.loads(path.read_text(encoding='utf-8'))['cells']
    return [(c['id'], out['data']) for c in cells for out in c.get('outputs', []) if 'data' in out]


def words(html: str) -> list[str]:
    return re.findall(r'\w+', unescape(re.sub(r'<[^>]*>', ' ', html)))


def cleaned(html: str) -> str:
    """As GitHub would show it."""
    bleach = pytest.importorskip('bleach')
    kept = ['href', 'src', 'alt', 'title']
    return bleach.clean(GONE.sub('', html), tags=set(TAGS.split()), attributes=kept, strip=True)


@pytest.mark.parametrize('path', LESSONS, ids=lambda path: path.name[:2])
def test_on_github_a_tape_is_a_still_and_a_question_has_all_its_words(path):
    shown = outputs(path)
    assert any('image/png' in data for _, data in shown)
    for cell, data in shown:
        if 'image/png' in data:  # an SVG beside it may be dropped
            continue
        if 'text/html' in data:
            html = ''.join(data['text/html'])
            assert len(words(html)) > 8, cell
            assert words(cleaned(html)) == words(html), f'{cell} would lose words on GitHub'
        else:
            assert ''.join(data['text/plain']).strip(), cell


def test_the_cleaning_takes_away_what_github_takes_away():
    html = '<div class="a"><style>b{}</style><script>c()</script><svg><text>d</text></svg><p style="a:b">e</p></div>'
    assert words(cleaned(html)) == ['e']
    assert 'style' not in cleaned(html) and 'class' not in cleaned(html)


@pytest.mark.slow
def test_nbconvert_shows_stills_and_questions():
    nbconvert = pytest.importorskip('nbconvert')
    path = next(path for path in LESSONS if path.name.startswith('03'))
    page, _ = nbconvert.HTMLExporter().from_filename(str(path))
    said = ' '.join(words(page))
    for cell, data in outputs(path):
        if 'text/html' in data and 'image/png' not in data:
            assert ' '.join(words(''.join(data['text/html']))) in said, cell
    stills = [data for _, data in outputs(path) if 'image/png' in data and 'image/svg+xml' not in data]
    assert stills and all(''.join(data['image/png']).replace('\n', '')[:200] in page for data in stills)


def test_what_the_page_refers_to_is_there():
    tests = set(re.findall(r'`((?:tests|\.ci|\.github)/[\w/.-]+)`', PAGE))
    assert len(tests) >= 6
    assert [name for name in tests if not (ROOT / name).exists()] == []
