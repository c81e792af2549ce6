"""Build the lessons: python -m minicell.teach.build [03 ...]

From lessons/source/03_takeover.md it makes lessons/03_takeover.ipynb: cells with ids from the source, executed in a
fresh kernel, numbers of the text filled in, outputs frozen.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from minicell.view.picture import STILL

from .progress import SWITCH
from .self_test import KEPT
from .source import Cell, SourceError, paths, read

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 600  # seconds a cell: a machine that builds may be busy, and lesson 12 may measure its table anew
KERNEL = {'display_name': 'Python 3 (ipykernel)', 'language': 'python', 'name': 'python3'}
LANGUAGE = {'name': 'python', 'file_extension': '.py', 'mimetype': 'text/x-python', 'pygments_lexer': 'ipython3'}
TAPE = 'The picture of the tape, at its last step: {} The tape, line by line: {}'


class BuildError(Exception):
    """A lesson that cannot be built."""


def sources(numbers: list[str]) -> list[Path]:
    """The sources of these lessons, or of all."""
    if missing := [number for number in numbers if number not in paths()]:
        raise BuildError(f'there is no source of lesson {", ".join(missing)}')
    return [paths()[number] for number in numbers or paths()]


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
                picture = 'image/png' in output.data  # GitHub hides SVG now and then: what it shows is said here
                output.metadata = {'image/png': {'alt': in_words(output)}} if picture else {}
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == 'minicell'}


def in_words(output: Any, most: int = 1200) -> str:
    """The alt text of a picture; of a tape's, its last step and the printed tape, cut to a length that can be heard."""
    step, text = output.metadata.get('image/png', {}).get('alt', ''), ''.join(output.data['text/plain'])
    said = '; '.join(' '.join(line.split()) for line in text.splitlines()) + '.'
    return TAPE.format(step, said if len(said) <= most else said[:most].rpartition(';')[0] + ' …') if step else text


def main(arguments: list[str] | None = None) -> int:
    """Build; return the exit status."""
    parser = argparse.ArgumentParser(prog='python -m minicell.teach.build', description='Build the lessons.')
    parser.add_argument('lessons', nargs='*', metavar='03', help='numbers of lessons (default: all)')
    try:
        for source in sources(parser.parse_args(arguments).lessons):
            nbformat.write(build(source), target(source))
            print(f'wrote {target(source).relative_to(ROOT)}')
    except (BuildError, SourceError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
