"""A committed lesson, by the names of its cells: what they say, and what they define."""

import ast
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.lessons.kernels import ROOT
from tests.lessons.notebooks import by_id, listings, read

DOCUMENTS = ROOT / 'tests' / 'conformance'


def defined(source: str, bare: bool = False) -> dict[str, str]:
    """The functions, classes and constants of a source, by their names; bare of what the package has and a lesson not.

    Those are the docstrings of classes, and the types that are returned.
    """
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign):
            for each in ast.walk(node) if bare else ():
                if isinstance(each, ast.FunctionDef):
                    each.returns = None
                if isinstance(each, ast.ClassDef) and ast.get_docstring(each):
                    each.body = each.body[1:]
            found[ast.unparse(node).split('(')[0].split(' =')[0].split(':')[0]] = ast.dump(node)
    return found


def document(name: str, kind: str = '') -> Any:
    """A recorded document of MindSpore; or its blocks of a kind (python, text)."""
    said = (DOCUMENTS / name).read_text(encoding='utf-8')
    return [block.strip() for block in re.findall(rf'```{kind}\n(.*?)```', said, re.DOTALL)] if kind else said


def recorded(case: str) -> str:
    """What MindSpore was seen to print."""
    goldens = json.loads((DOCUMENTS / 'goldens.json').read_text(encoding='utf-8'))
    return next(each for each in goldens if each['name'] == case)['stdout']


class Page:
    """The cells of a lesson; it is read once it is asked for."""

    def __init__(self, number: str) -> None:
        self.number = number

    @cached_property
    def cells(self) -> dict[str, Any]:
        """By their ids."""
        return by_id(read(self.number).cells)

    def cell(self, name: str) -> Any:
        """A cell, by the name that the lesson gives it."""
        return self.cells[f'l{self.number}-{name}']

    def source(self, name: str) -> str:
        """What stands in it, without its magic."""
        return re.sub(r'^%%result .*\n?', '', self.cell(name).source)

    def words(self, name: str) -> str:
        """Its text in one line."""
        return ' '.join(re.sub(r'^> ?', '', self.cell(name).source, flags=re.MULTILINE).split())

    def told(self, name: str) -> str:
        """What it printed and showed."""
        return ''.join(
            ''.join(out.get('text', '') or out.get('data', {}).get('text/plain', '')) for out in self.cell(name).outputs
        )

    def run(self, *names: str, upto: str = '\0', **space: Any) -> dict[str, Any]:
        """What these cells define, each up to some text of it."""
        space = {'__name__': '__main__'} | space
        for name in names:
            exec(self.source(name).partition(upto)[0], space)
        return space

    def listing(self, package: str) -> str:
        """The listing of `Take it home` that imports a package."""
        return listings(read(self.number), self.number)[package]


def listing_of_the_document() -> str:
    """The listing with which the document begins."""
    return (Path(__file__).parent / 'document_listing.txt').read_text(encoding='utf-8')
