"""What is particular to lesson 02: what its rule is given, its figure and its exercise."""

import time

import ipywidgets as w
import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.teach import lesson
from minicell.teach.ink.shapes import Text
from minicell.teach.lesson02 import HIDDEN, WORDS, Suspect
from minicell.teach.lesson02.figures import HIGH, LOW, dout, draw, happened
from minicell.teach.order import exercise
from tests.lessons.kernels import printed
from tests.lessons.notebooks import by_id, listings, read

EXERCISE, HUNT = map(exercise, ('2a', '2b'))
A, B = ms.Tensor(3.0), ms.Tensor(4.0)


def program(a, b):
    """The program of the figure."""
    s = a + a
    return s * b


# ---- what the lesson says ----------------------------------------------------------------------------------------


def test_what_the_cells_print():
    cells = by_id(read('02').cells)
    assert printed(cells['l02-run']) == 'gradient of a: 2.0'
    assert printed(cells['l02-push']) == '6.0 7.0\n'
    assert printed(cells['l02-inside']).splitlines() == [
        'bprop gets x = 3.0 out = 9.0 dout = 5.0',
        'gradient of x: 30.0',
    ]
    assert printed(cells['l02-program']) == 'out 24.0  da 8.0  db 6.0\n'
    assert 'agrees with the true gradient' in printed(cells['l02-check'])
    assert 'hands out 1, 1' in printed(cells['l02-tape'])


def test_with_a_constant_in_its_bprop_the_square_fails_at_second_order_alone():
    """The change that the lesson asks for, in the cell that it asks to change."""
    cells = by_id(read('02').cells)
    assert 'write `ops.stop_gradient(x)` for `x`' in cells['l02-second-note'].source
    source = cells['l02-inside'].source.partition('\n')[2]
    space: dict = {'ms': ms, 'nn': nn, 'ops': ops}
    exec(source.replace('2 * x * dout', '2 * ops.stop_gradient(x) * dout'), space)
    verdicts = [ms.check_bprop(f, A).ok for f in (space['square'], ms.grad(space['square']))]
    assert verdicts == [True, False]


def test_the_note_on_one_tensor_in_two_places():
    got = ms.grad(lambda p, q: p + 3 * q, (0, 1))(A, A)
    assert [float(g) for g in got] == [1.0, 3.0]
    note = by_id(read('02').cells)['l02-push-note'].source
    assert '4 and 4' in note and 'gives 1 and 3' in note.replace('\n> ', ' ')


def test_a_bare_tensor_is_refused_as_the_note_says():
    class Bare(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return 2 * x * dout

    with pytest.raises(ms.errors.MinicellError, match=r'return \('):
        ms.grad(Bare())(A)


def test_the_beliefs_are_among_the_choices():
    questions = lesson('02').about.questions
    beliefs = {choice.misconception for question in questions.values() for choice in question.choices}
    assert {'dout is 1', 'gradients overwrite'} <= beliefs


# ---- the figure --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('value', [LOW, -0.25, 0.0, 1.0, HIGH])
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
    page = dout(program, A, B).picture.value
    assert '>+=<' in page and '>4.00 + 4.00<' in page and '>8.00<' in page


@pytest.mark.parametrize('value', [LOW, -2.25, -0.25, 0.0, 0.25, HIGH])
def test_nothing_is_cut_in_the_figure(value):
    drawn = draw(program, (A, B), value)
    assert [shape.text for shape in drawn.shapes if isinstance(shape, Text) and shape.full] == []
    assert '…' not in ''.join(shape.text for shape in drawn.shapes if isinstance(shape, Text))


def test_the_figure_is_fast_and_has_one_control():
    figure = dout(program, A, B)
    times, sizes = [], set()
    for k in range(40):
        start = time.process_time()
        figure.control.value = LOW + k / 40 * (HIGH - LOW)
        times.append(time.process_time() - start)
        sizes.add(figure.picture.layout.height)
    assert sorted(times)[-3] < 0.15 and len(sizes) == 1
    controls = [one for one in figure.shown.widget.children if not isinstance(one, w.HTML)]
    assert controls == [figure.control] and figure.control.description


# ---- exercise 2a -------------------------------------------------------------------------------------------------


def answer(body: str) -> str:
    lines = '\n'.join(f'        {line}' for line in body.splitlines())
    at = EXERCISE.start.index('        dx = ...')
    return f'import numpy as np\nimport minicell as ms\n{EXERCISE.start[:at]}{lines}\n'


def test_half_begun_is_not_attempted():
    for body in ('return ..., ...', 'dx = ... * dout\nreturn dx, dx', 'return dout * ops.sin(y), ...'):
        assert EXERCISE.check_code(answer(body)).state == 'open'


@pytest.mark.parametrize(
    'body',
    [
        'return ops.sin(y) * dout, ops.cos(y) * x * dout',
        'return [dout * ops.sin(y), dout * x * ops.cos(y)]',
        'return ms.grad(lambda x, y: (x * ops.sin(y) * dout).sum(), (0, 1))(x, y)',
        's = ops.sin(y)\nreturn dout * s, dout * x * ops.sin(y + np.pi / 2)',
        'return tuple(slope * dout for slope in (ops.sin(y), x * ops.cos(y)))',
    ],
)
def test_other_right_answers_pass(body):
    verdict = EXERCISE.check_code(answer(body))
    assert verdict.passed and verdict.said.count('✓') == 5, verdict


@pytest.mark.parametrize(
    ('body', 'named', 'failing'),
    [
        ('return ops.sin(y), dout * x * ops.cos(y)', 'no-dout', 'linear'),
        ('return dout * ops.sin(y), dout * ops.cos(y)', 'other-factor', 'right'),
        ('return dout * ops.sin(y), x * ops.cos(y)', 'no-dout', 'linear'),
        ('return dout * ops.sin(y)', None, 'count'),
        ('return dout * ops.sin(y), dout * x * ops.cos(y), out', None, 'count'),
        ('return dout * ops.sin(y), None', None, 'shape'),
        ('return dout * ops.sin(y), "dy"', None, 'shape'),
        ('return dout.asnumpy(), dout.asnumpy()', None, 'shape'),
        ('return None', None, 'count'),
        ('return dout * dout, dout', None, 'linear'),
        ('return dout * y, dout * x', 'rule-of-mul', 'right'),
        ('return dout * ops.sin(y), dout * x', 'rule-of-mul', 'right'),
        ('return dout * ops.cos(y), -dout * x * ops.sin(y)', 'once-too-often', 'right'),
        ('return dout * ops.sin(y), -dout * x * ops.sin(y)', 'once-too-often', 'right'),
        ('return dout * ops.cos(y), dout * x * ops.cos(y)', 'product-of-slopes', 'right'),
        ('return dout * x * ops.cos(y), dout * x * ops.cos(y)', 'swapped', 'right'),
        ('return dout * ops.sin(y).abs(), dout * x * ops.cos(y)', None, 'right'),
        ('return dout * ops.sin(y), dout * x.abs() * ops.cos(y)', None, 'right'),
        ('return dout * ops.sin(y), dout * out * ops.cos(y) / ops.sin(y) + 1e-3 * dout', None, 'right'),
        ('return dout * float("nan"), dout * x * ops.cos(y)', None, 'right'),
    ],
)
def test_what_is_wrong_is_crossed(body, named, failing):
    verdict = EXERCISE.check_code(answer(body))
    crossed = [line for line in verdict.said.splitlines() if line.startswith('✗')]
    assert verdict.state == 'failed' and crossed and crossed[0].startswith(f'✗ {failing}'), verdict
    assert (verdict.mistake.name if verdict.mistake else None) == named, verdict


def test_what_is_kept_on_self_fails_though_its_formulas_are_right():
    for kept, used in (('x', 'dout * self.kept * ops.cos(y)'), ('y', 'dout * x * ops.cos(self.kept)')):
        code = EXERCISE.solution.replace('return x *', f'self.kept = {kept}\n        return x *')
        verdict = EXERCISE.check_code(code.replace('dout * x * ops.cos(y)', used))
        assert verdict.state == 'failed' and verdict.mistake is None, verdict
    verdict = EXERCISE.check_code(
        answer('dx = dout * ops.sin(y)\ndy = dout * x * ops.cos(y)\ny[...] = 0.\nreturn dx, dy')
    )
    assert verdict.state == 'failed', verdict


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


def test_changed_construct_fails():
    code = EXERCISE.solution.replace('return x * ops.sin(y)', 'return x * ops.cos(y)')
    verdict = EXERCISE.check_code(code)
    assert not verdict.passed and 'construct' in repr(verdict)


class Strange(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        raise KeyError('<b>strange</b>')


@pytest.mark.parametrize('given', [Strange, Strange(), nn.Dense(2, 2), nn.ReLU, np.ones(3), lambda x, y: x])
def test_check_never_raises(given):
    verdict = EXERCISE.check(given)
    assert verdict.state == 'failed' and '<b>strange' not in verdict.page()


# ---- exercise 2b -------------------------------------------------------------------------------------------------


def test_no_bug_of_the_hunt_raises_an_error():
    assert {due for *_, due in HIDDEN} == set(WORDS)
    for function, rule, due in HIDDEN:
        x, y = (ms.Tensor(value, ms.float64) for value in (1.5, -0.7))
        found = ms.check_bprop(Suspect(function, rule), x, y, sens=ms.Tensor(-2.0, ms.float64))
        assert found.error is None and found.ok == (due == 'right'), rule


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('gradients(-2.0)', 'gradients(-1.0)', '✗ Cell'),
        ('ms.Tensor(1.5', 'ms.Tensor(-2.0', ''),
        ('(f(at + eps).item() - f(at - eps).item())', '(f(at + eps) - f(at - eps)).item()', ''),
        ('ms.Tensor(1.5', 'ms.Tensor(0.0', '✗ Cell'),
        ('np.allclose(one, [by_x, by_y], atol=1e-4)', 'np.allclose(one, [by_y, by_x], atol=1e-4)', '✗ Cell 2'),
        ('(2 * eps)', '(2 * eps) * float("nan")', 'Cell 1: you say “wrong slope”'),
        ('/ (2 * eps)', '/ 2 * eps', 'Cell 3: you say “wrong slope”; it is “right”'),
        ("return 'deaf'", "return 'dead'", "'dead', which is none of the four words"),
    ],
)
def test_the_hunt_is_for_any_good_experiment(old, new, said):
    assert old in HUNT.solution
    verdict = HUNT.check_code(HUNT.solution.replace(old, new))
    assert verdict.passed == (not said) and said in verdict.said, verdict


# ---- to take home ------------------------------------------------------------------------------------------------


def test_pytorch_gives_the_same_gradients(capsys):
    torch = pytest.importorskip('torch')
    space: dict = {'__name__': '__main__'}
    exec(listings(read('02'), '02')['torch'], space)
    slope = float(ms.grad(lambda a: a * ops.sin(a))(ms.Tensor(0.5)))
    assert float(capsys.readouterr().out) == round(slope, 4)
    rng = np.random.default_rng(2)
    x, y, sens = (rng.standard_normal((2, 3)) for _ in range(3))
    there = [torch.tensor(each, requires_grad=True) for each in (x, y)]
    space['XSinY'].apply(*there).backward(torch.tensor(sens))
    code: dict = {}
    exec(EXERCISE.solution, code)
    _, pull = ms.vjp(code['XSinY'](), ms.Tensor(x), ms.Tensor(y))
    for mine, theirs in zip(pull(ms.Tensor(sens)), there, strict=True):
        assert np.allclose(mine.asnumpy(), theirs.grad.numpy())
