"""What is particular to lesson 09: its figure, its two exercises, and what its text says of second order."""

import re
import time
from typing import Any

import numpy as np
import pytest

import minicell as ms
import minicell.nn as nn
import minicell.ops as ops
from minicell.teach.about import about
from minicell.teach.ink.shapes import Text
from minicell.teach.lesson09.figures import AT, HEIGHT, WIDTH, Bprops, bprops
from minicell.teach.order import exercise
from tests.lessons.kernels import ROOT
from tests.lessons.notebooks import by_id, listings, read

CUBE, SINH, HUNT = map(exercise, ('9a', '9b', '9c'))


def source(name: str) -> str:
    """The code of a cell, without its magic."""
    return re.sub(r'^%%result .*\n', '', by_id(read('09').cells)[f'l09-{name}'].source)


@pytest.fixture(scope='module')
def seed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the lesson's own cells define, from files, so that the figure can read their lines."""
    path = tmp_path_factory.mktemp('lesson09') / 'cells.py'
    listing, _, _ = source('seed').partition('# ---- from here')
    path.write_text(f'{listing}\n{source("three")}', encoding='utf-8')
    space: dict[str, Any] = {}
    exec(compile(path.read_text(encoding='utf-8'), str(path), 'exec'), space)
    return space


@pytest.fixture(scope='module')
def drawn(seed) -> Bprops:
    return Bprops(seed['Net'](), seed['Mask'](), seed['Smooth']())


# ---- the figure --------------------------------------------------------------------------------------------------


def test_who_is_right_at_which_order(drawn):
    net, mask, smooth = (drawn.says(k) for k in range(3))
    assert mask.count('is right') == 2 and 'empty' in mask
    assert net.count('is off by') == 2 and 'Second tape: 1′ ReLU.' in net
    assert smooth.count('is off by') == 2 and '1′ Mul, 2′ Sigmoid' in smooth
    assert all('is the slope of its first' in said for said in (net, mask, smooth))


def test_smooth_is_wrong_near_the_corners_only(drawn):
    smooth = drawn.all[2]
    far = (np.abs(AT) > 1) & (np.abs(AT - 6) > 1)
    for mine, due in zip((smooth.first, smooth.second), drawn.true, strict=True):
        assert np.allclose(mine[far], due[far], atol=5e-3) and not np.allclose(mine, due, atol=0.4)


def test_the_truth_is_0_and_1(drawn):
    slope, bend = drawn.true
    assert np.allclose(slope, (AT > 0) & (AT < 6)) and np.allclose(bend, 0, atol=1e-6)


def test_a_second_order_that_is_not_the_slope_is_told(seed):
    class Stopped(seed['Smooth']):
        def bprop(self, x, out, dout):
            return (ops.stop_gradient(super().bprop(x, out, dout)[0]),)

    assert 'is not the slope of its first' in Bprops(Stopped()).says(0)


def test_every_drawing_has_one_size_and_its_text_fits(drawn):
    for k in range(3):
        picture = drawn.draw(k)
        assert picture.size == (WIDTH, HEIGHT)
        for shape in picture.shapes:
            if isinstance(shape, Text):
                x, y, w, h = shape.box
                assert not shape.full and x >= 0 and x + w <= WIDTH and y + h <= HEIGHT, shape


def test_the_figure_is_fast(seed):
    figure, times = bprops(seed['Net'](), seed['Mask'](), seed['Smooth']()), []
    for k in (1, 2, 0) * 5:
        start = time.process_time()
        figure.control.value = k
        times.append(time.process_time() - start)
    assert sorted(times)[-2] < 0.15


# ---- the exercises -----------------------------------------------------------------------------------------------

A_CUBE = 'import minicell.nn as nn\nimport minicell.ops as ops\nclass Cube(nn.Cell):\n    def construct(self, x):\n'
A_CUBE += '        return x * x * x\n    def bprop(self, x, out, dout):\n        {}\n'
A_SINH = 'import minicell.nn as nn\nimport minicell.ops as ops\nclass Sinh(nn.Cell):\n    def construct(self, x):\n'
A_SINH += '        e = ops.exp(x)\n        return {}\n    def bprop(self, x, out, dout):\n        {}\n'
ALONE = '(e - 1 / e) / 2'


@pytest.mark.parametrize(
    'line',
    [
        'return (3 * x ** 2 * dout,)',
        'return (3 * ops.square(x) * dout,)',
        'return [dout * (x + x + x) * x]',
        'g = x * dout\n        return (g * x + 2 * x * g,)',
        'return (ops.grad(lambda x: (x * x * x * dout).sum())(x),)',
    ],
)
def test_other_right_cubes_pass(line):
    verdict = CUBE.check_code(A_CUBE.format(line))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ('line', 'said', 'named'),
    [
        ('return (3 * out / x * dout,)', 'is NaN at x = 0.0', 'divides'),
        ('return (3 * out * dout / x,)', 'is NaN at x = 0.0', 'divides'),
        ('return (3 * x * ops.stop_gradient(x) * dout,)', 'second order is off', 'half-stopped'),
        ('return (3 * ops.stop_gradient(x) ** 2 * dout,)', 'second order is off', 'slope-stopped'),
        ('return (3 * ops.stop_gradient(x * x) * dout,)', 'second order is off', 'slope-stopped'),
        ('return ((3 * x * x + 6 * x) * dout,)', 'first order is off', 'added-up'),
        ('return 3 * x * x * dout, 6 * x * dout, 6 * dout', 'first order: BpropCountError', 'both-orders'),
        ('return (2 * x * dout,)', 'first order is off', None),
        ('return (-3 * x * x * dout,)', 'first order is off', None),
        ('return (3 * x * ops.abs(x) * dout,)', 'at x = -1.2', None),
        ('return (3 * x * x,)', 'first order is off', 'no-dout'),
        ('return dout', 'first order', None),
    ],
)
def test_other_wrong_cubes_fail(line, said, named):
    verdict = CUBE.check_code(A_CUBE.format(line))
    assert verdict.state == 'failed' and said in verdict.said, verdict
    assert (verdict.mistake.name if verdict.mistake else None) == named, verdict


def test_half_begun_is_not_attempted():
    assert CUBE.check_code(A_CUBE.format('return (... * dout,)')).state == 'open'


@pytest.mark.parametrize(
    ('returned', 'line'),
    [
        (ALONE, 'return (ops.sqrt(1 + out * out) * dout,)'),
        (ALONE, 'return ((ops.exp(x) + ops.exp(-x)) / 2 * dout,)'),
        (ALONE, 'return (ops.cosh(x) * dout,)'),
        (f'{ALONE}, e', 'return ((out[1] + 1 / out[1]) / 2 * dout[0] + out[1] * dout[1],)'),
    ],
)
def test_every_way_that_the_solution_names_passes(returned, line):
    assert SINH.check_code(A_SINH.format(returned, line)).passed


@pytest.mark.parametrize(
    ('line', 'said', 'named'),
    [
        ('return (ops.exp(x) * dout,)', 'first order is off', 'e-alone'),
        ('return (out * dout,)', 'first order is off', 'slope-of-slope'),
        ('return (ops.sqrt(out * out - 1) * dout,)', 'is NaN at x = 0.0', None),
        ('return (ops.sqrt(1 + out * out),)', 'first order is off', None),
        ('return (ops.sqrt(1 + ops.stop_gradient(out * out)) * dout,)', 'second order is off', 'stopped'),
        ('return (ops.stop_gradient((ops.exp(x) + ops.exp(-x)) / 2) * dout,)', 'second order is off', 'stopped'),
        ('return ((ops.exp(x) + ops.exp(-x)) / 2 * ops.stop_gradient(dout),)', 'second order is off', None),
    ],
)
def test_other_wrong_sinhs_fail(line, said, named):
    verdict = SINH.check_code(A_SINH.format(ALONE, line))
    assert verdict.state == 'failed' and said in verdict.said, verdict
    assert (verdict.mistake.name if verdict.mistake else None) == named, verdict


def test_another_forward_is_told():
    verdict = SINH.check_code(A_SINH.format('e', 'return (out * dout,)'))
    assert verdict.state == 'failed' and 'construct no longer returns the sinh of x.' in verdict.said


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('(f(x) ** 2)', '(f(x) * f(x) * f(x))', ''),
        ('[-1.0, 0.5, 2.0]', '[0.3, 0.7]', ''),
        ('ms.grad(ms.grad(cell))', 'ms.grad(lambda x: ms.grad(cell)(x).sum())', ''),
        ("'dout'", "'slope'", 'Cell 4, cube: you say “slope”; it is “dout”'),
        ("return 'right'", 'return None', 'None, which is none of the four words'),
        ('[-1.0, 0.5, 2.0]', '[0.0]', 'it is'),
        ('(f(x) ** 2)', 'f(x)', 'Cell 7, sin'),
    ],
)
def test_the_hunt_is_for_any_good_experiment(old, new, said):
    assert old in HUNT.solution
    verdict = HUNT.check_code(HUNT.solution.replace(old, new))
    assert verdict.passed == (not said) and said in verdict.said, verdict


# ---- what the text says ------------------------------------------------------------------------------------------


def test_the_listing_is_the_documents():
    document = (ROOT / 'tests/conformance/listings/relu6.txt').read_text(encoding='utf-8')
    ours, _, _ = source('seed').partition('\n# ---- from here')
    assert ours.split() == document.split()


def test_what_the_cells_show():
    cells = by_id(read('09').cells)

    def told(name):
        return ''.join(o.get('text', '') or o.get('data', {}).get('text/plain', '') for o in cells[name].outputs)

    assert told('l09-run').count('bprop runs') == 1
    assert told('l09-seed').startswith('[[1. 1. 1.]\n [1. 1. 1.]]\n')
    assert told('l09-seed').endswith('[[0. 0. 0.]\n [0. 0. 0.]]')
    assert told('l09-missing').startswith("Illegal primitive ReLU6Grad's bprop not defined")
    assert "1'" in told('l09-tape') and "1'" not in told('l09-kept-tape') and 'unrecorded' in told('l09-kept-tape')
    assert '✓ dx: agrees with autodiff' in told('l09-kept') and 'what the last call kept' in told('l09-kept')
    assert 'second order:      [0. 0. 0.]' in told('l09-kept')


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
    space: dict[str, Any] = {'ms': ms}
    exec(source('bend').partition('\n\n\n')[0], space)
    x = ms.Tensor([-1.0, 0.5, 2.0])
    for f, second in ((ops.sin, -np.sin(x.asnumpy())), (ops.exp, np.exp(x.asnumpy()))):
        assert np.allclose(space['second_difference'](f, x).asnumpy(), second, rtol=1e-5)


def test_minicell_stops_where_the_tensor_itself_is_kept():
    """As the note on MindSpore says."""
    (mistake,) = [m for m in SINH.mistakes if m.name == 'kept-tensor']
    assert 'HiddenValueError' in SINH.check_code(mistake.code).said


def test_a_penalty_trains_through_a_slope_that_is_on_the_tape_and_through_no_other():
    said = by_id(read('09').cells)['l09-penalty'].outputs[0].text
    free, punished, stopped_free, stopped = map(float, re.findall(r'steepness (.*)', said))
    assert punished < 0.6 * free and stopped_free == stopped == free


def test_pytorch_has_the_bug_at_second_order_only():
    pytest.importorskip('torch')
    listing = listings(read('09'), '09')['torch']
    assert listing.count('# prints') == 4 and 'first True second False' in listing


def test_the_named_beliefs_are_among_the_choices():
    known = {choice.misconception for question in about('09').questions.values() for choice in question.choices}
    assert {'my bprop is called twice', 'second order comes free and right'} <= known


def test_the_colleagues_line_is_the_stored_mistake():
    (stored,) = [mistake.code for mistake in SINH.mistakes if mistake.name == 'kept-numbers']
    for line in source('kept').partition('x = ms.Tensor')[0].splitlines():
        assert line in stored
