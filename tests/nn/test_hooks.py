"""Hooks of Cells, of Tensors and Parameters, and of the ops that call a function on the way back."""

import contextlib
import gc

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import GraphValueError, HookError
from minicell.ops import hooks
from tests.core.cells import made
from tests.messages import refused, tells

X = Tensor([1.0, 2.0])


class Square(nn.Cell):
    def construct(self, x):
        return x * x


class Both(nn.Cell):
    def construct(self, a, b=2.0):
        return a * b, a + b


def ten():
    return made(lambda self, x: x * x, lambda self, x, out, dout: (dout * 10,), 'Ten')


def test_prepend_comes_before_the_others():
    cell, seen = Square(), []
    for kind in ('forward_pre', 'forward'):
        register = getattr(cell, f'register_{kind}_hook')
        for word in ('one', 'two'):
            register(lambda *_, word=word: seen.append(word))
        register(lambda *_, kind=kind: seen.append(kind), prepend=True)
    cell(X)
    assert seen == ['forward_pre', 'one', 'two', 'forward', 'one', 'two']


def test_with_kwargs_a_hook_sees_and_changes_them():
    cell, seen = Both(), []
    cell.register_forward_pre_hook(lambda c, args, kwargs: (args, {**kwargs, 'b': 5.0}), with_kwargs=True)
    cell.register_forward_hook(lambda c, args, kwargs, out: seen.append((len(args), kwargs)), with_kwargs=True)
    assert cell(X, b=3.0)[0].tolist() == [5, 10] and seen == [(1, {'b': 5.0})]
    other = Both()
    other.register_forward_pre_hook(lambda c, args, kwargs: None, with_kwargs=True)
    assert other(X)[0].tolist() == [2, 4]


@pytest.mark.parametrize('wrong', [(X,), 3, ({}, ())], ids=['one', 'int', 'swapped'])
def test_with_kwargs_a_pre_hook_returns_both_or_nothing(wrong):
    cell = Both()
    cell.register_forward_pre_hook(lambda c, args, kwargs: wrong, with_kwargs=True)
    with refused(RuntimeError, 'forward_pre', 'Both', 'with_kwargs', 'None', 'a tuple'):
        cell(X)


def test_always_call_is_called_after_a_failure_too():
    class Fails(nn.Cell):
        def construct(self, x):
            raise ValueError('no')

    cell, seen = Fails(), []
    cell.register_forward_hook(lambda c, i, out: seen.append(out), always_call=True)
    cell.register_forward_hook(lambda c, i, out: seen.append('never'))
    with pytest.raises(ValueError, match=r'^no$'):
        cell(X)
    assert seen == [None]


def test_one_hook_registered_twice_is_two():
    cell, seen = Square(), []
    hook = lambda *_: seen.append(1)
    first, second = cell.register_forward_hook(hook), cell.register_forward_hook(hook)
    for handle, due in ((first, 2), (second, 3), (second, 3)):
        cell(X)
        handle.remove()
        assert len(seen) == due


def test_an_output_without_a_gradient_is_none_to_a_hook():
    cell, seen = Both(), []
    cell.register_backward_pre_hook(lambda c, g: seen.append([d is None for d in g]))
    cell.register_backward_hook(lambda c, i, g: seen.append([d is None for d in g]))
    assert ms.grad(lambda x: cell(x)[0])(X).tolist() == [2, 2]
    assert seen == [[False, True]] * 2


@pytest.mark.parametrize('kind', ['backward', 'backward_pre'])
@pytest.mark.parametrize(
    ('returned', 'error', 'facts'),
    [
        (3, TypeError, ('an int', (2,))),
        ([X], TypeError, ['a list']),
        ((None,), TypeError, ['a NoneType']),
        (Tensor([1.0, 2.0, 3.0]), ValueError, ('a Tensor', (3,))),
        (Tensor([1.0, 2.0], ms.float64), ValueError, ('a Float64', 'a Float32')),
        ((X, X), TypeError, ('returned 2', 'but 1')),
        ((), TypeError, ('returned 0', 'but 1')),
    ],
    ids=['int', 'list', 'None', 'shape', 'dtype', 'two', 'none'],
)
def test_what_a_backward_hook_may_not_return(kind, returned, error, facts):
    for cell in (Square(), ten()):
        getattr(cell, f'register_{kind}_hook')(lambda *_: returned)
        with refused(error, f'{kind} hook', type(cell), *facts):
            ms.grad(cell)(X)


def cubed(*hook_fns, remove=()):
    """x * (3x)**2 with hooks on 3x; its gradient at 1, where that of 3x is 6."""

    def f(x):
        y = x * 3
        z = y * y
        handles = [y.register_hook(h) for h in hook_fns]
        for k in remove:
            handles[k].remove()
        return z * x

    return f


def test_a_hook_sees_the_whole_gradient_and_may_change_it():
    seen = []
    assert float(ms.grad(cubed(lambda g: seen.append(float(g))))(Tensor(1.0))) == 27 and seen == [6]
    assert float(ms.grad(cubed(lambda g: g * 10))(Tensor(1.0))) == 189
    assert float(ms.grad(cubed(lambda g: g * 10, lambda g: g + 1))(Tensor(1.0))) == 192
    assert float(ms.grad(cubed(lambda g: g * 10, remove=[0, 0]))(Tensor(1.0))) == 27


def test_its_result_is_differentiated_again():
    def f(x):
        y = x * x
        y.register_hook(lambda g: g * 2)
        return y * x

    assert float(ms.grad(f)(Tensor(2.0))) == 20  # 2 * 2x * x + x**2
    assert float(ms.grad(ms.grad(f))(Tensor(2.0))) == 24


def test_hooks_on_what_a_bprop_made_and_on_one_of_several_outputs():
    seen = []

    def f(x):
        y = ten()(x)
        y.register_hook(lambda g: seen.append(g.tolist()))
        first, second = Both()(y)
        second.register_hook(lambda g: g * 7)
        return first + second

    assert ms.grad(f)(X).tolist() == [90, 90] and seen == [[9, 9]]
    with ms.Tape():
        assert ms.grad(f)(X).tolist() == [90, 90]


def test_hooks_on_inputs():
    x, y, seen = Tensor([1.0]), Tensor([2.0]), []

    def f(a, b):
        b.register_hook(lambda g: seen.append(('b', g.tolist())))
        return a * b

    handle = x.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(('y', g.tolist())))
    assert [g.tolist() for g in ms.grad(f, (0, 1))(x, y)] == [[20], [1]]
    assert sorted(seen) == [('b', [1]), ('y', [1])]
    handle.remove()
    assert ms.grad(f)(x, y).tolist() == [2] and len(seen) == 2  # y was not asked for


def test_hooks_on_parameters_stay():
    net = nn.Dense(1, 1, 2.0, 0.0)
    handle = net.weight.register_hook(lambda g: g * 10)
    step = ms.grad(net, None, net.trainable_params())
    for _ in range(2):
        assert [g.tolist() for g in step(Tensor([[3.0]]))] == [[[30]], [1]]
    handle.remove()
    assert step(Tensor([[3.0]]))[0].tolist() == [[3]]


@pytest.mark.parametrize('used_before', [True, False])
@pytest.mark.parametrize('look', ['grad', 'weights alone', 'vjp', 'Tape'])
def test_a_hook_on_a_parameter_may_come_within_the_gradient(look, used_before):
    w, x = ms.Parameter(Tensor([2.0, 3.0]), name='w'), Tensor([1.0, 4.0])

    def f(x):
        y = x * w if used_before else None
        w.register_hook(lambda g: g * 10)
        return (y if used_before else x * w).sum()

    if look == 'vjp':
        dw = ms.vjp(f, x, weights=[w])[1](Tensor(1.0))[1][0]
    elif look == 'weights alone':
        dw = ms.grad(lambda: f(x), None, w)()
    else:
        with ms.Tape() if look == 'Tape' else contextlib.nullcontext():
            dw = ms.grad(f, 0, w)(x)[1]
    assert dw.tolist() == [10, 40]
    assert ms.grad(lambda: (x * w).sum(), None, w)().tolist() == [10, 40]  # it stays


def test_a_tensor_that_goes_takes_its_hooks_along():
    gc.collect()
    before = len(hooks.of_leaves)
    t = Tensor(1.0)
    t.register_hook(lambda g: g)
    assert len(hooks.of_leaves) == before + 1
    del t
    assert len(hooks.of_leaves) == before


def test_what_a_hook_of_a_tensor_may_not_be_or_return():
    with refused(TypeError, 'register_hook', 'a function', 'an int', line='X.register_hook(3)'):
        X.register_hook(3)
    for wrong, *facts in ((3, 'an int'), ((X,), 'a tuple'), (Tensor([1.0, 2.0]), 'a Tensor', (2,))):
        with refused(RuntimeError, 'a hook', *facts):
            ms.grad(cubed(lambda g, wrong=wrong: wrong))(Tensor(1.0))
    assert ms.grad(cubed(lambda g: g.astype(ms.float16)))(Tensor(1.0)).dtype == ms.float32
    with refused(GraphValueError, 'register_hook', 'a graph'):
        ms.jit(cubed(lambda g: g))(Tensor(1.0))


def test_hook_backward_of_several():
    seen = []

    def f(change):
        hook = ops.HookBackward(change, 'a name')

        def g(a, b):
            a, b = hook(a, b)
            return a * b

        return [d.tolist() for d in ms.grad(g, (0, 1))(X, X + 1)]

    assert f(lambda g: seen.append(len(g))) == [[2, 3], [1, 2]] and seen == [2]
    assert f(lambda g: (g[0] * 10, g[1] * 100)) == [[20, 30], [100, 200]]
    with refused(HookError, 'HookBackward', 'returned 1 gradient', '2 are due'):
        f(lambda g: g[0])
    with refused(HookError, 'HookBackward', 'an int'):
        f(lambda g: (g[0], 3))
    slope = ms.grad(lambda a: ops.HookBackward(lambda g: (g[0] * 2, g[1]))(a, a)[0] * a)
    assert slope(X).tolist() == [3, 6] and ms.grad(slope)(X).tolist() == [4, 4]  # the hook is met twice


def test_they_are_printed_with_their_settings():
    assert repr(ops.HookBackward(print, 'x')) == 'Prim[HookBackward]<cell_id=x>'
    tells(repr(ops.InsertGradientOf(print)), 'Prim[InsertGradientOf]<f=', 'side_')


def test_hook_backward_takes_a_function():
    with refused(TypeError, 'HookBackward', 'a function', 'an int'):
        ops.HookBackward(3)
    with refused(TypeError, 'InsertGradientOf', 'returned an int'):
        ms.grad(ops.InsertGradientOf(lambda g: 3))(X)


def test_a_hook_sees_the_gradients_of_all_arguments_of_what_is_differentiated():
    """As in MindSpore: those that grad was not asked for too, but not of what came from elsewhere."""
    seen = []

    def net():
        cell = Both()
        cell.register_backward_hook(lambda c, i, g: seen.append([d if d is None else d.tolist() for d in i]))
        return cell

    a, b = Tensor([2.0]), Tensor([3.0])
    cell = net()
    first = lambda x, y: cell(x, y)[0]
    assert ms.grad(first)(a, b).tolist() == [3] and ms.grad(first, 1)(a, b).tolist() == [2]
    assert ms.grad(lambda x: cell(x, b)[0])(a).tolist() == [3]
    assert seen == [[[3], [2]], [[3], [2]], [[3], None]]

    class Own(Both):
        def bprop(self, a, b, out, dout):
            return dout[0] * 5, dout[0] * 7

    own, seen[:] = Own(), []
    own.register_backward_hook(lambda c, i, g: seen.append([d.tolist() for d in i]))
    assert ms.grad(lambda x, y: own(x, y)[0])(a, b).tolist() == [5] and seen == [[[5], [7]]]
