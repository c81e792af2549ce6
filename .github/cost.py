"""What one reads of the core for a takeover, and what an op pays when nobody wants a gradient.

`.venv/bin/python .github/cost.py` prints both. Read is the source of each function of the core that `ms.grad` of one
takeover enters, where a function inside another counts with that.
"""

import inspect
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import minicell as ms  # noqa: E402
from minicell import Tensor, ops  # noqa: E402

CORE = ROOT / 'minicell/core'


class Cube(ms.nn.Cell):
    """x * x * x, and its own bprop."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (dout * 3 * x * x,)


def entered(act: Callable) -> Counter:
    """How many lines of each file of the core are the source of what `act` enters."""
    codes = set()

    def seen(frame, event, of):
        if event == 'call' and Path(frame.f_code.co_filename).parent == CORE:
            codes.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
    lines = set()
    for code in codes:
        source, first = inspect.getsourcelines(code)
        lines |= {(Path(code.co_filename).name, first + k) for k in range(len(source))}
    return Counter(file for file, _ in lines)


def takeover() -> Counter:
    """The same for the gradient of one takeover, from its first call."""
    x, net = Tensor([1.0, 2.0]), Cube()
    return entered(lambda: ms.grad(net)(x))


def nanoseconds(*functions: Callable, times: int = 200, rounds: int = 50) -> list[float]:
    """The least time of each for one call, by turns."""
    best = [float('inf')] * len(functions)
    for _ in range(rounds):
        for k, f in enumerate(functions):
            began = time.perf_counter_ns()
            for _ in range(times):
                f()
            best[k] = min(best[k], (time.perf_counter_ns() - began) / times)
    return best


def prices() -> dict[str, float]:
    """Of NumPy's kernel and of the op around it, in nanoseconds; with nobody who wants a gradient."""
    x = Tensor(np.ones(3, np.float32))
    a = x.array
    calls = {
        'np.tanh(a)': lambda: np.tanh(a),
        'ops.tanh(x)': lambda: ops.tanh(x),
        'np.add(a, a)': lambda: np.add(a, a),
        'x + x': lambda: x + x,
    }
    return dict(zip(calls, nanoseconds(*calls.values()), strict=True))


if __name__ == '__main__':
    read, took = takeover(), prices()
    if '--json' in sys.argv:
        print(json.dumps((read, took)))
    else:
        print(*(f'{lines:4} lines of {file}' for file, lines in read.most_common()), sep='\n')
        print(f'{read.total():4} lines of {len(read)} files are read for a takeover\n')
        print(*(f'{each:4.0f} ns  {name}' for name, each in took.items()), sep='\n')
