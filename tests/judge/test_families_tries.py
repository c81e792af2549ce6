"""What check_bprop tries: large douts, one point twice, dtypes, batches, inputs made of each other; lesson 04."""

import random

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, ops
from minicell.teach.lesson04 import TRIALS
from minicell.teach.lesson04.hidden import HIDDEN, ROW
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, judged, members, read, weighed, words

pytestmark = JUDGE
X, Y, H = Tensor([0.5, -1.2, 2.0]), Tensor([3.0, 0.4, -1.5]), Tensor([0.5, -1.2, 2.0], ms.float16)
SINE = lambda s, x: ops.sin(x)
NOT_LINEAR = """
within 100 | x=X | ops.sin(x) | ops.cos(x) * ops.clip_by_value(dout, -100, 100)
within 30 | x=X | ops.sin(x) | ops.cos(x) * ops.clip_by_value(dout, -30, 30)
above -300 | x=X | ops.sin(x) | ops.cos(x) * ops.maximum(dout, -300 + 0 * dout)
no sign | x=X | ops.sin(x) | ops.cos(x) * ops.abs(dout)
half | x=X | ops.sin(x) | ops.cos(x) * ops.relu(dout)
by its norm | x=X | ops.sin(x) | ops.cos(x) * dout / ops.maximum(ops.norm(dout) / 100, 1 + 0 * dout)
saturated | x=X | ops.sin(x) | ops.cos(x) * 200 * ops.tanh(dout / 200)
forgotten | x=X | ops.sin(x) | ops.cos(x)
added to | x=X | ops.sin(x) | ops.cos(x) * (dout + 1e-3)
its mean | x=X | ops.sin(x) | ops.cos(x) * dout.mean()
turned | x=X | ops.sin(x) | ops.cos(x) * dout[::-1]
"""


@members(NOT_LINEAR, globals())
def test_a_bprop_that_does_not_pass_dout_on_is_wrong(row):
    assert not ms.check_bprop(made(*row[:2]), X).ok
    assert checked(SINE, lambda s, x, out, dout: (ops.cos(x) * dout,), X) == ['right']


@pytest.mark.parametrize(
    'draw', [np.random.rand, random.random, lambda: abs(float(ops.randn(1)[0])) / 1.3], ids=['NumPy', 'Python', 'ops']
)
def test_a_bprop_that_is_wrong_now_and_then_is_found(draw):
    np.random.seed(3), random.seed(3), ms.set_seed(3)
    sometimes = made(SINE, lambda s, x, out, d: (ops.cos(x) * d * (2.0 if draw() < 0.4 else 1.0),))
    assert [ms.check_bprop(sometimes, X).ok for _ in range(8) if draw() < 2] == [False] * 8


COARSE = """
told by dtype | x=H | ops.sin(x) | ops.cos(x) * dout * (2 if x.dtype == ms.float16 else 1)
told in Float32 | x=X | ops.sin(x) | ops.cos(x) * dout * (-1 if x.dtype == ms.float32 else 1)
overflow | x=H | ops.sin(x) | ops.cos(x) * (dout * 60000 * 60000 / 60000 / 60000)
underflow | x=H | ops.sin(x) | ops.cos(x) * (dout * 1e-5 * 1e-5 * 1e4 * 1e6)
absorbed | x=H | ops.sin(x) | ops.cos(x) * (dout + 4096 - 4096)
"""


@members(COARSE, globals())
def test_a_mistake_in_one_dtype_alone_is_found_there(row):
    construct, bprop, x = row
    assert not ms.check_bprop(made(construct, bprop), x).ok and judged(construct, bprop, x) == ['wrong']
    assert checked(construct, bprop, x.astype(ms.float64)) == ['right']
    assert checked(SINE, lambda s, x, out, dout: (ops.cos(x) * dout,), x) == ['right']


M, B = Tensor([[0.3, -1.0, 0.2], [0.7, 0.1, -0.5], [1.1, 0.4, -0.2]]), Tensor([0.1, -0.7, 1.3])
ONE, FOUR = (Tensor(np.random.default_rng(1).standard_normal((n, 3)).astype(np.float32)) for n in (1, 4))
BATCHES = """
mean forgotten | x=ONE | (x * x).sum(-1).mean() | 2 * x * dout | False
first row | x=ONE, b=B | x + b | dout, dout[0] | False
mean for sum | x=ONE, b=B | x + b | dout, dout.mean(0) | False
mean | x=ONE | (x * x).sum(-1).mean() | 2 * x * dout / len(x) | True
bias | x=ONE, b=B | x + b | dout, dout.sum(0) | True
no batch | x=ONE | x @ M.astype(x.dtype) @ x.T | dout @ x @ M.astype(x.dtype).T + dout.T @ x @ M.astype(x.dtype) | True
fixed shape | x=ONE | x.reshape(3, 1) | dout.reshape(1, 3) | True
fixed factor | x=FOUR | x * FOUR.astype(x.dtype) | dout * FOUR.astype(x.dtype) | True
"""


@members(BATCHES, globals(), also=(-1,))
def test_it_is_tried_with_a_batch_of_one_and_of_several(row):
    """And a Cell that takes no other batch is accused of nothing."""
    construct, bprop, due, *xs = row
    result = ms.check_bprop(made(construct, bprop), *xs)
    assert result.ok is due, repr(result)


DEPEND = {  # the second input is made of the first
    'same': lambda x: x,
    'twice it': lambda x: x * 2,
    'turned': lambda x: x[::-1],
    'view': lambda x: x[0:3],
    'memory': lambda x: Tensor(x.asnumpy()),
}


@pytest.mark.parametrize('name', DEPEND)
def test_inputs_that_depend_on_each_other_are_judged_each_by_itself(name):
    for factor, due in ((2, ['right', 'right']), (1, ['right', 'wrong'])):
        bprop = lambda s, x, y, out, dout, k=factor: (dout * y * y, dout * k * x * y)
        cell = made(lambda s, x, y: x * y * y, bprop)
        result = ms.check_bprop(cell, X, DEPEND[name](X))
        assert [(r.name, r.verdict) for r in result.rows] == [*zip('xy', due, strict=True)], repr(result)
        if name != 'memory':
            assert words(read(lambda x, c=cell: weighed(c)(x, DEPEND[name](x)), X)) == due


def test_a_parameter_that_is_an_input_too():
    for factor, due in ((1, 'right'), (3, 'wrong')):
        w = Parameter(Y, name='w')
        bprop = lambda s, x, out, dout, k=factor: ((dout * s.w,), {s.w: dout * x * k})
        cell = made(lambda s, x: x * s.w, bprop)
        cell.w, cell.internal_params = w, [w]
        assert [r.verdict for r in ms.check_bprop(cell, w).rows] == ['right', due]
        assert [r.verdict for r in ms.check_bprop(cell, Tensor(w.asnumpy())).rows] == ['right', due]


def test_a_sens_that_is_given_is_tried():
    bprop = lambda s, x, out, dout: (ops.cos(x) * dout,)
    (row,) = ms.check_bprop(made(SINE, bprop), X, sens=Tensor([1.0, 0.0, 0.0])).rows
    np.testing.assert_allclose(row.due, [np.cos(0.5), 0, 0], rtol=1e-5, atol=1e-9)
    assert (row.cell, row.verdict, row.by) == ('Mine', 'right', 'rules and differences') and row.off < 1e-6


@pytest.mark.parametrize('name', HIDDEN)
def test_the_exam_of_the_lesson_on_checks(name):
    assert ms.check_bprop(HIDDEN[name].cell([], []), Tensor(ROW)).ok is HIDDEN[name].right


def test_the_exam_is_passed_as_a_learner_would():
    assert TRIALS['4c'](lambda cell, x: bool(ms.check_bprop(cell, Tensor(x)))).passed
