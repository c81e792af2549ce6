"""What is particular to lesson 09: its figure, its two exercises, and what its text says of second order."""

import re
from typing import Any

import numpy as np
import pytest

import minicell as ms
import minicell.nn as nn
import minicell.ops as ops
from minicell.teach.about import exercise
from minicell.teach.lesson09.figures import AT, Bprops, bprops
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import holds
from tests.lessons.page import Page, document
from tests.messages import tells

CUBE, SINH, HUNT = map(exercise, ('9a', '9b', '9c'))
PAGE = Page('09')


@pytest.fixture(scope='module')
def seed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the lesson's own cells define, from files, so that the figure can read their lines."""
    path = tmp_path_factory.mktemp('lesson09') / 'cells.py'
    listing, _, _ = PAGE.source('seed').partition('# ---- from here')
    path.write_text(f'{listing}\n{PAGE.source("three")}', encoding='utf-8')
    space: dict[str, Any] = {}
    exec(compile(path.read_text(encoding='utf-8'), str(path), 'exec'), space)
    return space


@pytest.fixture(scope='module')
def drawn(seed) -> Bprops:
    return Bprops(seed['Net'](), seed['Mask'](), seed['Smooth']())


def test_who_is_right_at_which_order(drawn):
    net, mask, smooth = (drawn.says(k) for k in range(3))
    assert mask.count('is right') == 2 and 'empty' in mask
    assert net.count('is off by') == 2 and 'Second tape: 1′ ReLU.' in net
    assert smooth.count('is off by') == 2 and '1′ Mul, 2′ Sigmoid' in smooth
    for said in (net, mask, smooth):
        tells(said, 'is the slope', 'its first')


def test_the_truth_is_0_and_1_and_smooth_is_wrong_near_the_corners_only(drawn):
    (slope, bend), smooth = drawn.true, drawn.all[2]
    assert np.allclose(slope, (AT > 0) & (AT < 6)) and np.allclose(bend, 0, atol=1e-6)
    far = (np.abs(AT) > 1) & (np.abs(AT - 6) > 1)
    for mine, due in zip((smooth.first, smooth.second), drawn.true, strict=True):
        assert np.allclose(mine[far], due[far], atol=5e-3) and not np.allclose(mine, due, atol=0.4)


def test_a_second_order_that_is_not_the_slope_is_told(seed):
    class Stopped(seed['Smooth']):
        def bprop(self, x, out, dout):
            return (ops.stop_gradient(super().bprop(x, out, dout)[0]),)

    tells(Bprops(Stopped()).says(0), 'not the slope', 'its first')


def test_the_figure_can_be_read(seed):
    holds(bprops(seed['Net'](), seed['Mask'](), seed['Smooth']()))


A_CUBE = filled(CUBE, head='import minicell.ops as ops\n')
A_SINH = 'import minicell.nn as nn\nimport minicell.ops as ops\nclass Sinh(nn.Cell):\n    def construct(self, x):\n'
A_SINH += '        e = ops.exp(x)\n        return {}\n    def bprop(self, x, out, dout):\n        {}\n'
ALONE = '(e - 1 / e) / 2'

test_other_right_cubes_pass = Answers(CUBE, A_CUBE).passing(
    'return (3 * x ** 2 * dout,)',
    'return (3 * ops.square(x) * dout,)',
    'return [dout * (x + x + x) * x]',
    'g = x * dout\nreturn (g * x + 2 * x * g,)',
    'return (ops.grad(lambda x: (x * x * x * dout).sum())(x),)',
)

test_other_wrong_cubes_fail = Answers(CUBE, A_CUBE).failing(
    ('return (3 * out / x * dout,)', ('is NaN', '[1]'), 'divides'),
    ('return (3 * out * dout / x,)', ('is NaN', '[1]'), 'divides'),
    ('return (3 * x * ops.stop_gradient(x) * dout,)', 'second order is', 'half-stopped'),
    ('return (3 * ops.stop_gradient(x) ** 2 * dout,)', 'second order is', 'slope-stopped'),
    ('return (3 * ops.stop_gradient(x * x) * dout,)', 'second order is', 'slope-stopped'),
    ('return ((3 * x * x + 6 * x) * dout,)', 'wrong', 'added-up'),
    ('return 3 * x * x * dout, 6 * x * dout, 6 * dout', '3 gradients', None),
    ('return (2 * x * dout,)', 'wrong', None),
    ('return (-3 * x * x * dout,)', 'wrong', None),
    ('return (3 * x * ops.abs(x) * dout,)', '[0]', None),
    ('return (3 * x * x,)', 'wrong', 'no-dout'),
    ('return dout', 'bare Tensor', None),
)

test_half_begun_is_not_attempted = Answers(CUBE, A_CUBE).begun('return (... * dout,)')

test_every_way_that_the_solution_names_passes = Answers(SINH, lambda parts: A_SINH.format(*parts)).passing(
    (ALONE, 'return (ops.sqrt(1 + out * out) * dout,)'),
    (ALONE, 'return ((ops.exp(x) + ops.exp(-x)) / 2 * dout,)'),
    (ALONE, 'return (ops.cosh(x) * dout,)'),
    (f'{ALONE}, e', 'return ((out[1] + 1 / out[1]) / 2 * dout[0] + out[1] * dout[1],)'),
    (f'[{ALONE}, e]', 'return ((out[1] + 1 / out[1]) / 2 * dout[0] + out[1] * dout[1],)'),
)

test_other_wrong_sinhs_fail = Answers(SINH, lambda line: A_SINH.format(ALONE, line)).failing(
    ('return (ops.exp(x) * dout,)', 'wrong', 'e-alone'),
    ('return (out * dout,)', 'wrong', 'slope-of-slope'),
    ('return (ops.sqrt(out * out - 1) * dout,)', ('is NaN', '[1]'), None),
    ('return (ops.sqrt(1 + out * out),)', 'wrong', 'no-dout'),
    ('return (ops.sqrt(1 + ops.stop_gradient(out * out)) * dout,)', 'second order is', 'stopped'),
    ('return (ops.stop_gradient((ops.exp(x) + ops.exp(-x)) / 2) * dout,)', 'second order is', 'stopped'),
    ('return ((ops.exp(x) + ops.exp(-x)) / 2 * ops.stop_gradient(dout),)', 'second order is', None),
)


test_another_forward_is_told = Answers(SINH, str).failing(
    (A_SINH.format('e', 'return (out * dout,)'), ('construct', 'sinh of x'), None)
)


test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('(f(x) ** 2)', '(f(x) * f(x) * f(x))', ''),
    ('[-1.0, 0.5, 2.0]', '[-0.3, 1.7]', ''),
    ('ms.grad(ms.grad(cell))', 'ms.grad(lambda x: ms.grad(cell)(x).sum())', ''),
    ("'dout'", "'slope'", ('Cell 4, cube', '“slope”', 'is “dout”')),
    ('[-1.0, 0.5, 2.0]', '[0.0]', 'it is'),
    ('(f(x) ** 2)', 'f(x)', 'Cell 7, a fifth'),
)


def test_the_listing_is_the_documents():
    ours, _, _ = PAGE.source('seed').partition('\n# ---- from here')
    assert ours.split() == document('listings/relu6.txt').split()


def test_what_the_cells_show():
    assert PAGE.told('run').count('bprop runs') == 1
    assert PAGE.told('seed').startswith('[[1. 1. 1.]\n [1. 1. 1.]]\n')
    tells(PAGE.told('seed'), 'order [8.]', 'order [1.]', 'alone [0.]')
    tells(PAGE.told('missing'), 'Illegal primitive', "ReLU6Grad's bprop")
    assert '1′' in PAGE.told('tape') and "1'" not in tells(PAGE.told('kept'), 'unrecorded')
    tells(PAGE.told('kept'), '✗ dx: wrong', 'order:      [0. 0. 0.]')


@pytest.mark.parametrize(('uses', 'runs'), [('x', 1), ('out', 2)])
def test_bprop_runs_once_and_twice_where_it_uses_out(uses, runs):
    ran = []

    class Exp(nn.Cell):
        def construct(self, x):
            return ops.exp(x)

        def bprop(self, x, out, dout):
            ran.append(uses)
            return ((ops.exp(x) if uses == 'x' else out) * dout,)

    assert ms.grad(ms.grad(Exp()))(ms.Tensor(1.0)).item() == pytest.approx(np.e)
    assert len(ran) == runs


def test_what_forward_alone_says_is_right():
    space = PAGE.run('bend', upto='\n\n\n', ms=ms)
    x = ms.Tensor([-1.0, 0.5, 2.0])
    for f, second in ((ops.sin, -np.sin(x.asnumpy())), (ops.exp, np.exp(x.asnumpy()))):
        assert np.allclose(space['second_difference'](f, x).asnumpy(), second, rtol=1e-5)


def test_the_stored_mistakes_are_what_the_text_says():
    """minicell stops where the Tensor itself is kept, as the note on MindSpore says; the colleague's line is stored."""
    code = {mistake.name: mistake.code for mistake in SINH.mistakes}
    tells(SINH.check_code(code['kept-tensor']).said, 'HiddenValueError')
    for line in PAGE.source('kept').partition('x = ms.Tensor')[0].splitlines():
        assert line in code['kept-numbers']


def test_a_penalty_trains_through_a_slope_that_is_on_the_tape_and_through_no_other():
    said = PAGE.told('penalty')
    free, punished, stopped_free, stopped = map(float, re.findall(r'steepness (.*)', said))
    assert punished < 0.6 * free and stopped_free == stopped == free


def test_pytorch_has_the_bug_at_second_order_only():
    tells(PAGE.listing('torch'), 'first True', 'second False')
    assert PAGE.listing('torch').count('# prints') == 5
