"""What stands around the code: the README's promises, the files that other programs read, the wheel."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml

import minicell
from minicell.command import lessons
from tests.test_address import of_pypi

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['project']
README = (ROOT / 'README.md').read_text(encoding='utf-8')
LESSONS = ROOT / 'lessons'
LONGEST = 450  # lines
LONGEST_LESSON = 630  # its questions stand in its text, and its breaks
# (09 has Hessian-vector products too; in 13 the starts of its six steps stand in its text)
LONGER_LESSONS = {'09_tape_of_the_tape.md': 640, '13_build_the_engine.md': 780}


def block(name: str) -> str:
    """The fenced block of the README under `<!-- name -->`."""
    found = re.search(rf'^<!-- {name} -->\n```\w+\n(.*?)^```$', README, re.M | re.S)
    assert found, f'README.md has no block under <!-- {name} -->'
    return found[1]


@pytest.mark.parametrize('name', ['open', 'test'])
def test_each_command_is_one_line_that_stands_alone(name):
    command = block(name)
    assert name == 'open' or command in (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    assert command.count('\n') == 1
    # each makes its own venv: that does nothing the second time
    venv, *install = [part.split() for part in command.split('&&')[:2]]
    assert venv == ['python3', '-m', 'venv', '.venv'] and install[0][:2] == ['.venv/bin/pip', 'install']
    for program in re.findall(r'\.venv/bin/(\w+)', command):
        assert program in {'pip', 'python', *PROJECT['scripts']}


def test_the_example_prints_what_the_readme_says():
    code = block('example')
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, 'README.md', 'exec'), {'__name__': 'readme'})
    assert printed.getvalue() == block('output')


def test_the_top_of_the_repository_has_what_belongs_there():
    """What the project is, what a release needs, and nothing else."""
    due = {'lessons', 'minicell', 'tests', 'binder', '.ci', '.github'}
    due |= {'pyproject.toml', 'README.md', 'LICENSE', 'conftest.py', 'hatch_build.py', '.gitignore'}
    due |= {'CHANGELOG.md', 'CITATION.cff', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'}
    due |= {'.pre-commit-config.yaml'}
    if (ROOT / '.git').exists():  # what a reader keeps beside it is the reader's
        listed = subprocess.run(['git', 'ls-files'], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert {name.partition('/')[0] for name in listed.splitlines()} == due
    assert due <= {path.name for path in ROOT.iterdir()}


def test_release_files_are_of_this_version():
    version = PROJECT['version']
    assert minicell.__version__ == version
    citation = (ROOT / 'CITATION.cff').read_text(encoding='utf-8')
    assert f'\nversion: {version}\n' in citation
    assert f'license: {PROJECT["license"].split()[0]}\n' in citation
    assert re.search(rf'^## .*\b{re.escape(version)}\b', (ROOT / 'CHANGELOG.md').read_text(encoding='utf-8'), re.M)


@pytest.mark.parametrize('page', ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md',
                                  'minicell/SPEED.md', 'minicell/MINDSPORE.md', 'lessons/WHERE.md'])  # fmt: skip
def test_links_of_a_page_exist(page):
    text = (ROOT / page).read_text(encoding='utf-8')
    targets = [target for target in re.findall(r'\]\(([^)#\s]+)', text) if '://' not in target]
    assert [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()] == []


def test_workflows_pin_what_they_use_and_hold_no_password():
    for path in sorted((ROOT / '.github/workflows').glob('*.yml')):
        text = path.read_text(encoding='utf-8')
        assert 'secrets.' not in text, path.name
        for action in re.findall(r'uses: (\S+)', text):
            ours = action.startswith('$/.github/')
            assert ours or re.fullmatch(r'[\w/-]+@[0-9a-f]{40}', action), f'{path.name}: {action}'
        for job in yaml.safe_load(text)['jobs'].values():
            assert 'timeout-minutes' in job or job['uses'].startswith('$/.github/'), path.name


def test_a_release_is_what_was_tried_at_its_own_tag():
    flow = yaml.safe_load((ROOT / '.github/workflows/release.yml').read_text(encoding='utf-8'))
    assert flow[True]['push'] == {'tags': ['v*']}  # (YAML takes `on` for True)
    build, publish = flow['jobs']['build'], flow['jobs']['publish']
    assert ['bash', '.ci/wheel', 'dist'] in [step.get('run', '').split() for step in build['steps']]
    assert 'permissions' not in build and publish['permissions'] == {'id-token': 'write'}
    assert set(publish['needs']) == {'build', 'ci', 'nightly'} and publish['environment']['name'] == 'pypi'
    assert flow['jobs']['site']['needs'] == 'publish', 'the pages to which the README leads are of what was released'
    assert any('GITHUB_REF_NAME' in step.get('run', '') for step in build['steps'])
    assert 'twine" check --strict' in (ROOT / '.ci/wheel').read_text(encoding='utf-8')


def test_ci_tries_all_systems_and_the_pythons_of_the_classifiers():
    jobs = yaml.safe_load((ROOT / '.github/workflows/ci.yml').read_text(encoding='utf-8'))['jobs']
    assert set(jobs['elsewhere']['strategy']['matrix']['system']) == {'macos-latest', 'windows-latest'}
    named = {each.rpartition(' ')[2] for each in PROJECT['classifiers'] if ':: Python :: 3.' in each}
    assert named == set(jobs['test']['strategy']['matrix']['python'])


def test_hooks_before_a_commit_are_of_versions_that_the_tests_admit():
    from packaging.requirements import Requirement

    hooks = yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text(encoding='utf-8'))['repos']
    revisions = {each['repo'].rpartition('/')[2]: each['rev'].removeprefix('v') for each in hooks}
    for tool, repo in (('ruff', 'ruff-pre-commit'), ('mypy', 'mirrors-mypy')):
        asked = [Requirement(each) for each in PROJECT['optional-dependencies']['test'] if each.startswith(tool)]
        assert asked[0].specifier.contains(revisions[repo]), tool


def test_the_licence_is_whole():
    text = (ROOT / 'LICENSE').read_text(encoding='utf-8')
    assert PROJECT['license'] == 'Apache-2.0 AND CC-BY-4.0'
    assert 'CC BY 4.0' in (ROOT / 'minicell/teach/lesson12/digits.txt').read_text('ascii')
    for landmark in ('Version 2.0, January 2004', 'END OF TERMS', 'APPENDIX'):
        assert landmark in text


def test_ci_runs_the_one_script():
    assert 'bash .ci/run' in (ROOT / '.github/workflows/ci.yml').read_text(encoding='utf-8')
    script = ROOT / '.ci/run'
    assert os.access(script, os.X_OK)
    breaks = ['bash', '-c', '. .ci/prepare; breaks() { false; true; }; step one breaks']
    assert subprocess.run(breaks, cwd=ROOT, stdout=subprocess.DEVNULL).returncode == 1, 'each command of a step counts'
    for name in re.findall(r'\$\(readme (\w+)\)', script.read_text(encoding='utf-8')):
        assert block(name)


def test_no_file_is_too_long():
    folders = ('minicell', 'tests', 'lessons', 'binder', '.ci', '.github')
    files = [
        file for folder in folders for file in (ROOT / folder).rglob('*') if file.suffix in {'.py', '.md', '.yml', ''}
    ]
    files += ROOT.glob('*.md')
    lengths = {file: len(file.read_bytes().splitlines()) for file in files if file.is_file()}
    limits = {file: LONGEST_LESSON if file.parent == LESSONS / 'source' else LONGEST for file in lengths}
    limits |= {LESSONS / 'source' / name: limit for name, limit in LONGER_LESSONS.items()}
    assert {str(file.relative_to(ROOT)): n for file, n in lengths.items() if n > limits[file]} == {}


def test_notebooks_are_as_light_as_they_should_be():
    """No state of widgets: a reopened notebook would look for models that are gone."""
    assert [file.name for file in LESSONS.glob('*.ipynb') if 'jupyter.widget-state' in file.read_text()] == []


@pytest.fixture(scope='module')
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip('hatchling')  # (what is skipped on CI fails there: conftest.py)
    folder = tmp_path_factory.mktemp('wheel')
    build = [sys.executable, '-m', 'hatchling', 'build', '-t', 'wheel', '-d', str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob('minicell-*.whl'))


@pytest.mark.slow
def test_the_wheel_has_all_of_the_package_and_the_lessons(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    ours = {each for each in (ROOT / 'minicell').rglob('*') if each.is_file() and each.suffix != '.pyc'}
    assert {ROOT / 'minicell/py.typed', ROOT / 'minicell' / 'ops/__init__.pyi'} < ours
    course = {each for kind in ('*.ipynb', 'source/*.md', 'source/*/*.md') for each in LESSONS.glob(kind)}
    assert LESSONS / 'source' / '03_takeover/3a.md' in course
    due = {each.relative_to(ROOT).as_posix() for each in ours}
    due |= {f'minicell/{each.relative_to(ROOT).as_posix()}' for each in course}
    assert due - names == set()
    beyond = {name.split('/')[0] for name in names} - {'minicell', f'minicell-{PROJECT["version"]}.dist-info'}
    assert beyond == set(), 'a wheel of ours writes into nothing but its own folder'
    assert not [name for name in names if 'ipynb_checkpoints' in name]


@pytest.mark.slow
def test_the_metadata_of_the_wheel_have_the_readme_of_pypi(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith('.dist-info/METADATA')]
        metadata = message_from_bytes(archive.read(name))
    assert metadata['Description-Content-Type'] == 'text/markdown'
    assert metadata.get_payload(decode=True).decode().strip() == of_pypi(ROOT).strip()


@pytest.mark.slow
def test_the_wheel_works_away_from_the_checkout(wheel, tmp_path):
    """The command finds the lessons in the wheel, and lays its copy in the current folder."""
    zipfile.ZipFile(wheel).extractall(tmp_path / 'site')
    here = tmp_path / 'here'
    here.mkdir()
    env = {**os.environ, 'PYTHONPATH': str(tmp_path / 'site'), 'JUPYTER_RUNTIME_DIR': str(tmp_path / 'run')}
    env['JUPYTER_DATA_DIR'] = str(tmp_path / 'data')

    def printed(code: str) -> str:
        run = [sys.executable, '-P', '-c', code]  # -P: the current folder is not searched for modules
        done = subprocess.run(run, cwd=here, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    copy = here / lessons.COPY
    assert f' in {copy}\n' in printed('import minicell.__main__ as m; m.lab.open_lab = print; m.main(["--no-browser"])')
    laid = {file.name for file in copy.rglob('*') if file.suffix in ('.ipynb', '.md')}
    assert laid == {file.name for file in LESSONS.glob('*.ipynb')}, 'no questions and no solutions'
    said = printed(
        "from minicell.teach import lesson; L = lesson('03'); print(L.predict('takeover'), L.exercise('3a').html())"
    )
    assert '?' in said and 'the gradient of' in said and 'matmul(dout, y' in said
