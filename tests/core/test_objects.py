"""Tensor, Parameter, ParameterTuple, dtypes: made, printed, converted, refused, as in MindSpore."""

import copy

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor
from minicell.common import initializer
from minicell.core.errors import TensorSettingError
from tests.messages import refused, tells


@pytest.mark.parametrize(
    ('data', 'dtype', 'shape'),
    [
        (3, 'Int64', ()),
        (1.5, 'Float32', ()),
        (True, 'Bool', ()),
        (1j, 'Complex128', ()),
        ([1.0, 2.0], 'Float32', (2,)),
        ([1, 2], 'Int64', (2,)),
        ([1, 2.5], 'Float32', (2,)),
        ([True, 2], 'Int64', (2,)),
        ([True, False], 'Bool', (2,)),
        ((1.0, 2.0), 'Float32', (2,)),
        ([[1.0], [2.0]], 'Float32', (2, 1)),
        ([], 'Float32', (0,)),
        (np.array([1.0, 2.0]), 'Float64', (2,)),
        (np.float64(1.0), 'Float64', ()),
        (np.float16([1.0]), 'Float16', (1,)),
        (np.arange(3, dtype=np.uint8), 'UInt8', (3,)),
        ([Tensor([1.0]), Tensor([2.0])], 'Float32', (2, 1)),
        (Tensor([1, 2]), 'Int64', (2,)),
        # lists of arrays and Tensors: as the numbers themselves; Tensors alone keep their dtype
        ([np.float64(1.5)], 'Float32', (1,)),
        ([np.array([1.0, 2.0])], 'Float32', (1, 2)),
        ([np.float16(1.5)], 'Float16', (1,)),
        ([np.int32(3)], 'Int64', (1,)),
        ([1, np.float64(2)], 'Float32', (2,)),
        ((Tensor(1.0), 2.0), 'Float32', (2,)),
        ([Tensor(1), 2.0], 'Float32', (2,)),
        ([Tensor([1.0], ms.float64), Tensor([2.0], ms.float64)], 'Float64', (2, 1)),
        ([Tensor(1, ms.int32), Tensor(2, ms.int32)], 'Int32', (2,)),
    ],
    ids=repr,
)
def test_default_dtypes(data, dtype, shape):
    t = Tensor(data)
    assert (str(t.dtype), t.shape, t.ndim, t.size) == (dtype, shape, len(shape), int(np.prod(shape)))
    plain = lambda d: (
        d.asnumpy() if isinstance(d, Tensor) else list(map(plain, d)) if isinstance(d, (list, tuple)) else d
    )
    np.testing.assert_array_equal(t.asnumpy(), plain(data))


ALL = [t for n, t in vars(ms.dtype).items() if isinstance(t, ms.dtype.DType)]


def test_there_are_fourteen_dtypes():
    assert len(ALL) == len({d.name for d in ALL}) == 14


@pytest.mark.parametrize('dtype', ALL, ids=str)
def test_every_dtype(dtype):
    """Made, printed, cast to and from, by object, by name, by NumPy's."""
    t = Tensor([1, 0, 1], dtype)
    assert t.dtype is dtype and t.asnumpy().dtype == dtype.numpy
    assert (str(dtype), repr(dtype)) == (
        str(dtype.numpy).replace('ui', 'UI').capitalize().replace('int', 'Int')
        if dtype.numpy.kind != 'u'
        else str(dtype.numpy).replace('uint', 'UInt'),
        f'mindspore.{dtype.name.rstrip("_")}',
    )
    assert (dtype == dtype.numpy) is False
    assert copy.deepcopy(dtype) is dtype
    x = Tensor([1.0, 0.0, 1.0])
    for asked in (dtype, dtype.name.rstrip('_'), dtype.numpy):
        assert x.astype(asked).dtype is dtype
        np.testing.assert_array_equal(x.astype(asked).asnumpy(), t.asnumpy())


@pytest.mark.parametrize(
    'bad',
    ['text', None, {}, {1}, range(3), object(), [[1], [1, 2]], ['a'], [None]],
    ids=lambda bad: repr(bad).partition(' at 0x')[0],
)
def test_what_holds_no_numbers_is_a_type_error(bad):
    shown = repr(bad) if isinstance(bad, list) else type(bad).__name__
    with refused(TypeError, 'Tensor', 'input_data', shown, line='Tensor(bad)'):
        Tensor(bad)


@pytest.mark.parametrize('bad', ['float32', np.float32, float, np.dtype('int8')], ids=repr)
def test_the_dtype_of_a_tensor_is_minicells_own(bad):
    with refused(TypeError, "'Tensor'", "'dtype'", 'mindspore.int8', 'mindspore.int16'):
        Tensor([1, 2], bad)


def test_a_tensor_of_shape_dtype_and_init():
    assert Tensor(shape=(2, 2), dtype=ms.float32, init=initializer.One()).tolist() == [[1, 1], [1, 1]]
    assert Tensor(shape=2, dtype=ms.int32).tolist() == [0, 0]
    for wrong in ({'shape': (2,), 'init': initializer.One()}, {'input_data': 1, 'dtype': ms.int32, 'shape': (1,)}):
        with refused(TensorSettingError, 'input_data', 'shape', 'dtype and init', line='Tensor(**wrong)'):
            Tensor(**wrong)
    with refused(TypeError, 'init', 'an Initializer', "got 'ones'"):
        Tensor(shape=(2,), dtype=ms.float32, init='ones')


def test_functions_that_make_tensors():
    assert repr(ms.tensor([1, 2], ms.float16)) == repr(Tensor([1, 2], ms.float16))
    array = np.array([1.0])
    made = ms.from_numpy(array)
    array[0] = 2
    assert made.tolist() == [1.0] and ms.common.dtype.float32 is ms.float32


def test_astype_refuses_what_is_no_dtype():
    for bad in ('float33', object, 'O', None, 7):
        with pytest.raises(TypeError):
            Tensor([1.0]).astype(bad)


@pytest.mark.parametrize(
    ('t', 'head', 'numbers'),
    [
        ([1.5, -2.25, 3], '[3], dtype=Float32', ' [ 1.50000000e+00, -2.25000000e+00,  3.00000000e+00]'),
        ([1.0], '[1], dtype=Float32', ' [ 1.00000000e+00]'),
        (
            *([[1.5, -2.0], [3.0, 4.0]], '[2, 2], dtype=Float32'),
            '\n[[ 1.50000000e+00, -2.00000000e+00],\n [ 3.00000000e+00,  4.00000000e+00]]',
        ),
        (
            *(np.arange(4, dtype=np.float32).reshape(2, 1, 2), '[2, 1, 2], dtype=Float32'),
            '\n[[[ 0.00000000e+00,  1.00000000e+00]],\n [[ 2.00000000e+00,  3.00000000e+00]]]',
        ),
        (1.5, '[], dtype=Float32', ' 1.5'),
        (6.0, '[], dtype=Float32', ' 6'),
        (1234567.0, '[], dtype=Float32', ' 1.23457e+06'),
        (6, '[], dtype=Int64', ' 6'),
        ([1, -20, 300], '[3], dtype=Int64', ' [  1, -20, 300]'),
        ([True, False], '[2], dtype=Bool', ' [ True, False]'),
        (np.float16([0.1]), '[1], dtype=Float16', ' [ 9.9976e-02]'),
        (np.array([0.1]), '[1], dtype=Float64', ' [ 1.00000000e-01]'),
        ([], '[0], dtype=Float32', ' '),
        (np.zeros((0, 3)), '[0, 3], dtype=Float64', '\n'),
        (np.float16([np.nan, -np.nan]), '[2], dtype=Float16', ' [        nan,        -nan]'),
        (np.array([-1e-300, 1]), '[2], dtype=Float64', ' [-1.00000000e-300,  1.00000000e+00]'),
        (
            *(np.arange(16, dtype=np.int64).reshape(2, 8), '[2, 8], dtype=Int64'),
            '\n[[ 0,  1,  2 ...  5,  6,  7],\n [ 8,  9, 10 ... 13, 14, 15]]',
        ),
        (np.arange(1001, dtype=np.int64), '[1001], dtype=Int64', ' [   0,    1,    2 ...  998,  999, 1000]'),
    ],
)
def test_repr(t, head, numbers):
    assert repr(Tensor(t)) == f'Tensor(shape={head}, value={numbers})'


@pytest.mark.parametrize(('count', 'made', 'stray'), [(11, 1, False), (12, 1, True), (24, 2, True), (25, 3, False)])
def test_repr_breaks_rank_1_after_twelve_floats(count, made, stray):
    """And a full line is followed by MindSpore's stray line end, the last one too."""
    text = repr(Tensor(np.arange(count, dtype=np.float32)))
    assert text.endswith('\n ])') is stray
    assert text.count('\n') == made - 1 + stray
    assert text.count('e+') == count


def test_repr_of_integers_breaks_after_twenty_four():
    assert repr(Tensor(np.arange(23))).count('\n') == 0
    assert repr(Tensor(np.arange(24))).endswith('\n ])')
    assert repr(Tensor(np.arange(13) > 5)).count('\n') == 1  # Bools after twelve
    assert repr(Tensor(np.arange(25))).count('\n') == 1


def test_repr_of_rank_1_is_cut_above_a_thousand():
    assert '...' not in repr(Tensor(np.arange(1000))) and '...' in repr(Tensor(np.arange(1001)))


def test_numpys_print_options_change_str_and_not_repr():
    t = Tensor([1 / 3])
    before = repr(t)
    with np.printoptions(precision=2):
        assert (repr(t), str(t)) == (before, '[0.33]')


def test_str_is_numpys():
    for value in ([1.5, -2.25], [[1.0], [2.0]], [True], np.arange(8).reshape(2, 2, 2)):
        assert str(Tensor(value)) == f'{Tensor(value)}' == str(Tensor(value).asnumpy())
    assert str(Tensor(2.5)) == '2.5'
    large = Tensor([1234567.0]), Tensor(1234567.0), Tensor([65504.0], ms.float16)  # NumPy 2.3 has 1.234567e+06
    assert [str(t) for t in large] == ['[1234567.]', '1234567.0', '[65504.]']


def test_conversions():
    assert (float(Tensor(2.5)), int(Tensor([3])), bool(Tensor(0)), Tensor([[2.5]]).item()) == (2.5, 3, False, 2.5)
    assert Tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert [10, 20, 30][Tensor(1)] == 20 and list(range(Tensor([3]))) == [0, 1, 2]
    assert len(Tensor([[1.0], [2.0]])) == 2
    assert [repr(t) for t in Tensor([1, 2])] == [repr(Tensor(1)), repr(Tensor(2))]
    assert Tensor([1.0, 2.0])[-1].shape == ()


@pytest.mark.parametrize('convert', [float, int, bool, lambda t: t.item()])
def test_a_vector_is_no_number(convert):
    with refused(ValueError, 'one element', 'shape (2,)'):
        convert(Tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    'misuse',
    [
        lambda: f'{Tensor(1.0):.2f}',
        lambda: [1, 2][Tensor(1.0)],
        lambda: len(Tensor(1.0)),
        lambda: list(Tensor(1.0)),
        lambda: Tensor([1.0]) + np.ones(1),
        lambda: Tensor([1.0]) + 'a',
        lambda: Tensor([1.0]) + None,
    ],
)
def test_misuse_is_a_type_error(misuse):
    with pytest.raises(TypeError):
        misuse()


@pytest.mark.parametrize('name', ['detach', 'backward', 'grad', 'requires_grad', 'set_data'])
def test_what_mindspores_tensor_does_not_have(name):
    with pytest.raises(AttributeError):
        getattr(Tensor([1.0]), name)


def test_tensors_are_told_apart_by_identity_and_compared_elementwise():
    a, b = Tensor([1.0, 2.0]), Tensor([1.0, 3.0])
    assert {a: 1, b: 2}[a] == 1
    assert (a == b).tolist() == [True, False] and (a != b).tolist() == [False, True]
    assert (a == 1).tolist() == [True, False]


def test_copies_are_copies():
    for t in (copy.copy, copy.deepcopy):
        a = Tensor([1.0])
        b = t(a)
        b[0] = 5.0
        assert float(a) == 1.0 and type(b) is Tensor


def test_index_writes():
    t = Tensor([1.0, 2.0, 3.0])
    same = t
    t[0] = 10
    t[1:] = Tensor([5, 6])
    t[Tensor([True, False, False])] = 7.5
    assert same is t and t.tolist() == [7.5, 5, 6] and t.dtype is ms.float32
    with pytest.raises(IndexError):
        t[3] = 1
    t[1], t[2] = Tensor([3]), Tensor([[4.0]])
    assert t.tolist() == [7.5, 3, 4]
    scalar = Tensor([1.0, 2.0]).sum()
    scalar[...] = 9
    assert float(scalar) == 9


@pytest.mark.parametrize('value', [None, 'text', [None, None], np.array(['a', 'b'])], ids=repr)
@pytest.mark.parametrize('kind', [Tensor, Parameter])
def test_what_is_no_number_is_not_written(value, kind):
    t = kind(Tensor([1.0, 2.0]))
    for place in (slice(None), 0):
        with refused(TypeError, 'x[i] = v', 'a Tensor', 'or numbers', line='t[place] = value'):
            t[place] = value
    assert t.tolist() == [1, 2]


@pytest.mark.parametrize(
    ('data', 'dtype', 'shape'),
    [
        (2.0, 'Float32', ()),
        (2, 'Int32', ()),
        ([1, 2], 'Int64', (2,)),
        (np.ones(2), 'Float64', (2,)),
        (Tensor(2), 'Int64', ()),
    ],
    ids=repr,
)
def test_parameter_dtypes(data, dtype, shape):
    p = Parameter(data)
    assert (str(p.dtype), p.shape, p.requires_grad) == (dtype, shape, True)
    assert isinstance(p, Tensor)


def test_a_parameters_repr_never_shows_its_values():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name='w', requires_grad=False)
    assert repr(p) == str(p)
    tells(repr(p), 'Parameter (name=w', 'shape=(3,), dtype=Float32', 'requires_grad=False)')
    assert str(p.value()) == '[1. 2. 3.]' and type(p.value()) is Tensor


def test_arithmetic_of_a_parameter_gives_a_tensor():
    p = Parameter(Tensor([1.0]), 'w')
    assert type(p + 1) is type(p * p) is type(p[0]) is Tensor


def test_default_names_are_numbered():
    a, b = Parameter(1.0), Parameter(1.0)
    assert a.name.startswith('Parameter#') and a.name != b.name
    with refused(ValueError, 'name', 'a string', 'an int'):
        a.name = 3
    with refused(TypeError, 'requires_grad', 'a bool', 'an int', line='Parameter(1.0, requires_grad=1)'):
        Parameter(1.0, requires_grad=1)
    a.name = 'mine'
    assert 'name=mine' in repr(a)
    for nothing in (None, ''):
        a.name = nothing
        assert a.name.startswith('Parameter#') and Parameter(1.0, name=nothing).name.startswith('Parameter#')
    for wrong in (1, 'a', None):
        with refused(TypeError, 'requires_grad', 'a bool'):
            a.requires_grad = wrong
    assert a.requires_grad is True


def test_copies_of_parameters():
    p = Parameter(Tensor([1.0, 2.0]), 'w', False, False, True)
    q = p.copy()
    p[0] = 9.0
    assert type(q) is Parameter and q.tolist() == [1, 2] and (q.name, q.requires_grad) == ('w', False)
    assert p.clone(5).tolist() == [5, 5] and p.clone(Tensor([3.0, 4.0])).tolist() == [3, 4]
    with refused(ValueError, "'same', 'zeros', 'ones'", "got 'abc'", line="p.clone('abc')"):
        p.clone('abc')
    assert ParameterTuple([p, p]) == (p, p)
    for copied in (copy.copy(p), copy.deepcopy(p), p.clone()):
        assert type(copied) is Parameter and (copied.name, copied.requires_grad) == ('w', False)
        copied[0] = 5.0
        assert float(p[0]) == 9.0
    shared = copy.deepcopy([p, p])
    assert shared[0] is shared[1] is not p
    for prefix, error in (('', ValueError), ('a b', ValueError), (3, TypeError)):
        with pytest.raises(error, match='clone: '):
            ParameterTuple([p]).clone(prefix)


@pytest.mark.parametrize(
    ('bad', 'error'),
    [
        *[((1, 2), TypeError), (True, ValueError), ('a', TypeError), (None, TypeError), ({}, TypeError)],
        *[(1j, TypeError), (np.float32(1), TypeError), (np.int64(1), TypeError)],
    ],
    ids=repr,
)
def test_what_a_parameter_cannot_be_made_of(bad, error):
    with pytest.raises(error):
        Parameter(bad)


def test_set_data():
    p = Parameter(Tensor([1.0, 2.0]), 'w')
    assert p.set_data(Tensor([3, 4])) is p
    assert p.tolist() == [3, 4] and p.dtype is ms.float32
    p.set_data(Tensor([5.5, 6.5], ms.float64))
    assert p.tolist() == [5.5, 6.5] and p.dtype is ms.float32
    scalar = Parameter(1.0)
    scalar.set_data(2)
    assert float(scalar) == 2.0


@pytest.mark.parametrize(
    ('data', 'error', 'facts'),
    [
        (Tensor([1.0]), ValueError, ['stays (2,)', 'has (1,)']),
        (2.0, ValueError, ['stays (2,)', 'has ()']),
        (np.ones(2), TypeError, ['a Tensor', 'got a ndarray']),
        ([1.0, 2.0], TypeError, ['got a list']),
        (None, TypeError, ['got a NoneType']),
        (True, TypeError, ['got a bool']),
    ],
    ids=['shape', 'scalar', 'array', 'list', 'None', 'bool'],
)
def test_set_data_refuses(data, error, facts):
    with refused(error, 'set_data of w', *facts, line='.set_data(data)'):
        Parameter(Tensor([1.0, 2.0]), 'w').set_data(data)


def test_a_parameter_tuple():
    a, b = Parameter(Tensor([1.0]), 'a'), Parameter(Tensor([2]), 'b', requires_grad=False)
    both = ParameterTuple([a, b])
    assert isinstance(both, tuple) and both[0] is a and len(both) == 2
    copies = both.clone('new')
    a[0] = 9.0
    assert [p.name for p in copies] == ['new.a', 'new.b'] and [p.tolist() for p in copies] == [[1.0], [2]]
    assert [p.requires_grad for p in copies] == [True, False]
    assert [p.tolist() for p in both.clone('z', init='zeros')] == [[0.0], [0]]
    assert [p.tolist() for p in both.clone('o', init='ones')] == [[1.0], [1]]
    assert [p.tolist() for p in both.clone('n', init=7)] == [[7.0], [7]]
    assert type(both[:1]) is tuple


def test_a_parameter_tuple_refuses():
    a = Parameter(Tensor([1.0]), 'a')
    with refused(TypeError, 'ParameterTuple holds Parameters', 'a Tensor'):
        ParameterTuple([a, Tensor([1.0])])
    with refused(ValueError, 'name a', 'twice'):
        ParameterTuple([a, Parameter(1.0, 'a')])
