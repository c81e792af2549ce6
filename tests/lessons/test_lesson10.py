"""What is particular to lesson 10: its figure, its exercises, and what its text says of Parameters."""

import re
import warnings

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.lesson10 import WORDS, found
from minicell.teach.lesson10.figures import draw, length, use
from minicell.teach.lesson10.zoo import HIDDEN
from minicell.teach.lesson10.zoo import WORDS as HUNTED
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import holds
from tests.lessons.notebooks import picture
from tests.lessons.page import Page, document
from tests.messages import tells

AFFINE, CHANGED, MEASURED, HUNT = map(exercise, ('10a', '10b', '10c', '10d'))
PAGE = Page('10')
NUMBERS = ms.Tensor([3.0, 1.0, 2.0, 0.5])


@pytest.fixture(scope='module')
def kinds() -> tuple[type, type]:
    """The Cells of the figure, from the lesson's own cells."""
    space = PAGE.run('document', upto='# ---- from here', ms=ms, Parameter=ms.Parameter, nn=ms.nn)
    exec(PAGE.source('summed'), space)
    return space['NetWithParam'], space['Summed']


@pytest.mark.parametrize('n', [1, 2, 3, 4])
def test_the_document_is_right_for_one_number_alone(kinds, n):
    document, summed = use(kinds, NUMBERS, n).given
    true = use(kinds, NUMBERS, n).true
    assert document.gradient.shape == (n,) and bool(document.error) == (n > 1)
    assert not summed.error and np.allclose(summed.gradient, true) and summed.gradient.shape == (1,)
    words = draw(kinds, NUMBERS, n).words
    assert ('BpropShapeError' in words) == (n > 1) and f'x has {n}' in words


def test_the_figure_can_be_read(kinds):
    holds(length(*kinds, NUMBERS))


test_other_right_answers_pass = Answers(AFFINE).passing(
    [('{self.w: dw, self.b: db}', '{self.b: db, self.w: dw}')],  # by key, in whatever order
    [('[self.w, self.b]', '(self.b, self.w)')],
    [('dw = (x * dout).sum(0)', 'dw = (x * dout).mean(0) * x.shape[0]')],
    [('(x * dout).sum(0)', 'ms.ops.matmul(ms.ops.ones((1, x.shape[0])), x * dout)[0]')],
)

test_other_wrong_answers_fail = Answers(AFFINE).failing(
    ([('{self.w: dw, self.b: db}', '{self.w: db, self.b: dw}')], 'exchanged'),
    ([('dx = self.w * dout', 'dx = dout')], None),
    ([('[self.w, self.b]', '[self.b]')], None),
    ([('self.b: db', 'self.b: None')], 'none'),
    ([('{self.w', "{'w'")], 'names'),
    ([('[self.w, self.b]', '[]')], 'empty-list'),
    ([('[self.w, self.b]', '(self.w,)')], 'one-named'),
    ([('(x * dout).sum(0)', '(self.w * dout).sum(0)')], 'w-for-x'),
    ([('db = dout.sum(0)', 'db = ms.ops.ones((3,))')], 'db-one'),
    ([('return (dx,), {self.w: dw, self.b: db}', 'return (dx,)')], 'named-is-enough'),  # it raises: nothing gets 0
    ([('return (dx,), {self.w: dw, self.b: db}', 'return dx, db, dw')], 'in-the-tuple'),
    ([('(x * dout).sum(0)', '(x * dout).sum(0, keepdims=True)')], 'keepdims'),
    ([('.sum(0)', '.sum(0, keepdims=True)')], 'keepdims'),
    ([('self.w * x + self.b', 'self.w * x - self.b')], None),
)

test_half_begun_is_not_attempted = Answers(AFFINE).begun(
    ('[self.w, self.b]', '...'), ('dw = (x * dout).sum(0)', 'dw = ...')
)


def test_who_changes_what_is_measured():
    assert found() == CHANGED.due.did and set(found().values()) == set(WORDS)


test_a_part_of_an_answer = Answers(CHANGED).words(
    ({'w': 'me'}, ('me', 'none of')),
    ({'w': ...}, 'Still open: w'),
    ({'w': 'nobody', 'fixed': 'forward'}, ('w: not nobody', '5 of 7')),
)


measuring = filled(MEASURED, '    start = ')
pushed = lambda parts: measuring(PUSHED.format(ALL.format(parts[0]), *parts[1:]))


PUSHED = """\
start = p.asnumpy().copy()
def at(k, push):
    moved = start.copy()
    moved[k] += push
    p.set_data(ms.Tensor(moved))
    return loss().asnumpy()
slopes = {}
{}
return {}"""
ALL = 'np.array([{} for k in np.ndindex(start.shape)])'
BOTH = '(at(k, eps) - at(k, -eps)) / (2 * eps)'
BACK = 'p.set_data(ms.Tensor(start))'

test_other_right_measurements_pass = Answers(MEASURED, pushed).passing(
    (BOTH, BACK, 'slopes.reshape(start.shape)'),
    (BOTH, BACK, 'ms.Tensor(slopes.reshape(start.shape))'),
    ('at(k, eps) / eps / 2 - at(k, -eps) / eps / 2', BACK, 'slopes.reshape(p.shape)'),
    ('(at(k, eps / 2) - at(k, -eps / 2)) / eps', BACK, 'slopes.reshape(p.shape)'),
)

test_other_wrong_measurements_fail = Answers(MEASURED, pushed).failing(
    ((BOTH, BACK, 'slopes'), ('(4,)', '(2, 2)'), None),
    ((BOTH, BACK, 'slopes.sum()'), 'an array', None),
    ((BOTH, BACK, 'np.nan * slopes.reshape(p.shape)'), 'NaN', None),
    ((BOTH, BACK, 'abs(slopes.reshape(p.shape))'), ('at [1]', 'is 24', 'expected -24'), None),
    ((BOTH, BACK, '-slopes.reshape(p.shape)'), ('at [1]', 'is 24'), None),
    ((BOTH, '', 'slopes.reshape(p.shape)'), ('p', 'as it was'), 'not-restored'),
    (('(at(k, eps) - at(k, 0)) / eps', BACK, 'slopes.reshape(p.shape)'), 'your slope', 'one-sided'),
    (('(at(k, 0) - at(k, -eps)) / eps', BACK, 'slopes.reshape(p.shape)'), 'your slope', None),
    (('at(k, eps) - at(k, -eps)', BACK, 'slopes.reshape(p.shape)'), 'your slope', None),
    (('at(k, eps) - at(k, -eps) / (2 * eps)', BACK, 'slopes.reshape(p.shape)'), 'your slope', None),
    (('(at(k, eps) - at(k, -eps)) / eps', BACK, 'slopes.reshape(p.shape)'), 'your slope', 'eps-once'),
)


@pytest.mark.parametrize(('body', 'state'), [('return ...', 'open'), ('pass', 'failed'), ('return p + loss', 'failed')])
def test_an_unfinished_measurement(body, state):
    assert MEASURED.check_code(measuring(body)).state == state


test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('cell(x).sum()', '(cell(x) ** 2).sum()', ''),
    ('cell(x).sum()', '(0 * cell(x)).sum()', ('Cell 1', 'w = [2.0, -1.0, 0.5]', 'is “mean”')),
    ('[0.5, 4.0, -1.0]]', '[0.5, 4.0, -1.0], [2.0, 2.0, 1.0]]', ''),
    ('cell(x).sum()', '(x * cell(x)).sum()', ''),
    ("return 'right'", "return 'cut'", '✗ Cell 2'),
    ('true_b = differences(loss, cell.w), differences(loss, cell.b)', 'true_b = dw, db', '✗ Cell 1'),
)


def test_the_bugs_of_the_hunt_are_silent():
    """None raises; a cut wire is told by a warning that has no place in MindSpore."""
    for kind, numbers, due in HIDDEN:
        cell, x = kind(*numbers), ms.Tensor(np.ones((2, 3)))
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', ms.errors.MinicellWarning)
            gradients = ms.grad(lambda x, cell=cell: (cell(x) ** 2).sum(), None, [cell.w, cell.b])(x)
        assert due in HUNTED and [g.shape for g in gradients] == [(3,), (3,)]
    assert {due for *_, due in HIDDEN} == set(HUNTED)


def test_the_listing_is_the_documents():
    ours = PAGE.source('document').partition('# ---- from here')[0]
    assert ' '.join(ours[ours.index('class') :].split()) in ' '.join(document('documents/002.txt').split())


def test_w_stands_still_while_the_loss_falls():
    lines = PAGE.told('run').splitlines()
    assert all('w 2.000' in line for line in lines)
    losses = [float(re.search(r'loss ([\d.]+)', line)[1]) for line in lines]
    assert losses[0] > 2 * losses[-1]
    assert 'w 1.000' in PAGE.told('own') and float(re.findall(r'w ([\d.]+)', PAGE.told('own'))[-1]) > 2.9


def test_what_the_cells_show():
    assert 'SwallowedParameter' not in tells(PAGE.told('warned'), 'not train')
    tells(PAGE.told('tuple'), '2 gradients', '1 input')
    assert PAGE.told('lengths').count('shape (1,)') == 3 and PAGE.told('lengths').startswith('1 dw = [3.]')
    assert PAGE.told('registers').splitlines()[-1] == "['scale.w']"


def test_one_wire_is_cut_and_one_is_whole():
    cut, whole = (
        ' '.join(f'{step.title}: {step.caption}' for step in picture('10', name).films[0].steps)
        for name in ('tape', 'tape-2')
    )
    tells(cut, 'dw is zero', 'is cut', '1 Scale', 'internal_params')
    assert 'is cut' not in tells(whole, 'dx and dweight', 'are right')
