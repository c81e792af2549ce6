"""What is kept for the way back, the wires of Parameters, and why a gradient is missing; comparing, and the glyphs."""

import xml.etree.ElementTree as ET

import gallery
import numpy as np
import pytest

from minicell import view
from minicell.view import picture, shapes, thumb

SVG = '{http://www.w3.org/2000/svg}'

KEPT = """
class Drop(nn.Cell):
    def construct(self, x):
        self.mask = (x > 0).astype(ms.float32)
        return x * self.mask

    def bprop(self, x, out, dout):
        return (dout * self.mask,)

drop = Drop()
with ms.Tape() as tape:
    ms.grad(lambda x: drop(x).sum())(ms.Tensor([1.0, -2.0, 3.0]))
"""
STOPPED = """
def f(x):
    k = ops.stop_gradient(x)
    big = x > 1.0
    return (x * k).sum()

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor([0.5, 3.0]))
"""
SWALLOWED = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, -1.0]), name='weight')

    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        return (self.w * dout,)

net = Net()
with ms.Tape() as tape:
    ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(ms.Tensor([0.5, 3.0]))
"""


def frames(source, name, **look):
    return view.frames(gallery.tape_of(source.strip() + '\n', name), **look)


def shown(frame):
    return [t.text or (t[0].tail if len(t) else '') for t in ET.fromstring(view.svg(frame)).iter(f'{SVG}text')]


def entry(told, name):
    return next(e for e in told[0].record.entries if e.name == name)


def test_a_bprop_keeps_what_it_reads():
    assert [s.name for s in entry(view.frames(gallery.run('matmul')), 'Net').saves] == ['x', 'y']
    assert [s.name for s in entry(view.frames(gallery.run('dropout')), 'Dropout2d').saves] == ['out']
    assert 'saved: x, y' in shown(view.frames(gallery.run('matmul'))[-1])


def test_a_rule_keeps_what_it_reads():
    told = view.frames(gallery.run('fanout_inside'))
    assert [s.name for s in entry(told, 'Exp').saves] == ['left']
    assert entry(told, 'Add').saves == () == entry(told, 'ReduceSum').saves


def test_what_is_kept_on_self_is_a_broken_line():
    told = frames(KEPT, 'kept')
    assert [tuple(s) for s in entry(told, 'Drop').saves] == [('self.mask', False)]
    assert 'self.mask (on self, not on the tape)' in shown(told[-1])
    broken = [s for s in picture.compose(told[-1])[0] if isinstance(s, shapes.Path) and s.dash == '3 2']
    assert len(broken) == 1 and len(broken[0].runs) == 2


def test_a_swallowed_parameter_has_a_cut_wire():
    told = frames(SWALLOWED, 'swallowed_here')
    words = shown(told[-1])
    assert {'weight', 'cut: not in internal_params'} <= set(words)
    assert 'its wire is cut at 1 Net: not in internal_params' in words
    assert 'whole: in internal_params' in shown(view.frames(gallery.run('params'))[-1])


def test_a_missing_gradient_says_why():
    told = frames(STOPPED, 'stopped_here')
    assert entry(told, 'StopGradient').why == 'stop_gradient blocks it on purpose'
    assert entry(told, 'Greater').why == 'Greater gives Bool: no gradient'
    assert any('k: stop_gradient blocks it on purpose' in shown(f) for f in told)
    assert 'returned None, which counts as zero' in ' '.join(shown(view.frames(gallery.run('none'))[-1]))


def test_without_comparing_nobody_is_told():
    told = view.frames(gallery.run('matmul'), compare=False)
    words = ' '.join(' '.join((*shown(f), f.caption, view.alt(f))) for f in told)
    for spoiler in ('FAILS', 'true: autodiff', 'off by', 'agrees', 'difference'):
        assert spoiler not in words
    assert 'yours: x + 1' in words


def test_the_relative_error_stands_beside_the_absolute_one():
    words = shown(view.frames(gallery.run('matmul'))[8])
    off = np.abs(5.2 / 6.6)
    assert f'relative {off:.2f}' in words


def test_a_write_into_memory_is_a_step():
    told = view.frames(gallery.run('step'))
    wrote = [f for f in told if 'overwrites memory' in f.title]
    assert len(wrote) == 2 and 'Before' in wrote[0].caption and 'After' in wrote[0].caption


def glyphs(data):
    value = view.model.Value('x', data.shape, 'Float64', data)
    return [s.text for s in thumb.picture(value, 0, 0) if isinstance(s, shapes.Text)][1:]


@pytest.mark.parametrize(
    ('place', 'number', 'words'),
    [(0, np.nan, '× 1 NaN'), (1, np.inf, '^ 1 ∞'), (2, 0.0, '· 1 zero'), (3, 1e6, '◥ 1 beyond 2.00')],
)
def test_glyphs_of_a_heatmap(place, number, words):
    data = np.linspace(1, 2, 48).reshape(6, 8)
    data.flat[-1] = data.flat[-3:] = 2.0
    assert glyphs(data) == []
    data = data.copy()  # what is known of an array holds as long as it lives
    data.flat[place] = number
    found = glyphs(data)
    assert len(found) == 1 and found[0].startswith(words.split(' beyond')[0])


def test_an_outlier_does_not_leave_the_others_grey():
    data = np.ones((6, 8))
    data[0, 0] = 1e6
    assert thumb.limit(data) == 1.0 and thumb.limit(data[:2, :2]) == 1e6


def test_no_number_reads_as_minus_zero():
    assert thumb.short(-0.0) == '0.00'


def test_usual_numbers_beside_a_huge_one_stay_readable():
    assert thumb.numerals(np.array([1e30, 0.25, -1.0, 0.0]), 37, 11.5) == ['1e30', '0.25', '−1.00', '0.00']


def test_whole_numbers_are_written_whole():
    data = np.arange(6, dtype=np.int64).reshape(2, 3) * -100000
    assert thumb.span(data) == '−500000 … 0'


def test_the_sign_of_a_large_tensor_is_seen_without_colour():
    data = np.linspace(-1, 2, 48).reshape(6, 8)
    strokes = [
        s for s in thumb.picture(view.model.Value('x', data.shape, 'Float64', data), 0, 0)
        if isinstance(s, shapes.Path) and s.line == 0.7
    ]  # fmt: skip
    assert len(strokes) == 1 and len(strokes[0].runs) == (data < 0).sum()


def test_only_what_a_line_itself_calls_takes_its_target():
    source = 'class Net(nn.Cell):\n    def construct(self, x, y):\n        return x * y\n\n'
    source += '    def bprop(self, x, y, out, dout):\n        return y * dout, x * dout\n\n'
    source += 'with ms.Tape() as tape:\n    dx, dy = ms.grad(Net(), (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))\n'
    assert [v.name for v in entry(frames(source, 'targets'), 'Net').outputs] == ['out']
