"""`import minicell` brings NumPy, nothing else from outside, and costs a fifth of what NumPy costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARE, TRIES = 1 / 5, 15

PROBE = f"""
import json, sys, time
sys.path.insert(0, {str(ROOT)!r})
start = time.perf_counter()
import numpy
yardstick = time.perf_counter() - start
before, start = set(sys.modules), time.perf_counter()
import minicell
share = (time.perf_counter() - start) / yardstick
print(json.dumps([share, minicell.__file__, sorted(set(sys.modules) - before)]))
"""


def fresh_import() -> tuple[float, str, list[str]]:
    """Import minicell after NumPy in a process of its own: share of NumPy's time, file, and the modules it brings."""
    # the compiled files of the first try serve the next ones, as they do a user's
    env = {name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'}
    done = subprocess.run([sys.executable, '-c', PROBE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tuple(json.loads(done.stdout))


def test_it_brings_nothing_from_outside():
    _, file, modules = fresh_import()
    assert Path(file).parent == ROOT / 'minicell', 'another minicell was imported'
    foreign = {name.partition('.')[0] for name in modules} - sys.stdlib_module_names - {'numpy', 'minicell'}
    assert not foreign, f'import minicell brings {sorted(foreign)}'


@pytest.mark.slow
def test_it_is_quick_beside_numpy():
    shares = []
    while len(shares) < TRIES and min(shares, default=1) >= SHARE:  # other work on the machine only slows it
        shares.append(fresh_import()[0])
    assert min(shares) < SHARE, f'at best {min(shares):.2f} of the time of NumPy: {shares}'
