"""Every op against NumPy: numbers, shapes, dtypes, what it refuses."""

import copy
import operator

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicell as ms
from minicell import Tensor, ops
from tests.messages import refused
from tests.nn.test_names import OPERATORS as BY_ROW
from tests.ops.declare import ALL, SMOOTH, STEPS, label, tries

FLOATS = ['float16', 'float32', 'float64']
INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
ELEMENTWISE = [d for d in ALL if d.elementwise]


def agrees(declared, arrays):
    """The op on these arrays gives what NumPy gives, in its shape."""
    got = declared.op(*map(Tensor, arrays))
    due = np.asarray(declared.oracle(*arrays))
    if arrays[0].dtype == 'float16' and declared.name.startswith('sum['):  # which is made in Float32
        due = np.asarray(declared.oracle(*[a.astype('float32') for a in arrays])).astype('float16')
    assert got.shape == due.shape, f'{declared.name} of {[a.shape for a in arrays]}: shape {got.shape}, due {due.shape}'
    if declared.exact:
        np.testing.assert_array_equal(got.asnumpy(), due, err_msg=declared.name)
    else:
        eps = np.finfo(arrays[0].dtype).eps if arrays[0].dtype.kind == 'f' else 0
        sums = 0
        if not declared.elementwise:  # terms cancel: what counts is how large they are
            due = np.asarray(declared.oracle(*[a.astype(np.float64) for a in arrays]))
            sums = 16 * eps * np.max(np.abs(due), initial=1)
        np.testing.assert_allclose(got.asnumpy(), due, rtol=4 * eps, atol=sums, err_msg=declared.name)
    return got


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize(('declared', 'shapes'), tries(ALL), ids=label)
def test_numbers_are_numpys(declared, shapes, dtype):
    got = agrees(declared, [a.astype(dtype) for a in declared.inputs(shapes, seed=1)])
    due = {'same': dtype, 'divided': dtype}.get(declared.dtype, declared.dtype)
    assert str(got.dtype).lower() == due.lower(), f'{declared.name} of {dtype} gives {got.dtype}'


@pytest.mark.parametrize('declared', ELEMENTWISE, ids=label)
@settings(max_examples=25, derandomize=True, deadline=None)
@given(data=st.data())
def test_any_shapes_that_broadcast(declared, data):
    count = len(declared.shapes[0])
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=4, min_side=0, max_side=3))
    arrays = declared.inputs(shapes.input_shapes, seed=data.draw(st.integers(0, 99)))
    assert agrees(declared, arrays).shape == shapes.result_shape


@pytest.mark.parametrize('declared', [d for d in ALL if d.floats], ids=label)
@pytest.mark.parametrize('dtype', [*INTEGERS, 'bool_'])
def test_ops_on_floats_refuse_other_dtypes_by_name(declared, dtype):
    x = Tensor([1, 0], getattr(ms, dtype))
    with refused(
        TypeError, f'{declared.op.rule.name} works', 'floats', x.dtype, line='declared.op(x)', keep=dtype == 'int64'
    ):
        declared.op(x)


@pytest.mark.parametrize('declared', [d for d in SMOOTH + STEPS if d.elementwise and not d.floats], ids=label)
@pytest.mark.parametrize('dtype', INTEGERS)
def test_integers_go_through(declared, dtype):
    arrays = [np.array([1, 2, 3], dtype), np.array([2, 2, 1], dtype)][: len(declared.shapes[0])]
    got = declared.op(*map(Tensor, arrays))
    due = {'same': dtype, 'divided': 'float32', 'Bool': 'bool'}[declared.dtype]
    assert str(got.dtype).lower() == due, f'{declared.name} of {dtype} gives {got.dtype}'
    exactly = [a.astype(np.float64) for a in arrays] if declared.dtype == 'divided' else arrays
    np.testing.assert_allclose(got.asnumpy(), declared.oracle(*exactly), rtol=1e-6)


def agreed(a: str, b: str) -> str:
    """MindSpore's rule in words: a float beats every integer, bool gives way to everything, else NumPy's table."""
    if a.startswith('float') != b.startswith('float'):
        return a if a.startswith('float') else b
    both = np.promote_types(a, b)
    return 'int64' if both.kind == 'f' and not a.startswith('float') else str(both)


@pytest.mark.parametrize('a', [*FLOATS, *INTEGERS, 'bool'])
@pytest.mark.parametrize('b', [*FLOATS, *INTEGERS, 'bool'])
def test_promotion(a, b):
    x, y = Tensor(np.ones(2, a)), Tensor(np.ones((), b))
    for op in (ops.add, ops.mul, ops.maximum, lambda x, y: ops.concat((x, y.reshape(1)))):
        got = op(x, y)
        assert str(got.dtype).lower() == agreed(a, b), f'{a} with {b} gives {got.dtype}'


@pytest.mark.parametrize('a', [*FLOATS, *INTEGERS, 'bool'])
@pytest.mark.parametrize('b', [*FLOATS, *INTEGERS, 'bool'])
def test_a_division_of_integers_is_float32(a, b):
    got = Tensor(np.ones(2, a)) / Tensor(np.ones(2, b))
    due = agreed(a, b)
    assert str(got.dtype).lower() == (due if due.startswith('float') else 'float32')


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('number', [2, -2.5, True, 1e300, np.float64(2.5), np.int64(3), np.float32(0.1)], ids=repr)
def test_a_number_never_promotes_a_float(dtype, number):
    x = Tensor(np.ones(3, dtype))
    with np.errstate(over='ignore'):
        due = np.ones(3, dtype) * np.asarray(float(number)).astype(dtype)
    for got in (x * number, number * x if not isinstance(number, np.generic) else x * number):
        assert str(got.dtype).lower() == dtype, f'{dtype} * {number!r} gives {got.dtype}'
        np.testing.assert_array_equal(got.asnumpy(), due)


@pytest.mark.parametrize(
    ('dtype', 'number', 'due'),
    [
        ('int64', 1.5, 'float32'),
        ('int8', 1.5, 'float32'),
        ('uint8', 2, 'uint8'),
        ('int32', 2, 'int32'),
        ('int32', True, 'int32'),
        ('bool', 1, 'int64'),
        ('bool', 1.5, 'float32'),
        ('bool', True, 'bool'),
    ],
)
def test_a_number_with_an_integer_or_bool(dtype, number, due):
    got = Tensor(np.ones(2, dtype)) + number
    assert str(got.dtype).lower() == due
    np.testing.assert_array_equal(got.asnumpy(), np.logical_or(1, number) if due == 'bool' else 1 + number)


def test_a_complex_number_is_not_cut_to_a_float():
    got = Tensor([1.0, 2.0]) * 1j
    np.testing.assert_array_equal(got.asnumpy(), np.array([1.0, 2.0]) * 1j)


OPERATORS = {name: getattr(operator, name) for name in ('add', 'sub', 'mul', 'mod', 'pow', 'matmul')}
OPERATORS |= {'div': operator.truediv, 'floor_div': operator.floordiv, 'equal': operator.eq, 'not_equal': operator.ne}
OPERATORS |= {'greater': operator.gt, 'greater_equal': operator.ge, 'less': operator.lt, 'less_equal': operator.le}


@pytest.mark.parametrize('name', OPERATORS)
def test_operators_are_the_ops(name):
    x, y = Tensor([1.5, 2.5, 0.5]), Tensor([0.5, 3.0, 0.5])
    np.testing.assert_array_equal(OPERATORS[name](x, y).asnumpy(), getattr(ops, name)(x, y).asnumpy())


@pytest.mark.parametrize('name', [n for n in OPERATORS if n != 'matmul'])
def test_operators_with_a_number_on_the_left(name):
    y = np.array([0.5, 3.0, 1.5], np.float32)
    got = OPERATORS[name](2.0, Tensor(y))
    np.testing.assert_array_equal(got.asnumpy(), OPERATORS[name](np.float32(2), y), err_msg=name)


def test_a_list_on_either_side_counts_as_a_tensor():
    x = Tensor([1.0, 2.0])
    np.testing.assert_array_equal(x.__add__([3.0, 4.0]).asnumpy(), [4.0, 6.0])
    np.testing.assert_array_equal(([3.0, 4.0] - x).asnumpy(), [2.0, 2.0])


# those without settings that take Tensors alone; the others come below, and in the table of tests/nn/test_names.py
PRIMITIVES = [
    (name, value)
    for name in dir(ops)
    if isinstance(value := getattr(ops, name), type)
    and issubclass(value, ops.Primitive)
    and value is not ops.Primitive
    and 'function' in vars(value)
    and name not in BY_ROW
]


@pytest.mark.parametrize(('name', 'kind'), PRIMITIVES)
def test_a_primitive_class_calls_its_op(name, kind):
    """ops.Tanh()(x) is what the class's own function gives, and is called by its name."""
    made = kind()
    assert made.name == name and repr(made).startswith(f'Prim[{name}]')
    arguments = {
        'Reshape': (Tensor([1.0, 2.0]), (2, 1)),
        **{f'A{how}': (Tensor([0.5, -0.5]),) for how in ('sin', 'Cos')},
        'LogicalNot': (Tensor([True]),),
        **{f'Bitwise{how}': (Tensor([1, 2]), Tensor([3, 6])) for how in ('And', 'Or', 'Xor')},
        'BiasAdd': (Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])),
        **{f'Assign{how}': (ms.Parameter([1.0]), Tensor([2.0])) for how in ('', 'Add', 'Sub')},
    }.get(name)
    if arguments is None:
        try:
            arguments = (Tensor([0.5, 1.5]),)
            due = kind.function(*arguments)
        except TypeError:
            arguments = (Tensor([0.5, 1.5]), Tensor([1.5, 0.5]))
            due = kind.function(*arguments)
    else:
        due = kind.function(*copy.deepcopy(arguments))  # Assign writes into its own
    np.testing.assert_array_equal(made(*arguments).asnumpy(), due.asnumpy())
    rule = getattr(kind.function, 'rule', None)
    assert rule is None or rule.name == {'RealDiv': 'Div'}.get(name, name)


def test_primitives_with_settings():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    a = x.asnumpy()
    for got, due in [
        (ops.ReduceSum()(x, 0), a.sum(0)),
        (ops.ReduceSum(keep_dims=True)(x, 1), a.sum(1, keepdims=True)),
        (ops.ReduceMean(keep_dims=True)(x), a.mean(keepdims=True)),
        (ops.MatMul(transpose_a=True)(x, x), a.T @ a),
        (ops.MatMul(transpose_b=True)(x, x), a @ a.T),
        (ops.MatMul(True, True)(x, x), a.T @ a.T),
    ]:
        np.testing.assert_array_equal(got.asnumpy(), due)


def test_tensors_from_shapes_and_numbers():
    for got, due in [
        (ops.fill(ms.int32, (2, 1), 7), np.full((2, 1), 7, np.int32)),
        (ops.full((2,), 3.5), np.full(2, 3.5, np.float32)),
        (ops.full((2,), 3), np.full(2, 3)),
        (ops.zeros((2, 3)), np.zeros((2, 3), np.float32)),
        (ops.ones(2, ms.float64), np.ones(2)),
        (ops.ones_like(Tensor([1, 2])), np.ones(2, int)),
        (ops.zeros_like(Tensor([1, 2]), dtype=ms.float16), np.zeros(2, np.float16)),
        (ops.arange(3), np.arange(3)),
        (ops.arange(1, 2, 0.25), np.arange(1, 2, 0.25, np.float32)),
        (ops.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    ]:
        np.testing.assert_array_equal(got.asnumpy(), due)
        assert got.asnumpy().dtype == due.dtype


@pytest.mark.parametrize(
    ('flat', 'due'),
    [
        (lambda x: ops.flatten(x), lambda a: a.reshape(2, 12)),
        (lambda x: ops.flatten(x, start_dim=0), lambda a: a.reshape(24)),
        (lambda x: ops.flatten(x, start_dim=0, end_dim=-2), lambda a: a.reshape(6, 4)),
        (lambda x: ops.flatten(x, 'F', start_dim=0), lambda a: a.reshape(24, order='F')),
        (lambda x: x.flatten(), lambda a: a.reshape(24)),
        (lambda x: x.flatten(1), lambda a: a.reshape(2, 12)),
        (lambda x: x.flatten(0, 1), lambda a: a.reshape(6, 4)),
        (lambda x: x.flatten(start_dim=1, end_dim=2), lambda a: a.reshape(2, 12)),
        (lambda x: x.flatten('F'), lambda a: a.reshape(24, order='F')),
        (lambda x: x.flatten('C', start_dim=1), lambda a: a.reshape(2, 12)),
        (lambda x: ops.flatten(x[0, 0]), lambda a: a[0, 0]),
        (lambda x: ops.flatten(x[0, 0, 0]), lambda a: a[0, 0, :1]),
    ],
)
def test_flatten_starts_at_axis_1_and_its_method_at_axis_0(flat, due):
    """As MindSpore's do."""
    a = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(flat(Tensor(a)).asnumpy(), due(a))
    got = ms.grad(lambda x: (flat(x) * Tensor(due(a))).sum())(Tensor(np.ones_like(a))).asnumpy()
    assert got[0, 0, 0] == a[0, 0, 0] and set(np.unique(got)) <= set(np.unique(a))


x23 = Tensor(np.ones((2, 3), np.float32))
x4 = Tensor(np.ones(4, np.float32))


@pytest.mark.parametrize(
    ('call', 'facts'),
    [
        (lambda: x23 + x4, ('Add: shapes', '(2, 3) and (4,)')),
        (lambda: x23 @ x4, ('MatMul: shapes', '(2, 3) and (4,)')),
        (lambda: x23 @ x23, ('MatMul: shapes', '(2, 3) and (2, 3)', 'last axis')),
        (lambda: x23 > x4, ('Greater: shapes', '(2, 3) and (4,)')),
        (lambda: ops.select(x23 > 0, x23, x4), ('Select: shapes', '(2, 3) and (2, 3) and (4,)')),
        (lambda: x23.reshape(4), ('Reshape: shapes', (2, 3))),
        (lambda: x23.sum(2), ('ReduceSum: shapes', (2, 3))),
        (lambda: x23.transpose((0, 0)), ('Transpose: shapes', (2, 3))),
        (lambda: x23.swapaxes(0, 2), ('Transpose: shapes', (2, 3))),
        (lambda: ops.broadcast_to(x4, (3,)), ('BroadcastTo: shapes', (4,))),
        (lambda: ops.expand_dims(x4, 3), ('ExpandDims: shapes', (4,))),
        (lambda: ops.squeeze(x4, 0), ('Squeeze: shapes', (4,))),
        (lambda: ops.concat((x23, x4)), ('Concat: shapes', '(2, 3) and (4,)')),
        (lambda: ops.stack((x23, x4)), ('Stack: shapes', '(2, 3) and (4,)')),
        (lambda: ops.flatten(x23, start_dim=2), ('Reshape: shapes', (2, 3), 'no axis 2')),
        (lambda: x23.flatten(1, 0), ('axis 0', 'before axis 1')),
        (lambda: ops.flatten(x23, 'A'), ('Flatten: order', "'C' or 'F'", "'A'")),
        (lambda: ops.concat((x4, x4), 1), ('Concat: shapes', '(4,) and (4,)', 'no axis 1')),
        (lambda: ops.stack((x4, x4), -3), ('Stack: shapes', 'no axis -3')),
        (lambda: ops.concat((Tensor(1.0), Tensor(2.0))), ('Concat: shapes', '() and ()', 'no such axes')),
        (lambda: ops.concat(()), ('Concat', 'one Tensor')),
        (lambda: ops.max(Tensor(np.ones((0,), np.float32))), ('ReduceMax: shapes', (0,))),
    ],
)
def test_shapes_that_do_not_fit(call, facts):
    with refused(ms.errors.ShapeError, *facts, line='(lambda: '):
        call()
    assert issubclass(ms.errors.ShapeError, ValueError)


@pytest.mark.parametrize('bad', [None, 'a', object(), {}, {1}, np.ones(2)], ids=lambda bad: type(bad).__name__)
def test_operands_that_are_no_numbers(bad):
    with refused(TypeError, 'Add', 'Tensors and numbers', type(bad), line='ops.add(x4, bad)'):
        ops.add(x4, bad)


def test_select_wants_a_bool_mask():
    with refused(TypeError, 'Select', 'Bool', 'Float32'):
        ops.select(x4, x4, x4)


def test_an_index_out_of_range():
    with pytest.raises(IndexError, match='out of bounds'):
        x4[4]
