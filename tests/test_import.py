"""`import minicell` brings NumPy, little more, and costs little more."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 10  # milliseconds over NumPy's, on a machine that imports NumPy in
NUMPY = 50  # milliseconds; a slower one, or one that is busy, gets as much more
TRIES = 15

PROBE = f"""
import json, sys, time
sys.path.insert(0, {str(ROOT)!r})
start = time.perf_counter()
import numpy
yardstick = (time.perf_counter() - start) * 1000
before, start = set(sys.modules), time.perf_counter()
import minicell
cost = (time.perf_counter() - start) * 1000
print(json.dumps([cost / max(1, yardstick / {NUMPY}), minicell.__file__, sorted(set(sys.modules) - before)]))
"""


def fresh_import() -> tuple[float, str, list[str]]:
    """Import minicell after NumPy in a process of its own: milliseconds, file, and the modules that came with it.

    The milliseconds are those of a machine that imports NumPy in NUMPY: both are measured in the same run.
    """
    # the compiled files of the first try serve the next ones, as they do a user's
    env = {name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'}
    done = subprocess.run([sys.executable, '-c', PROBE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tuple(json.loads(done.stdout))


def test_import_is_light_and_quick():
    costs = []
    while len(costs) < TRIES and min(costs, default=LIMIT) >= LIMIT:  # other work on the machine only slows it
        cost, file, modules = fresh_import()
        costs.append(cost)
    assert Path(file).parent == ROOT / 'minicell', 'another minicell was imported'
    foreign = {name.partition('.')[0] for name in modules} - sys.stdlib_module_names - {'numpy', 'minicell'}
    assert not foreign, f'import minicell brings {sorted(foreign)}'
    print(f'import minicell: {min(costs):.1f} ms after numpy, {len(modules)} modules')
    assert min(costs) < LIMIT, f'{min(costs):.1f} ms at best of {len(costs)}: {costs}'
