"""What is particular to lesson 02: what its rule is given, its figure and its exercise."""

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson02 import HIDDEN, WORDS, suspect
from minicell.teach.lesson02.figures import dout, happened
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import holds, texts
from tests.lessons.page import Page
from tests.messages import refused, tells

EXERCISE, HUNT = map(exercise, ('2a', '2b'))
PAGE = Page('02')
A, B = ms.Tensor(3.0), ms.Tensor(4.0)


def program(a, b):
    """The program of the figure."""
    s = a + a
    return s * b


def test_what_the_cells_print():
    assert PAGE.told('run') == 'gradient of a: 2.0'
    assert PAGE.told('push') == '6.0 7.0\n'
    tells(PAGE.told('inside'), 'x = 3.0', 'out = 9.0', 'dout = 5.0', 'gradient of x: 30.0')
    assert PAGE.told('program') == 'out 24.0  da 8.0  db 6.0\n'
    tells(PAGE.told('check'), 'agrees')
    tells(PAGE.told('tape'), 'hands out 1, 1')


def test_with_a_constant_in_its_bprop_the_square_fails_at_second_order_alone():
    """The change that the lesson asks for, in the cell that it asks to change."""
    tells(PAGE.words('second-note'), '`ops.stop_gradient(x)`')
    code = PAGE.source('inside').replace('2 * x * dout', '2 * ops.stop_gradient(x) * dout')
    exec(code, space := {'ms': ms, 'nn': nn, 'ops': ops})
    verdicts = [ms.check_bprop(f, A).ok for f in (space['square'], ms.grad(space['square']))]
    assert verdicts == [True, False]


def test_the_note_on_one_tensor_in_two_places():
    got = ms.grad(lambda p, q: p + 3 * q, (0, 1))(A, A)
    assert [float(g) for g in got] == [1.0, 3.0]
    tells(PAGE.words('push-note'), '4 and 4', '1 and 3')


def test_a_bare_tensor_is_refused_as_the_note_says():
    class Bare(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return 2 * x * dout

    with refused(ms.errors.BpropTupleError, 'Bare.bprop', 'return ('):
        ms.grad(Bare())(A)


@pytest.mark.parametrize('value', [-3.0, -0.25, 0.0, 1.0, 3.0])
def test_everything_that_comes_back_is_a_multiple_of_dout(value):
    once, parts = happened(program, (A, B), 1.0)
    scaled, sums = happened(program, (A, B), value)
    assert [entry.out for entry in scaled] == [entry.out for entry in once]  # forward does not move
    for one, other in zip(once, scaled, strict=True):
        assert other.dout == value * one.dout
        assert other.gradients == tuple(value * g for g in one.gradients)
    assert [a.total for a in sums] == [value * a.total for a in parts] == [8 * value, 6 * value]


def test_two_arrows_into_a_and_the_badge():
    _, (into_a, into_b) = happened(program, (A, B), 1.0)
    assert into_a.parts == ((0, 0, 4.0), (0, 1, 4.0)) and len(into_b.parts) == 1
    figure = dout(program, A, B)
    assert {'+= 4 + 4', '8'} <= set(texts(figure.film, figure.opens))


def test_the_figure_can_be_read():
    assert holds(dout(program, A, B)).values[::12] == [-3, 0, 3]


answer = filled(EXERCISE, head='import numpy as np\nimport minicell as ms\n')

test_half_begun_is_not_attempted = Answers(EXERCISE, answer).begun(
    'return ..., ...', 'dx = ... * dout\nreturn dx, dx', 'return dout * ops.sin(y), ...'
)

CHECKS = ('✓ count', '✓ shape', '✓ linear', '✓ right', '✓ added')

test_other_right_answers_pass = Answers(EXERCISE, answer).passing(
    'return ops.sin(y) * dout, ops.cos(y) * x * dout',
    'return [dout * ops.sin(y), dout * x * ops.cos(y)]',
    'return ms.grad(lambda x, y: (x * ops.sin(y) * dout).sum(), (0, 1))(x, y)',
    's = ops.sin(y)\nreturn dout * s, dout * x * ops.sin(y + np.pi / 2)',
    'return tuple(slope * dout for slope in (ops.sin(y), x * ops.cos(y)))',
    said=CHECKS,
)

test_what_is_wrong_is_crossed = Answers(EXERCISE, answer).failing(
    ('return ops.sin(y), dout * x * ops.cos(y)', '✗ linear', 'no-dout'),
    ('return dout * ops.sin(y), dout * ops.cos(y)', '✗ right', 'other-factor'),
    ('return dout * ops.sin(y), x * ops.cos(y)', '✗ linear', 'no-dout'),
    ('return dout * ops.sin(y)', '✗ count', None),
    ('return dout * ops.sin(y), dout * x * ops.cos(y), out', '✗ count', None),
    ('return dout * ops.sin(y), None', '✗ shape', None),
    ('return dout * ops.sin(y), "dy"', '✗ shape', None),
    ('return dout.asnumpy(), dout.asnumpy()', '✗ shape', None),
    ('return None', '✗ count', None),
    ('return dout * dout, dout', '✗ linear', None),
    ('return dout * y, dout * x', '✗ right', 'rule-of-mul'),
    ('return dout * ops.sin(y), dout * x', '✗ right', 'rule-of-mul'),
    ('return dout * ops.cos(y), -dout * x * ops.sin(y)', '✗ right', 'once-too-often'),
    ('return dout * ops.sin(y), -dout * x * ops.sin(y)', '✗ right', 'once-too-often'),
    ('return dout * ops.cos(y), dout * x * ops.cos(y)', '✗ right', 'product-of-slopes'),
    ('return dout * x * ops.cos(y), dout * x * ops.cos(y)', '✗ right', 'swapped'),
    ('return dout * ops.sin(y).abs(), dout * x * ops.cos(y)', '✗ right', None),
    ('return dout * ops.sin(y), dout * x.abs() * ops.cos(y)', '✗ right', None),
    ('return dout * ops.sin(y), dout * out * ops.cos(y) / ops.sin(y) + 1e-3 * dout', '✗ right', None),
    ('return dout * float("nan"), dout * x * ops.cos(y)', '✗ right', None),
    ('dx = dout * ops.sin(y)\ndy = dout * x * ops.cos(y)\ny[...] = 0.\nreturn dx, dy', None),
)

DY, FORWARD = 'dout * x * ops.cos(y)', 'return x * ops.sin(y)'

test_what_is_kept_on_self_or_forward_that_is_changed_fails = Answers(EXERCISE).failing(
    ([(DY, 'dout * self.kept * ops.cos(y)'), (FORWARD, f'self.kept = x\n        {FORWARD}')], None),
    ([(DY, 'dout * x * ops.cos(self.kept)'), (FORWARD, f'self.kept = y\n        {FORWARD}')], None),
    ((FORWARD, 'return x * ops.cos(y)'), 'construct', None),
)


def test_a_hint_that_holds_for_one_gradient_says_for_which():
    verdict = EXERCISE.check_code(answer('return dout * ops.sin(y), dout * x'))
    assert verdict.gradient == 'dy' and 'Look at `dy`.' in repr(verdict)
    assert EXERCISE.check_code(answer('return dout * y, dout * x')).gradient == ''


def test_each_of_the_five_checks_can_fail():
    crossed = {
        line.split()[1].strip(':?')
        for mistake in EXERCISE.mistakes
        for line in EXERCISE.check_code(mistake.code).said.splitlines()
        if line.startswith('✗')
    }
    assert crossed == {'count', 'shape', 'linear', 'right', 'added'}


def test_no_bug_of_the_hunt_raises_an_error():
    assert {due for *_, due in HIDDEN} == set(WORDS)
    for function, rule, due in HIDDEN:
        x, y = (ms.Tensor(value, ms.float64) for value in (1.5, -0.7))
        found = ms.check_bprop(*suspect(function, rule), x, y, sens=ms.Tensor(-2.0, ms.float64))
        assert found.error is None and found.ok == (due == 'right'), rule


test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('gradients(-2.0)', 'gradients(-1.0)', '✗ Cell'),
    ('ms.Tensor(1.5', 'ms.Tensor(-2.0', ''),
    ('ms.Tensor(1.5', 'ms.Tensor(0.0', '✗ Cell'),
    ('np.allclose(one, [by_x, by_y], atol=1e-4)', 'np.allclose(one, [by_y, by_x], atol=1e-4)', '✗ Cell 2'),
    ('[by_x, by_y], atol', '[by_x, float("nan")], atol', ('Cell 1', 'say “wrong slope”')),
)


@pytest.mark.slow
def test_pytorch_gives_the_same_gradients(capsys):
    torch = pytest.importorskip('torch')
    exec(PAGE.listing('torch'), space := {'__name__': '__main__'})
    slope = float(ms.grad(lambda a: a * ops.sin(a))(ms.Tensor(0.5)))
    assert float(capsys.readouterr().out.split()[0]) == round(slope, 4)
    rng = np.random.default_rng(2)
    x, y, sens = (rng.standard_normal((2, 3)) for _ in range(3))
    there = [torch.tensor(each, requires_grad=True) for each in (x, y)]
    space['XSinY'].apply(*there).backward(torch.tensor(sens))
    _, pull = ms.vjp(run(EXERCISE.solution, 'XSinY', 'a test')(), ms.Tensor(x), ms.Tensor(y))
    for mine, theirs in zip(pull(ms.Tensor(sens)), there, strict=True):
        assert np.allclose(mine.asnumpy(), theirs.grad.numpy())
