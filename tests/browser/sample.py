"""Notebooks that tests write: of sources, or of cells with outputs."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HEAD = 'import numpy as np\nimport minicell as ms\nfrom minicell import nn, ops\n'


def write(path: Path, *cells: nbformat.NotebookNode | str, title: str = '# A sample') -> Path:
    """Write a notebook of a title (none if that is empty) and these code cells, `cell-1` and so on."""
    made = [new_code_cell(each) if isinstance(each, str) else each for each in cells]
    made = [new_markdown_cell(title), *made] if title else made
    for number, cell in enumerate(made):
        cell.id = f'cell-{number}'  # ids of their own would differ from run to run
    kernel = {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}
    nbformat.write(new_notebook(cells=made, metadata={'kernelspec': kernel}), path)
    return path
