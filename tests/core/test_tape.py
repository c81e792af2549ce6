"""The record itself: addresses, length, memory, and what is left after an exception."""

import gc
import itertools
import sys
import weakref

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from minicell.core import tape
from minicell.core.cell import addresses_by_class
from minicell.core.trap import writes
from tests.core.cells import LOOK, Cube, Product, close, made, same


def untouched():
    """Nothing is open: the next gradient starts from a clean state."""
    assert tape.recorded_from == tape.hidden_from == tape.NOWHERE
    assert not tape.looking and not tape.hidden_address
    assert not tape.gradients and not writes and not addresses_by_class
    assert gc.isenabled()
    same(ms.grad(lambda x: (x * x).sum())(Tensor([1.0, 2.0])), [2, 4])


def test_addresses_only_grow_and_count_the_entries():
    seen = []

    def f(x):
        seen.append((x.at, tape.first_address + len(tape.entries)))
        for _ in range(3):
            x = x * x
            seen.append((x.at, tape.first_address + len(tape.entries)))
        constant = Tensor([1.0]) + 1
        assert constant.at == -1, 'an op on constants was given an address'
        return x

    ms.grad(f)(Tensor([1.0]))
    for (at, following), (next_at, _) in itertools.pairwise(seen):
        assert next_at == at + 1 == following, 'the n-th entry does not have the address n'


def test_nothing_is_recorded_without_a_gradient():
    before = len(tape.entries)
    x = Tensor([1.0])
    y = ops.tanh(x * x) + Cube()(x)
    assert y.at == -1 and len(tape.entries) == before


@pytest.mark.parametrize('n', [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_long_chain_needs_no_recursion(n):
    """Of ops, of Cells with a bprop, at second order."""
    limit, cell = sys.getrecursionlimit(), Product()
    assert limit <= 1000, 'this test is about the default recursion limit'

    def chain(step, length):
        def f(x):
            y = x
            for _ in range(length):
                y = step(y)
            return y

        return f

    x = Tensor(3.0)
    assert float(ms.grad(chain(lambda y: y * 1.0, n))(x)) == 1.0
    custom = ms.grad(chain(lambda y: cell(y, Tensor(0.1)), n // 2))
    np.testing.assert_allclose(float(custom(x)), (0.1 * 10) ** (n // 2), rtol=1e-2)
    again = chain(lambda y: y * 1.0 + 0.0, n // 2)
    assert float(ms.grad(ms.grad(lambda x: again(x) * x))(x)) == 2.0
    assert sys.getrecursionlimit() == limit


def test_values_die_with_the_gradient():
    """When nobody looks, no Tensor of the forward pass outlives grad; nor do the entries."""
    born = []

    def f(x):
        y = ops.tanh(x * 2)
        born.append(weakref.ref(y))
        z = Cube()(y)
        born.append(weakref.ref(z))
        return (z + y).sum()

    ms.grad(f)(Tensor([1.0, 2.0]))
    ms.grad(lambda x: ms.grad(f)(x).sum())(Tensor([1.0, 2.0]))
    assert [r() for r in born] == [None] * len(born)
    assert len(tape.entries) < 5


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')  # (its bprop looks at a list that grows)
def test_an_entry_is_freed_as_soon_as_backward_has_passed_it():
    """While bprop of an early Cell runs, what came later is gone already."""
    later = []

    def bprop(self, x, out, dout):
        assert [r() for r in later] == [None], 'an entry that backward has passed is still held'
        return (dout * 2,)

    early = made(lambda self, x: x * 2, bprop)

    def f(x):
        y = ops.exp(early(x))
        later.append(weakref.ref(y))
        return y * 3

    ms.grad(f)(Tensor(0.5))
    assert len(later) == 1


def test_memory_does_not_grow_over_many_gradients():
    f = ms.grad(lambda x: Cube()(x).sum())
    x = Tensor([1.0, 2.0])
    f(x)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        f(x)
    gc.collect()
    assert len(gc.get_objects()) - before < 100


def broken(x):
    y = x * x
    raise KeyError('mine') if y is not None else None


def bad_bprop(self, x, out, dout):
    raise KeyError('mine')


def bad_construct(self, x):
    self.half_way = x * 2
    raise KeyError('mine')


BAD_BPROP = made(lambda self, x: x * 2, bad_bprop)
CULPRITS = {
    'in the function': broken,
    'in a bprop': BAD_BPROP,
    'in a construct that is hidden': made(bad_construct, lambda self, x, out, dout: (dout,)),
    'in an inner gradient': lambda x: ms.grad(broken)(x),
    'in a bprop, of an inner gradient': lambda x: ms.grad(BAD_BPROP)(x),
    'in an op': lambda x: x + Tensor([1.0, 2.0, 3.0]),
    'in a rule': lambda x: ms.grad(ms.grad(ops.relu6))(x),
    'in an inner gradient of a hidden construct': made(lambda self, x: ms.grad(broken)(x), lambda self, *a: (a[-1],)),
}


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.parametrize('culprit', CULPRITS.values(), ids=CULPRITS)
@LOOK
@pytest.mark.parametrize('order', [1, 2])
def test_an_exception_leaves_nothing_behind(culprit, look, order):
    """Wherever it comes from, the next gradient is clean, and the collector runs again."""
    f = culprit
    for _ in range(order):
        f = ms.grad(f)
    with pytest.raises((KeyError, ValueError, RuntimeError)), look():
        f(Tensor([1.0, 2.0]))
    untouched()


def test_an_inner_failure_that_is_caught_does_not_disturb_the_outer_gradient():
    def f(x):
        y = x * x
        try:
            ms.grad(broken)(y)
        except KeyError:
            y = y * x
        return y.sum()

    close(ms.grad(f)(Tensor([2.0])), [12.0])
    untouched()


def test_a_weight_keeps_its_place_when_the_function_fails():
    w = ms.Parameter(Tensor([2.0]), 'w')
    with pytest.raises(KeyError):
        ms.grad(lambda x: broken(w), 0, [w])(Tensor([1.0]))
    assert w.at == -1
    untouched()


@pytest.mark.parametrize('enabled', [True, False])
def test_the_collector_is_as_it_was(enabled):
    """It runs less often in the outermost gradient, by its threshold alone: whether it is enabled is the user's own."""
    during, threshold = [], gc.get_threshold()

    def f(x):
        during.append((gc.isenabled(), gc.get_threshold()[0]))
        return x * x

    try:
        gc.enable() if enabled else gc.disable()
        ms.grad(f)(Tensor(1.0))
        ms.grad(ms.grad(f))(Tensor(1.0))
        assert gc.isenabled() is enabled
    finally:
        gc.enable()
    assert during == [(enabled, 10_000)] * 2
    assert gc.get_threshold() == threshold


def test_gradients_do_not_share_memory_with_anything():
    """Writing into a gradient changes no other gradient, no input, no sens."""
    x, y, sens = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([7.0, 8.0])
    values = [t.asnumpy().copy() for t in (x, y, sens)]
    for gradients in (
        ms.grad(lambda x, y: x + y, (0, 1))(x, y),
        ms.grad(lambda x, y: (x * y).sum(), (0, 1))(x, y),
        ops.GradOperation(get_all=True, sens_param=True)(lambda x, y: x + y)(x, y, sens),
        ms.grad(lambda x, y: x.reshape(2, 1) + y.reshape(2, 1), (0, 1))(x, y),
    ):
        before = [g.asnumpy().copy() for g in gradients]
        gradients[0][0] = 99.0
        for g, was in zip(gradients[1:], before[1:], strict=True):
            np.testing.assert_array_equal(g.asnumpy(), was, err_msg='two gradients share memory')
        for t, was in zip((x, y, sens), values, strict=True):
            np.testing.assert_array_equal(t.asnumpy(), was, err_msg='a gradient shares memory with a Tensor')


def test_a_gradient_does_not_share_memory_with_what_a_bprop_keeps():
    kept = Tensor([5.0, 6.0])
    cell = made(lambda self, x: x * 1, lambda self, x, out, dout: (kept,))
    ms.grad(cell)(Tensor([1.0, 2.0]))[0] = 99.0
    same(kept, [5, 6])
