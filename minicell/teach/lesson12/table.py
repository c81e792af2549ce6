"""The table of lesson 12: 42 runs, measured by the notebook's own code when the lesson is made, and kept here.

    MINICELL_ANEW=1 python -m minicell.teach.build 12

measures all of them anew, and writes them beside this file. Without the switch a lesson reads what is kept: a class
should not wait for it. A test measures part of it again.
"""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from minicell.teach.train import bar

FILE = Path(__file__).with_name('table.json')
SWITCH = 'MINICELL_ANEW'  # set, a build measures anew, and keeps what it finds
SEEDS = 3


def kept(measure: Callable[[str, bool, int], float], names: Iterable[str], anew: bool = False) -> dict:
    """{(name, frozen): accuracy of each seed}. With anew=True all are measured now."""
    runs = [(name, frozen) for name in names for frozen in (False, True)]
    if not (anew or SWITCH in os.environ):
        found = json.loads(FILE.read_text(encoding='utf-8'))
        return {(name, frozen): found[f'{name}, {said(frozen)}'] for name, frozen in runs}
    every = bar([(*run, seed) for run in runs for seed in range(SEEDS)], of=SEEDS * len(runs))
    made: dict = {run: [] for run in runs}
    for name, frozen, seed in every:
        made[name, frozen].append(round(float(measure(name, frozen, seed)), 6))
    if SWITCH in os.environ:
        text = json.dumps({f'{name}, {said(frozen)}': of for (name, frozen), of in made.items()}, indent=1)
        FILE.write_text(text + '\n', encoding='utf-8')
    return made


def said(frozen: bool) -> str:
    """The readout, in a word."""
    return 'frozen' if frozen else 'free'
