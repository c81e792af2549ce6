"""What writes, kept gradients and what a bprop reads cost: counts of calls and bytes, and ratios in one run."""

import gc
import time
import tracemalloc

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, ops
from minicell.core.watch import holders
from minicell.traps.written import Observed
from minicell.traps.written import trap as written
from tests.core.cells import made

X = Tensor([1.0, 2.0, 3.0])
half = made(lambda self, x: x * 0.5, lambda self, x, out, dout: (dout * 0.5,), name='Half')


def seconds(*functions, rounds=7) -> list[float]:
    """The least CPU time of each, by turns."""
    best = [float('inf')] * len(functions)
    for _ in range(rounds):
        for k, f in enumerate(functions):
            began = time.process_time()
            f()
            best[k] = min(best[k], time.process_time() - began)
    return best


def grown(f) -> float:
    """How many megabytes are left when f has run, and f's result."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = f()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / 1e6, kept
    finally:
        tracemalloc.stop()


def writes(tensor, times):
    for _ in range(times):
        tensor[0] = 1.0


def test_a_write_beside_a_kept_back_costs_the_same_however_many_there_were():
    kept = [ms.vjp(lambda x: x * x, X)[1] for _ in range(100)]
    t = Tensor([0.0])
    first, *_ = seconds(lambda: writes(t, 200))
    writes(t, 5000)
    later, *_ = seconds(lambda: writes(t, 200))
    del kept
    alone, *_ = seconds(lambda: writes(t, 200))
    assert later < 3 * first and later < 5 * alone


@pytest.mark.parametrize('times', [10, 50])
def test_what_is_written_beside_a_kept_back_is_not_kept(times):
    kept = [ms.vjp(lambda x: x * x, X)[1]]

    def many():
        for _ in range(times):
            Tensor(np.zeros(100_000, np.float32))[0] = 1.0

    before = len(written.since)  # of what others keep
    more, _ = grown(many)
    assert more < 0.2 and len(written.since) < before + 5, (more, kept)
    assert kept[0](X)[0].shape == (3,)


def test_kept_tapes_are_asked_of_their_own_memory_alone():
    tapes = []
    for _ in range(50):
        with ms.Tape() as tape:
            ms.grad(lambda x: (x * x).sum())(X)
        tapes.append(tape)
    t = Tensor([0.0])
    t[0] = 1.0
    assert not holders & set(tapes)
    asked = []
    ms.Tape.keep, keep = lambda self, root: asked.append(self), ms.Tape.keep
    try:
        writes(t, 10)
    finally:
        ms.Tape.keep = keep
    assert not asked
    before = len(written.tapes)
    del tapes, tape
    gc.collect()
    assert len(written.tapes) < before, 'a Tape that is gone leaves nothing'


def test_a_kept_tape_still_has_the_numbers_of_then():
    w = Parameter(Tensor([2.0]), 'w')
    with ms.Tape() as tape:
        y = w * 3
    for value in 5.0, 6.0:
        w.set_data(Tensor([value]))
    (op,) = tape.events
    assert tape.value(op.inputs[0], op.at).tolist() == [2.0] and y.tolist() == [6.0]


def test_a_training_step_beside_kept_backs():
    w = Parameter(Tensor([1.0, 2.0, 3.0]), 'w')

    def step():
        for _ in range(30):
            ops.assign_sub(w, ms.grad(lambda x: (x * w).sum(), None, w)(X) * 0.0)

    few = [ms.vjp(lambda x: x * x, X)[1] for _ in range(2)]
    beside_few, *_ = seconds(step)
    many = [ms.vjp(lambda x: x * x, X)[1] for _ in range(300)]
    beside_many, *_ = seconds(step)
    assert beside_many < 2 * beside_few, (few, many)


def test_gradients_inside_a_construct_free_what_nobody_can_read():
    big, seen = Tensor(np.ones(100_000, np.float32)), []

    def construct(self, x):
        return sum(ms.grad(lambda t: (t * t).sum())(x) for _ in range(20))

    net = made(construct, lambda self, x, out, dout: (dout * 40,))

    def f(x):
        more, y = grown(lambda: net(x))
        seen.append(more)
        return y.sum()

    assert ms.grad(f)(big)[0] == 40 and seen[0] < 2, seen  # 20 of them kept 0.4 MB each


def test_what_was_written_before_is_asked_of_nothing():
    """And of what was written later, only what backward may read: an op asks for what it was given."""
    t, asked = Tensor([0.0, 0.0, 0.0]), []

    def f(x, first, last, ops_only):
        writes(t, first)
        for _ in range(100):
            x = x * 0.5 if ops_only else half(x)
        writes(t, last)
        return x.sum()

    vjp = Observed.vjp
    Observed.vjp = lambda self, *given: asked.append(self.name) or vjp(self, *given)
    try:
        for first, last, ops_only, due in (1, 0, False, 0), (0, 1, True, 0), (0, 1, False, 100), (0, 0, False, 0):
            asked.clear()
            ms.grad(lambda x, *how: f(x, *how))(X, first, last, ops_only)
            assert len(asked) == due
    finally:
        Observed.vjp = vjp


def test_one_write_among_many_takeovers():
    """Each is observed, however many names its module has: not four times as dear as none."""
    space = {'half': half, 't': Tensor([0.0]), **{f'n{k}': k for k in range(20_000)}}
    text = 'for _ in range(300):\n        x = half(x)\n    t[0] = 1.0\n    return x.sum()'
    exec(f'def f(x):\n    {text}', space)
    ask = lambda written: ms.grad(space['f'] if written else many)(X)

    def many(x):
        for _ in range(300):
            x = half(x)
        return x.sum()

    none, one = seconds(lambda: ask(False), lambda: ask(True))
    assert one < 4 * none


@pytest.mark.parametrize('read', ['float(s.has[0])', 's.has[5]'], ids=['an array', 'a key'])
def test_what_a_bprop_reads_costs_the_same_however_large_it_is(read):
    def net(n):
        cell = made(lambda self, x: x * 2, eval(f'lambda s, x, out, dout: (dout * 2 * {read},)'))
        cell.has = np.ones(n, np.float32) if 'float' in read else dict.fromkeys(range(n), 1.0)
        return cell

    small, large = net(2_000), net(100 * 2_000)
    ask = lambda net: ms.grad(lambda x: net(net(net(net(x)))).sum())(X)
    a, b = seconds(lambda: ask(small), lambda: ask(large))
    assert b < 3 * a
