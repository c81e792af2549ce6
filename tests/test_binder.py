"""What mybinder.org builds, and where the badges lead."""

import json
import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINDER = ROOT / 'binder'
SETTINGS = Path('minicell', 'jupyter', 'labconfig', 'default_setting_overrides.json')
FILE = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))
PROJECT = FILE['project']
LAUNCH = 'https://mybinder.org/v2/gh'


def test_the_form_of_a_badge_is_written_down():
    """The address that opens a lesson; test_address.py holds those of the README to it."""
    place, file = 'ORG/REPO/TAG', 'lessons/NN_name.ipynb'
    assert f'{LAUNCH}/{place}?urlpath=lab/tree/{file}' in (BINDER / 'README.md').read_text(encoding='utf-8')


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
    (install,) = [line.split() for line in commands if ' install ' in line]
    assert {'--no-deps', '--no-build-isolation', '.'} < {*install} and install[1:3] == ['-m', 'pip']
    assert all(each.startswith('--') for each in install[4:-1]), 'and nothing else'
    assert {re.match(r'[a-z]+', each)[0] for each in FILE['build-system']['requires']} <= set(pins())
    assert any(line.startswith('jupyter trust') and line.endswith('lessons/*.ipynb') for line in commands)
    assert commands[-1] == 'minicell check'


def test_announcements_are_off_by_a_file_that_jupyterlab_reads():
    assert SETTINGS.as_posix() in (BINDER / 'postBuild').read_text()
    news = json.loads((ROOT / SETTINGS).read_text())['@jupyterlab/apputils-extension:notification']
    assert news == {'checkForUpdates': False, 'fetchNews': 'false'}


def test_versions_are_pins_that_our_own_bounds_admit():
    from packaging.requirements import Requirement

    wanted = [Requirement(each) for each in PROJECT['dependencies'] + FILE['build-system']['requires']]
    known = {each.name: each for each in wanted if each.name in pins()}
    assert [name for name, each in known.items() if not each.specifier.contains(pins()[name])] == []
    assert {'numpy', 'matplotlib', 'graphviz', 'hatchling'} <= set(known)
