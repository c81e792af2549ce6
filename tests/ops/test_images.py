"""Convolution and pooling with any settings, against torch, to second order."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minicell as ms
from minicell import Tensor, ops

torch = pytest.importorskip('torch', reason='torch is a second opinion, where it is installed')
F = torch.nn.functional
twice = st.tuples(st.integers(1, 3), st.integers(1, 3))


def both_orders(ours, theirs, arrays, rng):
    """First and second gradients of a curved function of both."""
    leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
    out = theirs(*leaves)
    c, v = rng.standard_normal(out.shape), [rng.standard_normal(a.shape) for a in arrays]
    first = torch.autograd.grad((out**3 * torch.tensor(c)).sum(), leaves, create_graph=True)
    along = sum((g * torch.tensor(w)).sum() for g, w in zip(first, v, strict=True))
    second = torch.autograd.grad(along, leaves)

    places = tuple(range(len(arrays)))
    inputs = [Tensor(a) for a in arrays]
    f = lambda *x: (ours(*x) ** 3 * Tensor(c)).sum()
    as_tuple = lambda g: g if isinstance(g, tuple) else (g,)
    np.testing.assert_allclose(ours(*inputs).asnumpy(), out.detach().numpy(), rtol=1e-9, atol=1e-9)
    for got, due in zip(as_tuple(ms.grad(f, places)(*inputs)), first, strict=True):
        np.testing.assert_allclose(got.asnumpy(), due.detach().numpy(), rtol=1e-8, atol=1e-8)
    bend = ms.grad(
        lambda *x: sum((g * Tensor(w)).sum() for g, w in zip(as_tuple(ms.grad(f, places)(*x)), v, strict=True)), places
    )
    for got, due in zip(as_tuple(bend(*inputs)), second, strict=True):
        np.testing.assert_allclose(got.asnumpy(), due.numpy(), rtol=1e-7, atol=1e-7)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    n=st.integers(1, 2),
    channels=twice,
    size=st.tuples(st.integers(3, 7), st.integers(3, 7)),
    kernel=twice,
    stride=twice,
    pad=st.tuples(st.integers(0, 3), st.integers(0, 2)),
    seed=st.integers(0, 9),
)
def test_convolution(n, channels, size, kernel, stride, pad, seed):
    assume(all(s + 2 * p >= k for s, p, k in zip(size, pad, kernel, strict=True)))
    rng = np.random.default_rng(seed)
    inputs, outputs = channels
    x = rng.standard_normal((n, inputs, *size))
    w = rng.standard_normal((outputs, inputs, *kernel))
    b = rng.standard_normal(outputs)
    both_orders(
        lambda x, w, b: ops.conv2d(x, w, b, stride, 'pad', pad),
        lambda x, w, b: F.conv2d(x, w, b, stride, pad),
        (x, w, b),
        rng,
    )


@pytest.mark.parametrize('name', ['max', 'avg'])
@settings(max_examples=40, derandomize=True, deadline=None)
@given(size=st.tuples(st.integers(3, 7), st.integers(3, 7)), kernel=twice, stride=twice, seed=st.integers(0, 9))
def test_pooling(name, size, kernel, stride, seed):
    rng = np.random.default_rng(seed)
    pad = tuple(int(p) for p in rng.integers(0, np.array(kernel) // 2 + 1))
    ours, theirs = (getattr(where, f'{name}_pool2d') for where in (ops, F))
    both_orders(
        lambda x: ours(x, kernel, stride, pad),
        lambda x: theirs(x, kernel, stride, pad),
        (rng.standard_normal((2, 2, *size)),),
        rng,
    )


@pytest.mark.parametrize(('size', 'kernel', 'stride'), [((5, 6), (3, 3), 1), ((7, 4), (3, 1), 1), ((4, 5), (1, 5), 1)])
def test_same_is_torchs_same(size, kernel, stride):
    rng = np.random.default_rng(0)
    both_orders(
        lambda x, w: ops.conv2d(x, w, None, stride, 'same'),
        lambda x, w: F.conv2d(x, w, None, stride, 'same'),
        (rng.standard_normal((1, 2, *size)), rng.standard_normal((3, 2, *kernel))),
        rng,
    )
