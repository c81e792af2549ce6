"""What is particular to lesson 03: its listing is the document's, its figure and its exercise."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson03 import HIDDEN, WORDS, loss_scale, suspect
from tests.lessons.answers import Answers, filled, mistake_of
from tests.lessons.figures import texts
from tests.lessons.kernels import complaints, printed
from tests.lessons.notebooks import by_id
from tests.lessons.page import Page, listing_of_the_document, recorded
from tests.messages import tells

EXERCISE, HUNT = map(exercise, ('3a', '3b'))
PAGE = Page('03')


def test_the_page_has_what_mindspore_prints():
    assert PAGE.told('run') == recorded('document_matmul_bprop').strip()


@pytest.mark.slow
def test_it_prints_what_the_document_prints(lesson_03, run):
    cells = run(lesson_03, "%%result takeover\nprint('before')\n1 / 0", '%%result nobody asked\nprint(6 * 7)')
    assert printed(by_id(cells)['l03-run']) == PAGE.told('run')
    # and a result cell shows its errors, and asks for nothing where nobody asked
    assert [each for each in complaints(cells) if 'ZeroDivisionError' in each] == complaints(cells) != []
    assert 'before' in printed(cells[-2]) and '42' in printed(cells[-1])


def test_the_listing_is_the_documents():
    """Only its import is renamed; two empty lines part its classes, which the document's plain text has lost."""
    first, _, listing = PAGE.cell('run').source.partition('\n')
    assert first == '%%result takeover' and listing.startswith('import minicell.nn')
    assert ' '.join(listing.replace('minicell', 'mindspore').split()) == ' '.join(listing_of_the_document().split())


@pytest.mark.slow
def test_the_pytorch_listing_has_the_right_gradients(capsys):
    torch = pytest.importorskip('torch')
    exec(PAGE.listing('torch'), space := {})
    assert capsys.readouterr().out.startswith('True\n')
    x, y = space['x'], space['y']
    got = torch.autograd.grad((space['MatMul'].apply(x, y) ** 2).sum(), (x, y))
    due = torch.autograd.grad(((x @ y) ** 2).sum(), (x, y))
    assert all(torch.allclose(a, b) for a, b in zip(got, due, strict=True))


answer = filled(EXERCISE, head='import minicell as ms\n')

test_half_begun_is_not_attempted = Answers(EXERCISE, answer).begun('return ..., ...', 'dx = ... @ y.T\nreturn dx, dx')

test_other_right_answers_pass = Answers(EXERCISE, answer).passing(
    'return dout @ y.T, x.T @ dout',
    'return [ops.matmul(dout, y.T), ops.matmul(x.T, dout)]',
    'return ops.transpose(y @ dout.T, (1, 0)), (dout.T @ x).T',
    'return ms.grad(lambda x, y: (x @ y * dout).sum(), (0, 1))(x, y)',
    'return (dout[:, None, :] * y).sum(axis=2), (x[:, :, None] * dout[:, None, :]).sum(axis=0)',
    'return ops.stack([(d * y).sum(axis=1) for d in dout]), sum(x[i, :, None] * dout[i] for i in range(len(x)))',
)


@pytest.mark.parametrize(
    ('body', 'named', 'gradient'),
    [
        ('return dout @ y.T, x @ dout', 'no-transpose', 'dy'),  # one of the two is right
        ('return dout @ y, x.T @ dout', 'no-transpose', 'dx'),
        ('return y.T @ dout, x.T @ dout', 'order', 'dx'),
        ('return x + 1, x.T @ dout', 'document', 'dx'),
        ('return dout @ y.T, y + 1', 'document', 'dy'),
        ('return ops.ones_like(out) @ y.T, x.T @ dout', 'no-dout', 'dx'),
        ('return y.T, x.T', 'slope-alone', ''),
        ('return y.T, x.T @ dout', 'slope-alone', 'dx'),
        ('return y, x', 'slope-as-it-is', ''),
        ('return out @ y.T, x.T @ out', 'out-for-dout', ''),
        ('return dout @ y.T, x.T @ out', 'out-for-dout', 'dy'),
        ('return dout @ y.T, dout.T @ x', 'transposed', 'dy'),
        ('return dout @ x.T, y.T @ dout', 'own-input', ''),
        ('return dout @ y.T, x.T @ dout / len(x)', 'mean', 'dy'),
        ('return dout @ y.T, x.T @ -dout', 'sign', 'dy'),
        ('return x.T @ dout, x.T @ dout', 'swapped', 'dx'),
        ('return None, x.T @ dout', None, ''),
        ('return 2 * dout @ y.T, x.T @ dout', None, ''),
        ('return (dout @ y.T).abs(), x.T @ dout', None, ''),
        ('return 0 * x, 0 * y', None, ''),
        ('return dout @ y.T * float("nan"), x.T @ dout', None, ''),
        ('return dout @ y.T, (x.T @ dout).mean(axis=0) + 0 * y', None, ''),
        ('return dout, x, y', None, ''),
        ('return 3', None, ''),
        ('return x, "y"', None, ''),
        ('dx, dy = dout @ y.T, x.T @ dout\nx[0] = 0.\nreturn dx, dy', 'in-place', ''),
    ],
)
def test_what_is_wrong_is_told_where(body, named, gradient):
    """A belief that shows in one gradient alone is told of that one."""
    verdict = EXERCISE.check_code(answer(body))
    assert verdict.state == 'failed'
    assert (mistake_of(verdict), verdict.gradient) == (named, gradient), verdict
    assert (f'Look at `{gradient}`.' in repr(verdict)) == bool(gradient)
    assert verdict.said in repr(verdict).partition('belief behind it')[0], 'what it does comes before why'


@pytest.mark.parametrize('kept', ['x', 'y'])
def test_what_is_kept_on_self_is_of_the_last_call(kept):
    """The formulas are right: only a second call of the Cell gives it away."""
    code = EXERCISE.solution.replace('return self.m', f'self.kept = {kept}\n        return self.m')
    formula = code.rindex('        dx =')
    verdict = EXERCISE.check_code(code[:formula] + code[formula:].replace(f'{kept}.T', 'self.kept.T'))
    assert verdict.state == 'failed' and mistake_of(verdict) == 'kept-on-self'
    tells(verdict.said, 'after that call')


@pytest.mark.parametrize(('factor', 'right'), [('y.T', True), ('ops.stop_gradient(y).T', False)])
def test_the_second_order_of_an_answer_is_checked_as_the_lesson_says(factor, right):
    (asked,) = re.findall(r'`(ms\.check_bprop\(.*?)`', PAGE.words('exercise-after'))
    exec(answer(f'return ops.matmul(dout, {factor}), ops.matmul(x.T, dout)'), space := {'x': X, 'y': Y})
    assert eval(asked, space).ok == right


def test_no_bug_of_the_hunt_raises_an_error():
    assert {due for *_, due in HIDDEN} == set(WORDS)
    rng = np.random.default_rng(3)
    for dx, dy, due in HIDDEN:
        x, y, dout = (ms.Tensor(rng.standard_normal((3, 3))) for _ in range(3))
        found = ms.check_bprop(*suspect(dx, dy), x, y, sens=dout)
        assert found.error is None and found.ok == (due == 'right'), (dx, dy)


NUMBERS = 'np.arange(1.0, 10.0).reshape(3, 3), np.arange(11.0, 20.0).reshape(3, 3)'

test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    (NUMBERS, 'np.random.default_rng(0).standard_normal((2, 3, 3))', ''),
    (NUMBERS, '-np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3) ** 2', ''),
    (NUMBERS, 'np.ones((3, 3)), np.ones((3, 3))', ('Cell 1', '“right”', 'is “no transpose”')),
    (NUMBERS, 'np.zeros((3, 3)), np.zeros((3, 3))', ('Cell 1', 'say “right”')),
    ('gradients(0 * one)', 'gradients(0 * one + float("nan"))', ('Cell 3', '“deaf”', 'is “right”')),
    ('one @ y.T) and', 'one @ y) and', '✗ Cell 3'),
)


def test_one_number_of_dout_wakes_a_row_and_a_column():
    """What the derivation says of its cell, and its two sums, are so."""
    x, y, dout = X.asnumpy(), Y.asnumpy(), np.zeros((2, 3), np.float32)
    dout[1, 2] = 1
    dx = np.einsum('ij,kj->ik', dout, y)
    dy = np.einsum('ik,ij->kj', x, dout)
    assert np.array_equal(dx, [[0, 0, 0], y[:, 2]]) and np.array_equal(dy.T, [[0, 0, 0], [0, 0, 0], x[1]])
    assert all(map(np.allclose, [dx, dy], [dout @ y.T, x.T @ dout]))
    tells(PAGE.told('one-number'), f'dx\n{dx}', f'of y\n{dx[1]}', f'dy\n{dy}', f'of x\n{x[1]}')


def test_nothing_before_the_prediction_says_who_wins(lesson_03):
    """Neither the introduction nor a recall tells what the first prediction asks."""
    cells = lesson_03.cells
    asked = [cell.id for cell in cells].index('l03-prediction')
    early = ' '.join(cell.source for cell in cells[:asked]).lower()
    assert [word for word in ('takes over', 'replaces', 'checked', 'obey', 'ask me', '1.5') if word in early] == []


test_changed_construct_fails = Answers(EXERCISE).failing((('(x, y)\n', '(x, y) * 2\n'), 'construct', None))


Frozen = run(answer('return x + 1, y + 1'), 'MatMul', 'as in the listing')
X = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
Y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])


def test_figure_of_the_listing_is_wrong_at_every_scale():
    figure = loss_scale(Frozen(), X, Y)
    for film in figure.films:
        assert all('dx and dy' in step.title and 'wrong' in step.title for step in film.steps)
        for k, true in ((0, '0.66'), (3, '6.60'), (-1, '66')):
            shown = set(texts(film, k))
            assert true in shown and '1.50' in shown, 'the truth is scaled, and bprop returns x + 1'
            assert any('(scale * z).sum()' in each for each in shown)
    assert film.line['label'].startswith('Loss scale: multiplies the loss')
    assert len(figure.shown.page.encode()) < 1_000_000


@pytest.mark.parametrize('code', [EXERCISE.solution, EXERCISE.solution.replace('def bprop', 'def other')])
def test_figure_of_a_right_cell_finds_nothing_wrong(code):
    (wide, _) = loss_scale(run(code, 'MatMul', 'a test')(), X, Y).films
    assert not [step for step in wide.steps if 'wrong' in f'{step.title} {step.caption}']


def test_a_page_without_a_kernel_says_what_stands_still_and_what_should_move():
    shown = loss_scale(Frozen(), X, Y).shown
    for scale in (0.1, 1.0, 10.0):
        due = f'be {scale * (0.01 + 0.3 + 1.1):.3g}.'
        assert due in shown.text and due in shown.pictures['image/svg+xml']
    tells(shown.text, 'dx[0, 0] is 1.5')
