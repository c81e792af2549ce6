"""Where the true gradient is 0, or there is none: surrogates beside true gradients, NaN and infinity, kinks."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.core.cells import made
from tests.judge.asked import JUDGE, checked, hold, judged, members, read, told, words

pytestmark = JUDGE
X, HIGH, LOW, ROWS = Tensor([0.3, -0.7, 5.0]), Tensor([0.8, 2.0]), Tensor([-1.0, -2.0]), Tensor([[0.3], [2.0]])
A, P, N = Tensor([1.0, 2.0]), Tensor([1.1, 2.1]), Tensor([8.0, 9.0])
on = lambda condition, x: condition.astype(x.dtype)
step = lambda x: on(x > 0, x)
same = lambda x: ops.ones_like(x)
apart = lambda a, p, n: ops.relu(((a - p) ** 2).sum() - ((a - n) ** 2).sum() + 0.1)
FLAT = """
inactive hinge | x=HIGH | ops.relu(1 - 3 * x).sum() | -3 * dout * on(3 * x < 1, x) | -3 * dout * same(x)
dead unit | x=LOW | ops.relu(x) | dout * on(x > 0, x) | dout
times nothing | x=X | x * 0 + 1 | dout * 0 | dout
saturated | x=X | ops.clamp(x, -0.1, 0.1) | dout * on(ops.abs(x) < 0.1, x) | dout
softmax of one | x=ROWS | ops.softmax(x) | out * (dout - dout * out) | out * dout
far triplet | a=A, p=P, n=N | apart(a, p, n) | a * 0 * dout, p * 0 * dout, n * 0 * dout |
 2 * (n - p) * dout, 2 * (p - a) * dout, 2 * (a - n) * dout
"""


@members(FLAT, globals())
def test_a_gradient_that_happens_to_be_zero_makes_no_surrogate(row):
    hold(*row)


@pytest.mark.parametrize('used', [0, 1])
def test_a_bprop_that_ignores_an_output_that_was_not_used(used):
    for ignores, due in ((False, ['right']), (True, ['wrong'])):
        bprop = lambda s, x, out, dout, i=ignores: (2 * dout[0] + 3 * (same(x) if i else dout[1]),)
        cell = made(lambda s, x: (x * 2, x * 3), bprop)
        assert words(read(lambda x, c=cell: (c(x)[used] * 0.5).sum(), X)) == due
        assert [r.verdict for r in ms.check_bprop(cell, X).rows] == due


rng = np.random.default_rng(0)
CODES, BOOK = (Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in ((4, 2), (3, 2)))
XS, YS, K = Tensor([0.3, 0.7, 5.0, -0.4]), Tensor([1.5, -2.0, 1.0, 2.5]), Tensor(0.5)
nearest = lambda z, book: ops.argmin(((z.expand_dims(1) - book.expand_dims(0)) ** 2).sum(-1), axis=1)
hot = lambda k, book: ops.one_hot(k % book.shape[0], book.shape[0]).astype(book.dtype)
whole = lambda x: x.astype(ms.int32).astype(x.dtype)
BESIDE = """
codebook | z=CODES, b=BOOK | (b[nearest(z, b)], nearest(z, b)) | dout[0], hot(out[1], b).T @ dout[0] |
 dout[0], hot(out[1] + 1, b).T @ dout[0]
sign and scale | x=XS, k=K | ops.sign(x) * k | dout * on(ops.abs(x) < 1, x), (ops.sign(x) * dout).sum() |
 dout * on(ops.abs(x) < 1, x), (x * dout).sum()
gate | g=XS, x=YS | x * step(g) | dout * x * ops.exp(-g * g), dout * step(g) | dout * x * ops.exp(-g * g), dout
stop | w=XS, x=YS | ops.stop_gradient(w * 2) * x | 2 * dout * x, dout * w * 2 | 2 * dout * x, dout * w
whole numbers | x=YS, y=XS | whole(x) * y | dout * y, dout * whole(x) | dout * y, dout * x
"""


@members(BESIDE, globals())
def test_a_surrogate_beside_a_true_gradient(row):
    construct, right, wrong, *xs = row
    for bprop, due in ((right, 'right'), (wrong, 'wrong')):
        assert judged(construct, bprop, *xs) == checked(construct, bprop, *xs) == ['surrogate', due]
        assert checked(construct, bprop, *xs, wrt=1) == ['not asked', due]


def test_a_step_that_is_learned_leaves_the_surrogate_what_it_is():
    """The quotient goes through round alone; the step multiplies what was rounded, too."""
    rounded = lambda s, x, k: ops.round(ops.clamp(x / k, -2, 2)) * k
    inside = lambda s, x, k, out, dout: (dout * on(ops.abs(x / k) <= 2, x), None)
    assert words(read(lambda x: made(rounded, inside)(x, 0.5), XS)) == ['surrogate']
    assert judged(rounded, inside, XS, K)[0] == checked(rounded, inside, XS, K)[0] == 'surrogate'


def test_only_outputs_that_were_used_count():
    """Of both, it is right for the one that has a slope, and stands in for that of the other."""
    cell = made(lambda s, x: (step(x), x * x), lambda s, x, out, dout: (dout[0] + 2 * x * dout[1],))
    for used, due in ((0, 'surrogate'), (1, 'right'), (slice(2), 'surrogate')):
        assert words(read(lambda x, u=used: ops.stack([*cell(x)][u] if u == slice(2) else [cell(x)[u]]).sum(), X)) == [
            due
        ]


ONES, FAR, HALF = Tensor([1.0, 100.0]), Tensor(np.array([1.0, 1000.0])), Tensor(np.array([1.0, 12.0], np.float16))
ZEROS, TWO = Tensor([0.0, 0.0]), Tensor([0.0, 1.0])
log1p = lambda x: ops.log(1 + ops.exp(x))
quotient = lambda up, x: ops.select(x != 0, up(x) / x, 1 + 0 * x)
safe = lambda x: ops.select(x == 0, same(x), x)
sinc = lambda x, z: ops.select(x == 0, z + 0 * x, (ops.cos(x) - ops.sin(x) / safe(x)) / safe(x))
grow = lambda x, z: ops.select(x == 0, z + 0 * x, (ops.exp(x) * (x - 1) + 1) / safe(x) ** 2)
NAIVE = """
softplus | x=ONES | log1p(x) | ops.sigmoid(x) * dout | -3 * ops.sigmoid(x) * dout
too far | x=FAR | log1p(x) | ops.sigmoid(x) * dout | -3 * ops.sigmoid(x) * dout
in half | x=HALF | log1p(x) | ops.sigmoid(x) * dout | -3 * ops.sigmoid(x) * dout
norm | x=ZEROS | ops.sqrt((x * x).sum()) | 0 * x | 7 * dout + 0 * x
sinc | x=TWO | quotient(ops.sin, x) | sinc(x, 0) * dout | sinc(x, 5) * dout
growth | x=TWO | quotient(lambda x: ops.exp(x) - 1, x) | grow(x, 0.5) * dout | grow(x, 1) * dout
"""


@members(NAIVE, globals())
def test_a_stable_bprop_of_a_naive_construct(row):
    """What overflows Float64 too may be unknown; false it is never."""
    construct, right, wrong, x = row
    more = {'unknown'} if x is FAR else set()
    for look in (judged, checked):
        assert set(look(construct, right, x)) <= {'right', 'kink'} | more
        assert set(look(construct, wrong, x)) <= {'wrong'} | more
    assert 'random' not in repr(ms.check_bprop(made(construct, right), x))


MINUS, BELOW = Tensor([-1.0, 4.0]), Tensor([1.0, -100.0])
DUE = """
one way | x=X | x * step(x) | dout | {'wrong'}
added | x=X | step(x) + 2 * x | 3 * dout | {'wrong'}
only steps | x=X | step(x) * step(1 - x) | dout | {'surrogate'}
rounded twice | x=X | ops.floor(ops.round(x) / 2) | dout | {'surrogate'}
zeros | x=X | ops.sign(x) | dout * 0 | {'right'}
NaN surrogate | x=X | step(x) | dout * ops.log(x * 0 - 1) | {'wrong'}
overflow | x=X | step(x) | (e := ops.exp(300 * x)) / (1 + e) ** 2 * dout | {'wrong'}
NaN quotient | x=ONES | log1p(x) | (e := ops.exp(x)) / (1 + e) * dout | {'wrong'}
NaN in half | x=HALF | log1p(x) | (e := ops.exp(x)) / (1 + e) * dout | {'wrong'}
NaN rule | x=TWO | quotient(ops.sin, x) | (ops.cos(x) / x - ops.sin(x) / x ** 2) * dout | {'wrong'}
NaN sigmoid | x=BELOW | ops.sigmoid(x) | ops.exp(-x) / (1 + ops.exp(-x)) ** 2 * dout | {'wrong'}
pole | x=TWO | 1 / x | 5 * dout | {'wrong', 'unknown'}
root | x=MINUS | ops.sqrt(x) | 5 * dout | {'wrong', 'unknown'}
logarithm | x=MINUS | ops.log(x) | dout * 0 | {'wrong', 'unknown'}
pole in NumPy | x=TWO | Tensor(1 / x.asnumpy()) | dout | {'wrong', 'unknown'}
"""


@members(DUE, globals(), also=(-1,))
def test_operations_decide_what_a_surrogate_is_and_nan_is_no_number(row):
    construct, bprop, due, x = row
    with np.errstate(all='ignore'):
        assert {*judged(construct, bprop, x), *checked(construct, bprop, x)} <= due
        text = repr(ms.check_bprop(made(construct, bprop), x))
    assert 'random' not in text and ('nan' in text.lower() or not np.isnan(bprop(None, x, x, x)[0].asnumpy()).any())


TINY, LARGE, PLAIN = Tensor([1e-7, 2.0]), Tensor([1e8, 1.0]), Tensor([0.3, 1.2])
PEAK, HIGHER = Tensor([1.0, 20.0, 3.0]), Tensor([1.0, 2.0, -30.0, 50.0])
OFF, NEAR = (Tensor((np.random.default_rng(0).standard_normal(n) + 1000).astype(np.float32)) for n in (8, 5))
WIDE = Tensor(np.linspace(-4, 4, 1000).astype(np.float32))
BIG, SMALL, DEEP = Tensor([1.0, 500.0]), Tensor([1e-12, 3.0]), Tensor([-40.0, 2.0, 1.0])
first = lambda x: Tensor(np.where(np.arange(x.size) == 0, -1, 1).astype(x.asnumpy().dtype))
like = lambda found, x: Tensor(found.astype(x.asnumpy().dtype))
spread = lambda x: ops.sqrt(((x - x.mean()) ** 2).mean())
PROPORTION = """
near a pole | x=TINY | Tensor(np.log(x.asnumpy())) | dout / x | 2 * dout / x
far out | x=LARGE | Tensor(x.asnumpy() ** 2) | 2 * x * dout | 3 * x * dout
in Float32 | x=PLAIN | like(np.sin(x.asnumpy().astype(np.float32)), x) | ops.cos(x) * dout | 1.5 * ops.cos(x) * dout
far layer | x=OFF | (x - x.mean()) / spread(x) | (dout - dout.mean() - out * (dout * out).mean()) / spread(x) |
 (dout - dout.mean()) / spread(x)
squares | x=NEAR | (x * x - 1e6) ** 2 | 4 * x * (x - 1e3) * (x + 1e3) * dout | 2 * x * (x - 1e3) * (x + 1e3) * dout
peak | x=HIGHER | ops.softmax(x) | out * (dout - (dout * out).sum()) | out * dout
NumPy peak | x=PEAK | Tensor((e := np.exp(x.asnumpy())) / e.sum()) | out * (dout - (dout * out).sum()) | out * dout
power | x=BIG | Tensor(x.asnumpy() ** 8) | 8 * x ** 7 * dout | first(x) * 8 * x ** 7 * dout
exp - 1 | x=SMALL | Tensor(np.exp(x.asnumpy()) - 1) | ops.exp(x) * dout | first(x) * ops.exp(x) * dout
1 - cos | x=SMALL | Tensor(1 - np.cos(x.asnumpy())) | ops.sin(x) * dout | 2 * ops.sin(x) * dout
log of sums | x=DEEP | Tensor(np.log(np.exp(x.asnumpy()).sum())) | ops.softmax(x) * dout | 2 * ops.softmax(x) * dout
saturated | x=WIDE | Tensor(np.tanh(x.asnumpy())) | (1 - out * out) * dout | (1 - out) * dout
"""


@members(PROPORTION, globals())
def test_rounding_and_steps_are_in_proportion_to_the_numbers(row):
    construct, right, wrong, x = row
    assert judged(construct, right, x) == checked(construct, right, x) == ['right']
    assert judged(construct, wrong, x) == checked(construct, wrong, x) == ['wrong']


MANY = Tensor(np.random.default_rng(3).standard_normal(80).astype(np.float32))
BLIND = """
sign | x=MANY | like(np.sign(x.asnumpy()), x) | dout | 'unknown'
fine steps | x=MANY | like(np.round(x.asnumpy() * 1000) / 1000, x) | dout | 'unknown'
winner | x=MANY | like(np.eye(80)[x.asnumpy().argmax()], x) | dout | 'unknown'
far steps | x=MANY | like(x.asnumpy() > 9, x) | dout | 'unknown'
ReLU | x=MANY | like(np.maximum(x.asnumpy(), 0), x) | dout | 'wrong'
bound | x=MANY | like(np.clip(x.asnumpy(), -0.3, 0.3), x) | dout | 'wrong'
threshold | x=MANY | like(np.where(x.asnumpy() > 0.2, x.asnumpy(), 0), x) | dout | 'wrong'
masked log | x=MINUS | zeroed(ops.log(x), x < 0) | dout / x | 'wrong'
masked root | x=MINUS | zeroed(ops.sqrt(x), x < 0) | dout / 2 / ops.sqrt(ops.abs(x)) | 'wrong'
offset | x=MANY | like(1e6 + x.asnumpy().astype(float), x.astype(ms.float64)) | 2 * dout | 'wrong'
"""


def zeroed(y: Tensor, where: Tensor) -> Tensor:
    y[where] = 0.0
    return y


@members(BLIND, globals(), also=(-1,))
def test_a_gradient_where_the_function_is_flat_is_wrong_unless_it_changes_by_jumps_alone(row):
    construct, bprop, due, x = row
    with np.errstate(all='ignore'):
        assert judged(construct, bprop, x) == checked(construct, bprop, x) == [due]


EDGE = Tensor([0.0, 1.5, -2.0])
at = lambda x, z, slope: ops.select(x == 0, z + 0 * x, slope)
KINKS = """
relu | x=EDGE | ops.relu(x) | lambda x: step(x) | (0, 1, 0.5) | (2, -0.5)
abs | x=EDGE | ops.abs(x) | ops.sign | (1, -1, 0) | (1.5, -2)
maximum | x=EDGE | ops.maximum(x, 0 * x) | lambda x: step(x) | (0, 1) | (3,)
bound | x=EDGE | ops.clamp(x, 0.0, 4.0) | lambda x: step(x) | (0, 1) | (-1,)
leaky | x=EDGE | ops.select(x > 0, x, 0.1 * x) | lambda x: 0.1 + 0.9 * step(x) | (0.1, 1, 0.4) | (0, 1.2)
curved | x=EDGE | ops.abs(x) * (1 + x) | lambda x: ops.sign(x) + 2 * ops.abs(x) | (-1, 1) | (1.3,)
"""


@members(KINKS, globals(), also=(-3, -2, -1))
def test_at_a_kink_any_slope_between_both_sides_is_accepted(row):
    construct, slope, accepted, refused, x = row
    for z in accepted + refused:
        bprop = lambda s, x, out, dout, z=z: (at(x, z, slope(x)) * dout,)
        (said,), (also,) = judged(construct, bprop, x), checked(construct, bprop, x)
        assert {said, also} <= ({'kink', 'right'} if z in accepted else {'wrong'}), z
    elsewhere = lambda s, x, out, dout: (at(x, accepted[0], slope(x) + on(x < 0, x)) * dout,)
    assert judged(construct, elsewhere, x) == checked(construct, elsewhere, x) == ['wrong']


BESIDE = {
    'hinge': (1, lambda a: np.maximum(1 - a, 0), lambda x: -on(x < 1, x)),
    'its sum': (1, lambda a: np.maximum(1 - a, 0).sum(), lambda x: -on(x < 1, x)),
    'bound': (1, lambda a: np.clip(a, -1, 1), lambda x: on(ops.abs(x) < 1, x)),
    'distance': (2, lambda a: np.abs(a - 2), lambda x: ops.sign(x - 2)),
}


@pytest.mark.parametrize('apart', [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize('name', BESIDE)
def test_a_kink_near_by_is_not_at_x(name, apart):
    edge, function, slope = BESIDE[name]
    x = Tensor(np.array([edge + apart, edge - apart, 0.3, 3]), ms.float64)
    construct, right = lambda s, x: Tensor(function(x.asnumpy())), lambda s, x, out, dout: (slope(x) * dout,)
    assert judged(construct, right, x) == checked(construct, right, x) == ['right']
    crossed = lambda s, x, out, dout: (slope(2 * edge - x) * dout,)  # as it is on the other side
    assert judged(construct, crossed, x) == checked(construct, crossed, x) == ['wrong']


EQUAL, LESS, NONE = Tensor([2.0, 2.0, 1.0]), Tensor([-2.0, -2.0, -1.0]), Tensor([0.0] * 3)
MIXED, ALIKE, SHARED, FIRST = Tensor([1.0, -2.0, 3.0]), ops.ones(24), [1 / 24] * 24, [1.0] + [0.0] * 23
SQUARES = Tensor([[[[1.0, 3.0], [3.0, 0.0]]]])
TIES = """
max | x=EQUAL | x.max() | ([1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [0.2, 0.8, 0]) | ([0, 0, 1], [1, 1, 0], [1.5, -0.5, 0])
max, scaled | x=EQUAL | 1e4 * x.max() | ([1e4, 0, 0], [5e3, 5e3, 0]) | ([1e4, 1e4, 0],)
the first | x=EQUAL | x.max(0)[0] | ([1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]) | ([1, 1, 0], [0, 0, 0])
min | x=LESS | x.min() | ([1, 0, 0], [0.5, 0.5, 0]) | ([1, 1, 0],)
two | x=EQUAL | ops.maximum(x[0], x[1]) - x[2] | ([1, 0, -1], [0.3, 0.7, -1]) | ([1, 1, -1], [1, 0, 1])
distance | x=EQUAL | ops.abs(x[0] - x[1]) | ([1, -1, 0], [-1, 1, 0], [0, 0, 0], [0.5, -0.5, 0]) | ([1, 1, 0], [1, 0, 0])
hinge | x=EQUAL | ops.relu(x[0] - x[1]) | ([1, -1, 0], [0, 0, 0]) | ([1, 0, 0], [-1, 1, 0])
a pool | x=SQUARES | ops.max_pool2d(x, 2).sum() | ([0, 1, 0, 0], [0, 0, 1, 0], [0, 0.5, 0.5, 0]) | ([0, 1, 1, 0],)
length | x=NONE | ops.norm(x) | ([0, 0, 0], [1, 0, 0], [0, -0.5, 0]) | ([2, 0, 0],)
a layer | x=NONE | ops.relu(x * MIXED) @ MIXED | ([1, 4, 9], [0, 0, 0], [1, 0, 0]) | ([2, 8, 18], [0, -4, 0])
of 24 | x=ALIKE | x.max(0)[0] | (SHARED, FIRST, FIRST[::-1]) | ([2 * s for s in SHARED], [1 / 3] * 24, [0] * 24)
each | x=NONE | (ops.relu(x) * MIXED).sum() | ([1, -2, 3], [0, -2, 0], [0.5, -1, 1.5]) | ([1, 2, 3],)
"""


@members(TIES, globals(), also=(-2, -1))
def test_at_a_kink_that_several_numbers_share_a_mean_of_the_slopes_around_it_is_accepted(row):
    construct, accepted, refused, x = row
    for share in accepted + refused:
        cell = made(construct, lambda s, x, out, dout, d=share: (Tensor(d).astype(x.dtype).reshape(x.shape) * dout,))
        said = told(read(cell, x))[0].ok, ms.check_bprop(cell, x).ok
        assert said == (share in accepted,) * 2, share


@pytest.mark.parametrize(
    ('construct', 'slope'),
    [
        (lambda s, x: ops.relu(x) - ops.relu(-x), lambda x: ops.ones_like(x)),
        (lambda s, x: ops.relu(x) + ops.log1p(ops.exp(-ops.abs(x))), ops.sigmoid),
        (lambda s, x: ops.relu(x) * 3 - ops.relu(-x) * 3 + x * x, lambda x: 3 + 2 * x),
    ],
    ids=['the identity', 'softplus', 'beside a square'],
)
def test_where_kinks_cancel_the_slope_around_them_is_right_and_that_of_the_rule_is_said_to_be_its(construct, slope):
    cell = lambda d: made(construct, lambda s, x, out, dout: (dout * d(x),))
    (right,) = ms.check_bprop(cell(slope), EDGE).rows
    assert right.verdict == 'right' and 'around it' in repr(ms.check_bprop(cell(slope), EDGE))
    (rules,) = ms.check_bprop(cell(lambda x: ms.grad(lambda x: construct(None, x).sum())(x)), EDGE).rows
    assert rules.verdict == 'kink' and 'its rule' in rules.why and 'no derivative' not in rules.why
    assert ms.check_bprop(cell(lambda x: at(x, -1, slope(x))), EDGE).rows[0].verdict == 'wrong'


def searched(f, low, high):
    """A construct that looks for the place between two numbers where f(it, x) is 0, by choices alone."""

    def construct(s, x):
        ends = [Tensor(v, ms.float64) for v in (low, high)]
        for _ in range(60):
            middle = (ends[0] + ends[1]) / 2
            ends[int(f(middle, x) > 0)] = middle
        return (ends[0] + ends[1]) / 2

    return construct


@pytest.mark.parametrize(
    ('f', 'right'),
    [
        (lambda r, x: r * r - x, lambda s, x, out, dout: (dout / (2 * out),)),
        (lambda r, x: ops.exp(r) - x, lambda s, x, out, dout: (dout / x,)),
        (lambda r, x: r * r * r + r - x, lambda s, x, out, dout: (dout / (3 * out * out + 1),)),
    ],
    ids=['square root', 'logarithm', 'cubic'],
)
def test_what_a_search_finds_has_a_slope_that_no_op_shows(f, right):
    construct, x = searched(f, 0.0, 10.0), Tensor(3.0, ms.float64)
    assert judged(construct, right, x) == checked(construct, right, x) == ['right']
    for wrong in (lambda *all: (0 * right(*all)[0],), lambda *all: (1.5 * right(*all)[0],)):
        assert judged(construct, wrong, x) == checked(construct, wrong, x) == ['wrong']


def test_what_a_search_by_select_finds_has_a_slope_too():
    """And a step that is made of select has none."""

    def construct(s, x):
        low, high = ops.zeros_like(x), 4 * ops.ones_like(x)
        for _ in range(50):
            middle = (low + high) / 2
            above = middle**3 + middle > x
            low, high = ops.select(above, low, middle), ops.select(above, middle, high)
        return (low + high) / 2

    for factor, due in ((1, 'right'), (0, 'wrong'), (1.5, 'wrong')):
        bprop = lambda s, x, out, dout, k=factor: (k * dout / (3 * out * out + 1),)
        assert judged(construct, bprop, HIGH.astype(ms.float64)) == [due]
    on = lambda s, x: ops.select(x > 0, ops.ones_like(x), ops.zeros_like(x))
    through = lambda s, x, out, dout: (dout,)
    assert judged(on, through, X) == checked(on, through, X) == ['surrogate']


def test_a_choice_between_constants_is_a_step():
    construct = lambda s, x: Tensor(1.0, ms.float64) if x > 1 else Tensor(0.0, ms.float64)
    for x in (Tensor(3.0, ms.float64), Tensor(1.0, ms.float64)):
        assert judged(construct, lambda s, x, out, dout: (dout * x,), x) == ['surrogate']
        assert judged(construct, lambda s, x, out, dout: (dout * 0,), x) == ['right']


QUANTIZE = lambda s, x, k: ops.round(x / k) * k
STRAIGHT = {  # a way with a slope beside one through a step: straight through, and what is neither that nor the truth
    'learned step': (QUANTIZE, lambda x, k, g: (g * (ops.round(x / k) - x / k)).sum(), (-1, 0, 1.5)),
    'residual': (lambda s, k, x: k + ops.round(k) + x, lambda k, x, g: 2 * g.sum(), (0, -1, 1.5)),
    'magnitude': (lambda s, x, k: k * x * ops.sign(k), lambda x, k, g: (g * x * (ops.sign(k) + k)).sum(), (0, -1, 2)),
}


@pytest.mark.parametrize('name', STRAIGHT)
def test_straight_through_a_step_beside_a_slope_is_a_surrogate(name):
    construct, slope, others = STRAIGHT[name]
    for factor, due in ((1, 'surrogate'), *((k, 'wrong') for k in others)):
        other = lambda s, x, k, out, dout, f=factor: (None, f * slope(x, k, dout))
        if name == 'residual':
            other = lambda s, k, x, out, dout, f=factor: (f * slope(k, x, dout), dout)
        found = judged(construct, other, *((K, XS) if name == 'residual' else (XS, K)))
        assert found[name != 'residual'] == due, (factor, found)
