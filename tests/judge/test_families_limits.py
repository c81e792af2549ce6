"""Where the numbers themselves set a limit: dtypes that no name gives, huge neighbours, searches with a tolerance."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, judged, members

pytestmark = JUDGE
MANY = Tensor(np.random.default_rng(0).standard_normal(200), ms.float32)
X, ONE, TINY = Tensor([0.3, -0.7, 1.1]), Tensor([1.0, 2.0]), Tensor([1e-25, -2e-25])
KIND, LIKE = np.dtype(np.float32), np.ones(2, np.float32)
TYPED = """
letter | x=MANY | Tensor(np.sin(x.asnumpy()).astype(np.dtype('f')))
global | x=MANY | Tensor(np.sin(x.asnumpy()).astype(KIND))
of an array | x=MANY | Tensor(np.sin(x.asnumpy()).astype(LIKE.dtype))
text | x=MANY | Tensor(np.array(np.sin(x.asnumpy()), '<f4'))
attribute | x=MANY | Tensor(np.sin(x.asnumpy()).astype(s.kind))
"""


@members(TYPED, globals())
def test_float32_is_seen_in_float64_whoever_says_so(row):
    construct, x = row
    for factor, due in ((1, 'right'), (1.3, 'wrong')):
        k = Tensor(np.where(np.arange(200) == 7, factor, 1), ms.float32)
        bprop = lambda s, x, out, dout, k=k: (dout * ops.cos(x) * k,)
        cell = made(construct, bprop, kind=np.float32)
        assert [row.verdict for row in ms.check_bprop(cell, x).rows] == [due]
        assert cell.kind is np.float32 and LIKE.dtype == KIND


def fixed(x, least, np):
    """z = tanh(z / 2 + x), by as many steps as it takes."""
    z, last = np.tanh(x), 0 * x
    while np.abs(z - last).max() > least:
        z, last = np.tanh(0.5 * z + x), z
    return z


def root(x):
    """y³ + y = x."""
    y = 0 * x
    while abs(y**3 + y - x).max() > 1e-4:
        y = y - (y**3 + y - x) / (3 * y * y + 1)
    return y


def positive(x):
    """The log, of what is positive alone."""
    if (x <= 0).any():
        raise ValueError('a positive number, please')
    return np.log(x)


def fast(x):
    """1/√x, from the bits of x."""
    x = x.astype(np.float32)
    y = (0x5F3759DF - (x.view(np.int32) >> 1)).view(np.float32)
    for _ in range(3):
        y = y * (1.5 - 0.5 * x * y * y)
    return y


def between(x):
    """The table at x, which no integer outside of it finds."""
    k = int(np.floor(x.asnumpy()[0]))
    return MANY[:5][k] * (1 - x[0] + k) + MANY[:5][k + 1] * (x[0] - k)


MIXED, SHORT = Tensor([1e-25, 1.0, -2e-25, 3.0]), Tensor([0.25, 0.125, 0.0625, 0.375, 0.1875])
BRIGHT, AT, HUGE = Tensor([0.5, 2.0, 1.2]), Tensor([2.3]), Tensor([1e15, -2e15, 1.0, 3e14])
step = lambda x: MANY[:5].asnumpy()[int(x.asnumpy()[0]) + 1] - MANY[:5].asnumpy()[int(x.asnumpy()[0])]
flipped = lambda t: t * Tensor([1.0, 1.0, -1.0, 1.0], t.dtype)
faint = lambda t: Tensor(1e-40, t.dtype)
half = lambda t: t.astype(ms.float16)
LIMITS = """
beside 1 | x=TINY, y=ONE | 2 * x + y | 2 * dout, dout | 2.1 * dout, dout
added to 1 | x=TINY, y=ONE | (3 * x + 1) * y | 3 * dout * y, dout * out / y | 3 * dout, dout * out / y
beside a square | x=TINY, y=ONE | x + y * y | dout, 2 * y * dout | dout * 1.02, 2 * y * dout
in NumPy | x=X | Tensor(fixed(x.asnumpy(), 1e-4, np)) | dout / (1 / (1 - out * out) - 0.5) | dout * (1 - out * out)
by ops | x=X | fixed(x, 1e-4, ops) | dout / (1 / (1 - out * out) - 0.5) | 1.05 * dout / (1 / (1 - out * out) - 0.5)
Newton | x=X | Tensor(root(x.asnumpy())) | dout / (3 * out * out + 1) | 1.05 * dout / (3 * out * out + 1)
mask in NumPy | x=X | x * Tensor(1 * (x.asnumpy() >= np.sort(x.asnumpy())[-2]), x.dtype) | dout * (out != 0) | dout
short numbers | x=SHORT | Tensor(-np.cos(x.asnumpy())) | dout * ops.sin(x) | dout * x
tiny beside others | x=MIXED | Tensor(np.sin(x.asnumpy())) | dout * ops.cos(x) | flipped(dout * ops.cos(x))
tiny squares | x=MIXED | Tensor(x.asnumpy() ** 2) | 2 * x * dout | flipped(2 * x * dout)
the same by ops | x=MIXED | x * x | 2 * x * dout | flipped(2 * x * dout)
no tiny one | x=MIXED | x * x | 2 * x * dout | 2 * x * dout * (ops.abs(x) > 1e-9)
one beside huge ones | x=HUGE | Tensor(x.asnumpy() ** 2) | 2 * x * dout | flipped(2 * x * dout)
lost in a sum | x=MIXED | Tensor(2 * x.asnumpy().sum()) | 2 * dout + 0 * x | flipped(2 * dout + 0 * x)
faint | x=BRIGHT | x * x * faint(x) | 2 * x * faint(x) * dout | 3 * x * faint(x) * dout
bits | x=BRIGHT | Tensor(fast(x.asnumpy()), x.dtype) | -0.5 * dout * out / x | -dout * out / x
refuses | x=BRIGHT | Tensor(positive(x.asnumpy())) | dout / x | dout * x
a table | x=AT | between(x) | dout * ops.ones_like(x) * float(step(x)) | 0 * x
in Float16 | x=MANY | ops.sin(x) | (half(dout) * half(ops.cos(x))).astype(x.dtype) | 1.1 * dout * ops.cos(x)
"""


@members(LIMITS, globals())
def test_what_the_numbers_hide_or_leave_open_is_no_mistake(row):
    construct, right, wrong, *xs = row
    assert judged(construct, right, *xs) == checked(construct, right, *xs) == ['right'] * len(xs)
    assert judged(construct, wrong, *xs) == checked(construct, wrong, *xs) == ['wrong', 'right'][: len(xs)]


@pytest.mark.parametrize('size', [1.0, 1e13, 1e30])
@pytest.mark.parametrize(('factor', 'due'), [(1.0, 'right'), (1.01, 'wrong')])
def test_a_slope_that_is_small_because_x_is_large_is_judged_like_any_other(size, factor, due):
    cell = lambda s, x: ops.log(ops.abs(x)), lambda s, x, out, dout: (dout / x * factor,)
    x = Tensor(np.array([1.5, -2.0, 3.0], np.float32) * np.float32(size))
    assert judged(*cell, x) == checked(*cell, x) == [due]


EDGE, LEFT, ZERO = Tensor([0.0, 1.0, 4.0]), Tensor([-1.0, 4.0, 9.0]), Tensor([0.0, 0.0])
EDGES = """
a root | x=EDGE | ops.sqrt(x) | dout / (2 * out) | dout * out / 2
a power | x=EDGE | x**1.5 | 1.5 * dout * x**0.5 | 1.5 * dout * out / x
a root in NumPy | x=EDGE | Tensor(np.sqrt(x.asnumpy())) | dout / (2 * out) | ops.select(x > 0, dout / (2 * out), 0 * x)
a root, and 0 | x=EDGE | ops.sqrt(x) | dout / (2 * out) | ops.select(x > 0, dout / (2 * out), 0 * x)
a power in NumPy | x=EDGE | Tensor(x.asnumpy()**1.5) | 1.5 * dout * x**0.5 | 1.5 * dout * x**0.5 + dout * (x == 0)
hidden by where | x=LEFT | ops.where(x > 0, ops.sqrt(x), 0 * x) | ops.where(x > 0, dout / out / 2, 0 * x) | 2 * dout * x
a length | x=ZERO | ops.sqrt((x * x).sum()) | 0 * x | x / out
"""


@members(EDGES, globals())
def test_at_the_edge_of_where_a_function_is_an_infinite_slope_is_right_and_nan_is_not(row):
    construct, right, wrong, x = row
    assert {*judged(construct, right, x), *checked(construct, right, x)} < {'right', 'kink'}
    assert judged(construct, wrong, x) == checked(construct, wrong, x) == ['wrong']


KINKED = Tensor([-1.0, 0.0, 0.5, 2.0])
KINKS = """
|x| | x=KINKED | ops.abs(x) | dout * ops.sign(x) | np.abs | 'kink'
a ramp by x | x=KINKED | ops.relu(x) * x | 2 * dout * ops.relu(x) | lambda x: np.maximum(x, 0) * x | 'right'
x by |x| | x=KINKED | x * ops.abs(x) | 2 * dout * ops.abs(x) | lambda x: x * np.abs(x) | 'right'
Huber's | x=KINKED | ops.select(ops.abs(x) <= 1, x * x / 2, ops.abs(x) - 0.5) | dout * ops.clip_by_value(x, -1.0, 1.0)
 | lambda x: np.where(np.abs(x) <= 1, x * x / 2, np.abs(x) - 0.5) | 'right'
"""


@members(KINKS, globals(), (-2, -1))
def test_where_the_first_derivative_has_a_kink_or_a_jump_no_infinite_slope_is_due(row):
    by_ops, bprop, function, due, x = row
    numbers = lambda *given: (Tensor(bprop(*given)[0].asnumpy()),)  # a constant, to the second order
    for construct in (by_ops, lambda s, x: Tensor(function(x.asnumpy()))):
        (kink,) = ms.check_bprop(made(construct, bprop), x, order=2).rows
        assert checked(construct, bprop, x) == [due] and kink.verdict == 'kink' and 'is not' not in kink.why
        assert checked(construct, numbers, x, order=2) == ['wrong']
