"""How time and memory of minicell grow with the length of a chain: `python tests/bench/scale.py [LENGTH ...]`.

Each length runs in a process of its own, because a process never gives back its peak. Memory is the peak of the process
(VmHWM) less the peak before the chain; both times are of one gradient, forward and back.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)


def peak() -> int:
    """The most bytes that this process has held; 0 where the system does not say (not Linux)."""
    try:
        status = Path('/proc/self/status').read_text()
    except OSError:
        return 0
    return int(next(line for line in status.splitlines() if line.startswith('VmHWM')).split()[1]) * 1024


def measure(length: int, way: str) -> dict:
    """In the child: a gradient through a chain of this many ops, in one of the ways of this folder."""
    from tests.bench import problems

    x = problems.chain(length)
    way = importlib.import_module(f'tests.bench.{way}')
    slope = way.chain(x)

    def once(n: int) -> tuple[float, object]:
        """Seconds, the least of a few for short chains, which a busy machine would make look slow; and the slope."""
        took = []
        for _ in range(n):
            start = time.process_time()
            found = slope()
            took.append(time.process_time() - start)
        return min(took), found

    before = peak()
    if length <= 10_000:
        once(2)  # fills caches
    seconds, found = once(5 if length <= 10_000 else 1)
    return {
        'length': length,
        'seconds': seconds,
        'bytes': peak() - before,
        'slope': way.numbers(found)[0].tolist(),
        'limit': sys.getrecursionlimit(),
    }


def fresh(length: int, way: str = 'minicell_way') -> dict:
    """`measure` in a process of its own, with one thread."""
    code = f'import json; from tests.bench.scale import measure; print(json.dumps(measure({length}, {way!r})))'
    env = {**os.environ, 'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', 'PYTHONPATH': str(ROOT)}
    ran = subprocess.run([sys.executable, '-c', code], env=env, capture_output=True, text=True, check=False, cwd=ROOT)
    if ran.returncode:
        raise RuntimeError(f'a chain of {length} ops by {way} failed:\n{ran.stderr}')
    return json.loads(ran.stdout)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('lengths', nargs='*', type=int, default=LENGTHS, metavar='LENGTH')
    print(f'{"ops":>10}  {"seconds":>9}  {"µs an op":>9}  {"MB":>8}  {"bytes an op":>11}')
    for length in parser.parse_args().lengths:
        got = fresh(length)
        n, seconds, held = got['length'], got['seconds'], got['bytes']
        each = f'{held / n:11.0f}' if held else f'{"-":>11}'
        print(f'{n:>10,}  {seconds:>9.4f}  {seconds / n * 1e6:>9.2f}  {held / 2**20:>8.1f}  {each}')


if __name__ == '__main__':
    main()
