"""The table of lesson 12: 96 runs, measured by the notebook's own code when the lesson is made, and kept here.

    MINICELL_ANEW=1 python -m minicell.teach.build 12

measures all of them anew, and writes them beside this file. Without the switch a lesson reads what is kept: a class
should not wait for it. A test measures part of it again.
"""

import json
import os
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

from minicell.teach.train import bar

FILE = Path(__file__).with_name('table.json')
SWITCH = 'MINICELL_ANEW'  # set, a build measures anew, and keeps what it finds
SEEDS = 3


def kept(measure: Callable[..., Iterable[float]], names: Iterable[str], anew: bool = False) -> dict:
    """{(name, frozen, detached): what each seed measured, a list of numbers}. With anew=True all are measured now."""
    runs = list(product(names, (False, True), (False, True)))
    if not (anew or SWITCH in os.environ):
        found = json.loads(FILE.read_text(encoding='utf-8'))
        return {run: found[said(*run)] for run in runs}
    every = bar([(*run, seed) for run in runs for seed in range(SEEDS)], of=SEEDS * len(runs))
    made: dict = {run: [] for run in runs}
    for *run, seed in every:
        made[tuple(run)].append([float(f'{number:.6g}') for number in measure(*run, seed)])
    if SWITCH in os.environ:
        lines = [f' {json.dumps(said(*run))}: {json.dumps(of)}' for run, of in made.items()]
        FILE.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')
    return made


def said(name: str, frozen: bool, detached: bool) -> str:
    """A run in words."""
    return f'{name}, readout {"frozen" if frozen else "free"}, reset {"detached" if detached else "in the graph"}'
