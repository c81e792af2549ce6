"""Looking changes nothing: attributes, Parameters, generators, what is printed; what cannot be undone is unknown."""

import datetime
import os
import random
import time
from collections import Counter

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, judged, read, words

pytestmark = JUDGE
X = Tensor([0.3, 1.2])
LOG: list = []
sine = lambda x: Tensor(np.sin(x.asnumpy()))


class Busy(nn.Cell):
    """construct changes all that a Cell may hold, and has to be called again, since NumPy computes."""

    def __init__(self, factor):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name='w', requires_grad=False)
        self.kept, self.list, self.number, self.factor = np.zeros(2), [1], 0, factor
        self.options, self.rng, self.tally = {'a': {'b': 1}}, np.random.default_rng(5), Counter()
        self.inner = nn.BatchNorm1d(2)

    def construct(self, x):
        self.number += 1
        self.list.append(self.number)
        self.kept += 1
        self.options['a']['b'] *= 2
        self.options[self.number] = x.asnumpy()
        self.tally.update('a')
        self.w.requires_grad = not self.w.requires_grad
        self.w.set_data(self.w + 1)
        self.last = x
        self.inner(ops.stack([x.astype(ms.float32), x.astype(ms.float32) + 1]))
        LOG.append(self.number)
        print('construct', self.rng.random(), np.random.rand(), random.random(), ops.randn(1))
        return sine(x)

    def bprop(self, x, out, dout):
        return (self.factor * ops.cos(x) * dout,)


def seen(cell) -> list[str]:
    """All of that as text, with dtypes, and the states of the generators."""
    held = vars(cell), [(p, p.asnumpy()) for p in cell.get_parameters()], cell.rng.bit_generator.state, LOG
    return [*map(repr, held), repr(np.random.get_state()), repr(random.getstate())]


@pytest.mark.parametrize('factor', [1, -1])
def test_the_judge_leaves_everything_as_it_was(factor, capsys):
    cell = Busy(factor)
    tape = read(cell, X)
    capsys.readouterr()
    before, ids = seen(cell), {k: id(v) for k, v in vars(cell).items()}
    looks = (tape.verdicts, lambda: str(tape), lambda: tape.why('dx', 0), lambda: ms.check_bprop(cell, X))
    for look in (*looks, lambda: ms.check_bprop(cell, X.astype(ms.float16), order=2)):
        look()
        assert seen(cell) == before
    assert {k: id(v) for k, v in vars(cell).items()} == ids and capsys.readouterr() == ('', '')
    assert words(tape) in (['right' if factor == 1 else 'wrong'], ['unknown'])
    assert cell(X).dtype == cell.w.dtype == ms.float32


def test_the_generator_of_ops_goes_on_as_if_nobody_had_looked():
    cell = made(lambda s, x: x * ops.randn(2) + sine(x), lambda s, x, out, dout: (dout,))

    def drawn(look):
        ms.set_seed(7)
        tape = read(cell, X)
        if look:
            tape.verdicts(), str(tape), tape.why('dx', 0), ms.check_bprop(cell, X)
        return ops.randn(3).asnumpy().tolist()

    assert drawn(True) == drawn(False)


WRITERS = {
    'open': lambda p: print('called', file=(f := open(p, 'a'))) or f.close(),  # noqa: SIM115
    'pathlib': lambda p: p.write_text('called\n' + (p.read_text() if p.exists() else '')),
    'array': lambda p: np.full(7, len(p.read_bytes()) if p.exists() else 0, np.int8).tofile(p),
    'shell': lambda p: os.system(f'echo called >> {p}'),
}


@pytest.mark.parametrize('name', WRITERS)
def test_who_writes_a_file_is_unknown_and_writes_it_once(name, tmp_path):
    for factor in (1, -1):
        path = tmp_path / f'log{factor}'
        construct = lambda s, x, p=path: (WRITERS[name](p), sine(x))[1]
        bprop = lambda s, x, p, out, dout, f=factor: (f * ops.cos(x) * dout, None)
        tape = read(made(construct, bprop), X)
        once = path.read_bytes()
        (v,) = tape.verdicts()
        assert (v.verdict, v.due, v.mistake, v.ok) == ('unknown', None, '', False) and v.why
        assert 'agrees' not in str(tape.why('dx', 0))
        tape.save(tmp_path / 'page.html')
        assert '✓' not in (tmp_path / 'page.html').read_text() and path.read_bytes() == once
        assert checked(construct, bprop, X) == ['unknown']


CLOCKS = {
    'time': lambda: time.time(),
    'counter': lambda: time.perf_counter(),
    'datetime': lambda: datetime.datetime.now().timestamp(),
    'nanoseconds': lambda: time.monotonic_ns() * 1e-9,
}


@pytest.mark.parametrize('name', CLOCKS)
def test_who_reads_a_clock_is_unknown(name):
    construct = lambda s, x: Tensor((np.sin(x.asnumpy()) * CLOCKS[name]()).astype(x.asnumpy().dtype))
    for factor in (1, -1):
        bprop = lambda s, x, out, dout, f=factor: (f * ops.cos(x) * dout * CLOCKS[name](),)
        assert judged(construct, bprop, X) == checked(construct, bprop, X) == ['unknown']


def test_an_error_of_construct_is_its_own():
    def construct(s, x):
        if abs(x.asnumpy()[0] - 0.3) > 1e-7:
            raise KeyError('mine')
        return sine(x)

    bprop = lambda s, x, out, dout: (ops.cos(x) * dout,)
    assert judged(construct, bprop, X) == ['unknown']
    with pytest.raises(KeyError, match='mine'):
        ms.check_bprop(made(construct, bprop), X + 1)


ASKS = {  # a gradient of z³ that construct asks for
    'grad': lambda x: ms.grad(lambda z: (z**3).sum())(x),
    'value_and_grad': lambda x: ms.value_and_grad(lambda z: (z**3).sum())(x)[1],
    'vjp': lambda x: ms.vjp(lambda z: z**3, x)[1](ops.ones_like(x))[0],
    'jvp': lambda x: ms.jvp(lambda z: z**3, x, ops.ones_like(x))[1],
    'jacfwd': lambda x: ms.jacfwd(lambda z: z**3)(x).sum(0),
}


@pytest.mark.parametrize('name', ASKS)
def test_a_gradient_that_construct_asks_for(name):
    for slope, due in ((6, 'right'), (-5, 'wrong')):
        cell = made(lambda s, x: ASKS[name](x), lambda s, x, out, dout, k=slope: (k * x * dout,))
        tape = read(cell, X)
        assert [v.verdict for v in tape.verdicts() if v.asked and v.cell == 'Mine'] == [due]
        assert ('agrees' in str(tape.why('dx', 0))) is ms.check_bprop(cell, X).ok is (due == 'right')
