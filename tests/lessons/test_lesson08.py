"""What is particular to lesson 08: its listing is the document's, its figure, its exercises, its own Primitive."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell import ops
from minicell.teach.about import exercise
from minicell.teach.lesson08 import HIDDEN, WORDS, due, layer
from minicell.teach.lesson08 import figures as figure
from minicell.teach.trials import quiet
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import drawn, holds
from tests.lessons.page import Page, document
from tests.messages import tells

TIES, SHRINK, HUNT = map(exercise, ('8a', '8b', '8c'))
PAGE = Page('08')
DATA = ms.Tensor(np.arange(-2, 2.25, 0.25), ms.float32)  # as in the lesson
Threshold = PAGE.run('listing', upto='m =')['Threshold']


def test_the_listing_is_the_documents_and_prints_its_text():
    source = PAGE.source('listing')
    ours = source[source.index('class Threshold') :].replace('minicell', 'mindspore')
    assert ours == '\n\n'.join(document('documents/002.txt', 'python')[:2])
    assert PAGE.told('listing') == document('documents/002.txt', 'text')[0]


def test_it_holds_in_other_dtypes():
    """As the note says: a Python number takes the dtype of the Tensor."""
    for dtype in (ms.float16, ms.float32, ms.float64):
        assert Threshold(0.1, 20)(ms.Tensor([0.1], dtype)).asnumpy()[0] == 20


def test_a_boundary_that_belongs_to_nobody_stops_the_training():
    a, after_a, b, after_b = (float(n) for n in re.findall(r'(?:loss is|steps) ([\d.]+)', PAGE.told('edge')))
    assert a == b and after_a < 0.01 < 0.3 * a < after_b
    assert len(set(PAGE.told('clips').splitlines())) == 1, 'the values of both are the same'


def test_what_the_check_and_the_loop_say():
    """The check accepts both clips and calls a rounding a surrogate, and the loop left the tape."""
    assert PAGE.told('check').startswith('✓')
    said = re.findall(r'^[✓✗○]|kink|surrogate\.(?= Every)', PAGE.told('blind'), re.M)
    assert said == ['✓', 'kink', '✓', 'kink', '○', 'surrogate.']
    tells(PAGE.told('zeros'), 'gradient [0. 0. 0.]\n', 'LeavesTapeWarning', 'NoPathWarning')


def test_a_rounding_in_numpy_is_unknown_to_the_check():
    class Rounds(ms.nn.Cell):
        def construct(self, x):
            return ms.Tensor(np.floor(x.asnumpy() + 0.5))

        def bprop(self, x, out, dout):
            return (dout,)

    (row,) = ms.check_bprop(Rounds(), ms.Tensor([-1.3, 0.2, 0.7])).rows
    assert row.verdict == 'unknown'
    tells(row.why, 'asnumpy()', 'surrogate', keep=False)


def test_the_primitive_is_one_entry_with_a_right_rule():
    said = PAGE.told('primitive')
    assert re.search(r'^ +1  own\(x\) +ThresholdOp', said, re.M) and '[0. 1. 1.]' in said and '✗' not in said
    own = PAGE.run('primitive', upto='with ms.Tape', ops=ops, np=np, ms=ms, inputs=DATA)['own']
    for f in (lambda x: own(x).sum(), lambda x: (own(x) ** 2).sum()):
        assert ms.check_bprop(ms.grad(f), ms.Tensor([-1.0, 0.2, 2.0])).ok  # second order, too


def test_the_gradient_is_one_above_and_zero_elsewhere():
    for at in np.arange(-2.5, 2.75, 0.25):
        seen = figure.run(Threshold, DATA, float(at))
        assert np.array_equal(seen.slope, seen.above.astype(float))
        assert seen.ties == int(-2 <= at <= 2), 'the slider stops on each number of the data'


def test_the_zero_of_the_constant_is_drawn():
    """At the far end there is a square for each number, in both charts, and no circle."""
    box = figure.draw(Threshold, DATA, 2.5).box
    for way in ('f', 'bk'):
        squares, circles = (drawn(box, 'rect', f'{look} {way}') for look in ('card ring', 'dab'))
        assert (len(squares), len(circles), len({each['y'] for each in squares})) == (DATA.size, 0, 1)


def test_the_figure_can_be_read():
    for each in holds(figure.threshold(Threshold, DATA)).drawn:
        tells(each.words, 'gradient is 0. ')


def test_the_answers_are_measured():
    assert due() == {'A': 0, 'B': 1, 'C': 1, 'D': 0, 'E': 0.5, 'F': 0} == TIES.due.did


@pytest.mark.slow
def test_pytorch_agrees():
    torch = pytest.importorskip('torch')
    cases = {
        'A': lambda x: torch.where(x > 1, x, 20.0),
        'B': lambda x: torch.where(x >= 1, x, 20.0),
        'C': lambda x: torch.where(x > 1, 1.0, x),
        'D': lambda x: torch.where(x >= 1, 1.0, x),
        'E': lambda x: torch.maximum(x, torch.ones(1)),
        'F': lambda x: torch.relu(x - 1),
    }
    for letter, f in cases.items():
        one = torch.ones(1, requires_grad=True)
        f(one).sum().backward()
        assert float(one.grad) == due()[letter], letter


test_one_wrong_number_has_one_cause = Answers(TIES).words(
    ({'A': 1}, '', 'greater-equal'),
    ({'A': 1, 'C': 0}, '', 'greater-equal'),
    ({'C': 0}, '', 'no-is-0'),  # A is right, with the same comparison
    ({'B': 0}, '', 'strict'),
    ({'D': 1}, '', 'yes-is-1'),
    ({'C': 0, 'D': 1}, '', 'no-is-0'),
    ({'A': 1, 'B': 0, 'C': 0, 'D': 1}, '', 'swapped'),
    ({'E': 1}, '', 'one-wins'),
    ({'E': 0}, '', 'other-wins'),
    ({'F': 0.5}, '', 'relu-shares'),
    ({'F': 1}, '', 'relu-passes'),
    ({'A': 0.5}, '', 'mean'),
    ({'D': 0.5}, '', 'mean'),
    (dict.fromkeys('ABCDEF', 0), '', 'kills-all'),
    (dict.fromkeys('ABCDEF', 1), '', 'formula'),
    ({'A': 20}, '', None),
    ({'E': -1}, '', None),
    ({'A': 'no'}, ("A: 'no'", 'no number')),
    ({'D': ...}, 'open: D'),
    ({'C': 0}, ('5 of 6', 'C is not 0'), ...),
    ({'B': True}, '6 of 6', 'passed'),
    (dict.fromkeys('ABCDEF', ...), '', 'open'),
)


shrink = filled(SHRINK, '        y = ...')
test_other_right_answers_pass = Answers(SHRINK, shrink).passing(
    'return x * (ops.abs(x) > self.t) - self.t * (x > self.t) + self.t * (x < -self.t)',
    'return ops.select(ops.abs(x) > self.t, x - ops.sign(x) * self.t, 0.0)',
    'return ops.select(x > self.t, x - self.t, 0.0) + ops.select(x < -self.t, x + self.t, 0.0)',
    'return ops.select(x >= self.t, x - self.t, ops.select(x <= -self.t, x + self.t, 0.0))',
    'return ops.select(x > self.t, x - self.t, ops.select(x <= -self.t, x + self.t, 0.0))',
    'return ops.sign(x) * ops.maximum(ops.abs(x) - self.t, 0.0)',
    'return ops.relu(x - self.t) - ops.relu(-x - self.t)',
    'return x - ops.clamp(x, -self.t, self.t)',
    'return x - ops.minimum(ops.maximum(x, -self.t), self.t)',
    said='from 0 to 1',
)

test_wrong_answers_fail = Answers(SHRINK, shrink).failing(
    ('return ops.select(x < -self.t, x - self.t, ops.select(x > self.t, x + self.t, 0.0))', '-2.5', 'wrong-sign'),
    ('return x + ops.sign(x) * self.t * (ops.abs(x) > self.t) - x * (ops.abs(x) <= self.t)', '-2.5', 'wrong-sign'),
    ('return ops.select(ops.abs(x) < self.t, x - ops.sign(x) * self.t, 0.0)', 'y is 0; expected', 'inside-out'),
    ('return ops.select(ops.abs(x) > self.t, x - self.t, 0.0)', 'y is -2.5', 'both-minus'),
    ('return ops.maximum(ops.abs(x) - self.t, 0.0)', 'y is 1.5', 'size-alone'),
    ('return ops.select(x == 0, 0.0, x * ops.relu(1 - self.t / ops.abs(x)))', 'is NaN', 'divided'),
    ('return ops.stop_gradient(ops.select(ops.abs(x) > self.t, x - ops.sign(x) * self.t, 0.0))', 'dy/dx', 'numpy'),
    ('return ops.select(ops.abs(x) > self.t, x - ops.sign(x) * self.t, x - ops.stop_gradient(x))', 'dy/dx', None),
    (
        'return ops.select(ops.abs(x) > self.t, 3 * x - 2 * ops.stop_gradient(x) - ops.sign(x) * self.t, 0.0)',
        ('dy/dx is 3', 'expected 1'),
        None,
    ),
    ('return x', 'x = -2', None),
    ('return ms.Tensor([0.0])', 'shape', None),
    ('return ops.select(x > self.t, x - self.t, 0.0) * 2', 'expected', None),
    ('return foo', 'NameError', None),
    ('return 3', 'returned int', None),
)

test_half_begun_is_not_attempted = Answers(SHRINK, shrink).begun(
    'return ops.select(x > self.t, ..., 0.0)', 'return ...'
)


@pytest.mark.parametrize(('function', 'word'), HIDDEN)
def test_each_layer_of_the_hunt_is_what_is_said_of_it(function, word):
    """One of three curves forward, and the gradients against the slopes of that curve, place by place."""
    x = np.linspace(-2, 2, 41).round(9)
    inner, bound = abs(x) < 1, abs(x) == 1
    with quiet():
        (cell,) = layer(function)
        y = cell(ms.Tensor(x)).asnumpy()
        dx = ms.grad(lambda x: cell(x).sum())(ms.Tensor(x)).asnumpy()
    clipped = np.clip(x, -1, 1)
    bent = [
        (clipped + side * (part**3 - part**5) / 2, 1 + side * (3 * part**2 - 5 * part**4) / 2)
        for side, part in ((-1, np.minimum(clipped, 0)), (1, np.maximum(clipped, 0)))
    ]
    curves = (
        *((way * clipped, way + 0 * x) for way in (1, -1)),
        (-(clipped**3) - clipped**4 * (1 - clipped**2) / 2, -3 * x * x - 2 * x**3 + 3 * x**5),
        (clipped + np.sin(np.pi * clipped) / 6, 1 + np.pi * np.cos(np.pi * x) / 6),
        *((np.where(abs(x) > 1, np.sign(x), np.sqrt(1.01 + way * clipped)), 0 * x) for way in (1, -1)),  # NaN outside
        (np.where(abs(x) > 1, np.sign(x), 0.999 * (3 * clipped - clipped**3) / 2), 0.999 * (1.5 - 1.5 * x * x)),
        *bent,
    )
    (slope,) = [slope for curve, slope in curves if np.allclose(y, curve)]
    assert bound.sum() == 2 and np.isnan(dx).any() == (word == 'nan')
    if word != 'nan':
        assert (not np.allclose(dx[inner], slope[inner])) == (word == 'gap')
        assert ((dx == 0) & (slope != 0))[bound].any() == (word == 'edge') or word == 'gap'


def test_each_word_of_the_hunt_is_due_and_no_short_cut_leads_to_it():
    """A right layer has a slope of 0 between its bounds, and a layer with a gap has none: only measuring tells."""
    assert {due for _, due in HIDDEN} == set(WORDS)
    inner = ms.Tensor([-0.5, 0.0, 0.5])
    with quiet():
        gaps = [ms.grad(lambda x, f=f: f(x).sum())(inner).asnumpy() for f, due in HIDDEN if due == 'gap']
        flat = [ms.grad(f)(ms.Tensor(0.0)).item() == 0 for f, due in HIDDEN if due == 'right']
    assert any(gap.all() for gap in gaps) and any(flat)


def test_a_branch_that_is_not_taken_makes_nan_unless_the_select_comes_first():
    early, late = re.findall(r'^gradient (.*)$', PAGE.told('late'), re.M)
    assert re.fullmatch(r'\[ *nan 0\.25\]', late) and re.fullmatch(r'\[0\. +0\.25\]', early)
    assert PAGE.told('late').count('Warning:') == 1
    tells(PAGE.told('late'), 'NotANumberWarning', 'backward of Sqrt')


ALL = '[-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]'
SLOPE = '(at(layer, x + eps) - at(layer, x - eps)) / (2 * eps)'
GAP = 'not np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3)'

test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    (ALL, '[-1.2, -1.0, -0.1, 0.0, 0.1, 1.0, 1.2]', ''),
    (ALL, '[-1.0, -0.5, 0.0, 0.5, 1.0, 2.0]', ('Layer 13', 'is “nan”')),
    (ALL, '[-1.0, -0.1, 0.0, 0.1]', ('Layer 7', '“right”', 'is “edge”')),
    (ALL, 'np.arange(-2, 2.25, 0.25)', ''),
    (ALL, 'np.linspace(-2, 2, 100)', ('Layer 1', '“right”', 'is “nan”')),
    (GAP, '(abs(dx - slope(layer, x))[inner] > 0.01).any()', ''),
    (GAP, 'not ms.check_bprop(layer, ms.Tensor(x[inner])).ok', ''),
    (SLOPE, '(at(layer, x + eps) - at(layer, x)) / eps', ''),
    ('(2 * eps)', 'eps', ('Layer 2', '“gap”', 'is “right”')),
    ('eps=1e-4', 'eps=1e-2', ''),
    ('eps=1e-4', 'eps=1e-1', ('Layer 2', '“gap”', 'is “right”')),
    (SLOPE, 'ms.grad(lambda x: layer(x).sum())(ms.Tensor(x)).asnumpy()', ('Layer 9', '“right”', 'is “gap”')),
    ('abs(x) < 1', 'abs(x) <= 1', ('Layer 2', '“gap”', 'is “right”')),
    ('np.isnan(dx).any()', '(dx == np.nan).any()', ('Layer 1', '“gap”', 'is “nan”')),
)
