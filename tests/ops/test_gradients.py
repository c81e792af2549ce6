"""Every op's rule: first order and second against central differences, and which values it needs."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import NoRuleError
from minicell.errors import WriteAfterUseError
from tests.messages import refused
from tests.ops.declare import ALL, DIFFERENTIABLE, Declared, label, tries

STEP = 1e-6


def differences(function, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """d function / d each array, by central differences."""
    found = []
    for a in arrays:
        d = np.zeros(a.shape)
        for i in np.ndindex(a.shape):
            middle = a[i]
            a[i] = middle + STEP
            above = function(*arrays)
            a[i] = middle - STEP
            d[i] = (above - function(*arrays)) / (2 * STEP)
            a[i] = middle
        found.append(d)
    return found


def weights_like(out, seed: int = 7) -> np.ndarray:
    """A cotangent without structure: ones would hide a wrong sign or a lost axis."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, np.shape(out))


def loss_of(declared: Declared, arrays: list[np.ndarray]):
    """A scalar of the op's output, as a function on Tensors."""
    c = weights_like(declared.oracle(*arrays))
    return c, lambda *x: (declared.op(*x) * Tensor(c)).sum()


def gradients(function, arrays) -> list[np.ndarray]:
    found = ms.grad(function, tuple(range(len(arrays))))(*map(Tensor, arrays))
    return [g.asnumpy() for g in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize(('declared', 'shapes'), tries(DIFFERENTIABLE), ids=label)
def test_first_order(declared, shapes):
    """The rule is the derivative of NumPy's function."""
    arrays = declared.inputs(shapes, seed=2)
    c, loss = loss_of(declared, arrays)
    due = differences(lambda *a: float(np.sum(declared.oracle(*a) * c)), [a.copy() for a in arrays])
    for k, (got, d, a) in enumerate(zip(gradients(loss, arrays), due, arrays, strict=True)):
        assert got.shape == a.shape, f'{declared.name}: gradient {k} has shape {got.shape}, its input {a.shape}'
        np.testing.assert_allclose(got, d, rtol=1e-6, atol=1e-7, err_msg=f'{declared.name}, input {k}')


@pytest.mark.parametrize(('declared', 'shapes'), tries([d for d in DIFFERENTIABLE if d.order > 1]), ids=label)
def test_second_order(declared, shapes):
    """The rule of the rule is the derivative of the first gradient."""
    arrays = declared.inputs(shapes, seed=3)
    _, loss = loss_of(declared, arrays)
    v = [weights_like(a, k) for k, a in enumerate(arrays)]
    places = tuple(range(len(arrays)))

    def along(*x):
        g = ms.grad(loss, places)(*x)
        g = g if isinstance(g, tuple) else (g,)
        return sum((d * Tensor(w)).sum() for d, w in zip(g, v, strict=True))

    def by_hand(*a):
        return float(sum(np.sum(g * w) for g, w in zip(gradients(loss, a), v, strict=True)))

    due = differences(by_hand, [a.copy() for a in arrays])
    for k, (got, d) in enumerate(zip(gradients(along, arrays), due, strict=True)):
        np.testing.assert_allclose(got, d, rtol=1e-5, atol=1e-6, err_msg=f'{declared.name}, input {k}')


@pytest.mark.parametrize('declared', [d for d in DIFFERENTIABLE if d.order > 1 and d.shapes[0] != ((0, 3),)], ids=label)
def test_third_order_exists(declared):
    """grad three times gives numbers of the input's shape, which are the differences of the second."""
    arrays = declared.inputs(declared.shapes[0], seed=4)
    _, loss = loss_of(declared, arrays)

    def second(*x):
        return ms.grad(lambda *y: (ms.grad(loss)(*y) * Tensor(weights_like(arrays[0]))).sum())(*x)

    got = gradients(lambda *x: second(*x).sum(), arrays)[0]
    due = differences(lambda *a: float(second(*map(Tensor, a)).asnumpy().sum()), [a.copy() for a in arrays])[0]
    np.testing.assert_allclose(got, due, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('dtype', [ms.float16, ms.float32, ms.float64])
@pytest.mark.parametrize('declared', DIFFERENTIABLE, ids=label)
def test_a_gradient_has_its_inputs_dtype(declared, dtype):
    """In every float dtype, first order (arrays) and second (Tensors)."""
    inputs = [Tensor(a, dtype) for a in declared.inputs(declared.shapes[0], seed=5)]
    places = tuple(range(len(inputs)))
    first = ms.grad(lambda *x: declared.op(*x).sum(), places)(*inputs)
    assert {t.dtype for t in (first if isinstance(first, tuple) else (first,))} == {dtype}, declared.name
    if declared.order > 1:
        second = ms.grad(lambda *x: (ms.grad(lambda *y: declared.op(*y).sum())(*x) * inputs[0]).sum(), places)(*inputs)
        assert {t.dtype for t in (second if isinstance(second, tuple) else (second,))} == {dtype}, declared.name


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
@pytest.mark.parametrize('declared', [d for d in ALL if not d.differentiable], ids=label)
def test_no_gradient_passes_a_step(declared):
    """What is constant wherever it has a derivative gives zeros, and its path does not disturb another."""
    arrays = declared.inputs(declared.shapes[0], seed=6)
    places = tuple(range(len(arrays)))

    def f(*x):
        stepped = declared.op(*x)
        return (x[0] * x[0]).sum() + (stepped if stepped.dtype == ms.float64 else stepped.astype(ms.float64)).sum()

    got = gradients(f, arrays)
    np.testing.assert_array_equal(got[0], 2 * arrays[0])
    for g in got[1:]:
        np.testing.assert_array_equal(g, np.zeros(g.shape))
    assert len(got) == len(places)


def test_relu6_alone_has_no_second_order():
    x = Tensor([-1.0, 0.5, 7.0])
    np.testing.assert_array_equal(ms.grad(lambda x: ops.relu6(x).sum())(x).asnumpy(), [0, 1, 0])
    with refused(NoRuleError, 'ReLU6Grad', 'not defined', 'no second derivative'):
        ms.grad(ms.grad(ops.relu6))(x)
    with refused(NoRuleError, 'ReLU6Grad'):
        ms.grad(ms.grad(ms.nn.ReLU6()))(x)
    assert [d.name for d in ALL if d.order == 1] == ['relu6']


@pytest.mark.parametrize(
    ('function', 'at', 'due'),
    [
        (ops.relu, 0.0, 0.0),
        (ops.relu6, 0.0, 0.0),
        (ops.relu6, 6.0, 1.0),
        (ops.abs, 0.0, 0.0),
        (lambda x: ops.maximum(x, 1.0), 1.0, 0.5),
        (lambda x: ops.minimum(1.0, x), 1.0, 0.5),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: x**1, 0.0, 1.0),
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: x**3, -2.0, 12.0),
        (lambda x: 0.0**x, 2.0, 0.0),
        (lambda x: (-2.0) ** x, 2.0, 0.0),
    ],
)
def test_at_a_kink(function, at, due):
    got = ms.grad(function)(Tensor(at))
    assert float(got) == due
    bend = ms.grad(ms.grad(function)) if function is not ops.relu6 else None
    assert bend is None or np.isfinite(bend(Tensor(at)).asnumpy())


@pytest.mark.parametrize('reduce', [ops.amax, ops.amin])
def test_equal_extremes_share_the_gradient(reduce):
    x = Tensor([[2.0, 2.0, 2.0], [1.0, 3.0, 3.0]]) * (1 if reduce is ops.amax else -1)
    got = ms.grad(lambda x: reduce(x, 1).sum())(x).asnumpy()
    np.testing.assert_allclose(got, [[1 / 3] * 3, [0, 0.5, 0.5]])


@pytest.mark.parametrize('sign', [1, -1])
def test_with_its_place_an_extreme_hands_the_gradient_to_the_first(sign):
    x = Tensor([[2.0, 2.0, 2.0], [1.0, 3.0, 3.0]]) * sign
    best = ops.max if sign > 0 else ops.min
    values, places = best(x, 1)
    assert values.tolist() == [2 * sign, 3 * sign] and places.tolist() == [0, 1] and places.dtype == ms.int64
    for f in (lambda x: best(x, 1)[0], lambda x: best(x, -1, True)[0], lambda x: getattr(x, best.__name__)(axis=1)):
        np.testing.assert_array_equal(ms.grad(lambda x: f(x).sum())(x).asnumpy(), [[1, 0, 0], [0, 1, 0]])  # noqa: B023
        bend = ms.grad(lambda x: (ms.grad(lambda x: (f(x) * f(x)).sum())(x) * x).sum())(x)  # noqa: B023
        np.testing.assert_array_equal(bend.asnumpy(), 4 * sign * np.array([[2, 0, 0], [0, 3, 0]]))
    np.testing.assert_array_equal(ms.grad(lambda x: best(x)[0])(x[0]).asnumpy(), np.full(3, 1 / 3, np.float32))


def test_what_max_and_min_are_as_methods():
    """x.max() and x.max(axis=0): the values; x.max(0), x.max(dim=0), return_indices: with their places."""
    x = Tensor([[1.0, 5.0], [7.0, 2.0]])
    assert x.max().item() == x.max(axis=()).item() == 7 and x.max(axis=0).tolist() == x.max((0,)).tolist() == [7, 5]
    for values, places in (x.max(0), x.max(dim=0), x.max(axis=0, return_indices=True), ops.max(x, 0)):
        assert (values.tolist(), places.tolist()) == ([7, 5], [1, 0])
    assert [t.shape for t in x.min(1, True)] == [(2, 1), (2, 1)] and x.min(axis=1, keepdims=True).shape == (2, 1)
    value, place = ops.max(x)
    assert (value.item(), place.item()) == (7, 0)  # of all, MindSpore says 0
    with refused(TypeError, 'the axis', 'an int', (0,)):
        ops.max(x, (0,))
    with refused(ValueError, 'ArgMaxWithValue: shapes'):
        ops.max(x, 2)


def test_an_index_that_names_a_place_twice_adds():
    x = Tensor([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(ms.grad(lambda x: x[[0, 0, 2]].sum())(x).asnumpy(), [2, 0, 1])
    got = ms.grad(lambda x: x[Tensor([True, False, True])].sum())(x)
    np.testing.assert_array_equal(got.asnumpy(), [1, 0, 1])
    got = ms.grad(lambda x: (x[Tensor([1, 1])] * Tensor([3.0, 4.0])).sum())(x)
    np.testing.assert_array_equal(got.asnumpy(), [0, 7, 0])


@pytest.mark.parametrize('make', [Tensor, np.array], ids=['Tensor', 'array'])
def test_an_index_written_after_use_changes_no_gradient(make):
    index = make([0, 1])

    def f(x):
        taken = x[index]
        index[0] = 1
        return taken.sum()

    np.testing.assert_array_equal(ms.grad(f)(Tensor([5.0, 7.0])).asnumpy(), [1, 1])


def test_floats_of_different_widths_meet_in_one_gradient():
    x, y = Tensor([1.5, 2.5], ms.float16), Tensor([0.5, 4.0], ms.float64)
    dx, dy = ms.grad(lambda x, y: (x * y).sum(), (0, 1))(x, y)
    assert (dx.dtype, dy.dtype) == (ms.float16, ms.float64)
    np.testing.assert_array_equal(dx.asnumpy(), y.asnumpy())
    np.testing.assert_array_equal(dy.asnumpy(), x.asnumpy())


def with_write(declared: Declared, arrays, k: int):
    """The gradients of all inputs, input k being a Parameter that is overwritten between the op and the backward."""
    params = [Parameter(Tensor(a), f'p{n}') for n, a in enumerate(arrays)]
    _, loss = loss_of(declared, arrays)

    def f(x):
        made = loss(*params) * x
        params[k].set_data(Tensor(np.full(arrays[k].shape, np.nan)))
        return made

    with np.errstate(all='ignore'):
        return [g.asnumpy() for g in ms.grad(f, None, params)(Tensor(1.0, ms.float64))]


def depends(declared: Declared, arrays, k: int) -> bool:
    """Whether a gradient changes with the value of input k, the other inputs and all shapes being the same."""
    _, loss = loss_of(declared, arrays)
    here = gradients(loss, arrays)
    for seed in range(20, 24):
        other = list(arrays)
        other[k] = declared.inputs([a.shape for a in arrays], seed)[k]
        if any(not np.array_equal(a, b) for a, b in zip(here, gradients(loss, other), strict=True)):
            return True
    return False


@pytest.mark.parametrize('declared', DIFFERENTIABLE, ids=label)
def test_a_write_after_use_is_an_error_or_harmless(declared):
    """What a rule claims not to read may become NaN; whatever the gradient does not depend on may be written."""
    arrays = declared.inputs(declared.shapes[-1 if declared.name.endswith('[whole]') else 0], seed=8)
    _, loss = loss_of(declared, arrays)
    due = gradients(loss, arrays)
    for k in range(len(arrays)):
        try:
            got = with_write(declared, arrays, k)
        except WriteAfterUseError as error:
            assert depends(declared, arrays, k), f'{declared.name}: input {k} is not needed, yet: {error}'
            assert f'p{k}.set_data' in str(error)
        else:
            for g, d in zip(got, due, strict=True):
                np.testing.assert_array_equal(g, d, err_msg=f'{declared.name}: input {k} was written, nobody said so')


@pytest.mark.parametrize('name', ['mul', 'div', 'pow', 'log', 'square', 'matmul', 'sin', 'abs', 'maximum'])
def test_a_write_that_changes_the_gradient_is_refused(name):
    """So that the test above cannot pass by never refusing."""
    declared = next(d for d in ALL if d.name == name)
    with pytest.raises(WriteAfterUseError, match=declared.op.rule.name):
        with_write(declared, declared.inputs(declared.shapes[0], seed=8), len(declared.shapes[0]) - 1)


def test_the_mean_of_more_numbers_than_float16_can_count():
    """The count overflows in Float16; the gradient is no 0."""
    n = 2 * int(np.finfo(np.float16).max)
    slope = ms.grad(lambda x: x.mean())(Tensor(np.ones(n, np.float16)))
    np.testing.assert_allclose(slope.asnumpy()[:3].astype(np.float64), 1 / n, rtol=0.01)


IMAGE = Tensor(np.arange(16).reshape(1, 1, 4, 4), ms.float32)
EDGES = [ops.relu, ops.relu6, ops.hardtanh, ops.ReLU(), nn.ReLU(), nn.MaxPool2d(2, 2), nn.MaxPool2d(2, 1)]
EDGES += [lambda x: ops.clip_by_value(x, 3.5, 4.5), lambda x: ops.clamp(x, 3.5, 4.5), lambda x: ops.leaky_relu(x, 0.0)]
EDGES += [lambda x: ops.maximum(x - 4, x * 0), lambda x: ops.minimum(x, x * 0 + 4)]


@pytest.mark.parametrize('edge', EDGES, ids=lambda v: None)
def test_a_slope_of_0_is_no_minus_0(edge):
    """Nor in the second order's way to it, on Tensors."""
    for image in (IMAGE, IMAGE - 4):
        found = ms.grad(lambda x: -edge(x))(image)
        on_tensors = ms.vjp(lambda x: ms.grad(lambda x: -edge(x))(x), image)[0] if edge not in EDGES[1:2] else found
        for g in (found, on_tensors):
            assert not np.signbit(g.asnumpy()[g.asnumpy() == 0]).any()
            np.testing.assert_array_equal(g.asnumpy(), found.asnumpy())
