"""The traps are set by whatever comes first, a Cell, a gradient or a Tape: an import does not wait for them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, errors, nn
from tests.messages import refused

ROOT = Path(__file__).resolve().parents[2]
BEGINS = {
    'grad': 'ms.grad(f)(x)',
    'value_and_grad': 'ms.value_and_grad(f)(x)',
    'vjp': 'ms.vjp(f, x)',
    'ops.grad': 'ops.grad(f)(x)',
    'GradOperation': 'ops.GradOperation()(f)(x)',
    'jacrev': 'ms.jacrev(f)(x)',
    'jvp': 'ms.jvp(f, x, x)',
    'Tape': 'with ms.Tape(): f(x)',
    'Cell': 'class Net(ms.nn.Cell): pass',
    'Dense': 'ms.nn.Dense(2, 2)',
    'jit': 'ms.jit(f)(x)',
    'a hook first': 'x.register_hook(lambda g: g); ms.grad(f)(x)',
    'a write first': 'x[0] = 3.0; ms.grad(f)(x)',
    'core.grad': 'from minicell.core.grad import grad; grad(f)(x)',
}


def fresh(program: str) -> str:
    """What this prints in a process of its own."""
    code = 'import sys\nimport minicell as ms\nfrom minicell import Tensor, ops\n' + program
    done = subprocess.run(
        [sys.executable, '-W', 'error', '-c', code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow  # each in a process of its own
@pytest.mark.parametrize('begins', BEGINS.values(), ids=BEGINS)
def test_whatever_comes_first_sets_them(begins):
    said = fresh(
        'f, x = (lambda x: (x * x).sum()), Tensor([1.0, 2.0])\n'
        "loaded = lambda: [name for name in sys.modules if name.startswith('minicell.traps.')]\n"
        'x * x\nx[0] = 5.0\nx.asnumpy()\nassert not loaded(), loaded()\n'
        f'{begins}\nprint(len(loaded()))\n'
        'from minicell.core.trap import joined\n'
        'ms.grad(f)(x); print(joined.acquire.__module__)'
    )
    count, acquire = said.splitlines()
    assert int(count) == len(list((ROOT / 'minicell/traps').glob('[!_]*.py')))
    assert acquire == 'minicell.traps.threads'


def test_the_first_gradient_already_notices():
    """The trap is not silent in a process whose very first gradient falls into it."""
    said = fresh(
        'import warnings\n'
        'def f(x):\n    y = ops.exp(x)\n    y[0] = 0.0\n    return y.sum()\n'
        'try:\n    ms.grad(f)(Tensor([1.0]))\nexcept ms.errors.IndexWriteError as error:\n    print(error)\n'
        "with warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n"
        '    ms.grad(lambda x: ops.log(x - x).sum())(Tensor([1.0]))\n'
        'print(*(each.category.__name__ for each in seen))'
    )
    assert 'in place' in said and 'NotANumberWarning' in said


@pytest.mark.slow
def test_two_threads_begin_at_once():
    said = fresh(
        'import threading\n'
        'sys.setswitchinterval(1e-6)\n'
        'gate, found = threading.Barrier(4), []\n'
        'def one(k):\n    gate.wait()\n    found.append(float(ms.grad(lambda x: x * x * k)(Tensor(3.0))) == 6.0 * k)\n'
        'each = [threading.Thread(target=one, args=(k,)) for k in range(4)]\n'
        '[t.start() for t in each]; [t.join() for t in each]\n'
        'from minicell.core.trap import joined\n'
        'print(sum(found), joined.acquire.__module__)'
    )
    assert said.split() == ['4', 'minicell.traps.threads']


@pytest.mark.slow
@pytest.mark.parametrize('first', ['pass', 'class Net(ms.nn.Cell): pass'], ids=['a gradient', 'a Cell'])
def test_another_thread_sets_them_and_the_one_that_imported_is_not_on_its_tape(first):
    """It computes with a Parameter that the gradient differentiates: a plain value for it, and no entry."""
    said = fresh(
        'import threading\n'
        'from minicell.core import tape\n'
        "w, ready, done = ms.Parameter(Tensor(2.0), name='w'), threading.Event(), threading.Event()\n"
        'def f(x):\n    y = x * w\n    ready.set(); done.wait(60)\n    return y * y\n'
        'found = []\n'
        f'def work():\n    {first}\n    found.append(ms.grad(f, 0, w)(Tensor(3.0)))\n'
        't = threading.Thread(target=work); t.start(); ready.wait(60)\n'
        'before = len(tape.entries); made = w * 7; print(made.at, len(tape.entries) - before)\n'
        'done.set(); t.join(); print(*map(float, found[0]))'
    )
    assert said.split() == ['-1', '0', '24.0', '36.0']


@pytest.mark.parametrize('shape', [(), (2,)])
def test_out_is_not_written_whatever_its_rank(shape):
    class Sets(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            out[...] = 1.0
            return (dout * 2,)

    x = Tensor(np.ones(shape, np.float32))
    with refused(errors.IndexWriteError, 'Sets.bprop', 'its out', 'x[i] = v'):
        ms.grad(lambda x: Sets()(x).sum())(x)
