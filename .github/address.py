"""Sets the repository's address everywhere: `python .github/address.py ORG/REPO`, or `none` to take it away.

Without an address no badge and no link pretends to lead anywhere. What depends on it stands between two marks in each
file below, and is written here; the map of the lessons, with its badges, is written by lessons.py.
"""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PART = re.compile(
    r'^(?P<head>(?P<begin># |<!-- )(?P<name>\w+): written by \.github/address\.py(?: -->)?\n)'
    r'.*?^(?P<tail>(?P=begin)up to here: (?P=name)\b)',
    re.MULTILINE | re.DOTALL,
)
PICTURE = re.compile(r'^(\[<picture>.*</picture>\]\()[^)]*\)', re.MULTILINE)


def target(repository: str) -> str:
    """Where the README's first picture, and the link under it, lead."""
    org, _, name = repository.partition('/')
    return f'https://{org}.github.io/{name}/' if repository else 'lessons/03_takeover.ipynb'


def parts(repository: str, project: dict) -> dict[str, dict[str, str]]:
    """What stands between the marks of each file."""
    version, tag = project['version'], f'v{project["version"]}'
    page = f'https://github.com/{repository}'
    org, _, name = repository.partition('/')
    said = 'Read lesson 03, which is about this'
    if repository:
        said = 'Step through it in your browser: nothing to install'
    door = f'**[{said}]({target(repository)})**\n'
    get = 'There is no release on the package index yet. In a clone, with Python 3.11 or later:\n'
    if repository:
        get = f'Python 3.11 or later: `pip install minicell`, then `minicell`. Or in a clone (`git clone {page}`):\n'
    colab = (
        'On Colab, add a first cell, and run it: '
        f'`%pip install git+{page}@{tag}`. (Not tried there yet: [what shows where](lessons/WHERE.md).)\n'
        if repository
        else 'There are other places to read or run the lessons: [what each place shows](lessons/WHERE.md).\n'
    )
    urls = {
        'Homepage': page,
        'Documentation': f'https://{org}.github.io/{name}/',
        'Source': page,
        'Issues': f'{page}/issues',
        'Changelog': f'{page}/blob/main/CHANGELOG.md',
    }
    cite = f'Cite it as: The minicell authors (2026). *{TITLE}*, version {version}{f", {page}" if repository else ""} '
    cite += '([CITATION.cff](CITATION.cff)). Licence: [Apache 2.0](LICENSE); of the handwritten digits in lesson 12,'
    cite += ' [CC BY 4.0](minicell/teach/lesson12/digits.txt).\n'
    report = 'This copy has no address on GitHub yet: tell whoever gave it to you.\n'
    if repository:
        report = f'[Write a report that only the maintainers can read]({page}/security/advisories/new).\n'
    return {
        'README.md': {'door': door, 'get': get, 'places': colab, 'cite': cite},
        'pyproject.toml': {
            'urls': '[project.urls]\n' + ''.join(f'{key} = "{url}"\n' for key, url in urls.items())
            if repository
            else '',
            'place': f'repository = "{repository}"\ntag = "{tag}"\n',
        },
        'SECURITY.md': {'report': report},
        'CODE_OF_CONDUCT.md': {'report': report},
        'CITATION.cff': {'source': f'repository-code: "{page}"\n' if repository else ''},
    }


TITLE = 'minicell: see who computed a gradient'


def write(root: Path, repository: str) -> None:
    """Write all parts that hold the address, and the map of the lessons."""
    project = tomllib.loads((root / 'pyproject.toml').read_text(encoding='utf-8'))['project']
    for file, due in parts(repository, project).items():
        path = root / file
        text = path.read_text(encoding='utf-8')
        assert {found['name'] for found in PART.finditer(text)} == due.keys(), f'{file} has lost a mark'
        text = PART.sub(lambda m, due=due: m['head'] + due[m['name']] + m['tail'], text)
        text = PICTURE.sub(rf'\g<1>{target(repository)})', text)
        path.write_text(text, encoding='utf-8')
    spec = importlib.util.spec_from_file_location('lessons', root / '.github/lessons.py')
    lessons = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lessons)
    lessons.write_map()


def main(arguments: list[str]) -> str | None:
    """Set the address that was given."""
    given = arguments[0] if len(arguments) == 1 else ''
    if given != 'none' and not re.fullmatch(r'[\w-]+/[\w.-]+', given):
        return 'Write the address as ORG/REPO, as GitHub has it: python .github/address.py ORG/REPO'
    write(ROOT, '' if given == 'none' else given)
    return None


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
