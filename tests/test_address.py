"""The repository's address is one: without it nothing leads anywhere, and one command sets it wherever it is due."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
PAGES = 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md'
FILES = *PAGES, 'CITATION.cff', 'pyproject.toml', 'hatch_build.py'
SCHOOL, REPO = 'some-school', 'mini.cell'
PLACE = f'{SCHOOL}/{REPO}'
GITHUB, RAW = 'https://github.com', 'https://raw.githubusercontent.com'
BINDER, COLAB = 'https://mybinder.org/v2/gh', 'https://colab.research.google.com/github'
PRETENDS = 'mybinder', 'colab', 'github.io', 'shields', 'badge'
OURS = re.compile(r'https://[^\s)"\'<>]+')


def load(path: Path):
    spec = importlib.util.spec_from_file_location(f'{path.stem}_of_{path.parent.name.strip(".")}', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


address = load(ROOT / '.github/address.py')


@pytest.fixture(scope='module')
def copy(tmp_path_factory) -> Path:
    """What the command writes, and what that is made of."""
    root = tmp_path_factory.mktemp('copy')
    for name in FILES:
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / '.github', root / '.github')
    (root / 'lessons').mkdir()
    for notebook in LESSONS:
        shutil.copy(notebook, root / 'lessons')
    return root


def sets(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, '-S', str(root / '.github/address.py'), *arguments]  # -S: nothing is installed
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text(encoding='utf-8') for name in FILES}


def of_pypi(root: Path) -> str:
    """The README as PyPI gets it."""
    place = tomllib.loads((root / 'pyproject.toml').read_text(encoding='utf-8'))['tool']['minicell']
    pytest.importorskip('hatchling')
    return load(root / 'hatch_build.py').whole((root / 'README.md').read_text(encoding='utf-8'), **place)


def targets(text: str) -> list[str]:
    """Where the links and pictures of a text lead, in Markdown and in HTML."""
    return [*re.findall(r'\]\(([^)\s]+)\)', text), *re.findall(r'(?:src|href)="([^"]+)"', text)]


def half(text: str) -> list[str]:
    """Those of them that lead nowhere from another page."""
    return [target for target in targets(text) if not target.startswith('https://')]


def test_what_is_committed_is_what_the_command_writes(copy):
    repository = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['tool']['minicell']['repository']
    assert sets(copy, repository or 'none').returncode == 0
    assert texts(copy) == texts(ROOT)


def test_without_an_address_nothing_pretends_to_lead_anywhere(copy):
    assert sets(copy, 'none').returncode == 0
    for name, text in texts(copy).items():
        for link in OURS.findall(text):
            assert not re.match(rf'https://(\w+\.)?({"|".join(PRETENDS)})', link), f'{name}: {link}'
    assert 'urls' not in tomllib.loads((copy / 'pyproject.toml').read_text(encoding='utf-8'))['project']
    assert not half(of_pypi(copy))


def test_one_command_sets_it_everywhere(copy):
    assert sets(copy, PLACE).returncode == 0
    project = tomllib.loads((copy / 'pyproject.toml').read_text(encoding='utf-8'))
    tag = f'v{project["project"]["version"]}'
    assert project['tool']['minicell'] == {'repository': PLACE, 'tag': tag}
    page = f'{GITHUB}/{PLACE}'
    assert {'Homepage', 'Documentation', 'Issues', 'Changelog'} <= project['project']['urls'].keys()
    assert project['project']['urls']['Source'] == page
    seen = texts(copy)
    assert all(f'({page}/security/advisories/new)' in seen[each] for each in ('SECURITY.md', 'CODE_OF_CONDUCT.md'))
    assert f'repository-code: "{page}"' in seen['CITATION.cff'] and page in seen['README.md']
    leads = re.search(r'</picture>\]\(([^)]*)\)', seen['README.md'])[1]
    assert leads == f'https://{SCHOOL}.github.io/{REPO}/'
    for notebook in LESSONS:
        file = f'lessons/{notebook.name}'
        assert f'{BINDER}/{PLACE}/{tag}?urlpath=lab/tree/{file}' in seen['README.md']
        assert f'{COLAB}/{PLACE}/blob/{tag}/{file}' in seen['README.md']
    assert len(seen['README.md'].splitlines()) == len(texts(ROOT)['README.md'].splitlines())


def test_on_pypi_all_of_it_is_whole(copy):
    assert sets(copy, PLACE).returncode == 0
    found = targets(of_pypi(copy))
    assert not half(of_pypi(copy)) and '<!--' not in of_pypi(copy) and 'pip install minicell' in of_pypi(copy)
    version = tomllib.loads((copy / 'pyproject.toml').read_text(encoding='utf-8'))['project']['version']
    raw = f'{RAW}/{PLACE}/v{version}/'
    files = [target.removeprefix(raw) for target in found if target.startswith(raw)]
    files += [each.split(f'/blob/v{version}/')[1] for each in found if each.startswith(f'{GITHUB}/{PLACE}/blob/')]
    assert len(files) >= 2 * len(LESSONS)
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_another_address_leaves_nothing_of_the_first(copy):
    assert sets(copy, 'first/one').returncode == sets(copy, 'second/two').returncode == 0
    assert [name for name, text in texts(copy).items() if 'first/one' in text or 'first.github' in text] == []


@pytest.mark.parametrize('wrong', [[], ['one'], ['https://github.com/a/b'], ['a/b', 'c/d'], ['a/b/c']])
def test_what_is_no_address_is_refused(copy, wrong):
    before = texts(copy)
    done = sets(copy, *wrong)
    assert done.returncode == 1 and 'ORG/REPO' in done.stderr and 'Traceback' not in done.stderr
    assert texts(copy) == before


def test_a_readme_is_made_whole_wherever_its_link_stands():
    pytest.importorskip('hatchling')
    whole = load(ROOT / 'hatch_build.py').whole
    out = 'https://'
    badge, link = f'[![e]({out}x)]({out}y)', f'[i]({out}z)'  # which lead there from anywhere
    parts = ['![a](b.png)', '[c](d.md)', badge, '[![f](g.png)](h)', link, '<img src="j.png" width="1" alt="k">']
    assert whole(' '.join(parts), '', 'v1').split() == ['a', 'c', badge, 'f', link, 'k']
    made = whole(' '.join(parts), PLACE, 'v1')
    assert made.count(f'{RAW}/{PLACE}/v1/') == 3
    assert made.count(f'{GITHUB}/{PLACE}/blob/v1/') == 2
    assert not half(made)
