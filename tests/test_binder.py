"""What mybinder.org builds, and where the badges lead."""

import json
import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINDER = ROOT / 'binder'
FILE = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))
PROJECT, PLACE = FILE['project'], FILE['tool']['minicell']
LESSONS = sorted(path.name for path in (ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))


def badge(lesson: str) -> str:
    """The address that opens a lesson on Binder."""
    return f'https://mybinder.org/v2/gh/ORG/REPO/{PLACE["tag"]}?urlpath=lab/tree/lessons/{lesson}'


def badges(text: str) -> list[str]:
    """All addresses of mybinder.org in a text, but for its pictures and its front page."""
    return re.findall(r'https?://(?:[a-z]+\.)?mybinder\.org/(?!badge_logo\.svg)[^\s)"\'<>`]+', text)


def faults(text: str) -> list[str]:
    """What is wrong with the badges of a text, each with what is due."""
    due = {badge(lesson) for lesson in LESSONS}
    return [f'{each} is none of: {sorted(due)}' for each in badges(text) if each not in due]


def test_the_form_of_a_badge_is_written_down():
    form = badge('NN_name.ipynb').replace(PLACE['tag'], 'TAG')
    assert form in (BINDER / 'README.md').read_text(encoding='utf-8')


def test_a_badge_that_leads_elsewhere_is_seen():
    right = badge(LESSONS[0])
    for wrong in (
        right.replace(PLACE['tag'], 'main'),
        right.replace('ORG/REPO', 'someone/else'),
        right.replace(LESSONS[0], '99_not_there.ipynb'),
        right.replace('urlpath', 'filepath'),
    ):
        assert len(faults(f'[![Binder](https://mybinder.org/badge_logo.svg)]({right})\n[x]({wrong})')) == 1, wrong


def test_the_tag_is_that_of_this_version():
    assert PLACE['tag'] == f'v{PROJECT["version"]}'


def pins() -> dict[str, str]:
    lines = [line for line in (BINDER / 'requirements.txt').read_text().splitlines() if not line.startswith('#')]
    assert [line for line in lines if not re.fullmatch(r'[a-z0-9-]+==[\d.]+', line)] == []
    return dict(line.split('==') for line in lines)


def test_binder_finds_what_it_reads():
    assert (BINDER / 'runtime.txt').read_text() == 'python-3.12\n'
    assert (BINDER / 'apt.txt').read_text().split() == ['graphviz']
    assert os.access(BINDER / 'postBuild', os.X_OK)
    assert not (BINDER / 'environment.yml').exists(), 'requirements.txt would be ignored'
    # Binder's image has its own JupyterLab and ipywidgets; all else that we need must be pinned
    assert not set(pins()) & {'minicell', 'jupyterlab', 'notebook', 'ipywidgets'}
    needed = {re.match(r'[a-z]+', each)[0] for each in PROJECT['dependencies']}
    assert needed - set(pins()) == {'jupyterlab', 'ipywidgets'}


def test_the_build_takes_nothing_that_is_not_pinned_and_looks_at_itself():
    commands = [line for line in (BINDER / 'postBuild').read_text().splitlines() if line and not line.startswith('#')]
    assert commands[0] == 'set -euo pipefail'
    assert [line for line in commands if ' install ' in line] == [
        'python -m pip install --no-cache-dir --no-deps --no-build-isolation .'
    ]
    assert {re.match(r'[a-z]+', each)[0] for each in FILE['build-system']['requires']} <= set(pins())
    assert 'jupyter trust lessons/*.ipynb' in commands
    assert commands[-1] == 'minicell check'


def test_announcements_are_off_by_a_file_that_jupyterlab_reads():
    settings = 'minicell/jupyter/labconfig/default_setting_overrides.json'
    assert settings in (BINDER / 'postBuild').read_text()
    news = json.loads((ROOT / settings).read_text())['@jupyterlab/apputils-extension:notification']
    assert news == {'checkForUpdates': False, 'fetchNews': 'false'}


def test_versions_are_pins_that_our_own_bounds_admit():
    from packaging.requirements import Requirement

    wanted = [Requirement(each) for each in PROJECT['dependencies'] + FILE['build-system']['requires']]
    known = {each.name: each for each in wanted if each.name in pins()}
    assert [name for name, each in known.items() if not each.specifier.contains(pins()[name])] == []
    assert {'numpy', 'matplotlib', 'graphviz', 'hatchling'} <= set(known)
