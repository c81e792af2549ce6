"""A gradient of a gradient beside the one without any bprop, held against programs whose bprops were taken out."""

import random

import numpy as np
import pytest

import minicell as ms
from minicell.core.watch import Begin
from minicell.judge import judged as tell
from minicell.replay import nested
from tests.messages import tells
from tests.view.gallery import tape_of

HEAD = """
class Autodiff(nn.Cell):
    def __init_subclass__(cls):
        if 'bprop' in vars(cls):
            del cls.bprop
"""
RIGHT = {
    'ops.sin(x)': 'ops.cos(x) * dout', 'x * x': '2 * x * dout', 'ops.exp(x * 0.3)': '0.3 * out * dout',
    'inner(x) * x': 'ms.vjp(lambda t: inner(t) * t, x)[1](dout)[0]', 'x * x + x.sum()': '2 * x * dout + dout.sum()',
}  # fmt: skip
BPROPS = (
    'dout * 3', 'x + 1', 'ms.Tensor(np.cos(x.asnumpy())) * dout', 'dout * out',
    'ms.grad(lambda t: (t * t * dout).sum())(x)', 'ops.stop_gradient(x) * dout', 'dout',
)  # fmt: skip
FUNCTIONS = (
    'cell(x).sum()',
    '(cell(x) * x).sum()',
    '(cell(x * x) * 3).sum()',
    'cell(cell(x)).sum() + (x * x * x).sum()',
)
DRIVERS = (
    'ms.grad(lambda x: ms.grad(f)(x).sum())(x)',
    'ms.grad(lambda x: (ms.grad(f)(x) * x).sum())(x)',
    'ms.grad(lambda x: ms.grad(lambda x: (ms.grad(f)(x) ** 2).sum())(x).sum())(x)',
    'ms.grad(lambda x: (ms.value_and_grad(f)(x)[1] ** 2).sum() + f(x))(x)',
    'ms.grad(lambda: (ms.grad(f)(x * w) ** 2).sum(), None, [w])()',
    'ms.grad(lambda x: (ms.grad(f)(x) * f(x)).sum(), 0)(x)',
    'ms.grad(lambda x: ms.grad(lambda: (f(x * w) * w).sum(), None, [w])()[0].sum())(x)',
)  # fmt: skip


def program(seed):
    """The text of a program in which a gradient passes a bprop and is differentiated again."""
    dice = random.Random(seed)
    cells = []
    for k in range(2):
        body = dice.choice(list(RIGHT)[: 3 + 2 * k])
        bprop = dice.choice((*BPROPS, *[RIGHT[body]] * len(BPROPS)))
        own = [f'    def bprop(self, x, out, dout):\n        return ({bprop},)'] * (k or dice.random() < 0.6)
        cells += [f'class Cell{k}(nn.Cell):\n    def construct(self, x):\n        return {body}', *own]
    ends = 'inner, cell = Cell0(), Cell1()\nx = ms.Tensor([0.5, -1.0, 0.8])\nw = ms.Parameter(x + 1, name="w")'
    f = f'def f(x):\n    return {dice.choice(FUNCTIONS)}'
    return '\n'.join([*cells, ends, f, f'with ms.Tape() as tape:\n    {dice.choice(DRIVERS)}']) + '\n'


def verdicts(text, name):
    """The pass of the outermost gradient."""
    record = tell(tape_of(text, name))
    assert not record.unknown
    return next(run for run in record.passes if run.order == 1)


ONES = [pytest.param(seed, marks=[] if seed < 40 else pytest.mark.slow) for seed in range(150)]


@pytest.mark.parametrize('seed', ONES)
def test_it_is_the_gradient_of_the_same_program_without_its_bprops(seed):
    text = program(seed)
    run = verdicts(text, f'again{seed}')
    twin = verdicts(HEAD + text.replace('nn.Cell)', 'Autodiff)'), f'twin{seed}')
    for g, true, own in zip(run.verdicts, twin.arrivals, run.arrivals, strict=True):
        assert g.due is not None, g.why
        np.testing.assert_allclose(g.due, true.total.data, rtol=1e-4, atol=1e-4)
        assert g.ok is bool(
            np.allclose(own.total.data, true.total.data, rtol=1e-4, atol=1e-4 * max(1, np.abs(g.due).max()))
        )


def test_right_and_wrong_ones_are_among_them():
    found = [g.ok for seed in range(40) for g in verdicts(program(seed), f'kinds{seed}').verdicts]
    assert 5 < sum(found) < len(found) - 5


REASONS = {  # by a telling word or two of what is said
    'a hook': """
        def f(x):
            y = Sin()(x)
            y.register_hook(lambda g: 2 * g)
            return y
        ms.grad(ms.grad(f))(x)
    """,
    'writes into memory': """
        w = ms.Parameter(x * 1, name='w')
        def f(x):
            ops.assign(w, x)
            return Sin()(x)
        ms.grad(ms.grad(f))(x)
    """,
    'takes numbers out': """
        class By(Sin):
            def construct(self, x):
                return ms.Tensor(np.sin(x.asnumpy()))
        ms.grad(ms.grad(By()))(x)
    """,
    'cannot be followed': """
        ms.grad(ms.grad(ms.jit(lambda x: Sin()(x))))(x)
    """,
}
SIN = """
class Sin(nn.Cell):
    def construct(self, x):
        return ops.sin(x)
    def bprop(self, x, out, dout):
        return (ops.cos(x) * dout,)
x = ms.Tensor(0.5)
with ms.Tape() as tape:
"""


@pytest.mark.parametrize('why', REASONS)
def test_what_cannot_be_run_again_says_why(why):
    run = verdicts(
        SIN + REASONS[why].rstrip().removeprefix('\n').replace('        ', '    ', 1).replace('\n    ', '\n'), why
    )
    assert len(run.verdicts) == len(run.arrivals) > 0
    for g in run.verdicts:
        tells(g.why, why)
    assert {g.verdict for g in run.verdicts} == {'unknown'}


READ = {'jvp': 'ms.jvp(Sin(), x, x)', 'jacfwd': 'ms.jacfwd(Sin())(x)', 'hessian': 'ms.jacfwd(ms.grad(Sin()))(x)'}
READ |= {'vjp, read twice': 'pull = ms.vjp(lambda x: ms.grad(Sin())(x), x)[1]; pull(x); pull(x * 2)'}


@pytest.mark.parametrize('construct', ['ops.sin(x)', 'ms.grad(lambda t: 2 - ops.cos(t))(x)'])
@pytest.mark.parametrize('how', READ)
def test_what_is_read_later_or_along_a_direction_is_judged_too(how, construct):
    sin = SIN.replace('ops.sin(x)', construct)
    for text, due in ((sin, {'right'}), (sin.replace('(ops.cos(x) * dout,)', '(dout * 3 * x,)'), {'wrong'})):
        tape = tape_of(f'{text}    {READ[how]}\n', how)
        told = [v for run in tell(tape).passes for v in run.verdicts]
        assert {v.verdict for v in told} == due
        assert str(tape).splitlines()[-len(told) :] == [f'of the gradient of a gradient: {v}' for v in told]


def test_a_program_that_is_too_long_is_not_run_again(monkeypatch):
    monkeypatch.setattr(nested, 'MOST', 5)
    run = verdicts(f'{SIN}    ms.grad(ms.grad(Sin()))(x)\n', 'long')
    tells(run.verdicts[0].why, 'too long')


def test_values_are_those_of_then():
    text = SIN.replace('ms.Tensor(0.5)', 'ms.Parameter(ms.Tensor(0.5), name="x")')
    run = verdicts(f'{text}    ms.grad(lambda: ms.grad(Sin())(x), None, [x])()\nx.set_data(ms.Tensor(2.0))\n', 'then')
    assert run.verdicts[0].due == pytest.approx(-np.sin(0.5))


def test_without_a_bprop_or_a_second_gradient_nothing_is_compared():
    assert verdicts(f'{SIN}    ms.grad(Sin())(x)\n', 'once').verdicts == ()
    assert verdicts(f'{SIN}    ms.grad(ms.grad(ops.sin))(x)\n', 'none').verdicts == ()


def test_nothing_of_it_stands_on_a_tape():
    with ms.Tape() as tape:
        ms.grad(ms.grad(lambda x: x * x))(ms.Tensor(2.0))
    key = next(e.of for e in tape.events if isinstance(e, Begin))
    with ms.Tape() as outer:
        assert nested.without_bprops(tape, key) == [[2.0]]
    assert outer.events == []
