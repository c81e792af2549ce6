"""Build the lessons: python -m minicell.teach.build [03 ...] [--check]

From lessons/source/03_takeover.md it makes lessons/03_takeover.ipynb: cells with ids from the source, executed in a
fresh kernel, numbers of the text filled in, outputs frozen. With --check it writes nothing, and fails where the
notebook that is there differs.
"""

import argparse
import asyncio
import base64
import difflib
import os
import re
import sys
import tempfile
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from minicell.view.picture import STILL

from .progress import SWITCH
from .self_test import KEPT
from .source import Cell, SourceError, read

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / 'lessons'
TIMEOUT = 600  # seconds a cell: a machine that builds may be busy, and lesson 12 may measure its table anew
KERNEL = {'display_name': 'Python 3 (ipykernel)', 'language': 'python', 'name': 'python3'}
LANGUAGE = {'name': 'python', 'file_extension': '.py', 'mimetype': 'text/x-python', 'pygments_lexer': 'ipython3'}
TAPE = 'The picture of the tape, at its last step: {} The tape, line by line: {}'


class BuildError(Exception):
    """A lesson that cannot be built, or a notebook that differs from its source."""


def sources(numbers: list[str]) -> list[Path]:
    """The sources of these lessons, or of all."""
    found = sorted((LESSONS / 'source').glob('[0-9][0-9]_*.md'))
    missing = [number for number in numbers if not any(path.name.startswith(f'{number}_') for path in found)]
    if missing:
        raise BuildError(f'no source for lesson {", ".join(missing)} in {LESSONS / "source"}')
    return [path for path in found if not numbers or path.name[:2] in numbers]


def target(source: Path) -> Path:
    """The notebook that a source makes."""
    return source.parents[1] / f'{source.stem}.ipynb'


def unexecuted(source: Path) -> Any:
    """The notebook of a source as it is before it runs; placeholders still stand in its text."""
    prefix = f'l{source.name[:2]}-'
    cells = []
    for cell in read(source):
        made = new_markdown_cell(folded(cell)) if cell.kind == 'markdown' else new_code_cell(cell.code)
        made.id = prefix + cell.name  # nbformat would draw a new one at each build
        cells.append(made)
    return new_notebook(cells=cells)


def folded(cell: Cell) -> str:
    """The text of a cell. The listings that are to be taken home are folded: whoever wants one opens it."""
    listing = r'^(```python\n.*?^```)$'
    fold = r'<details><summary>The listing</summary>\n\n\1\n\n</details>'
    return re.sub(listing, fold, cell.text, flags=re.M | re.S) if cell.name == 'home' else cell.text


def build(source: Path) -> Any:
    """The executed and frozen notebook of a source. Raises BuildError where a cell fails or complains."""
    cells, notebook = read(source), unexecuted(source)
    probe = lambda expression: new_code_cell(f"print(f'{{{expression}}}', end='')")
    probes = {(of, expression): probe(expression) for cell in cells for _, of, expression in cell.numbers()}
    own, notebook.cells = notebook.cells, []
    for cell, made in zip(cells, own, strict=True):  # after it, the numbers that the text wants from it
        notebook.cells += [made, *(each for (of, _), each in probes.items() if of == cell.name)]
    asyncio.run(execute(notebook))
    values = {wanted: ''.join(out.text for out in each.outputs) for wanted, each in probes.items()}
    notebook.cells = own
    for cell, made in zip(cells, own, strict=True):
        fill(cell, made, values)
    complaints = [
        f'{cell.id}: {"".join(out.get("text", out.get("evalue", "")))}'
        for cell in notebook.cells
        for out in cell.get('outputs', ())
        if out.output_type == 'error' or out.get('name') == 'stderr'
    ]
    if complaints:
        raise BuildError('\n'.join(complaints))
    freeze(notebook)
    return notebook


async def execute(notebook: Any) -> None:
    """Run all cells in a fresh kernel."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')]))
    with tempfile.TemporaryDirectory() as here:
        place = {'metadata': {'path': here}}
        client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name='python3', resources=place)
        # the same on every machine: no program such as `dot` is found, and no learner's progress; tapes as PNG
        await client.async_execute(env={**os.environ, 'PYTHONPATH': path, 'PATH': here, SWITCH: 'off', STILL: 'yes'})


def fill(cell: Cell, made: Any, values: dict[tuple[str, str], str]) -> None:
    """Put computed numbers into a text cell, and note in its metadata which cell computed them."""
    numbers = cell.numbers()
    for placeholder, of, expression in numbers:
        made.source = made.source.replace(placeholder, values[of, expression], 1)
    if numbers:
        made.metadata['minicell'] = {
            'numbers': [{'shown': values[of, e], 'cell': of, 'expression': e} for _, of, e in numbers]
        }


def freeze(notebook: Any) -> None:
    """Make a notebook fit to be kept: stills and text stay, what belongs to one machine and one run goes."""
    notebook.metadata = {'kernelspec': KERNEL, 'language_info': LANGUAGE}
    joined = CoalesceStreamsPreprocessor()  # where a busy kernel parts what is printed is chance
    for number, cell in enumerate((each for each in notebook.cells if each.cell_type == 'code'), 1):
        joined.preprocess_cell(cell, {}, number)
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == 'execute_result':
                output.execution_count = number
            if 'data' in output:
                output.data = output.data.get(KEPT, output.data)
                output.metadata = described(output)
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == 'minicell'}


def described(output: Any) -> dict[str, Any]:
    """The metadata of an output: of a picture, its alt text. GitHub hides SVG now and then, so it stands at the PNG."""
    if 'image/png' not in output.data:
        return {}
    step = output.metadata.get('image/png', {}).get('alt', '')
    svg = re.search(r'<desc[^>]*>(.*?)</desc>', ''.join(output.data.get('image/svg+xml', '')), re.DOTALL)
    told = in_words(step, output.data['text/plain']) if step else unescape(svg[1]) if svg else ''
    return {'image/png': {'alt': told}}


def in_words(step: str, tape: str | list[str], most: int = 1200) -> str:
    """The alt text of a tape's picture: its title, then the printed tape, cut to a length that can be heard.

    >>> in_words('dx arrives.', '   1  x * x      Mul -> 9\\n      Mul brings dx\\n')
    'The picture of the tape, at its last step: dx arrives. The tape, line by line: 1 x * x Mul -> 9; Mul brings dx.'
    """
    said = '; '.join(' '.join(line.split()) for line in ''.join(tape).splitlines()) + '.'
    return TAPE.format(step, said if len(said) <= most else said[:most].rpartition(';')[0] + ' …')


def comparable(notebook: Any) -> str:
    """What must be equal between a notebook and its source: everything but the pixels of PNG pictures.

    Those depend on the fonts and libraries of the machine. Their size does not: the widths of texts come from tables.
    The SVG beside a figure is drawn from the same shapes, is compared byte by byte and speaks for both; beside the
    picture of a tape stand its last step in words, and the printed tape.
    """
    plain = nbformat.from_dict(nbformat.reads(nbformat.writes(notebook), as_version=4))
    for output in (output for cell in plain.cells for output in cell.get('outputs', ())):
        if 'image/png' in output.get('data', {}):
            size = base64.b64decode(output.data['image/png'])[16:24]  # width and height, four bytes each
            output.data['image/png'] = f'a picture of {size.hex(" ", 4)}'
    return nbformat.writes(plain)


def difference(path: Path, fresh: Any) -> str:
    """The first lines in which the notebook at `path` differs from a fresh one; '' if it does not."""
    if not path.is_file():
        return f'{path.name} is missing'
    here, there = (comparable(each).splitlines() for each in (nbformat.read(path, as_version=4), fresh))
    lines = difflib.unified_diff(here, there, path.name, 'from its source', n=0, lineterm='')
    return '\n'.join(line[:120] for line in islice(lines, 8))


def main(arguments: list[str] | None = None) -> int:
    """Build or check; return the exit status."""
    parser = argparse.ArgumentParser(prog='python -m minicell.teach.build', description='Build the lessons.')
    parser.add_argument('lessons', nargs='*', metavar='03', help='numbers of lessons (default: all)')
    parser.add_argument('--check', action='store_true', help='write nothing; fail where a notebook differs')
    options = parser.parse_args(arguments)
    bad = 0
    try:
        for source in sources(options.lessons):
            path, notebook = target(source), build(source)
            if not options.check:
                nbformat.write(notebook, path)
                print(f'wrote {path.relative_to(ROOT)}')
            elif found := difference(path, notebook):
                print(f'{found}\nRun: python -m minicell.teach.build {source.name[:2]}', file=sys.stderr)
                bad = 1
    except (BuildError, SourceError) as error:
        print(error, file=sys.stderr)
        return 1
    return bad


if __name__ == '__main__':
    raise SystemExit(main())
