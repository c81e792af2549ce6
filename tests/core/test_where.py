"""Provenance: each entry knows the file, the line, the expression and the name that its value is given."""

import linecache

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.watch import Begin, Call, Enter, Op
from minicell.story.places import source
from tests.core.cells import of_kind


def told(where):
    return source(where)


SOURCE = """\
import minicell as ms
from minicell import nn, ops

matmul = ops.MatMul()
dense = nn.Dense(2, 2, weight_init=1, bias_init=0)


class Custom(nn.Cell):
    def construct(self, x):
        inner = x * 5
        return inner

    def bprop(self, x, out, dout):
        slope = dout * 5
        return (slope,)


custom = Custom()


def f(x):
    a = x + x
    b = 1 - a
    c = matmul(a, b)
    d = c.sum(0); e = d * 2
    g = ops.tanh(ops.sin(e) + ops.cos(e))
    h = (g *
         g)
    i = -h
    j = h[0]
    k = custom(i)
    l = dense(h)
    total = k.sum() + i.T.sum()
    total += j
    m, n = x.max(), x
    o = ops.concat((h, k))
    p = x > 0.5
    q = x.astype(ms.float64)
    r = ops.select(p, x, 0.0)
    s = 2 ** x
    t = 1 / x
    u = ops.clamp(x, 0.0, 1.0)
    return total
"""

# op -> line, expression, the name it is given
DUE = [
    ('Add', 'a = x + x', 'x + x', 'a'),
    ('Sub', 'b = 1 - a', '1 - a', 'b'),
    ('MatMul', 'c = matmul(a, b)', 'matmul(a, b)', 'c'),
    ('ReduceSum', 'd = c.sum(0)', 'c.sum(0)', 'd'),
    ('Mul', 'e = d * 2', 'd * 2', 'e'),
    ('Sin', 'g = ops.tanh', 'ops.sin(e)', ''),
    ('Cos', 'g = ops.tanh', 'ops.cos(e)', ''),
    ('Add', 'g = ops.tanh', 'ops.sin(e) + ops.cos(e)', ''),
    ('Tanh', 'g = ops.tanh', 'ops.tanh(ops.sin(e) + ops.cos(e))', 'g'),
    ('Mul', 'h = (g *', 'g * g', 'h'),
    ('Neg', 'i = -h', '-h', 'i'),
    ('StridedSlice', 'j = h[0]', 'h[0]', 'j'),
    ('ReduceSum', 'total = k.sum()', 'k.sum()', ''),
    ('Transpose', 'total = k.sum()', 'i.T', ''),
    ('ReduceSum', 'total = k.sum()', 'i.T.sum()', ''),
    ('Add', 'total = k.sum()', 'k.sum() + i.T.sum()', 'total'),
    ('Add', 'total += j', 'total += j', 'total'),
    ('ReduceMax', 'm, n = x.max(), x', 'x.max()', ''),
    ('Concat', 'o = ops.concat', 'ops.concat((h, k))', 'o'),
    ('Greater', 'p = x > 0.5', 'x > 0.5', 'p'),
    ('Cast', 'q = x.astype', 'x.astype(ms.float64)', 'q'),
    ('Select', 'r = ops.select', 'ops.select(p, x, 0.0)', 'r'),
    ('Pow', 's = 2 ** x', '2 ** x', 's'),
    ('Div', 't = 1 / x', '1 / x', 't'),
    ('Minimum', 'u = ops.clamp', 'ops.clamp(x, 0.0, 1.0)', 'u'),
]


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    """The text above in a file, run; its events under a gradient."""
    path = tmp_path_factory.mktemp('provenance') / 'program.py'
    path.write_text(SOURCE)
    linecache.checkcache(str(path))
    names = {'__name__': 'program'}
    exec(compile(SOURCE, str(path), 'exec'), names)
    with ms.Tape() as seen:
        ms.grad(names['f'])(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    return path, seen


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def only(tape, op: str):
    """Where the only op of this name was called."""
    (where,) = [e.where for e in of_kind(tape, Op) if e.rule.name == op]
    return where


@pytest.mark.parametrize(('op', 'line', 'expression', 'target'), DUE)
def test_where_an_op_was_called(program, op, line, expression, target):
    """File, line, function, whole line, exact expression, and the name it is given."""
    path, tape = program
    its = [e.where for e in of_kind(tape, Op) if e.rule.name == op]
    where = next((each for each in its if each.expression == expression), None)
    assert where, f'no {op} has the expression {expression!r}: {[each.expression for each in its]}'
    assert (where.file, where.line, where.f_code.co_qualname) == (str(path), line_of(line), 'f')
    assert where.text == SOURCE.splitlines()[line_of(line) - 1].strip()
    assert told(where)[1] == target
    assert not where.ours
    assert repr(where) == f'program.py:{where.line}: {expression}'


def test_every_op_of_the_function_was_asked_for(program):
    _, tape = program
    pairs = {(e.rule.name, e.where.expression) for e in of_kind(tape, Op) if e.where.f_code.co_qualname == 'f'}
    assert pairs == {(op, expression) for op, _, expression, _ in DUE}


def test_where_a_takeover_and_what_it_hides_stand(program):
    _, tape = program
    (call,) = of_kind(tape, Call)
    assert (*told(call.where), call.where.f_code.co_qualname) == ('custom(i)', 'k', 'f')
    (hidden,) = [e.where for e in of_kind(tape, Op) if e.state == 'hidden']
    assert (*told(hidden), hidden.f_code.co_qualname) == ('x * 5', 'inner', 'Custom.construct')
    (inside,) = [e for e in of_kind(tape, Op) if e.where.f_code.co_qualname == 'Custom.bprop']
    assert (inside.where.expression, inside.where.line) == ('dout * 5', line_of('slope = dout * 5'))


def test_an_op_inside_a_layer_of_ours_says_so(program):
    _, tape = program
    ours = [e for e in of_kind(tape, Op) if e.where.ours]
    assert {e.where.f_code.co_qualname for e in ours} >= {'Dense.construct'}
    assert all(e.where.file != str(program[0]) for e in ours)


def test_where_a_gradient_begins_and_where_an_op_stands_of_which_it_is():
    """ms.grad(ops.tanh): nothing of the user's calls tanh but the line with grad."""
    x = Tensor(0.5)
    with ms.Tape() as seen:
        slope = ms.grad(ops.tanh)(x)
    (begin,) = of_kind(seen, Begin)
    assert told(begin.where) == ('ms.grad(ops.tanh)(x)', 'slope')
    assert float(slope) < 1
    where = only(seen, 'Tanh')
    assert where.line > 0 and isinstance(where.expression, str)


def test_a_cast_that_promotion_makes_has_the_place_of_the_op():
    wide = Tensor([1.0], ms.float64)

    def f(x):
        a = x * wide
        b = 2 * wide - x
        c = ops.concat((x, wide))
        return a.sum() + b.sum() + c.sum()

    with ms.Tape() as seen:
        ms.grad(f)(Tensor([3.0]))
    casts = [e.where.expression for e in of_kind(seen, Op) if e.rule.name == 'Cast']
    assert casts[:3] == ['x * wide', '2 * wide - x', 'ops.concat((x, wide))']


def test_a_constant_on_the_left_is_placed_at_the_users_line():
    """The first time it is made a Tensor, and kept: from then on it is found."""
    x = Tensor([1.0])
    with ms.Tape() as tape:
        firsts = [ms.grad(lambda x: 0.8125 - x)(x) for _ in range(2)]
    found = [op.where.expression for op in of_kind(tape, Op) if op.rule.name == 'Sub']
    assert len(firsts) == 2 and found == ['0.8125 - x'] * 2


def test_code_without_a_file_has_a_line_and_no_text():
    """Typed at a prompt that keeps no source: nothing breaks."""
    names = {'ms': ms}
    exec(compile('def f(x):\n    y = x * x\n    return y\n', '<nowhere>', 'exec'), names)
    with ms.Tape() as seen:
        ms.grad(names['f'])(Tensor(3.0))
    where = only(seen, 'Mul')
    assert (where.line, where.text, *told(where)) == (2, '', '', '')
    assert 'Mul' in str(seen)


def test_columns_count_bytes_so_that_letters_of_any_alphabet_do():
    größe = Tensor(3.0)

    def f(x):
        ähnlich = größe * x
        return ähnlich

    with ms.Tape() as seen:
        ms.grad(f)(Tensor(2.0))
    where = only(seen, 'Mul')
    assert told(where) == ('größe * x', 'ähnlich')


def test_a_cell_called_by_a_sequential_cell_is_placed_at_the_users_call():
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    with ms.Tape() as seen:
        out = net(Tensor([1.0]))
    entered = of_kind(seen, Enter)
    assert [type(e.cell).__name__ for e in entered] == ['SequentialCell', 'ReLU', 'Tanh']
    assert {e.where.expression for e in entered} == {'net(Tensor([1.0]))'}
    assert out.shape == (1,)
