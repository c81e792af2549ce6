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

from .lesson00 import KEPT
from .progress import SWITCH
from .source import SourceError, paths, read

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 600  # seconds a cell: a machine that builds may be busy, and lesson 12 may measure its table anew
KERNEL = {'display_name': 'Python 3 (ipykernel)', 'language': 'python', 'name': 'python3'}
LANGUAGE = {'name': 'python', 'file_extension': '.py', 'mimetype': 'text/x-python', 'pygments_lexer': 'ipython3'}
FOLD = r'<details><summary>The listing</summary>\n\n\g<0>\n\n</details>'
TAPE = 'The picture of the tape, at its last step: {} The tape, line by line: {}'


class BuildError(Exception):
    """A lesson that cannot be built."""


def sources(numbers: list[str]) -> list[Path]:
    """The sources of these lessons, or of all."""
    if missing := [number for number in numbers if number not in paths()]:
        raise BuildError(f'there is no source of lesson {", ".join(missing)}')
    return [paths()[number] for number in numbers or paths()]


def unexecuted(source: Path) -> Any:
    """The notebook of a source as it is before it runs; placeholders still stand in its text."""
    cells = []
    for cell in read(source):
        text = cell.text
        if cell.name == 'home':  # the listings that are to be taken home: whoever wants one opens it
            text = re.sub(r'^```python\n.*?^```$', FOLD, text, flags=re.M | re.S)
        made = new_markdown_cell(text) if cell.kind == 'markdown' else new_code_cell(cell.code)
        made.id = f'l{source.name[:2]}-{cell.name}'  # nbformat would draw a new one at each build
        cells.append(made)
    return new_notebook(cells=cells)


def build(source: Path) -> Any:
    """The executed and frozen notebook of a source. Raises BuildError where a cell fails or complains."""
    cells, notebook = read(source), unexecuted(source)
    own, numbers = notebook.cells, [(of, expression) for cell in cells for _, of, expression in cell.numbers()]
    probes = {number: new_code_cell(f"print(f'{{{number[1]}}}', end='')") for number in numbers}
    notebook.cells = []
    for cell, made in zip(cells, own, strict=True):  # after it, the numbers that the text wants from it
        notebook.cells += [made, *(probe for (of, _), probe in probes.items() if of == cell.name)]
    asyncio.run(execute(notebook))
    notebook.cells = own
    for cell, made in zip(cells, own, strict=True):  # which cell computed a number is noted beside it
        for placeholder, of, expression in cell.numbers():
            shown = ''.join(out.text for out in probes[of, expression].outputs)
            made.source = made.source.replace(placeholder, shown, 1)
            noted = made.metadata.setdefault('minicell', {'numbers': []})['numbers']
            noted.append({'shown': shown, 'cell': of, 'expression': expression})
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
            notebook = source.parents[1] / f'{source.stem}.ipynb'
            nbformat.write(build(source), notebook)
            print(f'wrote {notebook.relative_to(ROOT)}')
    except (BuildError, SourceError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
