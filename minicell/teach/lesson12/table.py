"""The table of lesson 12: 180 runs of the notebook's own code. They take some minutes, so what they found is kept here.

    python -m minicell.teach.lesson12.table

measures all of them anew, and writes `table.json` beside this file. A test measures some of them again.
"""

import json
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

from minicell.teach.train import bar

FILE = Path(__file__).with_name('table.json')
SEEDS = 5


def kept(measure: Callable[..., Iterable[float]], surrogates: dict[str, Any], anew: bool = False) -> dict:
    """{(name, frozen, detached): what each seed measured, a list of numbers}. With anew=True all are measured now."""
    runs = list(product(surrogates, (False, True), (False, True)))
    if not anew:
        found = json.loads(FILE.read_text(encoding='utf-8'))
        return {run: found[said(*run)] for run in runs}
    made: dict = {run: [] for run in runs}
    for (name, frozen, detached), seed in bar(product(runs, range(SEEDS)), of=SEEDS * len(runs)):
        numbers = measure(surrogates[name], frozen, detached, seed)
        made[name, frozen, detached].append([float(f'{number:.6g}') for number in numbers])
    return made


def said(name: str, frozen: bool, detached: bool) -> str:
    """A run in words."""
    return f'{name}, readout {"frozen" if frozen else "free"}, reset {"detached" if detached else "in the graph"}'


if __name__ == '__main__':
    from .network import measure
    from .surrogates import surrogates

    lines = [f' {json.dumps(said(*run))}: {json.dumps(of)}' for run, of in kept(measure, surrogates, anew=True).items()]
    FILE.write_text('{\n' + ',\n'.join(lines) + '\n}\n', encoding='utf-8')
