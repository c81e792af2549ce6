"""What is particular to lesson 07: its listing is the document's, its figure, its two exercises, and its averages."""

import re
from itertools import pairwise

import numpy as np
import pytest

import minicell as ms
from minicell import ops
from minicell.teach.about import exercise
from minicell.teach.lesson07 import figures as figure
from tests.lessons.answers import Answers, changed, filled, indented
from tests.lessons.figures import holds
from tests.lessons.page import Page, document
from tests.messages import tells

UNPACK, FORWARD, HUNT = map(exercise, ('7a', '7b', '7c'))
PAGE = Page('07')


Dropout2d = PAGE.run('run', upto='dropout_2d =')['Dropout2d']


class Anew(Dropout2d):
    def bprop(self, x, out, dout):
        _, mask = self.dropout2d(x)
        return super().bprop(x, (out[0], mask), dout)


def test_the_listing_is_the_documents():
    source = PAGE.source('run')
    ours = source[source.index('class Dropout2d') : source.index('# ----')].strip()
    assert ours.replace('minicell', 'mindspore') in document('documents/002.txt', 'python')


def test_forward_and_backward_agree_in_each_run_and_the_runs_differ():
    runs = re.findall(r'kept (\[.*?\]) .* passed (\[.*?\])', PAGE.told('run'))
    assert len(runs) == 3 and len(set(runs)) > 1
    assert all(kept == passed for kept, passed in runs)


def test_dout_is_a_tuple_with_zeros_for_the_mask():
    lines = PAGE.told('peek').splitlines()
    assert [line.split()[:2] for line in lines] == [[of, t] for of in ('out', 'dout') for t in ('Float32', 'Bool')]
    assert not re.search(r'[1-9]', lines[3].partition('Bool')[2])


def test_the_average_with_a_new_mask_is_half_of_the_truth():
    """For (y * y).sum() at keep_prob 0.5: E[y * y] = x * x / keep, so the slope is 4 x."""
    right, anew = (float(number) for number in re.findall(r'average (\d\.\d+)$', PAGE.told('average'), re.M)[:2])
    assert right == pytest.approx(4, abs=0.05) and anew == pytest.approx(2, abs=0.05)


def test_for_a_linear_loss_the_average_is_right():
    """As the reply to the question says."""
    ms.set_seed(0)
    one, cell = ops.ones((1, 4000, 1, 1)), Anew(0.5)
    mean = np.mean([ms.grad(lambda x: cell(x)[0].sum())(one).asnumpy() for _ in range(20)])
    assert mean == pytest.approx(1, abs=0.05)


def test_the_mask_of_out_always_fits_and_a_new_one_only_at_the_ends():
    for keep in np.linspace(0, 1, 21).round(2).tolist():
        thrown = figure.throw(Dropout2d, Anew, keep)
        assert figure.agrees(thrown, thrown.mine).all()
        anew = figure.agrees(thrown, thrown.anew).all()
        assert anew if keep in (0, 1) else keep not in (0.2, 0.5, 0.8) or not anew


def test_more_is_kept_as_keep_prob_grows():
    """The same throws: no channel that was kept is dropped again."""
    masks = [figure.throw(Dropout2d, Anew, keep).mask for keep in (0.0, 0.3, 0.5, 0.8, 1.0)]
    assert all(np.all(a <= b) for a, b in pairwise(masks))
    assert (masks[0].sum(), masks[-1].sum()) == (0, figure.CHANNELS)


def test_the_figure_can_be_read():
    for each in holds(figure.masks(Dropout2d, Anew)).drawn:
        tells(each.words, 'keep_prob = ', '(0 channels wrong)')


bprop = filled(UNPACK, '        mask = ...')
HEAD = 'mask, y = out\ndmask, dy = dout\n'

test_other_right_answers_pass = Answers(UNPACK, bprop).passing(
    'return (dout[1] * out[0] * self.scale,)',
    'mask, y = out\nreturn [ms.ops.select(mask.broadcast_to(x.shape), dout[1], 0.0) * self.scale]',
    'mask, _ = out\n_, dy = dout\nif self.keep_prob != 0:\n    dy = dy / self.keep_prob\nreturn (mask * dy,)',
    HEAD + 'return (ms.Tensor(mask.asnumpy() * dy.asnumpy() * self.scale),)',
    HEAD + 'dx = dy * mask.astype(dy.dtype)\nreturn (dx / self.keep_prob if self.keep_prob else dx,)',
    HEAD + 'return (ms.grad(lambda x: (x * mask * self.scale * dy).sum())(x),)',
)

test_wrong_answers_fail = Answers(UNPACK, bprop).failing(
    (HEAD + 'return (dy * mask * self.scale * 2,)', 'wrong', None),
    (HEAD + 'return (-dy * mask * self.scale,)', 'wrong', None),
    (HEAD + 'return (dy * self.scale,)', 'wrong', None),
    (HEAD + 'return (dy * mask * self.scale + dmask,)', 'each output', None),
    (HEAD + 'return ((mask * dy + dmask) * self.scale,)', 'each output', 'adds-dmask'),
    (HEAD + 'return (y / x * dy,)', 'NaN', 'divides'),
    (HEAD + 'return (dy * ms.ops.logical_not(mask) * self.scale,)', 'wrong', 'inverted'),
    (HEAD + 'return (y * dy,)', 'wrong', 'times-y'),
    (HEAD + 'return (mask * dy / ms.Tensor(self.keep_prob),)', ('keep_prob 0.0', 'NaN'), 'zero-by-zero'),
    (HEAD + 'return (dy * mask / 0.8,)', 'keep_prob 0.2', 'fixed-scale'),
    (HEAD + 'return (x * mask * self.scale,)', 'wrong', 'forward-again'),
    (HEAD + 'return (x * mask,)', 'wrong', 'unscaled-x'),
    (HEAD + 'return (ms.ops.zeros_like(x),)', 'wrong', 'no-gradient'),
    ('return (dout[1] * out[0],)', 'wrong', 'no-scale'),
    ('_, dy = dout\nreturn (dy.sum(),)', 'shape ()', None),
    ('return dout[1] * out[0] * self.scale', 'a bare Tensor', None),
    ('return (None,)', 'None counts', None),
    ('return out[7]', 'IndexError', None),
    (
        'keep = np.random.random(x.shape) < self.keep_prob\nreturn (dout[1] * ms.Tensor(keep) * self.scale,)',
        'answers differently',
        'new-mask',
    ),
)

test_half_begun_is_not_attempted = Answers(UNPACK, bprop).begun(
    'return (...,)', 'mask, _ = ...\nreturn (mask,)', 'return (dout[1] * ...,)'
)


construct = lambda lines: changed(FORWARD.start, ('        mask = ...\n        y = ...', indented(lines)))
test_other_constructs_pass = Answers(FORWARD, construct).passing(
    'mask = thrown >= 1 - self.keep_prob\ny = x * mask * self.scale',
    'mask = (thrown < self.keep_prob).astype(x.dtype)\ny = ms.ops.select(mask != 0, x * self.scale, 0.0)',
    'mask = ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)\ny = self.scale * (mask * x)',
    'mask = ms.ops.less(thrown, self.keep_prob)\ny = x * mask / self.keep_prob if self.keep_prob else x * 0',
    'mask = ms.ops.floor(thrown + self.keep_prob)\ny = x * mask * self.scale',
)

test_wrong_constructs_fail = pytest.mark.filterwarnings('ignore::RuntimeWarning')(
    Answers(FORWARD, construct).failing(
        ('mask = thrown < 0.5\ny = x * mask * 2', 'rows kept', 'half'),
        ('mask = thrown < 0.8\ny = x * mask / 0.8', 'keep_prob 0.2', None),
        ('mask = thrown < self.keep_prob\ny = x', ('100%', 'rows kept'), None),
        ('mask = thrown < self.keep_prob\ny = x * mask * self.scale * self.scale', 'mean of y', None),
        ('mask = (thrown < self.keep_prob) * self.scale\ny = x * mask', ('not the', 'gradient of y'), 'scaled-mask'),
        ('mask = (thrown < self.keep_prob) * 2.0\ny = x * mask / 2 * self.scale', ('not the', 'gradient of y'), None),
        ('mask = (thrown < self.keep_prob) * -1.0\ny = x * -mask * self.scale', ('not the', 'gradient of y'), None),
        ('mask = thrown < self.keep_prob\ny = ms.ops.relu(x) * mask * self.scale', ('not the', 'gradient of y'), None),
        (
            'mask = thrown >= self.keep_prob\ny = x * (thrown < self.keep_prob) * self.scale',
            'not the one',
            'another-mask',
        ),
        ('mask = x\ny = x', '100%', None),
        ('mask = 1\ny = x', 'returned int', None),
        ('mask = thrown < self.keep_prob\ny = x / 0 * mask', 'NaN or infinity', None),
    )
)

test_other_experiments_find_all_three_or_miss_one = Answers(HUNT).experiments(
    ('if abs(dx - y).max() > 1e-6:', 'if dx.max() > y.max():', ''),
    ('if abs(dx - y).max() > 1e-6:', 'if dx.mean() > 1.001 * y.mean():', ''),
    ('((dx != 0) != (y != 0)).any()', '(dx[y == 0] != 0).any() or (dx[y != 0] == 0).any()', ''),
    ('(dx != again).any()', 'len({cell.bprop(x, out, dout)[0].asnumpy().tobytes() for _ in range(5)}) > 1', ''),
    ('    cell.construct(x)  #', '    ms.grad(lambda x: cell(x)[1].sum())(x)  #', ''),
    ('if (dx != again).any():', 'if (dx != y).any():', 'Cell 3'),
    ('(dx != again).any()', '(dx == again).all()', 'Cell 1'),
    ('if abs(dx - y).max() > 1e-6:', 'if (dx > 1).any():', 'Cell 1'),
)


def test_the_seed_makes_differences_agree():
    rows = re.split(r'\n(?=\w)', PAGE.told('seeded').strip())  # long ones may be broken
    mine, seeded, free = (np.array(re.findall(r'-?\d+\.\d*', row), float) for row in rows)
    assert np.allclose(mine, seeded, atol=0.3) and not np.allclose(mine, free, atol=3)


def test_figure_and_exercises_leave_the_learners_dice_alone():
    ms.set_seed(3)
    due = np.random.random()
    ms.set_seed(3)
    UNPACK.check_code(UNPACK.solution)
    FORWARD.check_code(FORWARD.solution)
    figure.masks(Dropout2d, Anew)
    assert np.random.random() == due


@pytest.mark.slow
def test_pytorch_s_backward_gets_a_second_gradient_for_the_mask():
    pytest.importorskip('torch')
    listing = PAGE.listing('torch').replace('def backward(ctx, dy, _)', 'def backward(ctx, dy)')
    with pytest.raises(TypeError, match='2 positional arguments'):
        exec(listing, {})
