"""What is particular to lesson 05: eight malformed bprops, its figure, its exercises, the torn tape."""

import json
import re

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.bprop_check import called, dout_of
from minicell.teach.exercise import run
from minicell.teach.lesson05 import inputs
from minicell.teach.lesson05.figures import traffic
from minicell.teach.lesson05.specimens import (
    RIGHT,
    SOURCE,
    SPECIMENS,
    as_mindspore,
    cell,
    here,
    in_mindspore,
    loss,
    silent,
    true,
)
from tests.lessons.answers import Answers, changed, filled
from tests.lessons.figures import holds
from tests.lessons.notebooks import listings, picture, read
from tests.lessons.page import Page, document, recorded
from tests.messages import tells

GUESSES, BLEND, NUMBER = map(exercise, ('5a', '5b', '5c'))
PAGE = Page('05')


def test_the_right_one_is_right():
    assert ms.check_bprop(cell(RIGHT), ms.Tensor([1.0, 0.5, -1.0]))
    assert true().tolist() == [12.5, 12.25, -40.5]


def test_who_complains_here():
    found = [here(number) for number in SPECIMENS]
    assert [outcome.verdict for outcome in found] == ['raises'] * 5 + ['silent', 'fine', 'silent']
    errors = ['BpropTupleError', 'BpropCountError', 'BpropTypeError', 'BpropShapeError', 'BpropShapeError', '', '', '']
    assert [outcome.error for outcome in found] == errors
    for number, outcome in zip(SPECIMENS, found, strict=True):
        if outcome.verdict == 'raises':
            assert outcome.said.startswith('Average.bprop')
        else:  # the check agrees with the table
            assert ms.check_bprop(cell(SPECIMENS[number].line), X).ok == (outcome.verdict == 'fine')


def test_who_complains_in_mindspore():
    found = [in_mindspore(number).verdict for number in SPECIMENS]
    assert found == ['fine', 'silent', 'raises', 'silent', 'raises', 'silent', 'fine', 'silent']
    assert (silent(here), silent(in_mindspore)) == (2, 4)


X = ms.Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ('case', 'returned'),
    [
        ('bprop_too_many_truncated', (X + 100, X + 200)),
        ('bprop_shape_bigger_sum_reduced', (ms.ops.stack([X, X + 10]),)),
        ('bprop_dtype_cast_to_input', (X.astype(ms.float64) + 100,)),
    ],
)
def test_the_rules_of_mindspore_give_the_recorded_numbers(case, returned):
    first = json.loads(re.search(r'\[.*?\]', recorded(case))[0])
    gradient = as_mindspore(returned, X)
    assert gradient.tolist() == first and gradient.dtype == np.float32


def test_the_rules_of_mindspore_for_the_rest():
    assert json.loads(recorded('bprop_none_entry_plus_other_path')) == (7 + as_mindspore((None,), X)).tolist()
    assert as_mindspore(X, X).tolist() == X.asnumpy().tolist()
    with pytest.raises(TypeError, match='output is none'):
        as_mindspore(None, X)
    for shape in ((), (1,), (2,), (3, 2)):
        with pytest.raises(RuntimeError, match='broadcast'):
            as_mindspore((ms.Tensor(np.ones(shape)),), X)


def test_the_lesson_shows_the_cell_and_the_lines_that_run():
    assert SOURCE[SOURCE.index('class Average') :].strip() in PAGE.source('right')
    tells(PAGE.source('right'), 'W = ms.Tensor([[1.0, 2.0, 3.0]', keep=False)
    rows = re.findall(r'^\| (\d) \| `(.+?)` \| (.+?) \|$', PAGE.source('exercise'), re.MULTILINE)
    assert rows == [(str(number), each.line, each.name) for number, each in SPECIMENS.items()]
    assert all(f'    {number}: lambda dout, dx:' in PAGE.source('home') for number in (2, 4, 6))


def test_the_figure_can_be_read():
    figure = holds(traffic())
    assert figure.values == list(SPECIMENS)
    for each in figure.drawn:
        tells(each.words, 'in minicell: 6, 8;', 'in MindSpore: 2, 4, 6, 8')


def test_the_third_hint_counts_right():
    verdicts = [here(number).verdict for number in SPECIMENS]
    assert [verdicts.count(word) for word in ('raises', 'silent', 'fine')] == [5, 2, 1]
    tells(GUESSES.hints[2], 'Five raise', 'two are silent', 'one is fine')


test_a_part_of_an_answer = Answers(GUESSES).words(
    ({6: 'fine', 8: 'fine'}, 'Number 6', 'none-is-filled'),
    ({4: 'fine'}, ('7 of 8', 'Number 4')),
    ({8: ...}, ('7 of 8', 'open: 8')),
    ({1: 'error'}, 'none of'),
    (dict.fromkeys(range(2, 9), ...), '1 of 8'),
)


blend = filled(BLEND, '        # It was', 'import minicell as ms\n')
DX = 'dx = k * (dout * y).mean(0)\n'
DY = 'dy = ops.broadcast_to(k * dout * x / y.shape[0], y.shape)\n'

test_other_repairs_pass = Answers(BLEND, blend).passing(
    'n = y.shape[0]; return k / n * (dout * y).sum(0), ops.broadcast_to(k / n * dout * x, y.shape), 0',
    'return [k * (dout * y).mean(0), ops.ones_like(y) * (k * dout * x / y.shape[0]), None]',
    'return *ms.grad(lambda x, y: (k * (x * y).mean(0) * dout).sum(), (0, 1))(x, y), None',
    DY + 'return k * (dout * y).sum(0) / len(y), dy, None',
    DY + 'return (k * dout * y).mean(0), dy, None',
    DX + 'return dx, ops.ones_like(y) * (k * dout * x / y.shape[0]), None',
    DX + 'return dx, ops.stack([k * dout * x / y.shape[0]] * y.shape[0]), None',
)

test_other_mistakes_fail = Answers(BLEND, blend).failing(
    ('return None, None, None', 'not the true', None),
    ('return dout', 'bare Tensor', None),
    ('pass', 'returned nothing', None),
    ('return k * dout * y, k * dout * x', ('2 gradients', '3 inputs'), 'no-place'),  # as it was
    ('return k * (dout * y).mean(0), "dy", None', ('a str', 'of y'), None),
    ('return 1 / 0', 'ZeroDivisionError', None),
)


test_a_changed_place_of_the_solution_fails = Answers(BLEND).failing(
    (('y.shape[0]', '2'), 'y (3, 4)', 'two-rows'),  # a share that fits two rows only, with three
    (('.mean(0)\n\n', '.sum(0)\n\n'), 'construct', None),
)


def test_what_follows_the_error_blindly_is_silent():
    """The trap of the exercise: .sum(0), as the error proposes, raises nothing and counts each row in full."""
    told = next(each for each in BLEND.mistakes if each.name == 'both-silent')
    given = inputs(3, 4, 2.5)
    cells = [run(code, 'Blend', 'a test')() for code in (told.code, BLEND.solution)]
    wrong, due = (called(cell, given, dout_of(given[0]), ('dx', 'dy')) for cell in cells)
    assert np.allclose(wrong['dx'], 3 * due['dx']) and np.allclose(wrong['dy'], 3 * due['dy'])


def test_the_tape_is_kept_up_to_the_torn_card():
    tells(PAGE.told('tape'), '3  (z * z).sum()', 'Forgot.bprop', '!!  BpropTypeError')
    *_, taken, line, torn = picture('05', 'tape').films[0].steps
    tells(f'{taken.title}: {taken.caption}', 'its road', 'Forgot.bprop runs')
    tells(line.title, 'line 6', 'makes dx')  # where its dout is seen
    tells(f'{torn.title}: {torn.caption}', 'An error in', 'Forgot.bprop', 'returned nothing')


def test_four_questions_in_that_order():
    """A return that breaks several rules is told of the first."""
    x = ms.Tensor([1.0, 2.0, 3.0])
    for line, error in (
        ('return dx.sum()', ms.errors.BpropTupleError),
        ('return dx.sum(), 3', ms.errors.BpropCountError),
        ('return (dx.asnumpy().sum(),)', ms.errors.BpropTypeError),
        ('return (dx.sum() > 0,)', ms.errors.BpropShapeError),
        ('return (dx > 0,)', ms.errors.DTypeError),
    ):
        with pytest.raises(error):
            ms.grad(loss(cell(line)))(x)
    assert ms.grad(loss(cell('return [dx]')))(x).shape == (3,)


@pytest.mark.slow
def test_the_pytorch_listing(capsys):
    torch = pytest.importorskip('torch')
    exec(PAGE.listing('torch'), {})
    said = dict(line.split(' ', 1) for line in capsys.readouterr().out.splitlines())
    due = str(torch.tensor(true()))
    assert said['1'] == said['7'] == due
    assert said['4'] == str(torch.tensor(2 * true())) == str(torch.tensor(in_mindspore(4).gradient))
    assert said['3'] == said['6'] == 'None'
    assert said['8'] == str(torch.tensor(here(8).gradient))
    assert 'number of gradients' in said['2'] and 'invalid gradient' in said['5']


def test_the_mindspore_listing_on_minicell(capsys):
    exec(PAGE.listing('mindspore').replace('mindspore', 'minicell'), {})
    said = re.split(r'^(?=\d )', capsys.readouterr().out, flags=re.MULTILINE)[1:]
    assert len(said) == 8
    for number, each in enumerate(said, 1):
        outcome = here(number)
        assert (outcome.said in each) if outcome.verdict == 'raises' else str(ms.Tensor(outcome.gradient)) in each


def test_the_quoted_constraint_is_the_documents():
    (quoted,) = re.findall(r'“(If .+?)”', PAGE.words('why'))
    assert quoted in ' '.join(document('documents/000.txt').split())


NO_TENSOR = 'k', 'no Tensor', 'expected None'


returning = lambda returned: changed(BLEND.solution, ('dx, dy, None', returned))
test_a_hint_speaks_of_what_was_returned = Answers(BLEND, returning).failing(
    ('dx, None, None', 'dy-none'),
    ('None, dy, None', None),
    ('None, None, None', None),
    ('dx, dy, None, None', None),
    ('dy, dx, None', None),
    ('(dx, dy, None),', None),
    ('dx * float("nan"), dy, None', None),
    ('dx, dy', 'no-place'),
    ('dx, dy, 1.0', NO_TENSOR, 'k-filled'),
    ('dx, dy, 1', NO_TENSOR, None),
    ('dx, dy, k', NO_TENSOR, 'k-filled'),
    ('dx, dy, False', NO_TENSOR, None),
    ('dx, dy, ops.zeros_like(x)', NO_TENSOR, None),
    ('dx, dy, (dout * (x * y).mean(0)).sum()', NO_TENSOR, None),
)

test_a_check_of_one_number = Answers(NUMBER).experiments(
    ('not np.isclose(by_bprop, by_differences, rtol=1e-4)', 'abs(by_bprop / by_differences - 1) > 1e-3', ''),
    ('(loss(y + ms.Tensor(step)) - loss(y - ms.Tensor(step)))', '(loss(y + step) - loss(y - step))', 'around it'),
    ('2e-5', '1e-5', ('Cell 2, whose dy', 'says True')),
    ('not np', 'np', ('Cell 1, whose dy', 'counted in full', 'says False')),
    ('rtol=1e-4', 'rtol=10', ('Cell 3, whose dy', 'says False')),
    ('loss(y - ms.Tensor(step))).item() / 2e-5', 'loss(y)).item() / 1e-5', ('✗ central', 'moved up')),
    ('step[0, 1] = 1e-5', 'step[9, 9] = 1e-5', 'IndexError'),
)


def test_no_error_complains_of_the_cell_that_is_to_be_measured(capsys):
    """Its numbers are twice as large as the true ones."""
    exec(BLEND.solution, space := {'ms': ms})
    exec(PAGE.source('right-shape'), space)
    true = ms.grad(lambda y: (space['Blend']()(space['row'], y, 2.5) ** 2).sum())(space['rows'])
    assert np.allclose(space['dy'].asnumpy(), 2 * true.asnumpy()) and 'by its bprop' in capsys.readouterr().out


def test_the_comments_of_the_listings_have_the_numbers_that_are_due():
    """Wherever a framework hands out numbers, they are those that MindSpore would hand out."""
    for listing in listings(read('05'), '05').values():
        found = re.findall(r'(\d(?:, \d)*): (?:tensor\()?\[([-\d., ]+)\]', listing)
        assert {'8', '2, 8'} & {numbers for numbers, _ in found}
        for numbers, row in found:
            given = [float(number) for number in row.replace(',', ' ').split()]
            for number in numbers.split(', '):
                assert in_mindspore(int(number)).gradient.tolist() == given, (number, row)
