"""Runs notebooks in kernels for the lessons: fresh, without a network, and without `dot`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def kernel_environment(tmp: Path) -> dict[str, str]:
    """An environment in which sitecustomize refuses the network, and PATH has nothing but Python."""
    own = ('JUPYTER_CONFIG_DIR', 'JUPYTER_DATA_DIR', 'JUPYTER_RUNTIME_DIR', 'IPYTHONDIR', 'MPLCONFIGDIR')
    kept = {name: value for name, value in os.environ.items() if not name.startswith(('JUPYTER', 'IPYTHON', 'PYTEST'))}
    (tmp / 'bin').mkdir(exist_ok=True)
    python = tmp / 'bin' / 'python'
    if not python.exists():
        python.symlink_to(sys.executable)
    path = os.pathsep.join([str(HERE / 'guard'), str(ROOT)])
    ours = {'PATH': str(tmp / 'bin'), 'PYTHONPATH': path, 'MINICELL_PROGRESS': 'off'}
    return kept | {name: str(tmp / name.lower()) for name in own} | ours


def execute(notebook: Any, tmp: Path, extra: tuple[str, ...] = ()) -> list[Any]:
    """Run a notebook's code cells, then `extra`, in a fresh kernel. Return the code cells; errors are outputs."""
    for number, source in enumerate(extra):
        notebook.cells.append(new_code_cell(source, id=f'extra-{number}'))
    place = {'metadata': {'path': str(tmp)}}
    client = NotebookClient(notebook, timeout=120, kernel_name='python3', resources=place, allow_errors=True)
    # a loop of its own: pytest is strict about loops that others leave open
    asyncio.run(client.async_execute(env=kernel_environment(tmp)))
    cells = [cell for cell in notebook.cells if cell.cell_type == 'code']
    for cell in cells:
        cell.outputs = in_one_piece(cell.outputs)
    return cells


def in_one_piece(outputs: list[Any]) -> list[Any]:
    """A busy kernel may send what is printed in pieces: those that follow one another are joined."""
    joined: list[Any] = []
    for out in outputs:
        before = joined[-1] if joined else {}
        if out.output_type == 'stream' and out.name == before.get('name'):
            before['text'] += out['text']
        else:
            joined.append(out)
    return joined


def complaints(cells: list[Any]) -> list[str]:
    """Errors, and whatever was written to stderr, but for minicell's own warning of a misnamed bprop."""
    return [
        f'{cell.id}: {out.get("ename", "stderr")}: {out.get("evalue", "") or "".join(out.get("text", ""))}'
        for cell in cells
        for out in cell.outputs
        if out.output_type == 'error' or (out.get('name') == 'stderr' and 'NearMissWarning' not in out.text)
    ]


def printed(cell: Any) -> str:
    """All text that a cell put out."""
    return '\n'.join(
        ''.join(out.get('text', '')) or ''.join(out.get('data', {}).get('text/plain', '')) for out in cell.outputs
    )
