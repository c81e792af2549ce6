"""Which public names came, went or changed since a release: written into CHANGELOG.md from both sets of stubs.

`python .github/names.py` writes the part of the CHANGELOG that compares with the last release, whose names are kept in
names.txt, a line each. `python .github/names.py keep` keeps those of now: at a release, once its part is dated.
"""

import ast
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / '.github/names.txt'
LOG = ROOT / 'CHANGELOG.md'
PART = re.compile(
    r'(?<=<!-- names: written by \.github/names\.py -->\n).*?(?=^<!-- up to here: names -->)', re.M | re.S
)
# What users import, and what it is called in a text. A class that stands in a module of its own has its methods there.
MODULES = {'minicell/__init__.pyi': 'ms', 'minicell/nn/__init__.pyi': 'nn', 'minicell/ops/__init__.pyi': 'ops'}
CLASSES = {
    'minicell/core/tensor.pyi': 'Tensor', 'minicell/nn/cell.pyi': 'Cell', 'minicell/shown.pyi': 'Tape',
    'minicell/ops/primitive.pyi': 'Primitive',
}  # fmt: skip


def names() -> dict[str, str]:
    """Every public name, with its parameters where a stub has them: {'nn.ReLU': '()', 'Tensor.abs': '()', …}."""
    found = {}
    for path, of in MODULES.items():
        for node in parsed(path):
            if isinstance(node, ast.ImportFrom):
                found |= {f'{of}.{alias.asname}': written(node.module, alias) for alias in node.names if alias.asname}
            elif isinstance(node, ast.ClassDef):
                found[f'{of}.{node.name}'] = made(node)
            elif isinstance(node, ast.FunctionDef | ast.AnnAssign):
                name, told = member(node)
                found[f'{of}.{name}'] = told
    for path, of in CLASSES.items():
        (cls,) = [node for node in parsed(path) if isinstance(node, ast.ClassDef) and node.name == of]
        found |= {f'{of}.{name}': told for name, told in members(cls)}
    return {name: told for name, told in found.items() if '._' not in name}


def parsed(path: str) -> list[ast.stmt]:
    """The statements of a file."""
    return ast.parse((ROOT / path).read_text(encoding='utf-8')).body


def written(module: str, alias: ast.alias) -> str:
    """The parameters of what a stub hands on, as its own module has them."""
    path = module.replace('.', '/')
    files = [path + end for end in ('.pyi', '/__init__.pyi', '.py', '/__init__.py') if (ROOT / (path + end)).is_file()]
    for node in reversed(parsed(files[0]) if files else []):  # of overloads, the last one takes all
        if getattr(node, 'name', '') == alias.name:
            return made(node) if isinstance(node, ast.ClassDef) else member(node)[1]
    return ''


def made(cls: ast.ClassDef) -> str:
    """What a class is made with, if it says so itself."""
    return ''.join(told for name, told in members(cls) if name == '__init__').removesuffix('()')


def members(cls: ast.ClassDef) -> list[tuple[str, str]]:
    """What a class has."""
    return [member(node) for node in cls.body if isinstance(node, ast.FunctionDef | ast.AnnAssign)]


def member(node: ast.FunctionDef | ast.AnnAssign) -> tuple[str, str]:
    """Its name, and its parameters without their types: a default is there, or is not."""
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target), ''
    if any(ast.unparse(each) == 'property' for each in node.decorator_list):
        return node.name, ''
    given = node.args
    for each in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if each:
            each.annotation = None
    given.defaults = [ast.Name('…') for _ in given.defaults]
    given.kw_defaults = [each and ast.Name('…') for each in given.kw_defaults]
    return node.name, f'({re.sub("^self(, )?", "", ast.unparse(given))})'


def kept() -> dict[str, str]:
    """The names of the last release."""
    lines = KEPT.read_text(encoding='utf-8').splitlines()
    return {name: parameters for name, _, parameters in (line.partition(' ') for line in lines[1:])}


def part() -> str:
    """What stands in the CHANGELOG."""
    before, now = kept(), names()
    lines = listed('New', now.keys() - before.keys()) + listed('Gone', before.keys() - now.keys())
    changed = [name for name in sorted(now.keys() & before.keys()) if now[name] != before[name]]
    lines += [f'- `{name}{before[name]}` is `{name}{now[name]}` now.' for name in changed]
    return '\n'.join(lines) + '\n'


def listed(what: str, found: Iterable[str]) -> list[str]:
    """Names in sentences, one for each module or class."""
    of = defaultdict(list)
    for name in sorted(found):
        of[name.partition('.')[0]].append(f'`{name.partition(".")[2]}`')
    said = [f'- {what} in `{home}`: {", ".join(names)}.' for home, names in of.items()] or [f'- {what}: nothing.']
    return [textwrap.fill(each, 120, subsequent_indent='  ', break_on_hyphens=False) for each in said]


def main(arguments: list[str]) -> None:
    """Write the part, or keep the names."""
    if arguments == ['keep']:
        version = re.search(r"__version__ = '(.*)'", (ROOT / 'minicell/__init__.py').read_text(encoding='utf-8'))[1]
        lines = [f'The public names of minicell {version}, kept by .github/names.py.']
        lines += [f'{name} {parameters}'.rstrip() for name, parameters in sorted(names().items())]
        KEPT.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        return
    text = LOG.read_text(encoding='utf-8')
    LOG.write_text(PART.sub(lambda _: part(), text), encoding='utf-8')


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
