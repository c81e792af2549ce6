"""A tensor has one name on a tape, wherever it is read; sums, formulas and accounts are true as they are printed."""

import numpy as np
import pytest

from minicell.account import ask
from minicell.ink import numbers
from minicell.story import tell
from minicell.story.record import Value
from minicell.view import phrases
from minicell.view.picture import Picture
from tests.view import gallery

GRAD = '\nwith ms.Tape() as tape:\n    d = ms.grad(f)(ms.Tensor([1.0, 2.0]))\n'
HELPED = 'def half(a, b): return (a - b) * a\ndef f(anchor): return half(anchor, anchor * 2).sum()'


def taped(source, name):
    return gallery.tape_of(source.strip() + '\n', name)


@pytest.mark.parametrize(
    'source, reads',
    [
        ('def f(x): return ops.concat((x, x * 3), 0).sum()', ['ops.concat((x, x * 3), 0): x|x * 3']),
        ('def f(x):\n    rows = [x, x]\n    return ops.concat(rows, 0).sum()', ['ops.concat(rows, 0): x|x']),
        ('def f(x): return ((y := x * 3) + y).sum()', ['(y := x * 3) + y: y|y']),
        ('def f(x):\n    z = x\n    return (z * x).sum()', ['z * x: x|x']),
        (HELPED, ['a - b: anchor|b', '(a - b) * a: a - b|anchor']),
        ('def f(x): y=x*x; z=y*x; return z.sum()', ['y*x: y|x', 'z.sum(): z']),
        ('def f(x):\n    y = (  # twice\n        x *\n        2)\n    return y.sum()', ['y.sum(): y']),
        ('def f(x):\n    return ops.cos(\n        x\n    ).sum()', ['ops.cos(x).sum(): ops.cos(x)']),
    ],
)
def test_a_tensor_has_one_name_whatever_a_line_calls_it(source, reads):
    tape = taped(source + GRAD, source)
    record = tell(tape)
    seen = [f'{e.source}: {"|".join(v.name for v in e.inputs)}' for e in record.entries]
    assert [each for each in seen if each in reads] == reads
    assert {a.name for run in record.passes for a in run.arrivals} <= {g.name for r in record.readings for g in r.gave}
    assert '( ' not in str(tape) and '\n  sum()' not in str(tape)


def test_what_is_added_is_called_as_the_program_calls_it():
    cell = 'class Sq(nn.Cell):\n    def construct(self, out): return out * out\n'
    cell += '    def bprop(self, out, y, dy): return 2 * out * dy,\ndef f(x): return (Sq()(x) * x).sum()'
    picture = Picture(taped(cell + GRAD, 'parameter called out'))
    assert 'x was used twice: its gradients are added' in [s.title for s in picture.films[0].steps]


def test_a_sum_is_printed_as_it_adds_up():
    added = lambda *of: phrases.added([Value('', (), '', np.float32(n)) for n in of])
    assert added(0.4, -0.32) == '= 0.40 − 0.32' and added(1.4561, 2.3452) == '≈ 1.46 + 2.35'
    assert added(1.0, np.inf) == '= 1 + ∞'
    steps = Picture(taped('def f(x): return (x * x).sum()' + GRAD, 'twice')).films[0].steps
    assert ('Mul’s rule gives dx', 'dx = [1, 2], twice.') in [(s.title, s.caption) for s in steps]


def test_what_rounding_alone_tells_from_zero_is_written_so():
    norm = """
class Norm(nn.Cell):
    def construct(self, x):
        m = x.mean()
        return (x - m) / ops.sqrt(((x - m) ** 2).mean())
    def bprop(self, x, out, dout):
        s = ops.sqrt(((x - x.mean()) ** 2).mean())
        return (dout - dout.mean() - out * (dout * out).mean()) / s,
with ms.Tape() as tape:
    ms.grad(lambda x: (Norm()(x) ** 2).sum())(ms.Tensor([1.0, 2.0, 4.0]))
"""
    tape = taped(norm, 'a norm')
    frame = Picture(tape).films[0].frames[-1]
    said = {key: shape.attrs['T'] for key, shape in frame.items() if key[:4] == 'g2.0' and key[-1] == 't'}
    assert len(said) == 3 and set(said.values()) == {numbers.said(numbers.ROUNDING)} == {'≈ 0'}
    assert any(row.through == 'm' for row in tape.why('dx', 2).true_rows)  # named inside construct, and nowhere else


def test_an_account_is_of_the_outer_gradient_and_names_no_function():
    tape = taped(gallery.OTHERS['takeovers three deep'], 'three deep')
    book = ask.book_of(tape)
    assert book.results == sorted(book.results, key=lambda h: h.at)
    source = (
        'with ms.Tape() as tape:\n    y, pull = ms.vjp(ops.sin, ms.Tensor([1.0, 2.0]))\n    pull(ms.Tensor([1.0, 1.0]))'
    )
    assert {'y', 'pull'}.isdisjoint(ask.book_of(taped(source, 'vjp')).by_name)


def test_of_many_rows_of_the_rules_the_largest_are_told():
    loop = 'class Loop(nn.Cell):\n    def construct(self, x):\n        z = x\n        for _ in range(12): z = z * x\n'
    loop += '        return z\n    def bprop(self, x, out, dout): return dout,\ndef f(x): return Loop()(x).sum()'
    account = taped(loop + GRAD, 'a loop').why('d', 1)
    assert len(account.true_rows) == 7 and account.true_rows[-1].who.endswith(' others')
    assert account.true == account.true_rows[-1].total == 13 * 2.0**12
