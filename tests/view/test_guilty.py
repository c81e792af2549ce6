"""Which expressions a last frame marks: those that made what is wrong, and what of construct was forgotten."""

import re

import pytest

from minicell.view.program import DUE, LETTER, WAVY
from tests.messages import tells
from tests.view.gallery import made, texts

CELL = """
class C(nn.Cell):
    def construct(self, x, y):
        {}
    def bprop(self, x, y, out, dout):
        {}
def loss(features):
    return C()(features, ms.Tensor([2.0, 3.0, -0.5, 1.5])).sum()
with ms.Tape() as tape:
    ms.grad({})(ms.Tensor([1.0, 2.0, -0.5, 3.0]))
"""


def marked(frame, look):
    """The pieces of code that a line of this look runs under."""
    lines = {re.sub(r'^un\d', 'lc', key): s.attrs['d'] for key, s in frame.items() if s.attrs.get('class') == look}
    codes = {key: [float(x) for x in re.findall(r'([\d.]+),', d)] for key, d in lines.items() if key in frame}
    at = lambda key, x: round((x - frame[key].attrs['x']) / LETTER + 0.2)
    return [frame[key].attrs['T'][at(key, xs[0]) : at(key, xs[-1])] for key, xs in codes.items()]


@pytest.mark.parametrize(('construct', 'bprop', 'wavy', 'due', 'said'), [
    ('return (x * x * y).mean()', 'dx = dout * 2 * x * y\n        return dx, None', 'dout * 2 * x * y',
     '(x * x * y).mean()', ('1/4', 'the mean', 'missing')),
    ('s = x / 2.0\n        return s * y', 'return dout * y, None', 'dout * y', 'x / 2.0', ('1/2 of x / 2.0',)),
    ('w = x * x\n        return w * x + y', 'return dout * w(x), None\n    def f(self): pass\nw = lambda x: x * x',
     'dout * w(x)', 'x * x', ('path through w',)),
    ('return ops.tanh(x * y)', 'ds = dout * (1 + out)\n        return ds * y, ds * x', 'dout * (1 + out)', None,
     ('wrong in line 5',)),
    ('return x * y', 'return -dout * x, None', '-dout * x', None, ('in the place',)),
    ('return x * y', 'return dout * y, None', None, None, ('agree',)),
])  # fmt: skip
def test_what_made_a_wrong_number_is_marked_and_what_of_construct_is_missing(construct, bprop, wavy, due, said):
    film = made(CELL.format(construct, bprop, 'loss'), f'guilty {construct} {bprop}').films[0]
    found = [marked(film.frames[-1], look) for look in (WAVY, DUE)]
    assert found == [[wavy] * bool(wavy), [due] * bool(due)]
    assert not any(marked(frame, look) for frame in film.frames[:-1] for look in (WAVY, DUE))
    tells(film.steps[-1].caption, *said)


def test_numbers_from_numpy_are_a_step_and_end_the_way_of_a_second_gradient():
    bprop = 'slope = ms.Tensor(3 * x.asnumpy() ** 2)\n        return dout * slope, None'
    asks = 'lambda x: (ms.grad(lambda x: loss(x) ** 2)(x) ** 2).sum()'
    film = made(CELL.format('return x * x * x', bprop, asks), 'from numpy').films[0]
    made_ = [n for n, s in enumerate(film.steps) if s.title.endswith('makes slope')]
    assert all('NumPy' in film.steps[n].caption for n in made_) and len(made_) == 2
    assert any('slope from NumPy' in texts(frame) for frame in film.frames[made_[0] :])
    assert ''.join(marked(film.frames[-1], WAVY)).replace(' ', '') == 'ms.Tensor(3*x.asnumpy()**2)'
    tells(film.steps[-1].caption, 'first derivative is', 'right', 'makes slope', 'tape ends')


def test_a_thing_has_one_name_in_a_frame_and_tables_keep_their_order():
    film = made(CELL.format('return x * y', 'return -dout * y, dout * x', '(loss)'), 'names').films[0]
    before, last = film.frames[-2:]
    assert 'features' in texts(last) and 'x' not in texts(last)
    names = [[s.attrs['T'] for key, s in frame.items() if re.match(r'g\d+\.\dN', key)] for frame in (before, last)]
    assert [' '.join(each) for each in names] == ['your dx (dfeatures) your dy'] * 2
