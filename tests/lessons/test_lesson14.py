"""What is particular to lesson 14: what its lies do is measured, its figure, its two Cells and its hunt."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson14 import HIDDEN, Hidden, yours
from minicell.teach.lesson14 import figures as figure
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import calls, drawn, holds
from tests.lessons.page import Page
from tests.messages import tells

LONG, SIGN, CLIP, HUNT = map(exercise, ('14a', '14b', '14c', '14d'))
PAGE = Page('14')


@pytest.fixture(scope='module')
def space():
    """What the first cells of the lesson define."""
    mine = run(LONG.solution, 'long_difference', 'a cell')
    here = PAGE.run('data', 'quantize', 'network', 'run', 'long', long_difference=mine)
    lies = PAGE.source('lies')
    exec(lies[lies.index('class Strict') : lies.index('every =')], here)
    return here


def test_two_bits_train_and_the_truth_does_not():
    found = {name.strip(): (float(a), float(b)) for name, a, b in re.findall(
        r'^(.*?)  +accuracy ([\d.]+), .* by up to ([\d.]+)$', PAGE.told('run'), re.M)}  # fmt: skip
    assert found['8 bits'][0] - 0.05 < found['2 bits'][0] and found['2 bits'][1] > 0.5
    assert found['2 bits, honest'][0] < 0.7 and found['2 bits, honest'][1] == 0


def table() -> dict[str, tuple[str, float, int, float]]:
    rows = re.findall(r'^(\w+) +(right|surrogate) +(-?[\d.]+) +(\d+)% +([\d.]+) ±[\d.]+$', PAGE.told('lies'), re.M)
    return {name: (check, float(angle), int(zeros), float(right)) for name, check, angle, zeros, right in rows}


def test_only_the_truth_passes_the_check_and_it_learns_nothing():
    found = table()
    assert [name for name, (check, *_) in found.items() if check == 'right'] == ['Honest']
    assert found['Honest'][1:3] == (0, 100) and found['Honest'][3] < 0.6
    assert found['Quantize'][2] == 0 and 35 < found['Strict'][2] < 65, 'strict gives half of the weights nothing'


def test_a_lie_that_agrees_with_long_differences_trains_and_no_other_does():
    """As the note under the table says: the cosine parts those that help from those that do not."""
    for name, (_, angle, _, right) in table().items():
        assert (angle > 0.5) == (right > 0.85) and not 0.1 <= angle <= 0.5, name


def test_the_fewer_bits_the_more_weights_stop():
    rows = re.findall(r'^(\d) +([\d.]+) +(\d+)% +([\d.]+) +(\d+)%$', PAGE.told('edge'), re.M)
    assert [row[0] for row in rows] == ['1', '2', '3', '4', '8']
    still = [(int(right), int(strict)) for _, _, right, _, strict in rows]
    assert still[0][1] == 100 and all(strict > right for right, strict in still)
    assert [strict for _, strict in still] == sorted((strict for _, strict in still), reverse=True)
    assert rows[2][0] == '3' and float(rows[2][1]) - float(rows[2][3]) < 0.03 and still[2][1] > 50
    first, last = rows[0], rows[-1]
    assert float(first[1]) - float(first[3]) > 0.2 and abs(float(last[1]) - float(last[3])) < 0.02


def test_the_trend_is_what_a_move_of_one_level_does(space):
    (x, t), _ = space['both'](1)
    net = space['Net'](space['Quantize'](2), 1)
    before = [w.asnumpy().copy() for w in (net.w1, net.w2)]
    found = space['trend'](net, x, t)
    assert all(np.array_equal(w.asnumpy(), old) for w, old in zip((net.w1, net.w2), before, strict=True))
    losses = []
    for way in (1.0, -1.0):
        moved = before[0].copy()
        moved[2, 5] += way
        net.w1.set_data(ms.Tensor(moved))
        losses.append(float(space['loss_of'](net(x), t)))
    assert found[2 * 8 + 5] == pytest.approx((losses[0] - losses[1]) / 2, abs=1e-6)


def test_the_quantizer_rounds_to_the_nearest_level(space):
    for bits in (1, 2, 3, 8):
        cell = space['Quantize'](bits)
        levels = np.linspace(-cell.most, cell.most, 2**bits)
        w = np.random.default_rng(bits).uniform(-4, 4, 300)
        nearest = levels[abs(w[:, None] - levels).argmin(axis=1)]
        assert np.array_equal(cell(ms.Tensor(w)).asnumpy(), nearest)


def test_reversal_helps_the_camera_without_labels():
    lines = re.findall(r'strength +(-?\d): (.*)', PAGE.told('cameras'))
    rows = {int(k): [float(number) for number in re.findall(r'\d\.\d+', line)] for k, line in lines}
    assert rows[3][1] > 0.9 > 0.7 > rows[0][1] >= rows[-1][1]
    assert rows[-1][2] > 0.8 and abs(rows[3][2] - 0.5) < 0.1
    # the head of strength 0 guesses no better than that of 3, and its feature tells the camera all the same
    assert abs(rows[0][2] - rows[3][2]) < 0.05
    assert rows[-1][3] > 0.85 > 0.8 > rows[0][3] > 0.65 > 0.6 > rows[3][3]
    assert all(best >= head for _, _, head, best in rows.values())
    assert rows[-1][0] - rows[3][0] < 0.03, 'the price under A is small'


def test_one_true_step_of_the_deep_product_makes_it_worse():
    before, after = re.findall(r'the loss is ([\de+.]+)', PAGE.told('explode'))
    assert PAGE.told('explode').startswith('w = 1.5: ') and float(after) > 1e6 * float(before)


def test_the_straight_through_estimator_agrees_with_long_differences_and_not_with_the_truth():
    fetched, first, second, *_ = PAGE.told('long').splitlines()
    tells(fetched, 'Exercise 14a', 'not passed')
    assert float(first.split()[-1]) > 0.9 and second.startswith('○')


def test_the_lie_holds_at_both_orders_and_one_that_is_cut_at_the_first_alone():
    """Each gradient beside its long difference: whether they agree at first order, and at second."""
    found = re.findall(r'^(\w*) +grad.*? +\[(.*?)\]  .*\[(.*?)\]$', PAGE.told('second'), re.M)
    agree = [np.allclose(*(np.array(row.split(), float) for row in rows)) for _, *rows in found]
    names = [name for name, *_ in found if name]
    orders = dict(zip(names, zip(agree[::2], agree[1::2], strict=True), strict=True))
    due = {'Quantize': (True, True), 'Cut': (True, False), 'Flipped': (False, False), 'Honest': (False, True)}
    assert orders == due
    assert float(found[0][1].split()[0]) != 0 != float(found[1][1].split()[0])


def test_beyond_the_levels_is_outside_of_minus_2_to_2(space):
    """As the text says: there, and only there, a move of one level down and up changes nothing."""
    w = ms.Tensor(np.array([-5.0, -2.01, -1.99, 0.2, 1.99, 2.01, 5.0]))
    for bits in (1, 2, 3):
        cell = space['Quantize'](bits)
        far = space['long_difference'](lambda w, cell=cell: cell(w).sum(), w, cell.step)
        passed = ms.grad(lambda w, cell=cell: cell(w).sum())(w).asnumpy()
        for found in (far, passed):
            assert np.array_equal(found != 0, abs(w.asnumpy()) < 2)


@pytest.mark.slow
def test_no_cell_takes_ten_seconds(space):
    """Each of the three that show a bar trains as often as it says; one run is a few hundredths of a second."""
    assert calls(lambda: space['trained'](space['Quantize'](2), 0)) < 1_000_000


@pytest.fixture
def net(space):
    return space['Net'](space['Quantize'](2))


def test_two_levels_are_on_the_edge(space, net):
    weights = np.concatenate([w.asnumpy().ravel() for w in net.trainable_params()])
    for bits in range(1, 9):
        seen = figure.look((space['Quantize'], space['Strict']), weights, {}, bits)
        assert np.unique(seen.levels).size == 2**bits
        open_, strict = (float(passed.mean()) * 5 for passed in seen.passed)
        assert open_ == pytest.approx(4, abs=0.02) and strict == pytest.approx(4 - 2 * 4 / 2**bits, abs=0.02)


def test_every_zero_is_drawn(space, net):
    weights = np.concatenate([w.asnumpy().ravel() for w in net.trainable_params()])
    kinds = space['Quantize'], space['Strict']
    for bits in (1, 2, 5):
        seen = figure.look(kinds, weights, {}, bits)
        box = figure.draw(kinds, weights, {}, bits).box
        squares, circles = (drawn(box, 'rect', look) for look in ('card ring', 'dab bk'))
        assert len(squares) == sum(int(np.sum(~reached)) for reached in seen.reached)
        assert len(squares) + len(circles) == 2 * weights.size


def test_the_figure_can_be_read(space, net):
    shown = holds(figure.bits(space['Quantize'], space['Strict'], net, {(space['Quantize'], 2): (0.5, 0.25)}))
    tells(shown[2].words, 'bits = 2', 'accuracy is 0.50', '25% stand still')


RULE = '(f(w + ms.Tensor(step)) - f(w - ms.Tensor(step))).item() / (2 * reach)'
MOVES = '        step = np.zeros(w.shape)\n        step[place] = reach\n'

test_other_long_differences_pass = Answers(LONG).passing(
    (RULE, 'float(f(w + ms.Tensor(step)) - f(w - ms.Tensor(step))) / reach / 2'),
    (RULE, '-(f(w - ms.Tensor(step)) - f(w + ms.Tensor(step))).item() * 0.5 / reach'),
    ('return found', 'return ms.Tensor(found)'),
    (
        f'{MOVES}        found[place] = {RULE}',
        '        up, low = w.asnumpy().copy(), w.asnumpy().copy()\n'
        '        up[place] += reach\n        low[place] -= reach\n'
        '        found[place] = (f(ms.Tensor(up)) - f(ms.Tensor(low))).item() / (2 * reach)',
    ),
)

test_wrong_long_differences_fail = Answers(LONG).failing(
    ((RULE, '(f(w + ms.Tensor(step)) - f(w)).item() / reach'), 'difference is', 'one-side'),
    ((RULE, '(f(w) - f(w - ms.Tensor(step))).item() / reach'), 'difference is', None),
    (('= reach', '= 1e-4'), 'a staircase', 'tiny'),
    ((RULE, 'ms.grad(f)(w).asnumpy()[place]'), 'a staircase', 'asks-grad'),
    ((RULE, '(f(w + ms.Tensor(step)) - f(w - ms.Tensor(step))).item() / 2 * reach'), 'difference is', None),
    (('return found', 'return found.sum()'), ('array', 'shape (2, 3)'), None),
    (('return found', 'return found.ravel()'), ('array', 'shape (2, 3)'), None),
    ((RULE, 'float("nan")'), 'is NaN', None),
    ((RULE, 'f(w, reach)'), 'stops with TypeError', None),
    (
        (
            f'{MOVES}        found[place] = {RULE}',
            '        w[place] += reach\n        step = np.zeros(w.shape)\n'
            '        step[place] = 2 * reach\n'
            '        found[place] = (f(w) - f(w - ms.Tensor(step))).item() / (2 * reach)',
        ),
        ('w itself', 'changed'),
        None,
    ),
)


def test_the_lesson_goes_on_with_a_difference_that_passes(capsys):
    mine = run(LONG.solution, 'long_difference', 'a cell')
    assert yours(mine) is mine
    tells(capsys.readouterr().out, 'is yours')
    due = yours(run(LONG.start, 'long_difference', 'a cell'))(lambda w: (w * w).sum(), ms.Tensor([3.0]), 1.0)
    assert due == [6]
    tells(capsys.readouterr().out, '14a', 'not passed')


sign, clip = filled(SIGN), filled(CLIP)

test_other_signs_pass = Answers(SIGN, sign).passing(
    'return (dout * ops.logical_and(x >= -1, x <= 1),)',
    'return [ops.select(ops.abs(x) > 1, 0.0, dout)]',
    'return (dout * (x * x <= 1),)',
    'return (dout * (1 - (ops.abs(x) > 1)),)',
    'return (dout * (ops.clamp(x, -1, 1) == x),)',
    'import minicell as ms\nreturn (ms.Tensor(dout.asnumpy() * (abs(x.asnumpy()) <= 1)),)',
)

test_wrong_signs_fail = Answers(SIGN, sign).failing(
    ('return (dout * ops.logical_and(x >= -1, x < 1),)', ('x = 1', 'dx is 0', 'expected -3'), 'upper-end'),
    ('return (dout * ops.logical_and(x > -1, x <= 1),)', 'x = -1', 'lower-end'),
    ('return (dout * ops.logical_and(x > -1, x < 1),)', 'x = -1', 'strict'),
    ('return (dout * (x <= 1),)', 'x = -1.5', None),
    ('return (dout * (out <= 1),)', 'expected 0', 'no-mask'),
    ('return (-dout * (ops.abs(x) <= 1),)', 'expected', 'minus'),
    ('return (ops.abs(dout) * (ops.abs(x) <= 1),)', 'expected -3', None),
    ('return (dout * (ops.abs(x) <= 1.0005),)', 'expected', None),
    ('return (dout * (x / x) * (ops.abs(x) <= 1),)', ('x = 0', 'dx is NaN'), None),
    ('return (dout * x / x * ops.logical_and(x >= -1, x < 1),)', ('x = 0', 'dx is NaN'), None),
    ('return (dout.sum(),)', 'shape ()', None),
    ('return dout', 'bare Tensor', None),
    ('return (dout * (ops.abs(x) <= 1), dout)', 'wo gradients', None),
    ('return (None,)', 'no Tensor', None),
    ('return out[77]', 'IndexError', None),
    ('self.n = getattr(self, "n", 0) + 1\nreturn (dout * (ops.abs(x) <= 1) * self.n,)', 'Asked twice', None),
)


NO_LONGER = 'construct', 'no longer'
KEPT = 'return ops.select(x >= 0, ops.ones_like(x), -ops.ones_like(x))'
ON_SELF = (KEPT, f'self.x = x\n        {KEPT}'), ('ops.abs(x) <= 1', 'ops.abs(self.x) <= 1')
test_construct_of_a_sign_stays_and_a_mask_on_self_is_seen = Answers(SIGN).failing(
    ((KEPT, 'return x * 1'), NO_LONGER, None), (ON_SELF, 'Another call', None)
)
test_construct_of_a_clip_stays = Answers(CLIP).failing((('return 1 * x', 'return 2 * x'), NO_LONGER, None))

test_other_clips_pass = Answers(CLIP, clip).passing(
    'return (dout * ops.minimum(self.most / ops.maximum(length, 1e-12), 1.0),)',
    'if length > self.most:\n    dout = dout * self.most / length\nreturn (dout,)',
    'return (ops.select(length > self.most, dout * (self.most / (length + 1e-9)), dout),)',
    'return (dout / ops.maximum(1.0, length / self.most),)',
    'return (dout * (1 if length <= self.most else self.most / length),)',
    said='1.5 to 1.059',
)

test_wrong_clips_fail = pytest.mark.filterwarnings('ignore::RuntimeWarning')(
    Answers(CLIP, clip).failing(
        ('return (ops.minimum(dout, self.most),)', 'number 1', None),
        ('return (ops.clamp(dout, -self.most, self.most),)', 'number 1', 'each-number'),
        ('return (dout * self.most / length,)', ('dout = (0, 0)', 'dx is NaN'), 'always'),
        ('return (dout * ops.minimum(self.most / (length * length), 1.0),)', ('most = 1', 'dout = (3, −4)'), None),
        ('return (dout * 1.0,)', 'dx is 3', 'passes'),
        ('return (-dout * self.most / ops.maximum(length, self.most),)', 'dx is -0.6', None),
        ('return (dout * 0.2,)', 'dout = (0.3, −0.4)', None),
        ('return (dout / ops.maximum(length, 1.0),)', 'most = 2.5', 'one'),
        ('return (dout * self.most / ops.maximum(length, 2.0),)', 'expected', None),
        ('return (dout * self.most / (length + 1),)', 'expected', None),
        ('return length', 'bare Tensor', None),
    )
)


def test_without_a_clip_the_deep_product_is_lost():
    w = ms.Tensor([1.5], ms.float64)
    slope = ms.grad(lambda w: ((w**12 - 2) ** 2).sum())(w)
    assert abs((w - 0.001 * slope).item()) > 100
    assert re.search(r'step w = -\d{3}', PAGE.told('explode'))


BEGUN = 'return (...,)', 'return ...', 'return (dout * ...,)'
test_a_sign_half_begun_is_not_attempted = Answers(SIGN, sign).begun(*BEGUN)
test_a_clip_half_begun_is_not_attempted = Answers(CLIP, clip).begun(*BEGUN)

test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('if below != 0 or above != 0:', 'if abs(below) + abs(above) > 0:', ''),
    ('[-3.0, -cell.most, cell.most, 3.0]', '[-2 - cell.step, -cell.most, cell.most, 2 + cell.step]', ''),
    ('[-3.0, -cell.most, cell.most, 3.0]', '[-9.0, 0.01 - cell.most, cell.most - 0.01, 9.0]', ''),
    ('low not in (0, -0.5) or high not in (0, 3)', 'low * (low + 0.5) or high * (high - 3)', ''),
    ('if low == 0 or high == 0:', 'if low == 0 and high == 0:', '✗ Cell 6'),
    ('if below != 0 or above != 0:', 'if below != 0 and above != 0:', '✗ Cell 4'),
    ('[2.0, -0.5, 3.0, -1.5]', '[1.0, 1.0, 1.0, 1.0]', '✗ Cell 1'),
    ('(w)[2].item() == 0', '(w)[3].item() == 0', '✗ Cell 1'),
)


def test_long_differences_tell_the_eight_apart(space):
    """By the lesson's own measure, and not by asking bprop: at first order, and at second."""
    difference = space['long_difference']
    for bits, passes, word in HIDDEN:
        cell = Hidden(bits, passes)
        w = ms.Tensor([-3.0, -cell.most, cell.most, 3.0])
        slope = ms.grad(lambda w, cell=cell: ((cell(w) - 3) ** 2 / 2).sum())
        due = difference(lambda w, cell=cell: ((cell(w) - 3) ** 2 / 2).sum(), w, cell.step)
        one = slope(w).asnumpy()
        same = np.array_equal(one != 0, due != 0)
        coarse = same and not np.allclose(one[1:3], cell(w).asnumpy()[1:3] - 3)
        cut = same and not ms.grad(slope)(w).asnumpy().any()
        found = 'coarse' if coarse else 'cut' if cut else 'right' if same else 'leaky' if one[0] or one[3] else 'edge'
        assert found == word, (bits, found)
