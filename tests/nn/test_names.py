"""MindSpore's names, row by row: what each gives, what it refuses, and how it prints."""

import inspect
import pickle
from contextlib import nullcontext

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell import numpy as mnp
from minicell.common import initializer
from minicell.errors import DrawnAgainWarning
from minicell.names import CELLS
from tests.messages import refused, tells, warned

X, MASK = Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True])
GRID = Tensor([[1.0, 2.0], [3.0, 4.0]])
FILLED, ONE = Parameter(Tensor([1.0, 2.0]), name='w'), Parameter(2.0)


def plain(value: object) -> object:
    """A result as Python's own numbers, lists and tuples."""
    if isinstance(value, Tensor):
        return value.tolist()
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


# class -> what it is made with, what it is called with, what comes out
OPERATORS = {
    'AddN': ((), ((X, X),), [2, 4, 6]),
    'Cast': ((), (Tensor([1.5]), ms.int32), [1]),
    'Concat': ((1,), ((GRID, GRID),), [[1, 2, 1, 2], [3, 4, 3, 4]]),
    'DType': ((), (X,), ms.float32),
    'ExpandDims': ((), (X, 0), [[1, 2, 3]]),
    'Eye': ((), (1, 2, ms.int32), [[1, 0]]),
    'Fill': ((), (ms.float32, (2,), 3), [3, 3]),
    'Gather': ((), (X, Tensor([2, 0]), 0), [3, 1]),
    'MaskedFill': ((), (X, MASK, Tensor(9.0)), [9, 2, 9]),
    'MaskedSelect': ((), (X, MASK), [1, 3]),
    'OneHot': ((), (Tensor([1]), 2, Tensor(5.0), Tensor(0.0)), [[0, 5]]),
    'Ones': ((), ((2,), ms.int32), [1, 1]),
    'OnesLike': ((), (X,), [1, 1, 1]),
    'Rank': ((), (GRID,), 2),
    'Select': ((), (MASK, X, -X), [1, -2, 3]),
    'Shape': ((), (GRID,), (2, 2)),
    'Size': ((), (GRID,), 4),
    'Squeeze': ((), (Tensor([[[1.0]]]),), 1),
    'Stack': ((1,), ((X, X),), [[1, 1], [2, 2], [3, 3]]),
    'StopGradient': ((), (X,), [1, 2, 3]),
    'Tile': ((), (X, (2,)), [1, 2, 3, 1, 2, 3]),
    'Transpose': ((), (GRID, (1, 0)), [[1, 3], [2, 4]]),
    'UnsortedSegmentSum': ((), (X, Tensor([1, -1, 1]), 2), [0, 4]),
    'Zeros': ((), (2, ms.int32), [0, 0]),
    'ZerosLike': ((), (X,), [0, 0, 0]),
}


@pytest.mark.parametrize('name', OPERATORS)
def test_an_operator_class_is_its_function(name):
    made_with, given, due = OPERATORS[name]
    operator = getattr(ops, name)(*made_with)
    assert plain(operator(*given)) == due and operator.name == name
    assert repr(operator).startswith(f'Prim[{name}]') and name in dir(ops)


NAMES = [
    (lambda: mnp.arange(4), [0, 1, 2, 3]),
    (lambda: mnp.arange(1, 4, 2).dtype, ms.int32),
    (lambda: mnp.arange(1.0, 2).dtype, ms.float32),
    (lambda: mnp.arange(2, dtype=mnp.float32).dtype, ms.float32),
    (lambda: mnp.array([1, 2]).dtype, mnp.int32),
    (lambda: mnp.array([0.5, 1], ndmin=2), [[0.5, 1]]),
    (lambda: mnp.array(Tensor([1])).dtype, ms.int64),
    (lambda: [mnp.asarray([True]).dtype, mnp.asarray(X) is X, mnp.array(X) is X], [ms.bool_, True, False]),
    (lambda: mnp.asarray(2, ms.float16).dtype, ms.float16),
    (lambda: ms.dtype_to_nptype(ms.int32), np.int32),
    (
        lambda: [ms.dtype_to_pytype(d) for d in (ms.bool_, ms.uint8, ms.float16, ms.complex64)],
        [bool, int, float, complex],
    ),
    (
        lambda: [ms.pytype_to_dtype(t) for t in (bool, int, float, np.float16)],
        [ms.bool_, ms.int64, ms.float64, ms.float16],
    ),
    (lambda: ms.runtime.launch_blocking(), None),
    (lambda: ms.amp.StaticLossScaler(4.0).scale(X), [4, 8, 12]),
    (lambda: ms.amp.StaticLossScaler(4).unscale((X.astype(ms.float16), 3)), ([0.25, 0.5, 0.75], 3)),
    (lambda: ms.amp.StaticLossScaler(4.0).adjust(Tensor(True)), False),
    (lambda: ms.amp.all_finite([X, Tensor([np.nan])]), False),
    (lambda: ms.amp.all_finite((X, GRID)), True),
    (lambda: ops.clip_by_global_norm((X, Tensor([np.sqrt(2.0)])), 2.0), ([0.5, 1, 1.5], [np.float32(np.sqrt(2) / 2)])),
    (lambda: ops.clip_by_global_norm([X]) != X, None),
    (lambda: ops.addn([X, -X, X]), [1, 2, 3]),
    (lambda: [ops.cat is ops.concat, ms.is_tensor(X), ops.is_tensor(3)], [True, True, False]),
    (lambda: [ops.rank(X), ops.numel(GRID), ops.dtype(X), ops.size(GRID)], [1, 4, ms.float32, 4]),
    (lambda: ops.nonzero(Tensor([[0, 1], [2, 0]])), [[0, 1], [1, 0]]),
    (lambda: ops.masked_select(GRID, Tensor([True, False])), [1, 3]),
    (lambda: ops.permute(GRID, (1, 0)), [[1, 3], [2, 4]]),
    (lambda: ops.uniform((2, 2), Tensor(1.0), Tensor(1.0), seed=1), [[1, 1], [1, 1]]),
    (lambda: ops.uniform((9,), Tensor(1.0), Tensor(2.0)).floor(), [1] * 9),
    (lambda: [GRID.permute(1, 0).tolist(), GRID.ravel().tolist()], [[[1, 3], [2, 4]], [1, 2, 3, 4]]),
    (lambda: X.masked_fill(MASK, 0.0), [0, 2, 0]),
    (lambda: [X.unsqueeze(0).shape, GRID.swapdims(0, 1).tolist()], [(1, 3), [[1, 3], [2, 4]]]),
    (lambda: [x.is_contiguous() for x in (GRID, GRID.T, GRID.T.contiguous())], [True, False, True]),
    (lambda: [getattr(ONE, a) for a in ('sliced', 'is_init', 'inited_param')], [False, False, None]),
    (lambda: [ONE.layerwise_parallel, Parameter(1.0, layerwise_parallel=True).layerwise_parallel], [False, True]),
    (lambda: nn.ParameterUpdate(FILLED)(Tensor([3.0, 4.0])) + FILLED, [6, 8]),
    (lambda: nn.MatMul(transpose_x2=True)(GRID, GRID), [[5, 11], [11, 25]]),
    (lambda: nn.MatMul(True, True)(X, X), 14),
    (lambda: nn.ExponentialDecayLR(1.0, 0.25, 2, is_stair=True)(Tensor(3)), 0.25),
    (lambda: nn.PolynomialDecayLR(1.0, 0.5, 2, 1.0)(Tensor(9)), 0.5),
    (lambda: nn.PolynomialDecayLR(1.0, 0.5, 2, 1.0, True)(Tensor(3)), 0.625),
    (lambda: nn.LossBase().get_axis(GRID), (0, 1)),
    (lambda: initializer.initializer('identity', (2, 2)), [[1, 0], [0, 1]]),
    (lambda: initializer._calculate_fan_in_and_fan_out((2, 3, 4)), (12, 8)),
]


@pytest.mark.parametrize(('name', 'due'), NAMES, ids=lambda v: None)
def test_a_name_gives_what_mindspores_gives(name, due):
    found = name()
    assert due is None or plain(found) == due


REFUSED = [
    (lambda: ops.rank(3), TypeError, ('rank', 'an int')),
    (lambda: ops.addn(X), TypeError, ('AddN', 'a Tensor')),
    (lambda: ops.addn(()), ValueError, ('AddN',)),
    (lambda: ops.addn((X, GRID)), ValueError, ('one shape',)),
    (lambda: ops.masked_select(X, X), TypeError, ('MaskedSelect', 'Float32')),
    (lambda: ops.masked_select(X, Tensor([True, False])), ValueError, ('(3,)',)),
    (lambda: ops.tril(X), ValueError, ('Tril', '(3,)')),
    (lambda: ops.unsorted_segment_sum(X, Tensor([0, 5, 0]), 2), RuntimeError, ('id 5', 'num_segments')),
    (lambda: ops.unsorted_segment_sum(X, Tensor([0]), 2), ValueError, ('(1,)', '(3,)')),
    (lambda: ops.unsorted_segment_sum(X, X, 2), TypeError, ('Float32',)),
    (lambda: ops.clip_by_global_norm([X], use_norm=1.0), ValueError, ('use_norm',)),
    (lambda: ops.clip_by_global_norm(X), TypeError, ('a tuple',)),
    (lambda: ops.Dropout2D(1.0)([[1.0]]), TypeError, ('Dropout', 'list')),
    (lambda: ms.dtype_to_nptype(3), TypeError, ('3', 'not a dtype')),
    (lambda: ms.pytype_to_dtype(list), TypeError, ('list', 'not a dtype')),
    (lambda: mnp.array({}), TypeError, ('numpy.array', 'a dict')),
    (lambda: Parameter(1.0, layerwise_parallel=3), TypeError, ('layerwise_parallel', 'an int')),
    (lambda: nn.ParameterUpdate(3), TypeError, ('ParameterUpdate', 'an int')),
    (lambda: nn.MatMul(3), TypeError, ('MatMul', 'an int')),
    (lambda: nn.ExponentialDecayLR(0.1, -0.9, 4), ValueError, ('decay_rate', '-0.9')),
    (lambda: nn.PolynomialDecayLR(0.1, 0.0, 0, 1.0), ValueError, ('decay_steps', '0')),
    (lambda: ms.amp.StaticLossScaler(-2), ValueError, ('scale_value', '-2')),
    (lambda: initializer.initializer('identity', (2,)), ValueError, ('Identity', '(2,)')),
    (lambda: initializer.TruncatedNormal(a=1.0, b=1.0), ValueError, ('TruncatedNormal', 'a=1.0')),
    # classes that an `except` written for MindSpore catches
    (lambda: ms.grad(lambda x: x, 0, [3])(X), RuntimeError, ('weights', 'an int')),
    (lambda: ms.grad(lambda x: x, True)(X), RuntimeError, ('grad_position', 'True')),
    (lambda: ms.jvp(3, X, X), ValueError, ('jvp', 'an int')),
    (lambda: ms.jacrev(3)(X), ValueError, ('jacrev', 'an int')),
    (lambda: ms.jacrev(lambda x: x, None)(X), TypeError, ('grad_position',)),
    (lambda: nn.SGD([ONE], learning_rate='x'), ValueError, ('learning_rate', 'a str')),
    (lambda: nn.Cell().insert_child_to_cell('a.b', nn.ReLU()), KeyError, ("'a.b'", 'a dot')),
    (lambda: setattr(nn.Cell(), '', nn.ReLU()), KeyError, ("''", 'empty')),
    (lambda: setattr(nn.Cell(), 'a.b', Parameter(1.0)), KeyError, ("'a.b'", 'a dot')),
    (lambda: setattr(nn.Cell(), 'x y', nn.ReLU()), ValueError, ("'x y'", 'a space')),
    (lambda: ms.grad(lambda x: ())(X), RuntimeError, ('returned ()',)),
    (lambda: ms.grad(lambda x: ops.HookBackward(lambda g: g[0].astype(ms.float16))(x))(X), ValueError, ('Float16',)),
]


@pytest.mark.parametrize(('call', 'kind', 'facts'), REFUSED, ids=[', '.join(facts) for *_, facts in REFUSED])
def test_a_name_refuses_what_mindspores_refuses(call, kind, facts):
    with refused(kind, *facts):
        call()


def test_layers_stand_where_mindspore_has_them():
    for home, names in CELLS.items():
        for name in names.split() if home.startswith('layer.') else ():
            kind = getattr(nn, name)
            assert kind.__module__ == f'minicell.nn.{home}' and getattr(nn.layer, name) is kind
            assert inspect.getsourcefile(inspect.getmodule(kind)).endswith('.py')
    assert type(pickle.loads(pickle.dumps(nn.Dense(1, 1)))) is nn.Dense


def test_a_dict_of_cells_prints_its_keys():
    cells = nn.CellDict({'a': nn.ReLU(), 'b': nn.Identity()})
    tells(
        (cells.keys(), cells.values(), cells.items()), "odict_keys(['a', 'b'])", 'odict_values([ReLU()', 'odict_items'
    )


def test_parameters_go_to_a_file_and_back(tmp_path):
    net, other, file = nn.Dense(2, 1), nn.Dense(2, 1), str(tmp_path / 'net')
    net.insert_param_to_cell('names', Parameter(Tensor(1, ms.int32)))
    ms.save_checkpoint(net, file)
    loaded = ms.load_checkpoint(f'{file}.ckpt', other)
    assert list(loaded) == ['weight', 'bias', 'names'] and loaded['names'].dtype == ms.int32
    assert other.weight.tolist() == net.weight.tolist() and type(loaded['weight']) is Parameter
    ms.save_checkpoint([{'name': 'a', 'data': X}], file)
    assert plain(ms.load_checkpoint(f'{file}.ckpt')['a']) == [1, 2, 3]
    (tmp_path / 'text.ckpt').write_text('no numbers')
    for name, kind, facts in [
        ('nothing.ckpt', ValueError, ('nothing.ckpt',)),
        ('text.ckpt', ValueError, ('no checkpoint',)),
    ]:
        with refused(kind, 'load_checkpoint', *facts, keep=False):
            ms.load_checkpoint(str(tmp_path / name))
    with refused(TypeError, 'save_checkpoint', 'an int'):
        ms.save_checkpoint(3, file)
    with refused(TypeError, 'save_checkpoint', 'b is'):
        ms.save_checkpoint({'b': 3}, file)


def test_momentum_as_an_operator_steps_as_the_optimizer_does():
    for nesterov in (False, True):
        w, v, p = Parameter([1.0, 2.0]), Parameter([0.0, 0.0]), Parameter([1.0, 2.0], name='p')
        step, opt = ops.ApplyMomentum(nesterov, gradient_scale=2.0), nn.Momentum([p], 0.1, 0.9, use_nesterov=nesterov)
        for g in (Tensor([1.0, -1.0]), Tensor([0.5, 2.0])):
            step(w, v, 0.1, g * 2, 0.9)
            opt((g,))
        np.testing.assert_allclose(w.asnumpy(), p.asnumpy(), rtol=1e-6)
    tells(repr(step), 'use_nesterov=True', 'gradient_scale=2.0', 'side_effect_mem=True')


def test_hooks_as_their_pages_show_them():
    """The only examples of forward hooks in MindSpore's own docstrings call nn.MatMul."""
    seen = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mul = nn.MatMul()
            self.handle = self.mul.register_forward_pre_hook(lambda cell, inputs: seen.append(type(cell)))
            self.mul.register_forward_hook(lambda cell, inputs, output: output + 1)

        def construct(self, x, y):
            return self.mul(x, y + y)

    dx, dy = ms.grad(Net(), (0, 1))(ops.ones((1, 1)), ops.ones((1, 1)))
    assert seen == [nn.MatMul] and (dx.item(), dy.item()) == (2, 2)


def test_insert_gradient_of_in_a_graph():
    clip = ops.InsertGradientOf(lambda g: ops.minimum(g, Tensor(1.0)))
    eager = lambda x: clip(x) * 5
    f = ms.jit(eager)
    assert f(X).tolist() == f(X).tolist() == [5, 10, 15] and f.traced == 1
    for order in (lambda f: ms.grad(f), lambda f: ms.grad(lambda x: ms.grad(lambda x: f(x) * x)(x) * x)):
        assert order(f)(X).tolist() == order(eager)(X).tolist()


class Sampler(nn.Cell):
    def construct(self, x):
        return x * float(np.random.rand())


def test_a_random_construct_that_is_called_again_for_its_gradient_says_so():
    net, drop = Sampler().set_grad(), nn.Dropout(p=0.5).set_train().set_grad()
    for cell in (net, drop):
        cell(X)
        with warned(DrawnAgainWarning, type(cell).__name__, 'set_grad()', 'value_and_grad'):
            ms.grad(cell)(X)
    assert pickle.loads(pickle.dumps(net))(X).shape == (3,)


SEEN = {  # what is called before the gradient, and whether it is told
    'no call': (Sampler().set_grad(), None, 0),
    'another input': (Sampler().set_grad(), lambda net: net(GRID), 0),
    'nothing random': (nn.Identity().set_grad(), lambda net: net(X), 0),
    'no set_grad': (Sampler(), lambda net: net(X), 0),
    'once': (Sampler().set_grad(), lambda net: (net(X), ms.grad(net)(X)), 1),
    'in a graph': (nn.Dense(3, 1).set_grad(), lambda net: ms.jit(net)(X), 0),
}


@pytest.mark.parametrize('case', SEEN)
def test_a_gradient_that_draws_what_nobody_saw_says_nothing(case):
    net, before, told = SEEN[case]
    with warned() as said:
        if before:
            before(net)
        ms.grad(net)(X)
    assert [w.category for w in said.caught] == [DrawnAgainWarning] * told


# ---- rows of MINDSPORE.md: each ran on MindSpore ---------------------------------------------------------------------


def test_a_part_is_in_the_phase_of_the_whole():
    net = nn.SequentialCell(nn.Dense(1, 1)).set_train(False)
    assert (net.phase, net[0].phase) == ('predict', 'predict')


def test_what_mindspore_refuses_and_numbers_allow():
    w = Parameter([1.0, 2.0], name='w')
    assert ops.assign(w, [5.0, 6.0]).tolist() == [5, 6] and ops.assign_add(w, 5.0).tolist() == [10, 11]
    for found, due in [
        (X[np.array([0, 2])], [1, 3]),
        (X[np.int64(1)], 2),
        (X[range(2)], [1, 2]),
        (X * [1.0, 2.0, 3.0], [1, 4, 9]),
        (ops.add(X, (1.0, 2.0, 3.0)), [2, 4, 6]),
        (ops.gt(X, [2.0, 2.0, 2.0]), [False, False, True]),
        (X + 1j, [1 + 1j, 2 + 1j, 3 + 1j]),
        (ops.MatMul()(X, X), 14),
        (ops.MatMul()(ops.ones((1, 1, 2)), ops.ones((1, 2, 1))), [[[2]]]),
        (ops.fill(ms.float32, 2, 3), [3, 3]),
        (ops.fill(ms.float32, [2], 3), [3, 3]),
    ]:
        assert found.tolist() == due
    assert np.sum(X) == 6


def test_jvp_runs_a_function_that_writes_once():
    p = Parameter(1.0, name='p')

    def f(x):
        ops.assign_add(p, 1.0)
        return x * p

    value, tangent = ms.jvp(f, Tensor(1.0), Tensor(1.0))
    assert (value.item(), tangent.item(), p.item()) == (2, 2, 2)


class Kept(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (ops.select(x > 1.5, dout * 3, ops.zeros_like(dout)),)


def test_jvp_through_a_bprop_with_a_choice():
    assert ms.jvp(Kept(), X, ops.ones_like(X))[1].tolist() == [0, 3, 3]
    assert np.diag(ms.jacfwd(Kept())(X).asnumpy()).tolist() == [0, 3, 3]


def test_gradients_of_places_that_mindspore_refuses():
    cube = ops.ones((2, 3, 2))
    for place, due in [((slice(None), slice(None, None, 2), 0), 4), (slice(1, 0), 0), ((Tensor(0), 1), 2)]:
        assert ms.grad(lambda x, place=place: x[place])(cube).sum().item() == due


@pytest.mark.parametrize('returned', [3, (X,), Tensor([1.0])], ids=['a number', 'a tuple', 'another shape'])
def test_a_hook_returns_a_gradient_of_the_same_shape(returned):
    def hooked(x):
        y = x * 2
        y.register_hook(lambda g: returned)
        return y

    for f in (hooked, ops.InsertGradientOf(lambda g: returned)):
        with refused(RuntimeError, '(3,)'):
            ms.grad(f)(X)


def test_a_tuple_of_one_position_gives_a_tuple_of_one():
    for asked in (ms.jacrev, ms.jacfwd):
        found = asked(lambda x, y: x * y, (1,))(Tensor([2.0]), Tensor([3.0]))
        assert isinstance(found, tuple) and len(found) == 1


def test_nan_is_not_lost():
    nan = Tensor([np.nan])
    assert all(np.isnan(op(nan).asnumpy()).all() for op in (ops.relu, ops.sign, ops.hardtanh))


def test_a_list_is_one_index():
    cube = ops.ones((2, 3, 2))
    assert cube[[[0, 1], [1, 0]]].shape == (2, 2, 3, 2) and cube[[Tensor(0), Tensor(1)]].shape == (2, 3, 2)
    assert cube[False].shape == (0, 2, 3, 2)


def test_dtypes_of_small_integers():
    small = Tensor([1, 2], ms.uint8)
    yes = Tensor([True])
    assert [ops.sum(small).dtype, ops.cumsum(small, 0).dtype, (yes**yes).dtype] == [ms.uint64, ms.uint8, ms.int8]


def test_what_mindspore_prints_otherwise():
    named = Parameter(1.0)
    named.name = ' '
    tells(repr(Tensor([1.0])[:0]), 'shape=[0]', 'value= )')
    tells(repr(Tensor.from_numpy(np.ones(1))), '1.00000000e+00')
    assert named.name == ' '


def test_adding_in_place_in_a_graph_leaves_the_argument():
    @ms.jit
    def f(x):
        x += 1
        return x

    x = Tensor([1.0])
    assert [f(x).item() for _ in range(3)] == [2, 2, 2] and x.item() == 1


def test_a_walrus_and_a_with_in_a_graph():
    @ms.jit
    def f(x):
        with nullcontext():
            return (y := x * 2) + y

    assert f(X).tolist() == f(X).tolist() == [4, 8, 12]
